/* Pictures: rectangles with a colour and a label, and lines of text, on a grid of character cells. One picture is drawn
 * by two back ends: the terminal, and SVG in a file of its own.
 *
 * Cell (0, 0) is the upper left one. Later rectangles cover earlier ones. A label stands in the middle of its rectangle
 * and is cut to it; Chinese characters take two cells, as everywhere in this program.
 *
 * The colours are the eight of Okabe and Ito, which colour-blind people tell apart, each with black or white letters on
 * it: they are readable on dark and on light terminals. Class 8 has the colour of class 0 again, so that labels should
 * say more than colours. Each colour has a darker shade as well. Without colours (a pipe, NO_COLOR) the cells around a
 * label hold a mark for each class. */
#ifndef DRAW_H
#define DRAW_H

#include "cli.h"

#include <stdio.h>

enum { DRAW_COLOURS = 8 };

#define DRAW_TEXT SIZE_MAX      /* colour of text without a rectangle */
#define DRAW_DARK ((size_t)8)   /* added to a colour: its darker shade */
#define DRAW_EMPTY ((size_t)16) /* colour of what is empty: dots, a light grey */

typedef struct draw_box {
  size_t x, y, w, h; /* cells */
  size_t colour;     /* below DRAW_COLOURS, one of them + DRAW_DARK, DRAW_EMPTY or DRAW_TEXT */
  char *label;
} draw_box;

typedef struct picture {
  char *title; /* of the SVG; the terminal does not show it */
  draw_box *boxes;
  size_t count;
  size_t width; /* cells that the rectangles take */
  size_t height;
} picture;

picture picture_new(const char *title);

/* `colour` is a class, of which there may be any number. */
void picture_box(picture *p, size_t x, size_t y, size_t w, size_t h, size_t colour, const char *label);
void picture_dark(picture *p, size_t x, size_t y, size_t w, size_t h, size_t colour, const char *label);
void picture_empty(picture *p, size_t x, size_t y, size_t w, size_t h);
void picture_text(picture *p, size_t x, size_t y, const char *text);
void picture_free(picture *p);

/* Lines without blanks at their ends. What lies behind column TABLE_WIDTH is left out: pictures are made to fit. */
void picture_terminal(const cli *c, const picture *p, FILE *to);

/* The same bytes for the same picture: all numbers are whole. */
void picture_svg(const picture *p, FILE *to);

#endif
