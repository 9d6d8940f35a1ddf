/* Text without stdio: writing into a caller's buffer, reading numbers, finding names. */
#include "internal/chars.h"
#include "internal/internal.h"

#include <float.h>

void dtci_put(dtci_text *t, const char *s, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (t->len + i + 1 < t->cap)
      t->buf[t->len + i] = s[i];
  }
  t->len += n;
}

void dtci_puts(dtci_text *t, const char *s)
{
  dtci_put(t, s, strlen(s));
}

void dtci_put_u64(dtci_text *t, uint64_t v)
{
  char digits[20];
  size_t n = sizeof digits;
  do {
    digits[--n] = (char)('0' + v % 10);
    v /= 10;
  } while (v != 0);
  dtci_put(t, digits + n, sizeof digits - n);
}

/* Scales v > 0 to [1, 10) and gives the power of ten. */
static int scale(double *v)
{
  int power = 0;
  while (*v >= 10) {
    *v /= 10;
    power++;
  }
  while (*v < 1) {
    *v *= 10;
    power--;
  }
  return power;
}

/* Writes digits (six, the first not 0) with the point behind `shown` of them, without trailing zeros. */
static void put_digits(dtci_text *t, uint64_t digits, int shown)
{
  uint64_t unit = 1000000;
  for (int i = 0; i < shown; i++)
    unit /= 10;
  dtci_put_u64(t, digits / unit);
  digits %= unit;
  dtci_puts(t, digits != 0 ? "." : "");
  for (unit /= 10; digits != 0; unit /= 10) {
    dtci_put_u64(t, digits / unit);
    digits %= unit;
  }
}

/* 1.5e+12, 37.25 or 0.001: for messages, so six digits do. */
void dtci_put_f64(dtci_text *t, double v)
{
  if (v != v) {
    dtci_puts(t, "NaN");
    return;
  }
  if (v < 0) {
    dtci_puts(t, "-");
    v = -v;
  }
  if (v > DBL_MAX) {
    dtci_puts(t, "infinity");
    return;
  }
  int power = v > 0 ? scale(&v) : 0;
  uint64_t digits = (uint64_t)(v * 100000 + 0.5);
  if (digits >= 1000000) {
    digits /= 10;
    power++;
  }
  if (power >= -4 && power <= 5) {
    int shown = power + 1;
    for (; shown < 0; shown++)
      digits /= 10;
    put_digits(t, digits, shown);
    return;
  }
  put_digits(t, digits, 1);
  dtci_puts(t, power < 0 ? "e-" : "e+");
  dtci_put_u64(t, (uint64_t)(power < 0 ? -power : power));
}

void dtci_put_release(dtci_text *t, uint32_t v)
{
  if (v == UINT32_MAX) {
    dtci_puts(t, "main");
    return;
  }
  dtci_put_u64(t, v / 1000000);
  dtci_puts(t, ".");
  dtci_put_u64(t, v / 1000 % 1000);
  if (v % 1000 != 0) {
    dtci_puts(t, ".");
    dtci_put_u64(t, v % 1000);
  }
}

void dtci_end_text(dtci_text *t)
{
  if (t->cap == 0)
    return;
  size_t end = t->len < t->cap ? t->len : t->cap - 1;
  if (t->len >= t->cap) {
    size_t start = end;
    while (start > 0 && ((unsigned char)t->buf[start - 1] & 0xc0) == 0x80)
      start--;
    /* A lead byte whose character was cut goes too. */
    if (start > 0 && (unsigned char)t->buf[start - 1] >= 0xc0) {
      unsigned char lead = (unsigned char)t->buf[start - 1];
      size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
      if (end - (start - 1) < need)
        end = start - 1;
    }
  }
  t->buf[end] = 0;
}

int dtci_get_u64(const char *s, size_t n, uint64_t *v)
{
  uint64_t r = 0;
  int bad = n == 0;
  for (size_t i = 0; i < n && !bad; i++) {
    bad |= s[i] < '0' || s[i] > '9';
    r = dtci_add(dtci_mul(r, 10, &bad), (uint64_t)(s[i] - '0'), &bad);
  }
  if (!bad)
    *v = r;
  return !bad;
}

int dtci_text_i64(const char *s, size_t n, int64_t *v)
{
  size_t sign = n > 0 && (s[0] == '-' || s[0] == '+');
  uint64_t r = 0;
  if (!dtci_get_u64(s + sign, n - sign, &r) || r > INT64_MAX)
    return 0;
  *v = sign && s[0] == '-' ? -(int64_t)r : (int64_t)r;
  return 1;
}

/* The digits at s[*i], with a point among them: the first 18 that count as an integer, and the power of ten that belongs
 * to it. Returns how many digits there were. */
static size_t read_digits(const char *s, size_t n, size_t *i, uint64_t *digits, int *power)
{
  const uint64_t full = UINT64_C(100000000000000000);
  size_t seen = 0;
  int point = 0;
  for (; *i < n && (s[*i] == '.' ? !point : dtci_is_digit(s[*i])); ++*i) {
    if (s[*i] == '.') {
      point = 1;
      continue;
    }
    seen++;
    if (*digits < full) {
      *digits = *digits * 10 + (uint64_t)(s[*i] - '0');
      *power -= point;
    } else {
      *power += !point;
    }
  }
  return seen;
}

int dtci_text_f64(const char *s, size_t n, double *v)
{
  enum { FARTHEST = 400 }; /* beyond it every double is 0 or infinity */
  size_t i = n > 0 && (s[0] == '-' || s[0] == '+');
  int minus = i > 0 && s[0] == '-', power = 0;
  uint64_t digits = 0;
  int64_t exponent = 0;
  double r = 0;
  if (dtci_same_letters(s + i, n - i, "inf") || dtci_same_letters(s + i, n - i, "infinity")) {
    *v = minus ? -DBL_MAX * 10 : DBL_MAX * 10;
    return 1;
  }
  if (dtci_same_letters(s + i, n - i, "nan")) {
    r = DBL_MAX * 10;
    *v = r - r;
    return 1;
  }
  if (read_digits(s, n, &i, &digits, &power) == 0)
    return 0;
  if (i < n && (s[i] == 'e' || s[i] == 'E')) {
    if (!dtci_text_i64(s + i + 1, n - i - 1, &exponent))
      return 0;
    i = n;
  }
  if (i != n)
    return 0;
  exponent = exponent > FARTHEST ? FARTHEST : exponent < -FARTHEST ? -FARTHEST : exponent;
  power += (int)exponent;
  r = (double)digits;
  for (; power > 0 && r <= DBL_MAX && r > 0; power--)
    r *= 10;
  for (; power < 0 && r > 0; power++)
    r /= 10;
  *v = minus ? -r : r;
  return 1;
}

int dtci_same_letters(const char *s, size_t n, const char *word)
{
  size_t i = 0;
  for (; i < n && word[i] != 0; i++) {
    char a = s[i], b = word[i];
    a = (char)(a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a);
    b = (char)(b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
    if (a != b)
      return 0;
  }
  return i == n && word[i] == 0;
}

static int separates(char c)
{
  return c == ' ' || c == ',' || c == '\n' || c == '\r' || c == '\t';
}

size_t dtci_next_name(const char *s, size_t len, size_t *pos)
{
  while (*pos < len && separates(s[*pos]))
    ++*pos;
  size_t start = *pos;
  while (*pos < len && !separates(s[*pos]))
    ++*pos;
  return *pos - start;
}

int dtci_same(const char *s, size_t n, const char *word)
{
  return strlen(word) == n && memcmp(s, word, n) == 0;
}

enum { NAME_MAX = 63 };

/* What counts of a name: letters and digits in lower case, and points, for opt-1.3b is not opt-13b. */
static size_t plain_name(const char *s, size_t n, char out[NAME_MAX])
{
  size_t len = 0;
  for (size_t i = 0; i < n && s[i] != 0 && len < NAME_MAX; i++)
    if (s[i] != '-' && s[i] != '_' && s[i] != ' ') {
      out[len] = s[i];
      if (s[i] >= 'A' && s[i] <= 'Z')
        out[len] = (char)(s[i] - 'A' + 'a');
      len++;
    }
  return len;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
  unsigned m = a < b ? a : b;
  return m < c ? m : c;
}

/* Levenshtein distance of a[0..n) from b[0..m), and from the nearest beginning of b. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m, unsigned *beginning)
{
  unsigned row[NAME_MAX + 1];
  for (size_t j = 0; j <= m; j++)
    row[j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned above = row[j];
      row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  *beginning = row[0];
  for (size_t j = 1; j <= m; j++)
    *beginning = row[j] < *beginning ? row[j] : *beginning;
  return row[m];
}

/* The most similar row: one that begins with the name, else the least distant among those whose beginning differs in at
 * most every third character. DTC_NONE when nothing is near: a far name is no hint. */
static uint64_t nearest_name(const char *names, size_t count, size_t stride, const char *wanted, size_t n)
{
  char known[NAME_MAX];
  unsigned best = UINT32_MAX;
  uint64_t nearest = DTC_NONE;
  for (size_t i = 0; i < count; i++) {
    size_t m = plain_name(names + i * stride, strlen(names + i * stride), known);
    if (n > 1 && m >= n && memcmp(known, wanted, n) == 0)
      return i;
    unsigned beginning;
    unsigned d = distance(wanted, n, known, m, &beginning);
    if (beginning <= n / 3 && d < best && n != 0) {
      best = d;
      nearest = i;
    }
  }
  return nearest;
}

size_t dtci_name_find(const char *names, size_t count, size_t stride, const char *name, size_t len, uint64_t *nearest)
{
  char wanted[NAME_MAX];
  char known[NAME_MAX];
  size_t n = plain_name(name, len, wanted);
  for (size_t i = 0; i < count && n != 0 && n < NAME_MAX; i++) {
    size_t m = plain_name(names + i * stride, strlen(names + i * stride), known);
    if (m == n && memcmp(known, wanted, n) == 0)
      return i;
  }
  if (nearest != NULL)
    *nearest = nearest_name(names, count, stride, wanted, n);
  return count;
}
