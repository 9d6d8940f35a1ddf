/* The output of nccl-tests and rccl-tests, which print the same table:
 *   size count type [redop] [root] time algbw busbw #wrong time algbw busbw #wrong
 * The first four numbers are out of place. Launchers put their own words in front of a line. */
#include "internal/chars.h"
#include "internal/collective.h"

enum { WORDS = 20, IN_FRONT = 3, SIZE_DIGITS = 16 };
#define BYTES_MOST ((uint64_t)1 << 50)

typedef struct word {
  const char *at;
  size_t len;
} word;

/* Words of a line, as many as a table has; 0 when there are more. */
static size_t words_of(const char *line, size_t len, word out[WORDS])
{
  size_t n = 0;
  for (size_t i = 0; i < len;) {
    size_t begin = i;
    while (i < len && !dtci_is_blank(line[i]))
      i++;
    if (i > begin && n == WORDS)
      return 0;
    if (i > begin)
      out[n++] = (word){line + begin, i - begin};
    while (i < len && dtci_is_blank(line[i]))
      i++;
  }
  return n;
}

static int whole(word w, uint64_t *v)
{
  return w.len <= SIZE_DIGITS && dtci_get_u64(w.at, w.len, v);
}

/* A decimal with or without a point: 15.42, 1234, 1.2e+06. */
static int decimal(word w, double *v)
{
  double sum = 0;
  double scale = 1;
  size_t i = 0;
  int digits = 0;
  int point = 0;
  for (; i < w.len && (dtci_is_digit(w.at[i]) || (w.at[i] == '.' && !point)); i++) {
    point |= w.at[i] == '.';
    if (w.at[i] == '.')
      continue;
    sum = sum * 10 + (w.at[i] - '0');
    scale = point ? scale * 10 : scale;
    digits++;
  }
  uint64_t power = 0;
  int minus = 0;
  if (digits == 0 || digits > SIZE_DIGITS)
    return 0;
  if (i < w.len && (w.at[i] == 'e' || w.at[i] == 'E')) {
    minus = i + 1 < w.len && w.at[i + 1] == '-';
    i += minus || (i + 1 < w.len && w.at[i + 1] == '+') ? 2 : 1;
    if (w.len - i > 2 || !dtci_get_u64(w.at + i, w.len - i, &power))
      return 0;
    i = w.len;
  }
  for (; power > 0; power--)
    sum = minus ? sum / 10 : sum * 10;
  *v = sum / scale;
  return i == w.len;
}

/* Where the times begin behind the type: columns of the operation and the root are there or not. */
static size_t times_at(const word *w, size_t n, size_t at)
{
  if (at < n && dtci_is_letter(w[at].at[0]))
    at++;
  size_t rest = n - at;
  return rest == 9 || rest == 5 ? at + 1 : at;
}

/* A point of a line; 0 when it is none. */
static int point_of(const char *line, size_t len, dtc_timing *p)
{
  word w[WORDS];
  size_t n = words_of(line, len, w);
  uint64_t count = 0;
  double us = 0;
  for (size_t i = 0; i <= IN_FRONT && i + 3 < n; i++) {
    if (!whole(w[i], &p->bytes) || !whole(w[i + 1], &count) || !dtci_is_letter(w[i + 2].at[0]))
      continue;
    size_t at = times_at(w, n, i + 3);
    int rates = n - at == 4 || n - at == 8;
    if (!rates || !decimal(w[at], &us) || !(us > 0) || us > 1e12 || p->bytes == 0 || p->bytes > BYTES_MOST)
      return 0;
    p->seconds = us / 1e6;
    return 1;
  }
  return 0;
}

static dtc_status read(const char *text, size_t len, dtc_timing *out, size_t cap, size_t *count, dtc_error *e)
{
  size_t n = 0;
  if (text == NULL && len != 0)
    return dtci_fail_range(e, DTCI_ARG(TEXT), len, 0, 0);
  for (size_t i = 0; i < len;) {
    dtc_timing p;
    size_t begin = i;
    while (i < len && text[i] != '\n')
      i++;
    if (point_of(text + begin, i - begin, &p)) {
      if (n < cap)
        out[n] = p;
      n++;
    }
    i++;
  }
  if (n == 0) {
    dtci_fail(e, DTC_E_PARSE, DTC_RULE_COLLECTIVE_TEXT, DTCI_ARG(TEXT), len);
    e->offset = 0;
    return DTC_E_PARSE;
  }
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}

dtc_status dtc_collective_read(const char *text, size_t len, dtc_timing *out, size_t cap, size_t *count, dtc_error *err)
{
  dtc_error e;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  return dtci_end(read(text, len, out, cap, count, &e), &e, err);
}
