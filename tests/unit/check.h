/* What several unit tests need: cmocka with its headers, a random sequence that is the same everywhere, short models. */
#ifndef CHECK_H
#define CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include <dtcore.h>

/* More than 1 where another build goes all the way round. */
#ifndef DTCORE_ROUNDS_PART
#define DTCORE_ROUNDS_PART 1
#endif

/* How often a test with random values goes round. */
static inline int check_rounds(int all)
{
  return all / DTCORE_ROUNDS_PART;
}

/* Knuth's MMIX generator; the upper bits are the good ones. */
static inline uint64_t check_random(uint64_t *seed, uint64_t below)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (*seed >> 33) % below;
}

/* Equal but for the rounding of a few operations; cmocka 1.1.5 compares floats only. */
static inline void check_near(double got, double expected)
{
  double tolerance = 1e-12 * (expected < 0 ? -expected : expected);
  if (!(got >= expected - tolerance && got <= expected + tolerance))
    fail_msg("got %.17g, expected %.17g", got, expected);
}

/* Bytes of whole UTF-8 characters at the start of s. */
static inline size_t check_utf8(const char *s)
{
  size_t n = 0;
  while (s[n] != 0) {
    unsigned char c = (unsigned char)s[n];
    size_t more = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 9;
    if (more == 9)
      return n;
    for (size_t i = 1; i <= more; i++)
      if (((unsigned char)s[n + i] & 0xc0) != 0x80)
        return n;
    n += more + 1;
  }
  return n;
}

/* A row of texts in both languages. */
static inline void check_texts(const char *en, const char *zh, const char *other)
{
  assert_true(en != NULL && zh != NULL && strlen(en) > 2 && strlen(zh) > 2);
  assert_string_not_equal(en, zh);
  assert_int_equal(check_utf8(zh), strlen(zh));
  for (const char *c = en; *c != 0; c++)
    assert_in_range(*c, ' ', '~');
  assert_string_equal(other, en);
}

static inline dtc_model check_shape(dtc_arch arch, uint64_t layers, uint64_t hidden, uint64_t heads, uint64_t vocab)
{
  dtc_model m;
  DTC_INIT(&m);
  m.arch = arch;
  m.layers = layers;
  m.hidden = hidden;
  m.heads = heads;
  m.vocab = vocab;
  m.context = 64;
  return m;
}

/* Llama 3 70B width, 12 layers, as SimuMax measured on B200. */
static inline dtc_model check_llama_width(void)
{
  dtc_model m;
  DTC_INIT(&m);
  m.layers = 12;
  m.hidden = 8192;
  m.heads = 64;
  m.kv_heads = 8;
  m.ffn = 28672;
  m.vocab = 128257;
  m.norm = DTC_NORM_RMSNORM;
  m.position = DTC_POSITION_ROPE;
  m.tied = m.qkv_bias = m.out_bias = m.mlp_bias = DTC_BOOL_OFF;
  m.gated = DTC_BOOL_ON;
  return m;
}

static inline dtc_model check_named(const char *name)
{
  dtc_model m;
  DTC_INIT(&m);
  if (dtc_model_find(name, &m, NULL) != DTC_OK)
    fail_msg("%s is not found", name);
  return m;
}

static inline dtc_cluster check_gpu_named(const char *name)
{
  dtc_cluster c;
  DTC_INIT(&c);
  if (dtc_gpu_find(name, &c, NULL) != DTC_OK)
    fail_msg("%s is not found", name);
  return c;
}

/* The call succeeded; else the test fails with the error's line. */
static inline void check_ok(dtc_status status, const dtc_error *err)
{
  char line[256];
  if (status == DTC_OK)
    return;
  dtc_error_format(err, DTC_LANG_EN, line, sizeof line);
  fail_msg("%s", line);
}

static inline dtc_plan check_plan(void)
{
  dtc_plan p;
  DTC_INIT(&p);
  return p;
}

#endif
