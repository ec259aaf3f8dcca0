/* SPDX-License-Identifier: BSD-3-Clause
 * decimal.c - decimal text to double and back, correctly rounded, in any locale.
 *
 * Plain decimals whose digits are below 2^53, nearly all data, take two exact doubles and one
 * division; digits are read eight at a time.
 * Up to 19 significant digits fit a 64-bit integer w, and the number is w 10^e.  For |e| <= 27 the
 * power 5^|e| fits 63 bits, so one exact 128-bit product or quotient decides the rounding:
 *
 *   e >= 0:  w 5^e       has at most 127 bits
 *   e < 0:   w 2^s / 5^-e with s such that the quotient has 63 or 64 bits; a remainder is sticky
 *
 * Both end in "round a 64-bit integer with a sticky bit to 53 bits, ties to even".  Everything else
 * (more digits, larger exponents: rare in data) is rewritten without a decimal point, which is
 * all that depends on the locale, and given to strtod. */

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

static const uint64_t pow5[28] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u,
    244140625u, 1220703125u, 6103515625u, 30517578125u, 152587890625u, 762939453125u,
    3814697265625u, 19073486328125u, 95367431640625u, 476837158203125u, 2384185791015625u,
    11920928955078125u, 59604644775390625u, 298023223876953125u, 1490116119384765625u,
    7450580596923828125u};

/* q 2^e rounded, q with its top bit set; the exponents that reach here give normal numbers. */
static double round_binary(uint64_t q, bool sticky, int e)
{
    uint64_t m = q >> 11, rest = q & 0x7ff;

    if (rest > 0x400 || (rest == 0x400 && (sticky || m & 1)))
        m++;                            /* 2^53 is fine: the next power of two */
    uint64_t bits = (uint64_t)(e + 11 + 1023) << 52;
    double power;                       /* 2^(e + 11), so that the product is exact */
    memcpy(&power, &bits, sizeof power);
    return (double)m * power;
}

static double scale10(uint64_t w, int e)                /* w 10^e, w > 0, |e| <= 27 */
{
    if (e >= 0) {
        u128 p = (u128)w * pow5[e];
        uint64_t high = (uint64_t)(p >> 64);
        int shift = high ? 64 - __builtin_clzll(high) : -__builtin_clzll((uint64_t)p);
        uint64_t q = shift >= 0 ? (uint64_t)(p >> shift) : (uint64_t)p << -shift;
        bool sticky = shift > 0 && (p & (((u128)1 << shift) - 1)) != 0;
        return round_binary(q, sticky, e + shift);
    }
    int lw = __builtin_clzll(w), lf = __builtin_clzll(pow5[-e]);
    uint64_t f = pow5[-e] << lf;        /* both now in [2^63, 2^64) */
    u128 n = (u128)(w << lw) << 63;
    uint64_t q = (uint64_t)(n / f), r = (uint64_t)n - q * f;
    int shift = __builtin_clzll(q);     /* 0 or 1 */
    q <<= shift;                        /* the bit shifted in is below the sticky position */
    return round_binary(q, r != 0, e - lw - 63 + lf - shift);
}

/* The rare ways: significant digits from p to end (points skipped), value 0.digits * 10^e10. */
static double slow(const char *p, const char *end, long e10)
{
    enum { KEEP = 780 };                /* more digits than a halfway case of double can have */
    char buf[KEEP + 32];
    size_t n = 0;
    bool more = false;

    for (; p < end; p++)
        if (*p != '.') {
            if (n < KEEP)
                buf[n++] = *p;
            else
                more |= *p != '0';
        }
    if (more)
        buf[n++] = '1';
    snprintf(buf + n, sizeof buf - n, "e%ld", e10 - (long)n);
    return strtod(buf, NULL);
}

static bool word(const char *p, const char *end, const char *w)
{
    for (; *w; p++, w++)
        if (p >= end || (*p | 0x20) != *w)
            return false;
    return true;
}

static const char *special(double *out, const char *p, const char *end, bool negative)
{
    const char *after = NULL;

    if (word(p, end, "infinity"))
        after = p + 8;
    else if (word(p, end, "inf"))
        after = p + 3;
    if (after)
        *out = negative ? -INFINITY : INFINITY;
    else if (word(p, end, "nan")) {
        after = p + 3;
        *out = NAN;
    }
    return after;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "eight_digits and npy files");

/* The value of eight digits at p, or UINT64_MAX if one of them is not a digit.  Digits are added in
 * pairs, the pairs in pairs, each step one multiplication on all lanes of the word. */
static inline uint64_t eight_digits(const char *p)
{
    uint64_t w;

    memcpy(&w, p, 8);
    w -= 0x3030303030303030u;           /* a byte below '0' borrows and leaves a high bit */
    if ((w | (w + 0x7676767676767676u)) & 0x8080808080808080u)
        return UINT64_MAX;
    w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffu;
    w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffu;
    return (w * 10000 + (w >> 32)) & 0xffffffffu;
}

static inline const char *read_digits(uint64_t *w, const char *p, const char *end)
{
    uint64_t u = *w, v;

    while (end - p >= 8 && (v = eight_digits(p)) != UINT64_MAX) {
        u = u * 100000000 + v;
        p += 8;
    }
    for (; p < end && (unsigned)(unsigned char)*p - '0' < 10; p++)
        u = u * 10 + (uint64_t)(*p - '0');
    *w = u;
    return p;
}

/* Plain decimals of at most 19 digits, the common case; NULL for anything else. */
static const char *plain(double *out, const char *p, const char *end, bool negative)
{
    static const double pow10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t w = 0;
    const char *first = p;
    long digits, after = 0;

    p = read_digits(&w, p, end);
    digits = p - first;
    if (p < end && *p == '.') {
        first = ++p;
        p = read_digits(&w, p, end);
        after = p - first;
        digits += after;
    }
    if (digits == 0 || digits > 19 || (p < end && (*p | 0x20) == 'e'))
        return NULL;
    /* Both operands exact, so one operation rounds once. */
    double x = w >> 53 ? scale10(w, -(int)after) : (double)w / pow10[after];
    *out = negative ? -x : x;
    return p;
}

const char *fxi_decimal_read(double *out, const char *p, const char *end)
{
    bool negative = false;

    if (p < end && (*p == '-' || *p == '+'))
        negative = *p++ == '-';
    const char *done = plain(out, p, end, negative);
    if (done)
        return done;

    uint64_t w = 0;
    const char *first = NULL, *point = NULL, *digits = p;  /* first: leading nonzero digit */
    long before = 0, after = 0;         /* significant digits on either side of the point */
    long gap = 0;                       /* zeros between the point and the first digit */
    bool any = false;
    for (; p < end; p++) {
        unsigned c = (unsigned)(unsigned char)*p - '0';
        if (c < 10) {
            any = true;
            if (first || c) {
                if (!first)
                    first = p;
                if (before + after < 19)
                    w = w * 10 + c;
                if (point)
                    after++;
                else
                    before++;
            } else if (point)
                gap++;
        } else if (*p == '.' && !point)
            point = p;
        else
            break;
    }
    if (!any)
        return special(out, digits, end, negative);
    const char *last = p;               /* end of the digits */

    long e = 0;
    if (p < end && (*p | 0x20) == 'e') {
        const char *q = p + 1;
        bool minus = false;
        if (q < end && (*q == '-' || *q == '+'))
            minus = *q++ == '-';
        if (q < end && *q >= '0' && *q <= '9') {
            for (; q < end && *q >= '0' && *q <= '9'; q++)
                if (e < 100000000)
                    e = e * 10 + (*q - '0');
            if (minus)
                e = -e;
            p = q;
        }
    }

    double x;
    long e10 = e - after - gap;         /* if all digits are in w, the number is w 10^e10 */
    if (!first)
        x = 0;
    else if (before + after <= 19 && e10 >= -27 && e10 <= 27)
        x = scale10(w, (int)e10);
    else
        x = slow(first, last, e + before - gap);
    *out = negative ? -x : x;
    return p;
}

/* Digits and exponent of %.*e, the locale's decimal point left out: x = 0.DIGITS 10^*point. */
static int digits_of(char *digits, int *point, double x, int precision)
{
    char buf[64];
    int n = 0;

    snprintf(buf, sizeof buf, "%.*e", precision - 1, x);
    char *e = strchr(buf, 'e');
    for (char *p = buf; p < e; p++)
        if (*p >= '0' && *p <= '9')
            digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    *point = (int)strtol(e + 1, NULL, 10) + 1;
    return n;
}

static int write_integer(char *out, uint64_t u)
{
    char rev[24];
    int n = 0, len = 0;

    do
        rev[n++] = (char)('0' + u % 10);
    while (u /= 10);
    while (n)
        out[len++] = rev[--n];
    out[len] = '\0';
    return len;
}

static int write_digits(char *out, const char *digits, int n, int point)
{
    int len = 0;

    if (point > 17 || point < -4) {     /* d.ddde-12 */
        out[len++] = digits[0];
        if (n > 1)
            out[len++] = '.';
        memcpy(out + len, digits + 1, (size_t)(n - 1));
        len += n - 1;
        out[len++] = 'e';
        if (point - 1 < 0)
            out[len++] = '-';
        return len + write_integer(out + len, (uint64_t)abs(point - 1));
    }
    if (point <= 0) {                   /* 0.00ddd */
        out[len++] = '0';
        out[len++] = '.';
        for (int i = point; i < 0; i++)
            out[len++] = '0';
        memcpy(out + len, digits, (size_t)n);
        len += n;
    } else
        for (int i = 0; i < n || i < point; i++) {
            if (i == point)
                out[len++] = '.';
            out[len++] = i < n ? digits[i] : '0';
        }
    out[len] = '\0';
    return len;
}

/* Shortest decimal w 10^-k that reads back as x, the nearest to x of that length; false outside
 * about 1e-11 <= x < 1e15.  With x = m 2^e, the numbers that read as x are those between
 *
 *   (m - 1/2) 2^e  and  (m + 1/2) 2^e      (m - 1/4 below a power of two; the ends if m is even)
 *
 * and 10^k times both, k such that 17 or 18 digits stand before the point, is exact in 128 bits: */
static bool shortest(uint64_t *w, int *k, double x)
{
    int e2;

    if (!(x >= 1e-11 && x < 1e15))
        return false;
    uint64_t m = (uint64_t)ldexp(frexp(x, &e2), 53);
    int digits = 16 - (int)floor((e2 - 1) * 0.30102999566398120), shift = 55 - e2 - digits;
    if (digits > 27)
        return false;
    u128 five = pow5[digits], unit = (u128)1 << shift;  /* x 10^digits = 4 m five / unit */
    u128 high = (4 * m + 2) * five, low = (4 * m - (m == (uint64_t)1 << 52 ? 1 : 2)) * five;
    if (m & 1) {                        /* the ends read as the neighbours */
        high--;
        low++;
    }
    uint64_t last = (uint64_t)(high >> shift), first = (uint64_t)((low + unit - 1) >> shift), p = 1;
    for (; last / 10 >= (first + 9) / 10; p *= 10, digits--) {  /* a shorter one lies between */
        last /= 10;
        first = (first + 9) / 10;
    }
    u128 v = 4 * m * five, step = unit * p;
    uint64_t down = (uint64_t)(v >> shift) / p;
    bool up = down < first || (down < last && 2 * (v - down * step) > step);
    *w = down + up;
    *k = digits;
    return true;
}

int fxi_decimal_write(char buf[32], double x)
{
    int sign = 0;

    if (x != x) {
        memcpy(buf, "nan", 4);
        return 3;
    }
    if (signbit(x)) {
        buf[sign++] = '-';
        x = -x;
    }
    if (x > 1.7976931348623157e308) {
        memcpy(buf + sign, "inf", 4);
        return sign + 3;
    }
    if (x < 1e15 && x == (double)(uint64_t)x)
        return sign + write_integer(buf + sign, (uint64_t)x);
    char digits[64];
    uint64_t w;
    int k;
    if (shortest(&w, &k, x)) {
        int n = write_integer(digits, w);
        return sign + write_digits(buf + sign, digits, n, n - k);
    }
    for (int precision = x < 0x1p-1022 ? 1 : 15;; precision++) { /* subnormals have few digits */
        int point, n = digits_of(digits, &point, x, precision);
        int len = write_digits(buf + sign, digits, n, point);
        double back;
        if (precision == 17
            || (fxi_decimal_read(&back, buf + sign, buf + sign + len) && back == x))
            return sign + len;
    }
}
