/* What every file of the program shares: how to print, and how to fail. */
#ifndef CLI_H
#define CLI_H

#include "messages.h"

#include <dtcore.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes; the last one as shells give it for what an interrupt has ended. */
enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_BAD_INPUT = 2, EXIT_STOPPED = 130 };

typedef struct cli {
  dtc_lang lang;
  bool json;   /* --json */
  bool bold;   /* terminal, and not NO_COLOR */
  bool blocks; /* terminal that shows UTF-8: bars of block characters */
} cli;

/* Text of a message in the user's language. */
const char *say(const cli *c, msg id);

/* Errors: "dtcore: " and the text to stderr, with --json {"error": ...} to stdout as well. Always EXIT_BAD_INPUT.
 * `fail` is for what the library does not see; `fail_as` words an error of the library with a message of the program;
 * `fail_with` takes the library's words, behind "where: " unless that is NULL; `fail_all` tells several. */
int fail(const cli *c, msg id, ...);
int fail_as(const cli *c, const dtc_error *err, msg id, ...);
int fail_with(const cli *c, const char *where, const dtc_error *err);
int fail_all(const cli *c, const dtc_error *errors, size_t count);

/* A name that was looked up: "unknown model 'lama': the nearest name is ...". Other errors as fail_with(). */
int fail_name(const cli *c, const char *given, const dtc_error *err);

/* malloc, realloc and strdup that end the program when memory is out. */
void *grow(void *p, size_t bytes);
char *copy_text(const char *s);

/* Index of the name nearest to s (Levenshtein), for "did you mean". */
size_t nearest_name(const char *s, const char *const *names, size_t count);

#endif
