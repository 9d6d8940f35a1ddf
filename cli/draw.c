#include "draw.h"

#include "table.h"

#include <stdlib.h>
#include <string.h>

typedef struct paint {
  unsigned terminal; /* of the 256 colours of a terminal, the nearest one */
  bool white;        /* letters on it */
  char svg[8];
  const char *mark; /* without colours: in UTF-8, and in ASCII */
  const char *ascii;
} paint;

enum { PAINTS = DRAW_COLOURS * 2 + 1 };

/* Okabe and Ito, "Color Universal Design", with grey for their black; the same darker, and empty. */
static const paint palette[PAINTS] = {
    {74, false, "#56b4e9", "\xe2\x96\x91", "_"},  /* sky blue, light shade */
    {214, false, "#e69f00", "\xe2\x96\x93", ":"}, /* orange, dark shade */
    {36, false, "#009e73", "\xe2\x94\x80", "="},  /* bluish green, line */
    {227, false, "#f0e442", "\xe2\x96\x88", "+"}, /* yellow, full block */
    {25, true, "#0072b2", "\xe2\x96\x92", "*"},   /* blue, medium shade */
    {166, false, "#d55e00", "\xe2\x95\x90", "#"}, /* vermillion, double line */
    {175, false, "#cc79a7", "\xe2\x96\x84", "%"}, /* reddish purple, lower half block */
    {246, false, "#999999", "\xe2\x95\xb3", "~"}, /* grey, cross */
    {31, true, "#2a80b0", "\xe2\x96\x91", "_"},
    {130, true, "#9c6c00", "\xe2\x96\x93", ":"},
    {23, true, "#00624a", "\xe2\x94\x80", "="},
    {142, false, "#b5aa10", "\xe2\x96\x88", "+"},
    {17, true, "#004a75", "\xe2\x96\x92", "*"},
    {88, true, "#8f3f00", "\xe2\x95\x90", "#"},
    {96, true, "#8c4f74", "\xe2\x96\x84", "%"},
    {240, true, "#5f5f5f", "\xe2\x95\xb3", "~"},
    {255, false, "#eeeeee", ".", "."},
};

picture picture_new(const char *title)
{
  return (picture){.title = copy_text(title)};
}

/* `colour` as the box has it. */
static void add_box(picture *p, size_t x, size_t y, size_t w, size_t h, size_t colour, const char *label)
{
  if ((p->count & (p->count - 1)) == 0) /* full at each power of two */
    p->boxes = grow(p->boxes, (p->count == 0 ? 1 : p->count * 2) * sizeof *p->boxes);
  p->boxes[p->count++] = (draw_box){.x = x, .y = y, .w = w, .h = h, .colour = colour, .label = copy_text(label)};
  p->width = x + w > p->width ? x + w : p->width;
  p->height = y + h > p->height ? y + h : p->height;
}

void picture_box(picture *p, size_t x, size_t y, size_t w, size_t h, size_t colour, const char *label)
{
  add_box(p, x, y, w, h, colour % DRAW_COLOURS, label);
}

void picture_dark(picture *p, size_t x, size_t y, size_t w, size_t h, size_t colour, const char *label)
{
  add_box(p, x, y, w, h, colour % DRAW_COLOURS + DRAW_DARK, label);
}

void picture_empty(picture *p, size_t x, size_t y, size_t w, size_t h)
{
  add_box(p, x, y, w, h, DRAW_EMPTY, "");
}

void picture_text(picture *p, size_t x, size_t y, const char *text)
{
  add_box(p, x, y, text_width(text), 1, DRAW_TEXT, text);
}

void picture_free(picture *p)
{
  for (size_t i = 0; i < p->count; i++)
    free(p->boxes[i].label);
  free(p->boxes);
  free(p->title);
  *p = (picture){0};
}

/* ---- terminal ---------------------------------------------------------------------------------------------------- */

/* What stands in a cell: a character, nothing in the right half of a wide one. */
typedef struct glyph {
  char s[5];
  size_t colour;
} glyph;

/* Writes the characters of s that fit into line[at..end). */
static void put_text(glyph *line, size_t at, size_t end, const char *s, size_t colour)
{
  while (*s != 0) {
    glyph g = {.colour = colour};
    size_t n = 0;
    do
      g.s[n++] = *s++;
    while (n < 4 && ((unsigned char)*s & 0xc0) == 0x80);
    size_t w = text_width(g.s);
    if (at + w > end)
      return;
    line[at] = g;
    if (w == 2)
      line[at + 1] = (glyph){.colour = colour};
    at += w;
  }
}

/* The part of a box that lies in the line `row` of it. */
static void put_box(const cli *c, glyph *line, const draw_box *b, size_t row)
{
  size_t end = b->x + b->w < TABLE_WIDTH ? b->x + b->w : TABLE_WIDTH;
  size_t label = text_width(b->label);
  if (b->colour != DRAW_TEXT) {
    const paint *k = &palette[b->colour];
    bool dots = b->colour == DRAW_EMPTY; /* without a background: a terminal may be light or dark */
    for (size_t x = b->x; x < end; x++)
      put_text(line, x, end, c->bold && !dots ? " " : c->blocks ? k->mark : k->ascii, dots ? DRAW_TEXT : b->colour);
  }
  if (row == (b->h - 1) / 2)
    put_text(line, b->x + (label < b->w ? (b->w - label) / 2 : 0), end, b->label, b->colour);
}

static void print_glyphs(const cli *c, const glyph *line, FILE *to)
{
  size_t n = TABLE_WIDTH;
  size_t now = DRAW_TEXT;
  while (n > 0 && line[n - 1].colour == DRAW_TEXT && strcmp(line[n - 1].s, " ") == 0)
    n--;
  for (size_t i = 0; i < n; i++) {
    const glyph *g = &line[i];
    if (c->bold && g->colour != now) {
      if (g->colour == DRAW_TEXT)
        fputs("\033[0m", to);
      else /* letters from the colour cube: a theme does not change those */
        fprintf(to, "\033[48;5;%u;38;5;%um", palette[g->colour].terminal, palette[g->colour].white ? 231u : 16u);
      now = g->colour;
    }
    fputs(g->s, to);
  }
  fputs(now == DRAW_TEXT ? "\n" : "\033[0m\n", to);
}

void picture_terminal(const cli *c, const picture *p, FILE *to)
{
  for (size_t y = 0; y < p->height; y++) {
    glyph line[TABLE_WIDTH];
    for (size_t i = 0; i < TABLE_WIDTH; i++)
      line[i] = (glyph){.s = " ", .colour = DRAW_TEXT};
    for (size_t i = 0; i < p->count; i++) {
      const draw_box *b = &p->boxes[i];
      if (b->y <= y && y < b->y + b->h)
        put_box(c, line, b, y - b->y);
    }
    print_glyphs(c, line, to);
  }
}

/* ---- SVG --------------------------------------------------------------------------------------------------------- */

/* Size of a cell; letters of 13 are as wide as it. Even, so that the middle of a rectangle is a whole number. */
static const size_t cell_w = 8;
static const size_t cell_h = 16;
static const size_t margin = 8;

static void put_escaped(const char *s, FILE *to)
{
  for (; *s != 0; s++) {
    if (*s == '&')
      fputs("&amp;", to);
    else if (*s == '<')
      fputs("&lt;", to);
    else if (*s == '>')
      fputs("&gt;", to);
    else
      fputc((unsigned char)*s < 0x20 ? ' ' : *s, to); /* XML has no control characters */
  }
}

static void svg_box(const draw_box *b, FILE *to)
{
  bool text = b->colour == DRAW_TEXT;
  const paint *k = text ? NULL : &palette[b->colour];
  if (k != NULL)
    fprintf(to, "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%zu\" fill=\"%s\" stroke=\"#ffffff\"/>\n",
            b->x * cell_w, b->y * cell_h, b->w * cell_w, b->h * cell_h, k->svg);
  if (*b->label == 0)
    return;
  fprintf(to, "<text x=\"%zu\" y=\"%zu\"%s%s>", b->x * cell_w + (text ? 0 : b->w * cell_w / 2),
          b->y * cell_h + b->h * cell_h / 2 + 4, text ? "" : " text-anchor=\"middle\"",
          k != NULL && k->white ? " fill=\"#ffffff\"" : "");
  put_escaped(b->label, to);
  fputs("</text>\n", to);
}

void picture_svg(const picture *p, FILE *to)
{
  size_t w = p->width * cell_w + 2 * margin;
  size_t h = p->height * cell_h + 2 * margin;
  fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"-%zu -%zu %zu %zu\"\n",
          w, h, margin, margin, w, h);
  fputs("  font-family=\"monospace\" font-size=\"13\">\n<title>", to);
  put_escaped(p->title, to);
  fprintf(to, "</title>\n<rect x=\"-%zu\" y=\"-%zu\" width=\"%zu\" height=\"%zu\" fill=\"#ffffff\"/>\n", margin, margin,
          w, h);
  for (size_t i = 0; i < p->count; i++)
    svg_box(&p->boxes[i], to);
  fputs("</svg>\n", to);
}
