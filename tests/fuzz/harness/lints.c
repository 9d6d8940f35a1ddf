/* Texts of configurations: keys that the tables of a dialect name, with values of their kind, so that rules are reached. */
#include "harness/values.h"
#include "internal/settings.h"

#include <stdio.h>
#include <stdlib.h>

enum { PICKS = 16, ROOM = 160 /* of TEXT_MAX, for a last name, its value and what closes it */ };

typedef struct writer {
  call *c;
  dtci_dialect d;
  char *text;
  size_t len;
} writer;

static void put(writer *w, const char *s, size_t n)
{
  for (size_t i = 0; i < n && w->len + 1 < TEXT_MAX; i++)
    w->text[w->len++] = s[i];
}

static void puts_(writer *w, const char *s)
{
  put(w, s, strlen(s));
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put_integer(writer *w, const dtci_key *row)
{
  static const char texts[][24] = {"1", "2", "4", "8", "16", "0", "3", "64", "-1", "4096", "1000000000000000000"};
  char bound[24];
  unsigned pick = take_byte(w->c);
  if (pick >= 240)
    snprintf(bound, sizeof bound, "%lld", (long long)(pick % 2 ? row->max.i : row->min.i));
  else
    snprintf(bound, sizeof bound, "%s", texts[pick % (sizeof texts / sizeof *texts)]);
  puts_(w, bound);
}

/* One of the words of the key's set. */
static void put_word(writer *w, const dtci_key *row)
{
  uint32_t n = 0;
  uint32_t pick = take_byte(w->c);
  for (uint32_t i = 0; i < w->d.words_count; i++)
    n += w->d.words[i].set == row->words;
  for (uint32_t i = 0, k = n > 0 ? pick % n : 0; i < w->d.words_count; i++)
    if (w->d.words[i].set == row->words && k-- == 0)
      puts_(w, w->d.words[i].word);
  if (n == 0)
    puts_(w, "x");
}

/* A value of the key's kind, mostly. */
static void put_value(writer *w, const dtci_key *row, int json)
{
  static const char others[][12] = {"\"auto\"", "null", "\"x\"", "[1, 2]", "{}", "-0.5", "true", "1e400"};
  static const char lists[][16] = {"mlx5_1", "eth0", "^=a:1,b", "ring;^tree", "node1", "4-8", "h100:8"};
  unsigned how = take_byte(w->c);
  const char *quote = json ? "\"" : "";
  if (how >= 240) {
    puts_(w, others[how % (sizeof others / sizeof *others)]);
  } else if (row->kind == DTCI_KEY_INTEGER) {
    put_integer(w, row);
  } else if (row->kind == DTCI_KEY_NUMBER) {
    puts_(w, how % 4 == 0 ? "0.5" : how % 4 == 1 ? "1" : how % 4 == 2 ? "1e-4" : "0");
  } else if (row->kind == DTCI_KEY_SWITCH) {
    puts_(w, json ? (how % 2 ? "true" : "false") : how % 2 ? "1" : "0");
  } else if (row->kind == DTCI_KEY_LIST) {
    puts_(w, json ? "[" : "");
    put_integer(w, row);
    puts_(w, json ? ", 2]" : "");
  } else if (row->kind == DTCI_KEY_WORD || row->kind == DTCI_KEY_WORDS) {
    puts_(w, quote);
    put_word(w, row);
    puts_(w, quote);
  } else if (row->kind == DTCI_KEY_BLOCK) {
    puts_(w, "{}");
  } else {
    puts_(w, quote);
    puts_(w, lists[how % (sizeof lists / sizeof *lists)]);
    puts_(w, quote);
  }
}

/* ---- texts ----------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
  const dtci_key *const *x = a;
  const dtci_key *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

/* Some keys; those of one neighbourhood of the table mostly, as their rules go together. Returns how many. */
static unsigned pick_keys(writer *w, const dtci_key **out)
{
  unsigned n = 1 + take_byte(w->c) % PICKS, kept = 0;
  uint64_t first = take_u64(w->c);
  for (unsigned i = 0; i < n; i++) {
    unsigned step = take_byte(w->c);
    uint64_t at = step < 192 ? first + step % 32 : first * 31 + step * 17;
    const dtci_key *row = &w->d.keys[at % w->d.keys_count];
    if (row->kind != DTCI_KEY_WORKED)
      out[kept++] = row;
  }
  return kept;
}

/* Bytes of the name up to the end of the last block that both are in. */
static size_t common(const char *a, const char *b)
{
  size_t n = 0;
  for (size_t i = 0; a[i] != 0 && a[i] == b[i]; i++)
    if (a[i] == '.')
      n = i + 1;
  return n;
}

static unsigned levels(const char *s)
{
  unsigned n = 0;
  for (; *s != 0; s++)
    n += *s == '.';
  return n;
}

/* An object whose dotted names are nested; names are sorted, so that those of a block stand together. */
static void write_object(writer *w, const dtci_key **rows, unsigned n)
{
  const char *before = "";
  qsort(rows, n, sizeof *rows, by_name);
  puts_(w, "{");
  for (unsigned i = 0; i < n && w->len + ROOM < TEXT_MAX; i++) {
    const char *name = rows[i]->name;
    size_t shared = common(before, name);
    if (i > 0 && strcmp(before, name) == 0)
      continue;
    for (unsigned k = levels(before + shared); k > 0; k--)
      puts_(w, "}");
    puts_(w, *before != 0 ? ", " : "");
    for (const char *s = name + shared; *s != 0;) {
      size_t len = strcspn(s, ".");
      puts_(w, "\"");
      put(w, s, len);
      puts_(w, s[len] == '.' ? "\": {" : "\": ");
      s += len + (s[len] == '.');
    }
    put_value(w, rows[i], 1);
    before = name;
  }
  for (unsigned k = levels(before) + 1; k > 0; k--)
    puts_(w, "}");
}

/* Flags behind a program, or assignments. */
static void write_script(writer *w, const dtci_key **rows, unsigned n)
{
  static const char starts[][40] = {"torchrun x.py", "", "srun ", "export A=1\ntorchrun --nnodes 2 x.py",
                                    "srun bash -c '"};
  static const char between[][8] = {" ", " \\\n ", " ", "\n", " #", "=", " \"", " \\ #x\n "};
  int flags = w->d.form != DTCI_FORM_ENVIRONMENT;
  const char *lines = w->d.directive[0] != 0 && take_byte(w->c) % 2 == 0 ? w->d.directive : "";
  puts_(w, flags && *lines == 0 ? starts[take_byte(w->c) % 5] : "");
  for (unsigned i = 0; i < n && w->len + ROOM < TEXT_MAX; i++) {
    unsigned how = take_byte(w->c);
    int assigned = rows[i]->name[0] != '-';
    puts_(w, assigned || *lines != 0 ? "\n" : how < 208 ? " " : between[how % 8]);
    puts_(w, lines);
    puts_(w, *lines != 0 ? " " : "");
    puts_(w, rows[i]->name);
    if (rows[i]->kind == DTCI_KEY_FLAG)
      continue;
    puts_(w, assigned || how % 4 == 0 ? "=" : " ");
    put_value(w, rows[i], 0);
  }
  puts_(w, "\n");
}

size_t lint_text(call *c, char *text)
{
  const dtci_key *rows[PICKS];
  writer w = {.c = c, .text = text};
  dtc_dialect dialect = c->dialect != DTC_DIALECT_DEFAULT ? c->dialect : 1u + take_byte(c) % DTC_DIALECT_NCCL;
  if (!dtci_dialect_of(dialect, &w.d) || w.d.form == DTCI_FORM_LINES)
    return 0;
  unsigned n = pick_keys(&w, rows);
  if (w.d.form == DTCI_FORM_JSON)
    write_object(&w, rows, n);
  else
    write_script(&w, rows, n);
  text[w.len] = 0;
  return w.len;
}
