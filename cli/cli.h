/* What every file of the program shares: how to print, and how to fail. */
#ifndef CLI_H
#define CLI_H

#include "messages.h"

#include <dtcore.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes. */
enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_BAD_INPUT = 2 };

typedef struct cli {
  dtc_lang lang;
  bool json;   /* --json */
  bool bold;   /* terminal, and not NO_COLOR */
  bool blocks; /* terminal that shows UTF-8: bars of block characters */
} cli;

/* Text of a message in the user's language. */
const char *say(const cli *c, msg id);

/* Writes "dtcore: " and the message, formatted, to stderr. Always EXIT_BAD_INPUT. */
int fail(const cli *c, msg id, ...);

/* Writes "dtcore: where: line" for an error of the library; `where` may be NULL. Always EXIT_BAD_INPUT. */
int fail_with(const cli *c, const char *where, const dtc_error *err);

/* malloc, realloc and strdup that end the program when memory is out. */
void *grow(void *p, size_t bytes);
char *copy_text(const char *s);

/* Index of the name nearest to s (Levenshtein), for "did you mean". */
size_t nearest_name(const char *s, const char *const *names, size_t count);

#endif
