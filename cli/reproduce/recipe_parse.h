/* SPDX-License-Identifier: BSD-3-Clause
 * recipe_parse.h - what recipe_parse.c leaves to recipe_cases.c and recipe_check.c. */
#ifndef RECIPE_PARSE_H
#define RECIPE_PARSE_H
#include "recipe.h"

#define RECIPE_SPACES " \t\r"

/* The next word of *p, ended by a NUL; NULL: there is no more. */
char *recipe_cases_word(char **p);
int recipe_cases_columns(recipe *r, char *line);
int recipe_cases_add(recipe *r, char *line);    /* as many cases as its lists are long */
bool recipe_check_seeds(uint64_t *n, const char *text); /* is it a number of them? */
int recipe_check(const recipe *r);              /* when all lines are taken */
#endif
