/* RFC 4180: cells between commas, lines between LF or CRLF, quotes around a cell that holds any of them. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

/* Reads a whole file and adds a NUL; NULL when it cannot be read. */
static char *read_all(const char *path, size_t *len)
{
  FILE *f = fopen(path, "rb");
  if (f == NULL)
    return NULL;
  size_t cap = 1 << 16, n = 0;
  char *text = malloc(cap + 1);
  while (text != NULL) {
    n += fread(text + n, 1, cap - n, f);
    if (n < cap)
      break;
    cap *= 2;
    char *more = realloc(text, cap + 1);
    if (more == NULL)
      free(text);
    text = more;
  }
  int bad = ferror(f);
  fclose(f);
  if (bad || text == NULL) {
    free(text);
    return NULL;
  }
  text[n] = 0;
  *len = n;
  return text;
}

typedef struct cursor {
  char *at;
  const char *end;
} cursor;

/* Reads one cell, whose text moves to its own beginning, *cell. Returns what ended it: ',', '\n', or 0 at the end of
 * the file; -1 when the quotes are wrong. */
static int read_cell(cursor *c, char **cell)
{
  char *to = c->at;
  *cell = to;
  if (c->at < c->end && *c->at == '"') {
    for (c->at++;; c->at++) {
      if (c->at == c->end)
        return -1;
      if (*c->at == '"' && *++c->at != '"')
        break;
      *to++ = *c->at;
    }
  } else {
    while (c->at < c->end && *c->at != ',' && *c->at != '\n' && !(*c->at == '\r' && c->at[1] == '\n'))
      *to++ = *c->at++;
  }
  if (c->at < c->end && *c->at == '\r')
    c->at++;
  int stop = c->at < c->end ? *c->at++ : 0;
  *to = 0;
  return stop == ',' || stop == '\n' || stop == 0 ? stop : -1;
}

/* No file has more cells than this. */
static size_t cells_at_most(const char *text, size_t len)
{
  size_t n = 1;
  for (size_t i = 0; i < len; i++)
    n += text[i] == ',' || text[i] == '\n';
  return n;
}

/* Splits the text; returns 0, or the line (1 is the header) that is wrong. */
static size_t split(csv *c, size_t len)
{
  cursor at = {c->text, c->text + len};
  size_t n = 0, line = 1, begin = 0;
  while (at.at < at.end) {
    int stop = read_cell(&at, &c->cells[n++]);
    if (stop < 0)
      return line;
    if (stop == ',' && at.at < at.end)
      continue;
    if (stop == ',') /* the file ends behind a comma */
      c->cells[n++] = c->text + len;
    if (line == 1)
      c->columns = n;
    if (n - begin != c->columns)
      return line;
    begin = n;
    line++;
  }
  c->rows = line > 1 ? line - 2 : 0;
  return line > 1 ? 0 : 1;
}

int csv_read(csv *c, const char *path)
{
  size_t len = 0;
  memset(c, 0, sizeof *c);
  c->text = read_all(path, &len);
  if (c->text != NULL)
    c->cells = malloc(cells_at_most(c->text, len) * sizeof *c->cells);
  if (c->cells == NULL) {
    perror(path);
    csv_free(c);
    return 0;
  }
  size_t line = split(c, len);
  if (line == 0)
    return 1;
  fprintf(stderr, "%s: row %zu (0 is the header) is not CSV with the header's number of cells\n", path, line - 1);
  csv_free(c);
  return 0;
}

void csv_free(csv *c)
{
  free(c->text);
  free(c->cells);
  memset(c, 0, sizeof *c);
}

size_t csv_column(const csv *c, const char *name, size_t len)
{
  size_t i = 0;
  while (i < c->columns && !(strlen(c->cells[i]) == len && memcmp(c->cells[i], name, len) == 0))
    i++;
  return i;
}

const char *csv_cell(const csv *c, size_t row, size_t column)
{
  return c->cells[(row + 1) * c->columns + column];
}
