#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

table table_new(const char *align)
{
  return (table){.columns = strlen(align), .align = align};
}

void table_cell(table *t, const char *cell)
{
  if ((t->count & (t->count - 1)) == 0) /* full at each power of two */
    t->cells = grow(t->cells, (t->count == 0 ? 1 : t->count * 2) * sizeof *t->cells);
  t->cells[t->count++] = copy_text(cell);
}

/* Decodes one character; malformed bytes count as themselves. */
static uint32_t next_character(const unsigned char **s)
{
  uint32_t v = *(*s)++;
  unsigned more = v >= 0xf0 ? 3 : v >= 0xe0 ? 2 : v >= 0xc0 ? 1 : 0;
  if (more > 0)
    v &= 0x3fu >> more;
  for (; more > 0 && (**s & 0xc0) == 0x80; more--)
    v = v << 6 | (*(*s)++ & 0x3fu);
  return v;
}

size_t text_width(const char *s)
{
  const unsigned char *p = (const unsigned char *)s;
  size_t width = 0;
  while (*p != 0) {
    uint32_t v = next_character(&p);
    /* East Asian Width W and F (Unicode Standard Annex 11), as far as Chinese text uses them. */
    bool wide = (v >= 0x2e80 && v <= 0xa4cf) || (v >= 0xac00 && v <= 0xd7a3) || (v >= 0xf900 && v <= 0xfaff) ||
                (v >= 0xfe30 && v <= 0xfe6f) || (v >= 0xff00 && v <= 0xff60);
    width += wide ? 2 : 1;
  }
  return width;
}

size_t text_fits(const char *s, size_t room)
{
  size_t fits = 0;
  size_t width = 0;
  for (size_t at = 0; s[at] != 0;) {
    size_t n = at;
    char word[256];
    while (s[n] != 0 && s[n] != ' ' && strncmp(s + n, "\xe3\x80\x81", 3) != 0)
      n++;
    n += s[n] == 0 ? 0 : s[n] == ' ' ? 1 : 3;
    snprintf(word, sizeof word, "%.*s", (int)(n - at), s + at);
    width += text_width(word);
    if (fits > 0 && width > room + (s[n - 1] == ' '))
      break;
    fits = at = n;
  }
  return fits;
}

void text_wrap(const char *s, size_t indent)
{
  for (size_t at = 0; *s != 0; at = indent) {
    size_t n = text_fits(s, TABLE_WIDTH - at);
    printf("%*s%.*s\n", (int)at, "", (int)(s[n] != 0 && s[n - 1] == ' ' ? n - 1 : n), s);
    s += n;
  }
}

/* Widths of the columns, 0 for one to leave out. Gives their sum. */
static size_t measure(const table *t, size_t width[TABLE_COLUMNS], size_t *shown)
{
  size_t sum = 0;
  *shown = 0;
  for (size_t col = 0; col < t->columns; col++) {
    bool any = t->count <= t->columns;
    width[col] = 0;
    for (size_t i = col; i < t->count; i += t->columns) {
      size_t w = text_width(t->cells[i]);
      width[col] = w > width[col] ? w : width[col];
      any = any || (i >= t->columns && w > 0);
    }
    if (!any)
      width[col] = 0;
    sum += width[col];
    *shown += width[col] > 0;
  }
  return sum;
}

static void print_row(const cli *c, const table *t, size_t row, size_t indent, const size_t *width, int gap)
{
  bool bold = c->bold && row == 0;
  size_t blanks = indent; /* written when a cell follows, so that no line ends in blanks */
  bool first = true;
  fputs(bold ? "\033[1m" : "", stdout);
  for (size_t col = 0; col < t->columns; col++) {
    const char *cell = t->cells[row * t->columns + col];
    size_t pad = width[col] - (width[col] > 0 ? text_width(cell) : 0);
    if (width[col] == 0)
      continue;
    blanks += first ? 0 : (size_t)gap;
    first = false;
    if (*cell == 0) {
      blanks += pad;
      continue;
    }
    blanks += t->align[col] == 'r' ? pad : 0;
    printf("%*s%s", (int)blanks, "", cell);
    blanks = t->align[col] == 'r' ? 0 : pad;
  }
  fputs(bold ? "\033[0m\n" : "\n", stdout);
}

/* A table whose header is blank has none. */
static bool is_blank(const table *t)
{
  size_t i = 0;
  while (i < t->columns && t->cells[i][0] == 0)
    i++;
  return i == t->columns;
}

void table_print(const cli *c, table *t, size_t indent)
{
  size_t width[TABLE_COLUMNS];
  size_t shown;
  size_t sum = measure(t, width, &shown) + indent;
  int gap = shown > 0 && sum + 2 * (shown - 1) > TABLE_WIDTH ? 1 : 2;
  for (size_t row = is_blank(t) ? 1 : 0; row < t->count / t->columns; row++)
    print_row(c, t, row, indent, width, gap);
  for (size_t i = 0; i < t->count; i++)
    free(t->cells[i]);
  free(t->cells);
  *t = (table){0};
}

bar bar_of(const cli *c, double value, double whole)
{
  const char *mark = c->blocks ? "\xe2\x96\x88" : "#";
  double share = whole > 0 ? value / whole : 0;
  int marks = share >= 1 ? BAR_WIDTH : (int)(share * BAR_WIDTH + 0.5);
  bar b = {""};
  if (marks == 0 && value > 0)
    marks = 1;
  for (size_t at = 0; marks > 0; marks--, at += strlen(mark))
    memcpy(b.s + at, mark, strlen(mark) + 1);
  return b;
}
