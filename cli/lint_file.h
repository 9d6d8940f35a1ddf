/* A file of `dtcore lint`: what it says, and what is wrong with it. */
#ifndef LINT_FILE_H
#define LINT_FILE_H

#include "lint_dialect.h"

typedef struct lint_finding {
  dtc_error err;
  dtc_dialect dialect;
  size_t index;  /* in the order that the library told them */
  size_t line;   /* from 1; 0 when the finding has no place */
  size_t column; /* from 1, in characters */
  size_t begin;  /* byte where its line begins */
} lint_finding;

typedef struct lint_file {
  const char *path;
  const char *name; /* for people: "<stdin>" for "-" */
  char *text;
  size_t len;
  uint32_t dialects;  /* 1 << dialect for each that was read */
  lint_finding *list; /* in the order of the text */
  size_t n;
  size_t errors;
  size_t warnings;
  dtc_model model; /* what the text gives, 0 elsewhere */
  dtc_plan plan;
  char failure[4096]; /* why it could not be read; "" when it could */
  dtc_error error;    /* of the library; rule 0 when it saw none */
} lint_file;

/* Reads the file as `lint` says, whose dialect is DTC_DIALECT_DEFAULT when the file is to tell. */
void lint_file_read(const cli *c, const dtc_lint *lint, const char *path, lint_file *f);
void lint_file_free(lint_file *f);

/* Exit code for this file. */
int lint_file_code(const lint_file *f);

/* The plan as text; "" when the file says nothing about it. */
enum { LINT_PLAN = 4096 };
void lint_file_plan(const lint_file *f, char out[LINT_PLAN]);

/* The line for a finding, without the place when `placed` says that it stands before it. */
enum { LINT_LINE = 4096 };
void lint_text(const cli *c, const lint_finding *f, bool placed, char out[LINT_LINE]);

#endif
