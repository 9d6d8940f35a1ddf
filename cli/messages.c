#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const table[MSG_COUNT][2] = {
#define M(id, en, zh) {en, zh},
#include "messages.def"
#undef M
};

const char *say(const cli *c, msg id)
{
  return table[id][c->lang == DTC_LANG_ZH];
}

void *grow(void *p, size_t bytes)
{
  void *q = realloc(p, bytes);
  if (q == NULL) {
    fputs("dtcore: out of memory\n", stderr);
    exit(EXIT_BAD_INPUT);
  }
  return q;
}

char *copy_text(const char *s)
{
  size_t n = strlen(s) + 1;
  return memcpy(grow(NULL, n), s, n);
}

enum { NAME = 63 };

/* Levenshtein distance of the first NAME characters. */
static size_t distance(const char *a, const char *b)
{
  size_t row[NAME + 1];
  size_t m = strnlen(b, NAME);
  for (size_t j = 0; j <= m; j++)
    row[j] = j;
  for (size_t i = 0; i < NAME && a[i] != 0; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 1; j <= m; j++) {
      size_t best = diagonal + (a[i] != b[j - 1]);
      diagonal = row[j];
      best = row[j] + 1 < best ? row[j] + 1 : best;
      row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
    }
  }
  return row[m];
}

size_t nearest_name(const char *s, const char *const *names, size_t count)
{
  size_t best = 0;
  for (size_t i = 1; i < count; i++) {
    if (distance(s, names[i]) < distance(s, names[best]))
      best = i;
  }
  return best;
}
