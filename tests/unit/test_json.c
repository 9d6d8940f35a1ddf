/* The JSON reader: what RFC 8259 allows, what it refuses and where, and that nothing is read behind the text. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "internal/json.h"

#define MOST "examples/configs/deepseek-v3/config.json"

static char room[1 << 20];

/* Reads a copy of exactly n bytes, so that a sanitizer sees what is read behind the text. */
static dtc_status read_all(const char *text, size_t n, dtc_error *e)
{
  char *copy = malloc(n != 0 ? n : 1);
  dtci_json j;
  dtc_status s = DTC_OK;
  assert_non_null(copy);
  memcpy(copy, text, n);
  dtci_json_start(&j, copy, n);
  do {
    s = dtci_json_next(&j, e);
    if (s == DTC_OK)
      assert_true(j.at + j.n <= n);
  } while (s == DTC_OK && j.type != DTCI_JSON_END);
  free(copy);
  return s;
}

static void refused(const char *text, size_t n, dtc_rule rule, uint64_t offset)
{
  dtc_error e;
  DTC_INIT(&e);
  dtc_status s = read_all(text, n, &e);
  if (s != DTC_E_PARSE || e.rule != rule || e.offset != offset)
    fail_msg("<%.*s>: status %d rule %u offset %llu", (int)n, text, (int)s, (unsigned)e.rule,
             (unsigned long long)e.offset);
  assert_int_equal(e.status, DTC_E_PARSE);
  assert_int_equal(e.field, DTCI_ARG(TEXT));
}

static void test_valid(void **state)
{
  static const char *const texts[] = {
      "{}",
      "[]",
      " \t\r\n[ \t\r\n] \t\r\n",
      "0",
      "-0",
      "-1",
      "1",
      "10",
      "1.5",
      "0.0",
      "1e5",
      "1E+05",
      "1e-400",
      "-1.25e-3",
      "true",
      "false",
      "null",
      "\"\"",
      "\"a\"",
      "[1,2,3]",
      "[[],{},[{}]]",
      "{\"a\":1,\"b\":[true,false,null]}",
      "{\"a\" : {\"b\" : \"c\"} , \"d\" : -1.0e0}",
      "{\"\":0}",
      "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u00E9\"",
      "\"\\ud83d\\ude00\"",
      "\"\\uDBFF\\uDFFF\"",
      "\"\\u0000\"",
      "\"\x7f\"",
      "\"\xc2\x80\xdf\xbf\"",
      "\"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"",
      "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
      "\"\xe4\xbd\xa0\xe5\xa5\xbd\"",
      "{\"a\":1,\"a\":2}",
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    dtc_error e;
    DTC_INIT(&e);
    if (read_all(texts[i], strlen(texts[i]), &e) != DTC_OK)
      fail_msg("<%s> refused at %llu", texts[i], (unsigned long long)e.offset);
  }
}

static const struct {
  const char *text;
  uint64_t offset;
} invalid[] = {
    {"[1,]", 3},
    {"{\"a\":1,}", 7},
    {"[,1]", 1},
    {"{,}", 1},
    {"[1 2]", 3},
    {"[1]]", 3},
    {"{}{}", 2},
    {"1 2", 2},
    {"[1}", 2},
    {"{\"a\":1]", 6},
    {"{\"a\" 1}", 5},
    {"{\"a\",1}", 4},
    {"{a:1}", 1},
    {"{1:1}", 1},
    {"{'a':1}", 1},
    {"[01]", 2},
    {"[-01]", 3},
    {"[+1]", 1},
    {"[.5]", 1},
    {"[1.]", 3},
    {"[1.e1]", 3},
    {"[1e]", 3},
    {"[1e+]", 4},
    {"[-]", 2},
    {"[--1]", 2},
    {"[0x10]", 2},
    {"[1a]", 2},
    {"[1.5.5]", 4},
    {"[NaN]", 1},
    {"[Infinity]", 1},
    {"[-Infinity]", 2},
    {"[nul]", 4},
    {"[True]", 1},
    {"[truex]", 5},
    {"[nulll]", 5},
    {"[\"\t\"]", 2},
    {"[\"\n\"]", 2},
    {"[\"\x1f\"]", 2},
    {"[\"\\x\"]", 3},
    {"[\"\\a\"]", 3},
    {"[\"\\u12G4\"]", 6},
    {"[\"\\U0041\"]", 3},
    {"[\"\\'\"]", 3},
    {"['a']", 1},
    {"//c\n1", 0},
    {"[1/**/]", 2},
    {"\xef\xbb\xbf{}", 0},
    {"\xc2\xa0[]", 0},
    {"\f[]", 0},
    {"\v[]", 0},
    {"[\"a\"\x0b]", 4},
    {"}", 0},
    {"]", 0},
    {",", 0},
    {":", 0},
    {"[:]", 1},
    {"{\"a\"::1}", 5},
    {"{\"a\":1 \"b\":2}", 7},
    {"[\"a\":1]", 4},
    {"{\"a\"}", 4},
    {"{[]:1}", 1},
    {"\x01", 0},
    /* UTF-8: a lone continuation, overlong forms, surrogates, beyond 10FFFF, a short sequence. */
    {"\"\x80\"", 1},
    {"\"\xbf\"", 1},
    {"\"\xc0\x80\"", 1},
    {"\"\xc1\xbf\"", 1},
    {"\"\xe0\x9f\xbf\"", 2},
    {"\"\xed\xa0\x80\"", 2},
    {"\"\xf0\x8f\xbf\xbf\"", 2},
    {"\"\xf4\x90\x80\x80\"", 2},
    {"\"\xf5\x80\x80\x80\"", 1},
    {"\"\xff\"", 1},
    {"\"\xc3\"", 2},
    {"\"\xe4\xbd\"", 3},
    {"\"\xf0\x90\x80\"", 4},
    {"\"\xe4\xbdx\"", 3},
    /* Half a surrogate pair: the low one alone, the high one before something else. */
    {"\"\\udc00\"", 1},
    {"\"\\ud800\"", 7},
    {"\"\\ud800x\"", 7},
    {"\"\\ud800\\n\"", 8},
    {"\"\\ud800\\u0041\"", 7},
    {"\"\\ud800\\ud800\"", 7},
    {"\"\\udfff\\ud800\"", 1},
};

static void test_invalid(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
    refused(invalid[i].text, strlen(invalid[i].text), DTC_RULE_JSON_SYNTAX, invalid[i].offset);
  refused("[\0]", 3, DTC_RULE_JSON_SYNTAX, 1);
  refused("1\0", 2, DTC_RULE_JSON_SYNTAX, 1);
  refused("\"\0\"", 3, DTC_RULE_JSON_SYNTAX, 1);
}

static void test_truncated(void **state)
{
  static const char *const texts[] = {
      "",           " ",      "{",       "[",        "[1",        "[1,",         "{\"",
      "{\"a",       "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "-",           "1.",
      "1e",         "1e-",    "t",       "tru",      "nul",       "fals",        "\"",
      "\"a",        "\"\\",   "\"\\u",   "\"\\u12",  "\"\\ud800", "\"\\ud800\\", "\"\\ud800\\udc0",
      "\"\xe4\xbd", "\"\xf0"};
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    refused(texts[i], strlen(texts[i]), DTC_RULE_JSON_TRUNCATED, strlen(texts[i]));
  dtc_error e;
  dtci_json j;
  DTC_INIT(&e);
  dtci_json_start(&j, NULL, 0);
  assert_int_equal(dtci_json_next(&j, &e), DTC_E_PARSE);
  assert_int_equal(e.rule, DTC_RULE_JSON_TRUNCATED);
}

static size_t read_file(const char *path)
{
  FILE *f = fopen(path, "rb");
  if (f == NULL)
    fail_msg("cannot open %s", path);
  size_t n = fread(room, 1, sizeof room, f);
  fclose(f);
  assert_true(n > 0 && n < sizeof room);
  return n;
}

static void test_prefixes(void **state)
{
  (void)state;
  size_t n = read_file(MOST);
  dtc_error e;
  DTC_INIT(&e);
  assert_int_equal(read_all(room, n, &e), DTC_OK);
  size_t last = n;
  while (room[last - 1] != '}')
    last--;
  for (size_t i = 0; i < last; i++)
    refused(room, i, DTC_RULE_JSON_TRUNCATED, i);
}

static void nest(size_t levels, char open, char close, const char *inner)
{
  size_t n = strlen(inner);
  memset(room, open, levels);
  memcpy(room + levels, inner, n);
  memset(room + levels + n, close, levels);
  room[2 * levels + n] = 0;
}

static void test_depth(void **state)
{
  dtc_error e;
  (void)state;
  DTC_INIT(&e);
  nest(256, '[', ']', "1");
  assert_int_equal(read_all(room, strlen(room), &e), DTC_OK);
  nest(257, '[', ']', "1");
  refused(room, strlen(room), DTC_RULE_JSON_DEPTH, 256);
  nest(10000, '[', ']', "");
  refused(room, strlen(room), DTC_RULE_JSON_DEPTH, 256);
  nest(10000, '[', ']', "");
  refused(room, 10000, DTC_RULE_JSON_DEPTH, 256);
  nest(256, '[', ']', "{}");
  refused(room, strlen(room), DTC_RULE_JSON_DEPTH, 256);
  /* Objects and arrays in turn: the level's kind survives what lies above it. */
  size_t n = 0;
  for (int i = 0; i < 128; i++)
    n += (size_t)sprintf(room + n, "[{\"k\":");
  n += (size_t)sprintf(room + n, "null");
  for (int i = 0; i < 128; i++)
    n += (size_t)sprintf(room + n, "}]");
  assert_int_equal(read_all(room, n, &e), DTC_OK);
  room[n - 2] = ']';
  refused(room, n, DTC_RULE_JSON_SYNTAX, n - 2);
}

static void test_tokens(void **state)
{
  static const struct {
    dtci_json_type type;
    size_t at, n;
  } want[] = {
      {DTCI_JSON_OBJECT, 0, 1}, {DTCI_JSON_KEY, 1, 1},     {DTCI_JSON_ARRAY, 5, 1},       {DTCI_JSON_NUMBER, 6, 4},
      {DTCI_JSON_TRUE, 11, 4},  {DTCI_JSON_FALSE, 16, 5},  {DTCI_JSON_NULL, 22, 4},       {DTCI_JSON_ARRAY_END, 26, 1},
      {DTCI_JSON_KEY, 28, 2},   {DTCI_JSON_STRING, 33, 3}, {DTCI_JSON_OBJECT_END, 38, 1}, {DTCI_JSON_END, 39, 0},
      {DTCI_JSON_END, 39, 0},
  };
  static const char text[] = "{\"a\":[-1.5,true,false,null],\"\\n\":\"xyz\"}";
  dtci_json j;
  dtc_error e;
  (void)state;
  dtci_json_start(&j, text, strlen(text));
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    assert_int_equal(dtci_json_next(&j, &e), DTC_OK);
    assert_int_equal(j.type, want[i].type);
    assert_int_equal(j.at, want[i].at);
    assert_int_equal(j.n, want[i].n);
  }
}

/* Escapes become UTF-8 of one to four bytes; what does not fit is counted. */
static void test_chars(void **state)
{
  static const char text[] = "\"a\\n\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\u00FF\xc3\xa9\"";
  static const char want[] = "a\nA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xbf\xc3\xa9";
  enum { LEN = sizeof want - 1 };
  char buf[LEN + 1];
  dtci_json j;
  dtc_error e;
  (void)state;
  dtci_json_start(&j, text, strlen(text));
  assert_int_equal(dtci_json_next(&j, &e), DTC_OK);
  assert_int_equal(j.type, DTCI_JSON_STRING);
  for (size_t cap = 0; cap <= LEN; cap++) {
    memset(buf, 'x', sizeof buf);
    assert_int_equal(dtci_json_chars(&j, buf, cap), LEN);
    assert_memory_equal(buf, want, cap);
    assert_int_equal(buf[cap], 'x');
  }
}

static void test_skip(void **state)
{
  static const char text[] = "[{\"a\":[1,{\"b\":2}]},7,[],8]";
  dtci_json j;
  dtc_error e;
  uint64_t v = 0;
  (void)state;
  dtci_json_start(&j, text, strlen(text));
  assert_int_equal(dtci_json_next(&j, &e), DTC_OK);
  for (uint64_t want = 7; want <= 8; want++) {
    assert_int_equal(dtci_json_next(&j, &e), DTC_OK);
    assert_int_equal(dtci_json_skip(&j, &e), DTC_OK);
    assert_int_equal(dtci_json_next(&j, &e), DTC_OK);
    assert_true(dtci_json_u64(&j, &v));
    assert_int_equal(v, want);
    assert_int_equal(dtci_json_skip(&j, &e), DTC_OK);
  }
  assert_int_equal(dtci_json_next(&j, &e), DTC_OK);
  assert_int_equal(j.type, DTCI_JSON_ARRAY_END);
  dtci_json_start(&j, "[[1", 3);
  assert_int_equal(dtci_json_next(&j, &e), DTC_OK);
  assert_int_equal(dtci_json_skip(&j, &e), DTC_E_PARSE);
  assert_int_equal(e.rule, DTC_RULE_JSON_TRUNCATED);
}

static void first(dtci_json *j, const char *text)
{
  dtc_error e;
  dtci_json_start(j, text, strlen(text));
  if (dtci_json_next(j, &e) != DTC_OK)
    fail_msg("<%s> is refused", text);
}

static void test_u64(void **state)
{
  static const struct {
    const char *text;
    uint64_t value; /* DTC_NONE: not an unsigned integer */
  } rows[] = {
      {"0", 0},
      {"4096", 4096},
      {"4.096e3", 4096},
      {"4096.0", 4096},
      {"4096.000e0", 4096},
      {"40960e-1", 4096},
      {"409600E-02", 4096},
      {"0.4096e+4", 4096},
      {"0.00004096e8", 4096},
      {"0e999999999999999999999", 0},
      {"0.0", 0},
      {"0.000e-99999", 0},
      {"1e19", UINT64_C(10000000000000000000)},
      {"18446744073709551614", UINT64_MAX - 1},
      {"1.8446744073709551614e19", UINT64_MAX - 1},
      {"4096.5", DTC_NONE},
      {"4.0965e3", DTC_NONE},
      {"1e-1", DTC_NONE},
      {"0.1", DTC_NONE},
      {"-1", DTC_NONE},
      {"-0", DTC_NONE},
      {"18446744073709551616", DTC_NONE},
      {"1e20", DTC_NONE},
      {"1e99999999999999999999", DTC_NONE},
      {"1e-99999999999999999999", DTC_NONE},
      {"99999999999999999999", DTC_NONE},
      {"true", DTC_NONE},
      {"null", DTC_NONE},
      {"\"1\"", DTC_NONE},
      {"[]", DTC_NONE},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dtci_json j;
    uint64_t v = 77;
    first(&j, rows[i].text);
    int is = dtci_json_u64(&j, &v);
    if (is != (rows[i].value != DTC_NONE) || (is && v != rows[i].value))
      fail_msg("%s: %d %llu", rows[i].text, is, (unsigned long long)v);
  }
  dtci_json j;
  uint64_t v = 0;
  first(&j, "18446744073709551615");
  assert_true(dtci_json_u64(&j, &v));
  assert_true(v == UINT64_MAX);
}

static void test_is(void **state)
{
  static const struct {
    const char *text, *word;
    int same;
  } rows[] = {
      {"\"llama\"", "llama", 1},
      {"\"llama\"", "llam", 0},
      {"\"llam\"", "llama", 0},
      {"\"Llama\"", "llama", 0},
      {"\"ll\\u0061ma\"", "llama", 1},
      {"\"\\u006C\"", "l", 1},
      {"\"a\\/b\"", "a/b", 1},
      {"\"a\\nb\"", "a\nb", 1},
      {"\"\\b\\f\\r\\t\\\"\\\\\"", "\b\f\r\t\"\\", 1},
      {"\"\"", "", 1},
      {"\"a\"", "", 0},
      {"\"\\u0000\"", "", 0},
      {"\"\\ud83d\\ude00\"", "x", 0},
      {"\"\xc3\xa9\"", "e", 0},
      {"1", "1", 0},
      {"true", "true", 0},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dtci_json j;
    first(&j, rows[i].text);
    if (dtci_json_is(&j, rows[i].word) != rows[i].same)
      fail_msg("%s is %s", rows[i].text, rows[i].word);
  }
}

/* Notes the keys of an object of scalars. */
static dtc_status keys_once(const char *text, size_t n, dtc_error *e)
{
  static dtci_json_keys keys;
  dtci_json j;
  dtc_status s = DTC_OK;
  keys.count = 0;
  dtci_json_start(&j, text, n);
  do {
    s = dtci_json_next(&j, e);
    if (s == DTC_OK && j.type == DTCI_JSON_KEY)
      s = dtci_json_once(&keys, &j, e);
  } while (s == DTC_OK && j.type != DTCI_JSON_END);
  return s;
}

static void test_once(void **state)
{
  static const struct {
    const char *text;
    uint64_t offset; /* DTC_NONE: no key comes twice */
  } rows[] = {
      {"{\"a\":1,\"b\":2,\"c\":3}", DTC_NONE},
      {"{\"a\":1,\"b\":2,\"a\":3}", 13},
      {"{\"a\":1, \"\\u0061\":2}", 8},
      {"{\"\\u0061\":1,\"a\":2}", 12},
      {"{\"\\n\":1,\"\\u000a\":2}", 8},
      {"{\"/\":1,\"\\/\":2}", 7},
      {"{\"\":1,\"\":2}", 6},
      {"{\"\xc3\xa9\":1,\"\\u00e9\":2}", 8},
      {"{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}", 18},
      {"{\"ab\":1,\"a\":2,\"abc\":3}", DTC_NONE},
      {"{\"a\":1,\"A\":2}", DTC_NONE},
  };
  dtc_error e;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    DTC_INIT(&e);
    dtc_status s = keys_once(rows[i].text, strlen(rows[i].text), &e);
    assert_int_equal(s, rows[i].offset == DTC_NONE ? DTC_OK : DTC_E_CONFLICT);
    if (s == DTC_OK)
      continue;
    assert_int_equal(e.rule, DTC_RULE_JSON_DUPLICATE);
    assert_int_equal(e.field, DTCI_ARG(TEXT));
    assert_int_equal(e.offset, rows[i].offset);
  }
}

static void test_many_keys(void **state)
{
  dtc_error e;
  size_t n = 0, last = 0;
  (void)state;
  DTC_INIT(&e);
  for (int i = 0; i < DTCI_JSON_KEYS; i++)
    n += (size_t)sprintf(room + n, "%c\"key %d\":0", i == 0 ? '{' : ',', i);
  room[n] = '}';
  assert_int_equal(keys_once(room, n + 1, &e), DTC_OK);
  last = n + 1;
  n += (size_t)sprintf(room + n, ",\"one more\":0}");
  assert_int_equal(keys_once(room, n, &e), DTC_E_RANGE);
  assert_int_equal(e.offset, last);
  assert_int_equal(e.got, DTCI_JSON_KEYS + 1);
  assert_int_equal(e.max, DTCI_JSON_KEYS);
  memcpy(room + last, "\"key 511\":0}", 12);
  assert_int_equal(keys_once(room, last + 12, &e), DTC_E_CONFLICT);
  assert_int_equal(e.offset, last);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_valid),    cmocka_unit_test(test_invalid), cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_prefixes), cmocka_unit_test(test_depth),   cmocka_unit_test(test_tokens),
      cmocka_unit_test(test_skip),     cmocka_unit_test(test_chars),   cmocka_unit_test(test_u64),
      cmocka_unit_test(test_is),       cmocka_unit_test(test_once),    cmocka_unit_test(test_many_keys),
  };
  return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
