/* cli/draw.h: one small picture, byte by byte, in both back ends. */
#include "draw.h"

#include "../unit/check.h" /* cmocka's fail is a macro */

#include <stdlib.h>

static picture sample(void)
{
  picture p = picture_new("a < b & c");
  picture_text(&p, 0, 0, "node 0");
  picture_box(&p, 7, 0, 4, 1, 0, "1");
  picture_box(&p, 12, 0, 4, 1, 9, "22222"); /* the colour of class 1; the label is cut */
  picture_box(&p, 0, 1, 5, 3, 4, "<x>");
  picture_text(&p, 8, 2, "\xe5\xbc\xa0\xe9\x87\x8f tp"); /* two wide characters */
  picture_box(&p, 12, 3, 2, 1, 2, "");
  return p;
}

static void expect(void (*draw)(const cli *, const picture *, FILE *), cli c, const char *expected)
{
  char *text = NULL;
  size_t len = 0;
  FILE *to = open_memstream(&text, &len);
  picture p = sample();
  assert_non_null(to);
  draw(&c, &p, to);
  fclose(to);
  assert_string_equal(text, expected);
  free(text);
  picture_free(&p);
}

static void test_ascii(void **state)
{
  (void)state;
  expect(picture_terminal, (cli){0},
         "node 0 _1__ 2222\n"
         "*****\n"
         "*<x>*   \xe5\xbc\xa0\xe9\x87\x8f tp\n"
         "*****       ==\n");
}

static void test_blocks(void **state)
{
  (void)state;
  expect(picture_terminal, (cli){.blocks = true},
         "node 0 \xe2\x96\x91"
         "1\xe2\x96\x91\xe2\x96\x91 2222\n"
         "\xe2\x96\x92\xe2\x96\x92\xe2\x96\x92\xe2\x96\x92\xe2\x96\x92\n"
         "\xe2\x96\x92<x>\xe2\x96\x92   \xe5\xbc\xa0\xe9\x87\x8f tp\n"
         "\xe2\x96\x92\xe2\x96\x92\xe2\x96\x92\xe2\x96\x92\xe2\x96\x92       \xe2\x94\x80\xe2\x94\x80\n");
}

static void test_colours(void **state)
{
  (void)state;
  expect(picture_terminal, (cli){.bold = true},
         "node 0 \033[48;5;74;38;5;16m 1  \033[0m \033[48;5;214;38;5;16m2222\033[0m\n"
         "\033[48;5;25;38;5;231m     \033[0m\n"
         "\033[48;5;25;38;5;231m <x> \033[0m   \xe5\xbc\xa0\xe9\x87\x8f tp\n"
         "\033[48;5;25;38;5;231m     \033[0m       \033[48;5;36;38;5;16m  \033[0m\n");
}

static void svg(const cli *c, const picture *p, FILE *to)
{
  (void)c;
  picture_svg(p, to);
}

static void test_svg(void **state)
{
  (void)state;
  expect(svg, (cli){0},
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"144\" height=\"80\" viewBox=\"-8 -8 144 80\"\n"
         "  font-family=\"monospace\" font-size=\"13\">\n"
         "<title>a &lt; b &amp; c</title>\n"
         "<rect x=\"-8\" y=\"-8\" width=\"144\" height=\"80\" fill=\"#ffffff\"/>\n"
         "<text x=\"0\" y=\"12\">node 0</text>\n"
         "<rect x=\"56\" y=\"0\" width=\"32\" height=\"16\" fill=\"#56b4e9\" stroke=\"#ffffff\"/>\n"
         "<text x=\"72\" y=\"12\" text-anchor=\"middle\">1</text>\n"
         "<rect x=\"96\" y=\"0\" width=\"32\" height=\"16\" fill=\"#e69f00\" stroke=\"#ffffff\"/>\n"
         "<text x=\"112\" y=\"12\" text-anchor=\"middle\">22222</text>\n"
         "<rect x=\"0\" y=\"16\" width=\"40\" height=\"48\" fill=\"#0072b2\" stroke=\"#ffffff\"/>\n"
         "<text x=\"20\" y=\"44\" text-anchor=\"middle\" fill=\"#ffffff\">&lt;x&gt;</text>\n"
         "<text x=\"64\" y=\"44\">\xe5\xbc\xa0\xe9\x87\x8f tp</text>\n"
         "<rect x=\"96\" y=\"48\" width=\"16\" height=\"16\" fill=\"#009e73\" stroke=\"#ffffff\"/>\n"
         "</svg>\n");
}

/* What lies outside the terminal is left out; what lies across its border is cut. */
static void test_edge(void **state)
{
  char *text = NULL;
  size_t len = 0;
  FILE *to = open_memstream(&text, &len);
  picture p = picture_new("");
  cli c = {0};
  (void)state;
  assert_non_null(to);
  picture_box(&p, 98, 0, 6, 1, 0, "abc");
  picture_box(&p, 500, 0, 6, 1, 0, "abc");
  picture_terminal(&c, &p, to);
  fclose(to);
  assert_int_equal(len, 101);
  assert_string_equal(text + 97, " _a\n");
  free(text);
  picture_free(&p);
}

/* Dark shades, and what is empty: dots in every terminal. */
static void test_shades(void **state)
{
  static const struct {
    void (*draw)(const cli *, const picture *, FILE *);
    cli c;
    const char *expected;
  } rows[] = {
      {picture_terminal, {0}, "._f_..\n"},
      {picture_terminal,
       {.blocks = true},
       ".\xe2\x96\x91"
       "f\xe2\x96\x91..\n"},
      {picture_terminal, {.bold = true}, ".\033[48;5;31;38;5;231m f \033[0m..\n"},
      {svg,
       {0},
       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"64\" height=\"32\" viewBox=\"-8 -8 64 32\"\n"
       "  font-family=\"monospace\" font-size=\"13\">\n"
       "<title></title>\n"
       "<rect x=\"-8\" y=\"-8\" width=\"64\" height=\"32\" fill=\"#ffffff\"/>\n"
       "<rect x=\"0\" y=\"0\" width=\"48\" height=\"16\" fill=\"#eeeeee\" stroke=\"#ffffff\"/>\n"
       "<rect x=\"8\" y=\"0\" width=\"24\" height=\"16\" fill=\"#2a80b0\" stroke=\"#ffffff\"/>\n"
       "<text x=\"20\" y=\"12\" text-anchor=\"middle\" fill=\"#ffffff\">f</text>\n"
       "</svg>\n"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    picture p = picture_new("");
    assert_non_null(to);
    picture_empty(&p, 0, 0, 6, 1);
    picture_dark(&p, 1, 0, 3, 1, 8, "f"); /* the colour of class 0 */
    rows[i].draw(&rows[i].c, &p, to);
    fclose(to);
    assert_string_equal(text, rows[i].expected);
    free(text);
    picture_free(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ascii),   cmocka_unit_test(test_blocks),
                                     cmocka_unit_test(test_colours), cmocka_unit_test(test_svg),
                                     cmocka_unit_test(test_edge),    cmocka_unit_test(test_shades)};
  return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
