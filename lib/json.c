/* The JSON reader: RFC 8259 for the grammar, RFC 3629 for UTF-8. Escapes of half a surrogate pair are refused. */
#include "internal/chars.h"
#include "internal/json.h"

enum { VALUE, FIRST_VALUE, KEY, FIRST_KEY, COLON, AFTER };

void dtci_json_start(dtci_json *j, const char *text, size_t len)
{
  memset(j, 0, sizeof *j);
  j->text = text;
  j->len = len;
  j->state = VALUE;
}

/* The byte at `pos`, or 256 at the end of the text. */
static unsigned peek(const dtci_json *j)
{
  return j->pos < j->len ? (unsigned char)j->text[j->pos] : 256u;
}

/* The byte at `pos` is wrong there, or is missing. */
static dtc_status wrong(const dtci_json *j, dtc_error *e)
{
  int cut = j->pos >= j->len;
  dtc_rule rule = cut ? DTC_RULE_JSON_TRUNCATED : DTC_RULE_JSON_SYNTAX;
  dtc_status s = dtci_fail(e, DTC_E_PARSE, rule, DTCI_ARG(TEXT), cut ? DTC_NONE : peek(j));
  e->offset = j->pos;
  return s;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* One multi-byte UTF-8 character; the second byte's bounds shut out overlong forms, surrogates and what is > 10FFFF. */
static dtc_status scan_utf8(dtci_json *j, dtc_error *e)
{
  unsigned c = peek(j), low = 0x80, high = 0xBF;
  int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
  if (c < 0xC2 || c > 0xF4)
    return wrong(j, e);
  if (c == 0xE0)
    low = 0xA0;
  if (c == 0xED)
    high = 0x9F;
  if (c == 0xF0)
    low = 0x90;
  if (c == 0xF4)
    high = 0x8F;
  for (j->pos++; more > 0; more--, j->pos++, low = 0x80, high = 0xBF) {
    if (peek(j) < low || peek(j) > high)
      return wrong(j, e);
  }
  return DTC_OK;
}

/* The four digits behind \u, in [low, high]; a value outside is blamed on the backslash. */
static dtc_status scan_hex4(dtci_json *j, unsigned low, unsigned high, unsigned *unit, dtc_error *e)
{
  size_t start = j->pos;
  if (peek(j) != '\\')
    return wrong(j, e);
  j->pos++;
  if (peek(j) != 'u')
    return wrong(j, e);
  j->pos++;
  *unit = 0;
  for (int i = 0; i < 4; i++, j->pos++) {
    int h = dtci_hex_value((int)peek(j));
    if (h < 0)
      return wrong(j, e);
    *unit = *unit << 4 | (unsigned)h;
  }
  if (*unit >= low && *unit <= high)
    return DTC_OK;
  j->pos = start;
  return wrong(j, e);
}

static dtc_status scan_escape(dtci_json *j, dtc_error *e)
{
  size_t start = j->pos;
  unsigned unit = 0;
  j->pos++;
  switch (peek(j)) {
  case '"':
  case '\\':
  case '/':
  case 'b':
  case 'f':
  case 'n':
  case 'r':
  case 't':
    j->pos++;
    return DTC_OK;
  case 'u':
    break;
  default:
    return wrong(j, e);
  }
  j->pos = start;
  dtc_status s = scan_hex4(j, 0, 0xFFFF, &unit, e);
  if (s != DTC_OK || unit < 0xD800 || unit > 0xDFFF)
    return s;
  if (unit < 0xDC00)
    return scan_hex4(j, 0xDC00, 0xDFFF, &unit, e);
  j->pos = start;
  return wrong(j, e);
}

static dtc_status scan_string(dtci_json *j, dtci_json_type type, dtc_error *e)
{
  j->type = type;
  j->at = j->pos++;
  for (;;) {
    unsigned c = peek(j);
    dtc_status s = DTC_OK;
    if (c == '"')
      break;
    if (c < 0x20 || c > 0xFF)
      return wrong(j, e);
    if (c == '\\')
      s = scan_escape(j, e);
    else if (c >= 0x80)
      s = scan_utf8(j, e);
    else
      j->pos++;
    if (s != DTC_OK)
      return s;
  }
  j->n = j->pos - j->at - 1;
  j->pos++;
  return DTC_OK;
}

static uint32_t unit_at(const char *hex)
{
  uint32_t unit = 0;
  for (int i = 0; i < 4; i++)
    unit = unit << 4 | (uint32_t)dtci_hex_value(hex[i]);
  return unit;
}

/* Decodes the escape at s[*i], which was read before and is therefore whole. */
static uint32_t escaped(const char *s, size_t *i)
{
  static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
  char c = s[*i + 1];
  if (c == 'u') {
    uint32_t unit = unit_at(s + *i + 2);
    *i += 6;
    if (unit < 0xD800 || unit > 0xDFFF)
      return unit;
    uint32_t second = unit_at(s + *i + 2);
    *i += 6;
    return 0x10000 + ((unit - 0xD800) << 10 | (second - 0xDC00));
  }
  *i += 2;
  for (size_t k = 0; from[k] != 0; k++) {
    if (c == from[k])
      return (uint32_t)to[k];
  }
  return (unsigned char)c;
}

/* The character at s[*i] of a string that was read before; moves *i behind it. */
static uint32_t character(const char *s, size_t *i)
{
  uint32_t c = (unsigned char)s[*i];
  if (c == '\\')
    return escaped(s, i);
  ++*i;
  if (c < 0x80)
    return c;
  int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
  c &= 0x3Fu >> more;
  for (; more > 0; more--)
    c = c << 6 | ((unsigned char)s[(*i)++] & 0x3F);
  return c;
}

int dtci_json_is(const dtci_json *j, const char *word)
{
  if (j->type != DTCI_JSON_KEY && j->type != DTCI_JSON_STRING)
    return 0;
  const char *s = j->text + j->at + 1;
  size_t i = 0;
  while (i < j->n) {
    if (*word == 0 || character(s, &i) != (unsigned char)*word)
      return 0;
    word++;
  }
  return *word == 0;
}

size_t dtci_json_chars(const dtci_json *j, char *buf, size_t cap)
{
  int quoted = j->type == DTCI_JSON_KEY || j->type == DTCI_JSON_STRING;
  const char *s = j->text + j->at + quoted;
  size_t n = 0;
  for (size_t i = 0; i < j->n;) {
    size_t from = i;
    if (!quoted || s[i] != '\\') { /* the bytes of a character as they stand */
      if (n < cap)
        buf[n] = s[from];
      n++;
      i++;
      continue;
    }
    uint32_t c = escaped(s, &i);
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    for (int k = 0; k <= more; k++, n++) {
      uint32_t lead = more == 0 ? c : (0xFF00u >> (more + 1) & 0xFFu) | c >> 6 * more;
      if (n < cap)
        buf[n] = (char)(k == 0 ? lead : 0x80u | (c >> 6 * (more - k) & 0x3Fu));
    }
  }
  return n;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static dtc_status scan_digits(dtci_json *j, dtc_error *e)
{
  if (!dtci_is_digit((int)peek(j)))
    return wrong(j, e);
  while (dtci_is_digit((int)peek(j)))
    j->pos++;
  return DTC_OK;
}

static dtc_status scan_number(dtci_json *j, dtc_error *e)
{
  dtc_status s = DTC_OK;
  j->type = DTCI_JSON_NUMBER;
  j->at = j->pos;
  if (peek(j) == '-')
    j->pos++;
  if (peek(j) == '0') {
    j->pos++;
    if (dtci_is_digit((int)peek(j)))
      return wrong(j, e);
  } else {
    s = scan_digits(j, e);
  }
  if (s == DTC_OK && peek(j) == '.') {
    j->pos++;
    s = scan_digits(j, e);
  }
  if (s == DTC_OK && (peek(j) == 'e' || peek(j) == 'E')) {
    j->pos++;
    if (peek(j) == '+' || peek(j) == '-')
      j->pos++;
    s = scan_digits(j, e);
  }
  j->n = j->pos - j->at;
  return s;
}

/* The exponent at s[0..n), "e+3". What no text could balance with its digits is kept just as large. */
static int64_t exponent(const char *s, size_t n)
{
  const int64_t limit = INT64_C(1) << 60;
  int64_t v = 0;
  size_t i = 1;
  if (n == 0)
    return 0;
  int minus = s[1] == '-';
  if (minus || s[1] == '+')
    i = 2;
  for (; i < n; i++)
    v = v < limit / 10 ? v * 10 + (s[i] - '0') : limit;
  return minus ? -v : v;
}

int dtci_json_u64(const dtci_json *j, uint64_t *v)
{
  if (j->type != DTCI_JSON_NUMBER || j->text[j->at] == '-')
    return 0;
  const char *s = j->text + j->at;
  size_t end = 0, point = 0;
  while (end < j->n && s[end] != 'e' && s[end] != 'E')
    end++;
  while (point < end && s[point] != '.')
    point++;
  /* How many digits stand before the point once the exponent has moved it: those behind it must be zeros. */
  int64_t whole = (int64_t)point + exponent(s + end, j->n - end), seen = 0;
  uint64_t r = 0;
  int bad = 0;
  for (size_t i = 0; i < end; i++) {
    if (i == point)
      continue;
    if (seen++ < whole)
      r = dtci_add(dtci_mul(r, 10, &bad), (uint64_t)(s[i] - '0'), &bad);
    else
      bad |= s[i] != '0';
  }
  for (; seen < whole && r != 0 && !bad; seen++)
    r = dtci_mul(r, 10, &bad);
  if (!bad)
    *v = r;
  return !bad;
}

/* ---- structure ------------------------------------------------------------------------------- */

static void skip_space(dtci_json *j)
{
  while (peek(j) == ' ' || peek(j) == '\t' || peek(j) == '\n' || peek(j) == '\r')
    j->pos++;
}

static int in_object(const dtci_json *j)
{
  uint32_t level = j->depth - 1;
  return j->in_object[level / 8] >> level % 8 & 1;
}

static dtc_status open_level(dtci_json *j, int object, dtc_error *e)
{
  uint32_t level = j->depth;
  if (level == DTCI_JSON_DEPTH) {
    dtc_status s = dtci_fail(e, DTC_E_PARSE, DTC_RULE_JSON_DEPTH, DTCI_ARG(TEXT), DTCI_JSON_DEPTH + 1);
    e->max = DTCI_JSON_DEPTH;
    e->offset = j->pos;
    return s;
  }
  uint8_t bit = (uint8_t)(1u << level % 8), *byte = &j->in_object[level / 8];
  *byte = (uint8_t)(object ? *byte | bit : *byte & ~bit);
  j->depth++;
  j->type = object ? DTCI_JSON_OBJECT : DTCI_JSON_ARRAY;
  j->state = object ? FIRST_KEY : FIRST_VALUE;
  j->at = j->pos++;
  j->n = 1;
  return DTC_OK;
}

static dtc_status close_level(dtci_json *j, dtc_error *e)
{
  int object = in_object(j);
  if (peek(j) != (object ? '}' : ']'))
    return wrong(j, e);
  j->depth--;
  j->type = object ? DTCI_JSON_OBJECT_END : DTCI_JSON_ARRAY_END;
  j->state = AFTER;
  j->at = j->pos++;
  j->n = 1;
  return DTC_OK;
}

static dtc_status scan_literal(dtci_json *j, dtci_json_type type, const char *word, dtc_error *e)
{
  j->type = type;
  j->at = j->pos;
  for (; *word != 0; word++, j->pos++) {
    if (peek(j) != (unsigned char)*word)
      return wrong(j, e);
  }
  j->n = j->pos - j->at;
  return DTC_OK;
}

static dtc_status scan_value(dtci_json *j, dtc_error *e)
{
  j->state = AFTER;
  switch (peek(j)) {
  case '{':
    return open_level(j, 1, e);
  case '[':
    return open_level(j, 0, e);
  case '"':
    return scan_string(j, DTCI_JSON_STRING, e);
  case 't':
    return scan_literal(j, DTCI_JSON_TRUE, "true", e);
  case 'f':
    return scan_literal(j, DTCI_JSON_FALSE, "false", e);
  case 'n':
    return scan_literal(j, DTCI_JSON_NULL, "null", e);
  default:
    return peek(j) == '-' || dtci_is_digit((int)peek(j)) ? scan_number(j, e) : wrong(j, e);
  }
}

/* Behind a value: a comma, the end of the object or array, or that of the text. Sets what must follow a comma. */
static dtc_status scan_after(dtci_json *j, int *more, dtc_error *e)
{
  *more = 0;
  if (j->depth > 0 && peek(j) != ',')
    return close_level(j, e);
  if (j->depth > 0) {
    *more = 1;
    j->pos++;
    j->state = in_object(j) ? KEY : VALUE;
    skip_space(j);
    return DTC_OK;
  }
  if (j->pos < j->len)
    return wrong(j, e);
  j->type = DTCI_JSON_END;
  j->at = j->len;
  j->n = 0;
  return DTC_OK;
}

dtc_status dtci_json_next(dtci_json *j, dtc_error *e)
{
  skip_space(j);
  if (j->state == AFTER) {
    int more = 0;
    dtc_status s = scan_after(j, &more, e);
    if (s != DTC_OK || !more)
      return s;
  }
  if (j->state == COLON) {
    if (peek(j) != ':')
      return wrong(j, e);
    j->pos++;
    skip_space(j);
    return scan_value(j, e);
  }
  if ((j->state == FIRST_KEY && peek(j) == '}') || (j->state == FIRST_VALUE && peek(j) == ']'))
    return close_level(j, e);
  if (j->state == VALUE || j->state == FIRST_VALUE)
    return scan_value(j, e);
  if (peek(j) != '"')
    return wrong(j, e);
  j->state = COLON;
  return scan_string(j, DTCI_JSON_KEY, e);
}

dtc_status dtci_json_skip(dtci_json *j, dtc_error *e)
{
  if (j->type != DTCI_JSON_OBJECT && j->type != DTCI_JSON_ARRAY)
    return DTC_OK;
  uint32_t outside = j->depth - 1;
  while (j->depth > outside) {
    dtc_status s = dtci_json_next(j, e);
    if (s != DTC_OK)
      return s;
  }
  return DTC_OK;
}

/* ---- keys that come twice -------------------------------------------------------------------- */

/* FNV-1a over the decoded characters. */
static uint64_t hash_key(const char *s, size_t n)
{
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < n;)
    h = (h ^ character(s, &i)) * UINT64_C(0x100000001B3);
  return h;
}

/* Both start behind an opening quote; a is n bytes long, b ends at its own quote. */
static int same_key(const char *a, size_t n, const char *b)
{
  size_t i = 0, k = 0;
  while (i < n) {
    if (b[k] == '"' || character(a, &i) != character(b, &k))
      return 0;
  }
  return b[k] == '"';
}

dtc_status dtci_json_once(dtci_json_keys *keys, const dtci_json *j, dtc_error *e)
{
  dtc_status s = DTC_OK;
  const char *key = j->text + j->at + 1;
  uint64_t hash = hash_key(key, j->n);
  for (uint32_t i = 0; i < keys->count && s == DTC_OK; i++) {
    if (keys->hash[i] == hash && same_key(key, j->n, j->text + keys->at[i] + 1))
      s = dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_JSON_DUPLICATE, DTCI_ARG(TEXT), DTC_NONE);
  }
  if (s == DTC_OK && keys->count == DTCI_JSON_KEYS)
    s = dtci_fail_range(e, DTCI_ARG(TEXT), DTCI_JSON_KEYS + 1, 0, DTCI_JSON_KEYS);
  if (s != DTC_OK) {
    e->offset = j->at;
    return s;
  }
  keys->hash[keys->count] = hash;
  keys->at[keys->count++] = j->at;
  return DTC_OK;
}
