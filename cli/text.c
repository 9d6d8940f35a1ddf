#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

text text_u64(uint64_t n)
{
  text t;
  snprintf(t.s, sizeof t.s, "%" PRIu64, n);
  return t;
}

text text_thousands(uint64_t n)
{
  text digits = text_u64(n);
  text t;
  size_t len = strlen(digits.s);
  size_t out = 0;
  for (size_t i = 0; i < len; i++) {
    if (i > 0 && (len - i) % 3 == 0)
      t.s[out++] = ',';
    t.s[out++] = digits.s[i];
  }
  t.s[out] = 0;
  return t;
}

text text_gib(uint64_t bytes)
{
  text t;
  snprintf(t.s, sizeof t.s, "%.2f", (double)bytes / (1 << 30));
  return t;
}

text text_gib_small(uint64_t bytes)
{
  double gib = (double)bytes / (1 << 30);
  text t = text_gib(bytes);
  if (gib > 0 && gib < 0.1)
    snprintf(t.s, sizeof t.s, "%.2g", gib);
  return t;
}

text text_gb(double bytes)
{
  double gb = bytes / 1e9;
  text t;
  if (gb > 0 && gb < 0.1)
    snprintf(t.s, sizeof t.s, "%.2g", gb);
  else if (gb < 99.95 && gb != (double)(uint64_t)gb)
    snprintf(t.s, sizeof t.s, "%.1f", gb);
  else
    t = text_thousands((uint64_t)(gb + 0.5));
  return t;
}

text text_percent(double part, double whole)
{
  text t;
  snprintf(t.s, sizeof t.s, "%.4g", whole > 0 ? part * 100 / whole : 0);
  return t;
}

text text_seconds(double seconds)
{
  static const struct {
    double least;
    double unit;
    const char *name;
  } units[] = {{1, 1, "s"}, {1e-3, 1e-3, "ms"}, {0, 1e-6, "us"}};
  text t;
  size_t i = 0;
  while (seconds < units[i].least * 0.9995) /* what rounds to a unit is one */
    i++;
  double n = seconds / units[i].unit;
  snprintf(t.s, sizeof t.s,
           n == 0      ? "%.0f %s"
           : n < 9.995 ? "%.2f %s"
           : n < 99.95 ? "%.1f %s"
                       : "%.0f %s",
           n, units[i].name);
  return t;
}

text text_rate(double n)
{
  text t;
  if (n >= 99.95 && n < 1e18)
    return text_thousands((uint64_t)(n + 0.5));
  snprintf(t.s, sizeof t.s, "%.3g", n);
  return t;
}

text text_binary(uint64_t bytes)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t i = 0;
  while (i < 4 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    i++;
  }
  text t = text_thousands(bytes);
  size_t len = strlen(t.s);
  snprintf(t.s + len, sizeof t.s - len, " %s", units[i]);
  return t;
}

text text_whole_percent(double share)
{
  text t;
  double percent = share * 100;
  snprintf(t.s, sizeof t.s, percent < 9.95 ? "%.1f" : "%.0f", percent);
  return t;
}

text text_layout(const dtc_plan *p)
{
  text t;
  int n = snprintf(t.s, sizeof t.s, "%" PRIu64 " x %" PRIu64 " x %" PRIu64, p->tp, p->pp, p->dp);
  if (p->ep > 1 && n > 0)
    snprintf(t.s + n, sizeof t.s - (size_t)n, " ep %" PRIu64, p->ep);
  return t;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

enum { MAX_DIGITS = 18 }; /* fit a uint64_t */

static const uint64_t largest = (uint64_t)1 << 62;

bool text_read_u64(const char *s, uint64_t *n)
{
  uint64_t v = 0;
  if (*s == 0)
    return false;
  for (; *s != 0; s++) {
    if (*s < '0' || *s > '9' || v > (UINT64_MAX - 9) / 10)
      return false;
    v = v * 10 + (uint64_t)(*s - '0');
  }
  *n = v;
  return true;
}

bool text_read_positive(const char *s, double *out)
{
  char *end;
  *out = strtod(s, &end);
  return *s != 0 && *end == 0 && s[strspn(s, "0123456789.")] == 0 && *out > 0 && isfinite(*out);
}

/* Reads "12.5" as digits 125 and 1 decimal. Gives where it ends; NULL when it is no number. */
static const char *read_decimal(const char *s, uint64_t *digits, unsigned *decimals)
{
  unsigned count = 0;
  bool point = false;
  *digits = 0;
  *decimals = 0;
  for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
    if (*s == '.') {
      point = true;
      continue;
    }
    if (++count > MAX_DIGITS)
      return NULL;
    *digits = *digits * 10 + (uint64_t)(*s - '0');
    *decimals += point;
  }
  return count > 0 ? s : NULL;
}

/* digits * unit / 10^decimals when that is whole and in range. */
static bool scale(uint64_t digits, unsigned decimals, uint64_t unit, uint64_t *n)
{
  for (; decimals > 0 && digits % 10 == 0; decimals--)
    digits /= 10;
  for (; decimals > 0; decimals--) {
    if (unit % 10 != 0)
      return false;
    unit /= 10;
  }
  if (digits == 0 || digits > largest / unit)
    return false;
  *n = digits * unit;
  return true;
}

typedef struct unit {
  char name[4];
  uint64_t value;
} unit;

static bool read_with_unit(const char *s, const unit *units, size_t count, uint64_t *n)
{
  uint64_t digits;
  unsigned decimals;
  const char *end = read_decimal(s, &digits, &decimals);
  if (end == NULL)
    return false;
  if (*end == 'e' || *end == 'E') {
    uint64_t power;
    uint64_t factor = 1;
    if (!text_read_u64(end + 1, &power) || power > MAX_DIGITS)
      return false;
    while (power-- > 0)
      factor *= 10;
    return scale(digits, decimals, factor, n);
  }
  for (size_t i = 0; i < count; i++) {
    if (strcasecmp(end, units[i].name) == 0)
      return scale(digits, decimals, units[i].value, n);
  }
  return false;
}

bool text_is_size(const char *s)
{
  static const char digits[] = "0123456789";
  s += *s == '-';
  if (s[strspn(s, ".")] < '0' || s[strspn(s, ".")] > '9')
    return false;
  s += strspn(s, "0123456789.");
  bool power = (*s == 'e' || *s == 'E') && strspn(s + 1, digits) != 0;
  if (power)
    s += 1 + strspn(s + 1, digits);
  if (*s == 0)
    return power;
  return strchr("kKmMbBtT", *s) != NULL && s[1] == 0;
}

bool text_read_params(const char *s, uint64_t *n)
{
  static const unit units[] = {{"k", 1000}, {"m", 1000000}, {"b", 1000000000}, {"t", 1000000000000}};
  return read_with_unit(s, units, sizeof units / sizeof *units, n);
}

bool text_read_bytes(const char *s, uint64_t *n)
{
  static const unit units[] = {{"", 1},
                               {"mb", 1000000},
                               {"gb", 1000000000},
                               {"tb", 1000000000000},
                               {"mib", (uint64_t)1 << 20},
                               {"gib", (uint64_t)1 << 30},
                               {"tib", (uint64_t)1 << 40}};
  return read_with_unit(s, units, sizeof units / sizeof *units, n);
}

bool text_read_vector(const char *s, uint64_t *n)
{
  static const unit units[] = {{"k", (uint64_t)1 << 10},
                               {"m", (uint64_t)1 << 20},
                               {"g", (uint64_t)1 << 30},
                               {"t", (uint64_t)1 << 40},
                               {"kb", 1000},
                               {"kib", (uint64_t)1 << 10}};
  return text_read_bytes(s, n) || read_with_unit(s, units, sizeof units / sizeof *units, n);
}
