/* SPDX-License-Identifier: BSD-3-Clause
 * t_text.c - lines with any end, counts against a plain loop, excerpts that end between characters,
 * bytes that no text holds. */

#include "base/test.h"
#include "data/data.h"

#include <string.h>

static void lines(void)
{
    const char *text = "a\r\n\nb\r", *p = text, *end = text + strlen(text), *line, *stop;

    CHECK(fxi_data_text_line(&line, &stop, &p, end) && stop - line == 1 && *line == 'a');
    CHECK(fxi_data_text_line(&line, &stop, &p, end) && stop == line);
    CHECK(fxi_data_text_line(&line, &stop, &p, end) && stop - line == 1 && *line == 'b');
    CHECK(!fxi_data_text_line(&line, &stop, &p, end));
}

/* Longer than 255 words of eight bytes, after which the sums of bytes are emptied. */
static void counts(void)
{
    static char text[5000];

    for (int trial = test_cases(200); trial > 0; trial--) {
        const size_t n = test_below(sizeof text), kinds = 1 + test_below(4);
        size_t lines_there = 0, marks_there = 0, lines_got, marks_got;
        for (size_t i = 0; i < n; i++) {
            text[i] = "\n:x\xba"[test_below(kinds)];    /* 0xba is ':' with its high bit */
            lines_there += text[i] == '\n';
            marks_there += text[i] == ':';
        }
        lines_there += n && text[n - 1] != '\n';
        fxi_data_text_count(&lines_got, &marks_got, text, text + n, ':');
        CHECK(lines_got == lines_there && marks_got == marks_there);
    }
}

static void excerpts(void)
{
    char buf[FXI_EXCERPT], text[60];
    const char *at;

    memset(text, 'x', sizeof text);
    memcpy(text + FXI_EXCERPT - 5, "\xc3\xb6", 2);      /* would be cut in the middle */
    fxi_data_text_excerpt(buf, text, sizeof text);
    CHECK(strlen(buf) == FXI_EXCERPT - 5 + 3 && !strcmp(buf + FXI_EXCERPT - 5, "..."));
    CHECK(!strcmp(fxi_data_text_excerpt(buf, "a\0b", 3), "a?b"));
    CHECK(!fxi_data_text_odd(&at, "a b", 3));
    CHECK(strstr(fxi_data_text_odd(&at, "a\rb", 3), "carriage") && *at == '\r');
    CHECK(strstr(fxi_data_text_odd(&at, "a\0b", 3), "NUL") && *at == '\0');
}

int main(void)
{
    lines();
    counts();
    excerpts();
    return 0;
}
