/* Words of shell text (POSIX shell and bash), without running it: quotes, continued lines, comments, redirections and
 * here-documents are seen to; variables that the text itself sets to a short literal are put in, everything else that
 * a shell would expand is not known. No recursion, O(text). */
#ifndef DTCI_SHELL_H
#define DTCI_SHELL_H

#include "internal/internal.h"

typedef enum dtci_shell_type {
  DTCI_SHELL_END,
  DTCI_SHELL_WORD,
  DTCI_SHELL_ARRAY,    /* NAME=( or NAME+=(, the word being NAME= */
  DTCI_SHELL_LINE,     /* end of a line */
  DTCI_SHELL_OPERATOR, /* ; & | and their pairs */
  DTCI_SHELL_OPEN,     /* ( */
  DTCI_SHELL_CLOSE,    /* ) */
  DTCI_SHELL_COMMENT,  /* # to the end of the line */
} dtci_shell_type;

enum { DTCI_SHELL_WORD_SIZE = 256 };

typedef struct dtci_shell {
  const char *text;
  size_t end;
  size_t pos;
  uint64_t *variables; /* DTCI_VARIABLES * DTCI_VARIABLE_WORDS, zero at first */
  /* How to read: what stands inside quotes is split at blanks, quotes and # being characters; `literal` of single ones. */
  uint8_t plain;
  uint8_t literal;
  uint8_t continued; /* a backslash stood before the end of a line or a blank, since this was last set to 0 */
  /* The token last read. */
  dtci_shell_type type;
  size_t at;      /* its first byte; pos is behind its last */
  size_t n;       /* characters of the word; those beyond the array are counted only */
  size_t sure;    /* characters before the first expansion that is not known; n when all are */
  size_t inner;   /* the first quoted part of the word: its bytes, without the quotes */
  size_t inner_n; /* 0: none */
  uint8_t inner_literal;
  uint8_t quoted;  /* some of it stood in quotes, or behind a backslash */
  size_t document; /* delimiter of a here-document that begins with the next line */
  size_t document_n;
  char word[DTCI_SHELL_WORD_SIZE];
} dtci_shell;

/* Reads the next token. DTC_E_PARSE (LINT_QUOTE) where a quote or parenthesis has no end. */
dtc_status dtci_shell_next(dtci_shell *sh, dtc_error *e);
/* A variable whose name is text[name .. name + n): a value that is known, or NULL. */
void dtci_shell_set(dtci_shell *sh, size_t name, size_t n, const char *value, size_t value_n);

#endif
