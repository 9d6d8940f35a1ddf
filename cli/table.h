/* Tables and bars for a terminal of 100 columns. */
#ifndef TABLE_H
#define TABLE_H

#include "cli.h"

enum { TABLE_WIDTH = 100, TABLE_COLUMNS = 16 };

/* Cells row by row; the first row is the header, blank when there is none. */
typedef struct table {
  size_t columns;
  const char *align; /* 'l' or 'r' for each column */
  char **cells;
  size_t count;
} table;

/* An empty table; as many columns as `align` has letters. */
table table_new(const char *align);

void table_cell(table *t, const char *cell);

/* Prints and frees. A column is left out when all its cells below the header are empty. */
void table_print(const cli *c, table *t, size_t indent);

enum { BAR_WIDTH = 40 };

typedef struct bar {
  char s[BAR_WIDTH * 3 + 1]; /* a block character has 3 bytes */
} bar;

/* value / whole of BAR_WIDTH, at least one mark when value > 0. */
bar bar_of(const cli *c, double value, double whole);

/* Columns a UTF-8 text takes: Chinese characters take two. */
size_t text_width(const char *s);

/* Bytes of s that fit into a line, up to a blank or the mark between Chinese words; always a word. */
size_t text_fits(const char *s, size_t room);

/* Prints s in lines of the terminal's width; all but the first are indented. */
void text_wrap(const char *s, size_t indent);

#endif
