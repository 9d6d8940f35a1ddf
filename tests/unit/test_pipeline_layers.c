/* Layers to stages: right values of each splitter, refusals, the layout's text against writing it out, DeepSpeed's balance
 * against its loops written plainly. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 4096, WORDS = 1 << 16 };

static dtc_pipe_part parts[PARTS];
static size_t count;
static dtc_error err;
static uint64_t scratch[WORDS];

static dtc_pipe_split of(dtc_splitter splitter, uint64_t layers, uint64_t pp, uint64_t vpp)
{
  dtc_pipe_split s;
  DTC_INIT(&s);
  s.splitter = splitter;
  s.layers = layers;
  s.pp = pp;
  s.vpp = vpp;
  return s;
}

static dtc_pipe_split megatron(uint64_t layers, uint64_t pp, uint64_t vpp)
{
  return of(DTC_SPLITTER_MEGATRON, layers, pp, vpp);
}

static dtc_pipe_split uneven(uint64_t layers, uint64_t pp, uint64_t vpp, uint64_t first, uint64_t last)
{
  dtc_pipe_split s = megatron(layers, pp, vpp);
  s.first = first;
  s.last = last;
  return s;
}

static dtc_pipe_split accounted(uint64_t layers, uint64_t pp, uint64_t vpp, int embedding, int loss)
{
  dtc_pipe_split s = megatron(layers, pp, vpp);
  s.account_embedding = embedding ? DTC_BOOL_ON : DTC_BOOL_OFF;
  s.account_loss = loss ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  return s;
}

static dtc_pipe_split torchtitan(uint64_t layers, uint64_t pp, uint64_t vpp, uint64_t per_stage)
{
  dtc_pipe_split s = of(DTC_SPLITTER_TORCHTITAN, layers, pp, vpp);
  s.per_stage = per_stage;
  return s;
}

static dtc_pipe_split in_v(dtc_pipe_split s)
{
  s.v_shape = DTC_BOOL_ON;
  return s;
}

static dtc_status ask(const dtc_pipe_split *s, const char *layout, const uint64_t *weights, size_t n)
{
  uint64_t needed = 0;
  DTC_INIT(&err);
  count = 0;
  dtc_status status = dtc_pipe_layers_scratch(s, &needed, &err);
  if (status != DTC_OK)
    return status;
  assert_true(needed <= WORDS);
  return dtc_pipe_layers(s, layout, layout != NULL ? strlen(layout) : 0, weights, n, parts, PARTS, &count, scratch,
                         needed, &err);
}

/* The stages' layers, by blanks; what every split keeps: layers in order, a chunk of each rank, and all of them. */
static void are(dtc_pipe_split s, const char *layout, const uint64_t *weights, size_t n, const char *expected)
{
  char got[8 * PARTS] = "";
  size_t at = 0;
  uint64_t next = 0;
  check_ok(ask(&s, layout, weights, n), &err);
  assert_int_equal(count % s.pp, 0);
  for (size_t i = 0; i < count; i++) {
    int back = s.v_shape == DTC_BOOL_ON && i >= s.pp;
    at += (size_t)snprintf(got + at, sizeof got - at, "%s%u", i > 0 ? " " : "", (unsigned)parts[i].layers);
    assert_int_equal(parts[i].first, next);
    assert_int_equal(parts[i].rank, back ? count - 1 - i : i % s.pp);
    assert_int_equal(parts[i].chunk, i / s.pp);
    next += parts[i].layers;
  }
  assert_string_equal(got, expected);
  assert_int_equal(next, s.layers);
}

static void refused(dtc_pipe_split s, const char *layout, dtc_status status, dtc_rule rule, const char *line)
{
  char got[256];
  assert_int_equal(ask(&s, layout, NULL, 0), status);
  assert_int_equal(err.rule, rule);
  dtc_error_format(&err, DTC_LANG_EN, got, sizeof got);
  assert_string_equal(got, line);
}

/* ---- Megatron -------------------------------------------------------------------------------- */

static void megatron_splits_evenly(void **state)
{
  (void)state;
  are(megatron(32, 4, 0), NULL, NULL, 0, "8 8 8 8");
  assert_true(parts[0].embedding && !parts[0].head && !parts[3].embedding && parts[3].head && !parts[1].head);
  are(megatron(24, 2, 3), NULL, NULL, 0, "4 4 4 4 4 4");
  are(megatron(12, 1, 1), NULL, NULL, 0, "12");
  assert_true(parts[0].embedding && parts[0].head);
  are(in_v(megatron(24, 4, 0)), NULL, NULL, 0, "3 3 3 3 3 3 3 3"); /* of its fork zero-bubble */
  assert_true(parts[7].rank == 0 && parts[7].chunk == 1 && parts[7].head);
}

static void megatron_counts_embedding_and_loss(void **state)
{
  (void)state;
  are(accounted(30, 4, 0, 1, 1), NULL, NULL, 0, "7 8 8 7");
  are(accounted(31, 4, 2, 0, 1), NULL, NULL, 0, "4 4 4 4 4 4 4 3");
  are(accounted(30, 4, 2, 1, 1), NULL, NULL, 0, "3 4 4 4 4 4 4 3");
  are(accounted(2, 4, 0, 1, 1), NULL, NULL, 0, "0 1 1 0"); /* stages without a layer */
  are(accounted(10, 1, 0, 1, 1), NULL, NULL, 0, "10");
}

static void megatron_splits_unevenly(void **state)
{
  (void)state;
  are(uneven(22, 4, 0, 5, 3), NULL, NULL, 0, "5 7 7 3");
  are(uneven(22, 4, 0, 0, 4), NULL, NULL, 0, "6 6 6 4");
  are(uneven(24, 4, 2, 4, 8), NULL, NULL, 0, "2 3 3 4 2 3 3 4");
  are(uneven(8, 2, 2, 4, 0), NULL, NULL, 0, "2 2 2 2");
  are(uneven(10, 2, 0, 4, 6), NULL, NULL, 0, "4 6");
  are(uneven(10, 4, 0, 4, 6), NULL, NULL, 0, "4 0 0 6"); /* nothing is left for the others */
  are(uneven(7, 1, 0, 0, 7), NULL, NULL, 0, "7");
}

static void megatron_refuses(void **state)
{
  (void)state;
  refused(megatron(30, 4, 0), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_DIVIDES,
          "pp = 4: must divide the 30 layers, counted ones included; nearest legal: 3, 5");
  refused(accounted(30, 4, 0, 1, 0), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_DIVIDES,
          "pp = 4: must divide the 31 layers, counted ones included; nearest legal: 1, 31");
  refused(megatron(48, 5, 2), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_DIVIDES,
          "pp = 5: must divide the 48 layers, counted ones included; nearest legal: 4, 6");
  refused(megatron(10, 4, 2), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_DIVIDES, /* one rank has no chunks */
          "pp = 4: must divide the 10 layers, counted ones included; nearest legal: 5");
  refused(megatron(48, 4, 5), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_CHUNKS,
          "vpp = 5: must divide the 12 layers of a rank; nearest legal: 4, 6");
  refused(uneven(126, 16, 8, 7, 7), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_CHUNKS,
          "vpp = 8: must divide the 7 layers of a rank; nearest legal: 1");
  refused(uneven(61, 16, 0, 4, 0), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_MIDDLE,
          "layers = 61: first and last leave 57, which the 15 other ranks must divide; nearest legal: 49, 64");
  refused(uneven(11, 2, 0, 4, 6), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_MIDDLE, /* Megatron loses a layer */
          "layers = 11: first and last leave 1, which the 0 other ranks must divide; nearest legal: 10");
  refused(uneven(8, 2, 2, 4, 4), NULL, DTC_E_CONFLICT, DTC_RULE_SPLIT_UNEVEN,
          "pp = 2 with vpp = 2, first and last: Megatron accepts it and then divides by zero");
  refused(uneven(4, 4, 0, 4, 2), NULL, DTC_E_RANGE, DTC_RULE_RANGE, "layers = 4: must be 6 to 1048576");
  dtc_pipe_split both = accounted(40, 4, 0, 0, 1);
  both.first = 10;
  refused(both, NULL, DTC_E_CONFLICT, DTC_RULE_SPLIT_ACCOUNT,
          "account_loss: Megatron does not take it together with first or last");
  refused(in_v(uneven(40, 4, 0, 10, 0)), NULL, DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS,
          "v_shape = on: must be off with first = 10");
  refused(in_v(megatron(40, 4, 3)), NULL, DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, "vpp = 3: must be 2 with v_shape = on");
  refused(in_v(megatron(36, 4, 0)), NULL, DTC_E_DIVIDE, DTC_RULE_SPLIT_CHUNKS,
          "vpp = 2: must divide the 9 layers of a rank");
  refused(megatron(40, 1, 2), NULL, DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, "vpp = 2: must be 1 with pp = 1");
  refused(uneven(12, 1, 0, 6, 6), NULL, DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS,
          "pp = 1: must be 2 to 4096 with last = 6");
}

/* ---- layout ---------------------------------------------------------------------------------- */

static dtc_pipe_split layout(uint64_t layers, uint64_t mtp_layers, uint64_t pp)
{
  dtc_pipe_split s = of(DTC_SPLITTER_LAYOUT, layers, pp, 0);
  s.mtp_layers = mtp_layers;
  return s;
}

static void layouts_are_read(void **state)
{
  (void)state;
  are(layout(8, 0, 4), "E|tt|tttt|ttL", NULL, 0, "0 2 4 2");
  assert_true(parts[0].embedding && parts[3].head && !parts[1].embedding && !parts[0].head);
  are(layout(7, 0, 2), "Et*3|(tt|)*2,L", NULL, 0, "3 2 2 0"); /* the L behind the last '|' of the group */
  assert_true(parts[3].head && parts[3].rank == 1 && parts[3].chunk == 1);
}

static void layouts_place_mtp(void **state)
{
  (void)state;
  are(layout(7, 2, 4), "Et*3|(tt|)*2,m*2L", NULL, 0, "3 2 2 0");
  assert_true(parts[3].mtp_layers == 2 && parts[3].head && parts[2].mtp_layers == 0);
  are(layout(2, 1, 2), "Et|t|m|L", NULL, 0, "1 1 0 0"); /* the last chunk of rank 0 */
  assert_true(parts[2].mtp_layers == 1 && parts[2].rank == 0 && parts[2].chunk == 1);
  are(layout(2, 0, 3), "|Ett|L", NULL, 0, "0 2 0"); /* a stage without anything */
  assert_true(!parts[0].embedding && parts[1].embedding && parts[2].head);
  dtc_pipe_split s = layout(4, 0, 2);
  s.vpp = 2;
  are(s, "Et|t|t|tL", NULL, 0, "1 1 1 1");
}

/* What follows from Megatron's two passes over the text, one after the other. */
static void layouts_are_written_out_in_two_passes(void **state)
{
  (void)state;
  are(layout(6, 0, 1), "E(t*2)*3L", NULL, 0, "6");
  are(layout(7, 0, 1), "E(tt)*3*2L", NULL, 0, "7"); /* the last t of the group twice */
  are(layout(23, 0, 1), "E(t*)*1(23)*1L", NULL, 0, "23");
  are(layout(2, 0, 1), "Et(*2)*1L", NULL, 0, "2");
  are(layout(30, 0, 1), "Et*3,0L", NULL, 0, "30"); /* commas are nowhere */
  are(layout(4, 0, 2), "E(tt|t)*,1t,L", NULL, 0, "2 2");
  are(layout(1, 0, 1), "Ex*0((t)*0tL", NULL, 0, "1"); /* whatever comes 0 times is not looked at */
  are(layout(1, 0, 1), "Et**0L", NULL, 0, "1");
  are(layout(1048576, 0, 1), "Et*1048576L", NULL, 0, "1048576");
}

static void layouts_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    uint64_t pp;
    dtc_status status;
    dtc_rule rule;
    uint64_t offset;
  } rows[] = {
      {"Ett|tt|tt|xtL", 4, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 10},
      {"Ett tt", 4, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 3},
      {"E((t)*2)*4L", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 2},
      {"E()*2L", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 1},
      {"E(,,)*2L", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 1},
      {"E(tt)L", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 1},
      {"E(tt", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 1},
      {"Et*L", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 2},
      {"Et**3L", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 2},
      {"\n*0EL", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 0},
      {"E\xc2\xb3L", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 1},
      {"*3", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_SYNTAX, 0},
      {"", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS, 0},
      {"|", 2, DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS, 0},
      {"|tEL", 2, DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS, 1},
      {"Ett|tt", 2, DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS, 5},
      {"EttEL", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS, 3},
      {"E*2tL", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS, 0},
      {"EtLtL", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS, 2},
      {"EtL*2", 1, DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS, 2},
      {"Et|t|t|tL", 3, DTC_E_DIVIDE, DTC_RULE_LAYOUT_STAGES, DTC_NONE},
      {"Et|t|t|tL", 1, DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, DTC_NONE},
      {"EtttL", 1, DTC_E_CONFLICT, DTC_RULE_LAYOUT_LAYERS, DTC_NONE},
      {"EtttttL", 1, DTC_E_CONFLICT, DTC_RULE_LAYOUT_LAYERS, DTC_NONE},
      {"Et*4mL", 1, DTC_E_CONFLICT, DTC_RULE_LAYOUT_LAYERS, DTC_NONE},
      {"Et*99999999999999999999999L", 1, DTC_E_CONFLICT, DTC_RULE_LAYOUT_LAYERS, DTC_NONE},
      {"E(t|)*99999999999999999999999L", 1, DTC_E_RANGE, DTC_RULE_PIPE_WORK, DTC_NONE},
      {"Et*(1)*4000000000L", 1, DTC_E_RANGE, DTC_RULE_PIPE_WORK, DTC_NONE},
      {"Et*4|*4194304L", 4096, DTC_E_DIVIDE, DTC_RULE_LAYOUT_STAGES, DTC_NONE},
      {"Et*4|*8191L", 2, DTC_E_RANGE, DTC_RULE_RANGE, DTC_NONE},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dtc_pipe_split s = layout(4, 0, rows[i].pp);
    dtc_status got = ask(&s, rows[i].text, NULL, 0);
    if (got != rows[i].status || err.rule != rows[i].rule || err.offset != rows[i].offset)
      fail_msg("%s: status %d, rule %u, offset %d", rows[i].text, got, err.rule, (int)err.offset);
  }
}

static void layouts_place_mtp_only_last(void **state)
{
  (void)state;
  refused(layout(2, 1, 2), "EtmL|t", DTC_E_PARSE, DTC_RULE_LAYOUT_ENDS,
          "byte 5: a layout begins with E and ends with L, one of each");
  refused(layout(2, 1, 1), "EtmtL", DTC_E_PARSE, DTC_RULE_LAYOUT_MTP,
          "byte 3: all m stand in one stage, the last of its rank, behind every t");
  refused(layout(2, 1, 2), "Ett|m||L", DTC_E_PARSE, DTC_RULE_LAYOUT_MTP,
          "byte 4: all m stand in one stage, the last of its rank, behind every t");
  refused(layout(2, 2, 3), "Ett|m|mL", DTC_E_PARSE, DTC_RULE_LAYOUT_MTP,
          "byte 6: all m stand in one stage, the last of its rank, behind every t");
  refused(layout(8, 0, 3), "Ett|tt|tt|ttL", DTC_E_DIVIDE, DTC_RULE_LAYOUT_STAGES,
          "pp = 3: must divide the 4 stages of the layout; nearest legal: 2, 4");
  refused(layout(9, 0, 4), "Ett|tt|tt|ttL", DTC_E_CONFLICT, DTC_RULE_LAYOUT_LAYERS, "layers = 9: the layout has 8");
  refused(layout(8, 2, 1), "Et*8mL", DTC_E_CONFLICT, DTC_RULE_LAYOUT_LAYERS, "mtp_layers = 2: the layout has 1");
  dtc_pipe_split s = layout(8, 0, 4);
  s.vpp = 2;
  refused(s, "Ett|tt|tt|ttL", DTC_E_CONFLICT, DTC_RULE_FIELD_NEEDS, "vpp = 2: must be 1 with pp = 4");
}

/* A layout written out as Megatron does it: groups, then characters, into `out`. Returns its length. */
enum { TEXT = 1 << 14 };

static size_t number_at(const char *s, size_t len, size_t at, uint64_t *times)
{
  size_t end = at;
  *times = 0;
  while (end < len && s[end] >= '0' && s[end] <= '9')
    *times = *times * 10 + (uint64_t)(s[end++] - '0');
  return end - at;
}

static size_t write_groups(const char *s, size_t len, char *out)
{
  size_t n = 0, digits = 0;
  for (size_t at = 0; at < len;) {
    uint64_t times = 0;
    size_t close = at + 1;
    while (s[at] == '(' && close < len && s[close] != ')')
      close++;
    if (s[at] == '(' && close < len && close > at + 1 && close + 2 < len && s[close + 1] == '*' &&
        (digits = number_at(s, len, close + 2, &times)) > 0) {
      for (; times > 0; times--, n += close - at - 1)
        memcpy(out + n, s + at + 1, close - at - 1);
      at = close + 2 + digits;
    } else {
      out[n++] = s[at++];
    }
  }
  return n;
}

static size_t write_characters(const char *s, size_t len, char *out)
{
  size_t n = 0, digits = 0;
  for (size_t at = 0; at < len;) {
    uint64_t times = 0;
    if (at + 2 < len && s[at + 1] == '*' && (digits = number_at(s, len, at + 2, &times)) > 0) {
      for (; times > 0; times--)
        out[n++] = s[at];
      at += 2 + digits;
    } else {
      out[n++] = s[at++];
    }
  }
  return n;
}

static size_t write_out(const char *text, char *out)
{
  static char plain[TEXT], groups[TEXT];
  size_t n = 0;
  for (; *text != 0; text++)
    if (*text != ',')
      plain[n++] = *text;
  n = write_groups(plain, n, groups);
  n = write_characters(groups, n, out);
  out[n] = 0;
  return n;
}

/* A random text of E and L around words that mean something, and now and then of any of them. */
static void random_layout(uint64_t *seed, char *text)
{
  static const char words[][8] = {"t",   "tt",      "|",       "t|",       ",",   "t*3",
                                  "|*2", "(tt|)*2", "(t,t)*0", "(t*2|)*1", "t*0", "m"};
  static const char any[][8] = {"E", "L", "*", "2", "(", ")", "t*", "(|", ")*2", "1)*1", "m*2", "x"};
  text[0] = 0;
  strcat(text, check_random(seed, 20) > 0 ? "E" : "");
  for (uint64_t n = check_random(seed, 8); n > 0; n--)
    strcat(text, check_random(seed, 8) > 0 ? words[check_random(seed, 11 + (n == 1))] : any[check_random(seed, 12)]);
  strcat(text, check_random(seed, 20) > 0 ? "L" : "");
}

static size_t count_of(const char *s, char c)
{
  size_t n = 0;
  for (; *s != 0; s++)
    n += *s == c;
  return n;
}

/* The rules but those about mtp, which the random texts seldom reach. */
static int is_legal(const char *s, size_t len)
{
  return strspn(s, "EtmL|") == len && count_of(s, 'E') == 1 && count_of(s, 'L') == 1 && s[strspn(s, "|")] == 'E' &&
         s[strlen(s) - 1 - (strrchr(s, 'L') == NULL ? 0 : strspn(strrchr(s, 'L') + 1, "|"))] == 'L' &&
         (strchr(s, 'm') == NULL || strrchr(s, 't') == NULL || strchr(s, 'm') > strrchr(s, 't'));
}

static void layouts_are_what_they_are_written_out(void **state)
{
  (void)state;
  static char out[TEXT];
  char text[128];
  uint64_t seed = 11;
  uint64_t legal = 0;
  for (int round = 0; round < check_rounds(30000); round++) {
    random_layout(&seed, text);
    size_t len = write_out(text, out);
    size_t stages = count_of(out, '|') + 1, stage = 0;
    dtc_pipe_split s = layout(count_of(out, 't'), count_of(out, 'm'), stages);
    if (s.layers == 0 || strchr(out, '|') == NULL)
      continue;
    dtc_status got = ask(&s, text, NULL, 0);
    if ((got == DTC_OK) != is_legal(out, len) && err.rule != DTC_RULE_LAYOUT_MTP)
      fail_msg("%s is %s: status %d, rule %u", text, out, got, err.rule);
    if (got != DTC_OK)
      continue;
    legal++;
    for (const char *c = out; *c != 0; c++) {
      stage += *c == '|';
      parts[stage].layers -= *c == 't';
      parts[stage].mtp_layers -= *c == 'm';
    }
    for (size_t i = 0; i < stages; i++)
      assert_true(parts[i].layers == 0 && parts[i].mtp_layers == 0);
  }
  assert_true(legal > (uint64_t)check_rounds(5000));
}

/* ---- DeepSpeed ------------------------------------------------------------------------------- */

static void uniform_gives_the_rest_to_the_first(void **state)
{
  (void)state;
  are(of(DTC_SPLITTER_UNIFORM, 30, 4, 0), NULL, NULL, 0, "8 8 7 7");
  assert_true(!parts[0].embedding && !parts[3].head);
  are(of(DTC_SPLITTER_UNIFORM, 2, 4, 1), NULL, NULL, 0, "1 1 0 0");
  are(of(DTC_SPLITTER_UNIFORM, 1048576, 1, 0), NULL, NULL, 0, "1048576");
}

static void balanced(const uint64_t *weights, size_t n, uint64_t pp, dtc_release version, const char *expected)
{
  dtc_pipe_split s = of(DTC_SPLITTER_BALANCED, n, pp, 0);
  s.version = version;
  are(s, NULL, weights, n, expected);
}

static void balanced_is_deepspeeds(void **state)
{
  (void)state;
  static const uint64_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  static const uint64_t zeros[6] = {0};
  static const uint64_t mix[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 1, 1};
  static const uint64_t heavy_head[] = {100, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  balanced(ones, 13, 4, 0, "4 3 3 3");
  balanced(zeros, 6, 3, 0, "4 1 1");
  balanced(mix, 13, 4, 0, "5 2 2 4");
  balanced(heavy_head, 21, 2, 0, "1 20");
  balanced(mix, 2, 4, 0, "1 1 0 0");
  balanced(ones, 13, 1, 0, "13");
}

static void balanced_was_another_before_0_12_5(void **state)
{
  (void)state;
  enum { BEFORE = 12004, SINCE = 12005 };
  static const uint64_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  static const uint64_t zeros[6] = {0};
  static const uint64_t heavy_head[] = {100, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  static const uint64_t steep[] = {10, 5, 4, 5, 3, 1};
  static const uint64_t vast[] = {UINT64_C(1) << 44, UINT64_C(1) << 44, UINT64_C(1) << 44,
                                  UINT64_C(1) << 44, UINT64_C(1) << 44, 1};
  balanced(ones, 13, 4, BEFORE, "4 4 4 1");
  balanced(ones, 13, 4, SINCE, "4 3 3 3");
  balanced(ones, 13, 8, BEFORE, "2 2 2 2 2 2 1 0");
  balanced(zeros, 6, 4, BEFORE, "0 0 0 6");
  balanced(heavy_head, 21, 4, BEFORE, "0 21 0 0"); /* it reads the last sum in front of the first */
  balanced(steep, 6, 5, BEFORE, "1 2 3 0 0");
  balanced(heavy_head, 2, 3, BEFORE, "1 1 0");
  dtc_pipe_split s = of(DTC_SPLITTER_BALANCED, 6, 2, 0);
  s.version = BEFORE;
  assert_int_equal(ask(&s, NULL, vast, 6), DTC_E_RANGE); /* DeepSpeed would never end */
  assert_int_equal(err.rule, DTC_RULE_PIPE_WORK);
}

/* partition_balanced with its three loops and its infinities. */
static void cut_plainly(const uint64_t *weights, size_t n, size_t m, size_t *bounds)
{
  static double most[32][16], least[32][16], cost[32][16], sums[32];
  static size_t at[32][16];
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++)
      most[i][j] = least[i][j] = cost[i][j] = HUGE_VAL;
  most[0][0] = cost[0][0] = 0;
  for (size_t i = 0; i < n; i++)
    sums[i + 1] = sums[i] + (double)weights[i];
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= (i < m ? i : m); j++)
      for (size_t k = 0; k < i; k++) {
        double part = sums[i] - sums[k];
        double a = fmax(most[k][j - 1], part), b = fmin(least[k][j - 1], part);
        if (cost[i][j] >= a - b) {
          cost[i][j] = a - b;
          most[i][j] = a;
          least[i][j] = b;
          at[i][j] = k;
        }
      }
  bounds[m] = n;
  for (size_t j = m; j > 0; j--)
    bounds[j - 1] = at[bounds[j]][j];
}

static void balanced_is_its_loops(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < check_rounds(3000); round++) {
    uint64_t weights[31];
    size_t bounds[16], n = 2 + check_random(&seed, 30), m = 1 + check_random(&seed, n - 1 < 15 ? n - 1 : 15);
    static const uint64_t tops[] = {1, 2, 7, 1000, 1000000000};
    uint64_t top = tops[check_random(&seed, 5)];
    for (size_t i = 0; i < n; i++)
      weights[i] = check_random(&seed, top + 1);
    dtc_pipe_split s = of(DTC_SPLITTER_BALANCED, n, m, 0);
    check_ok(ask(&s, NULL, weights, n), &err);
    cut_plainly(weights, n, m, bounds);
    for (size_t j = 0; j < m; j++)
      assert_true(parts[j].first == bounds[j] && parts[j].first + parts[j].layers == bounds[j + 1]);
  }
}

static void balanced_refuses(void **state)
{
  (void)state;
  static const uint64_t vast[] = {UINT64_MAX, 1, 1};
  dtc_pipe_split s = of(DTC_SPLITTER_BALANCED, 3, 2, 0);
  refused(s, NULL, DTC_E_RANGE, DTC_RULE_LENGTH, "weights has 0 elements: must be 3");
  assert_int_equal(ask(&s, NULL, vast, 2), DTC_E_RANGE);
  assert_true(err.rule == DTC_RULE_LENGTH && err.got == 2 && err.min == 3);
  assert_int_equal(ask(&s, NULL, vast, 3), DTC_E_RANGE);
  assert_true(err.rule == DTC_RULE_SUM && err.got == DTC_NONE && err.max == UINT64_C(1) << 53);
  uint64_t *ones = calloc(1 << 16, sizeof *ones);
  s = of(DTC_SPLITTER_BALANCED, 1 << 16, 4, 0);
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, ones, 1 << 16, parts, PARTS, &count, NULL, 0, &err), DTC_E_RANGE);
  assert_true(err.rule == DTC_RULE_PIPE_WORK && err.got == 1 << 16 && err.max == UINT64_C(1) << 32);
  free(ones);
}

/* ---- TorchTitan ------------------------------------------------------------------------------ */

static void torchtitan_weighs_the_ends(void **state)
{
  (void)state;
  are(torchtitan(32, 4, 1, 0), NULL, NULL, 0, "8 9 8 7");
  assert_true(parts[0].embedding && parts[3].head);
  are(torchtitan(6, 4, 2, 0), NULL, NULL, 0, "0 1 1 1 1 1 1 0"); /* E alone, N and H alone */
  dtc_pipe_split s = torchtitan(16, 4, 1, 0);
  s.first_less = 5;
  are(s, NULL, NULL, 0, "1 6 5 4");
  s.first_less = DTC_NONE; /* 0 */
  s.last_less = 2;
  are(s, NULL, NULL, 0, "5 5 4 2");
  are(in_v(torchtitan(61, 8, 0, 0)), NULL, NULL, 0, "3 4 4 4 4 4 4 4 4 4 4 4 4 4 4 2");
  s = torchtitan(3, 1, 0, 0);
  s.first_less = 9; /* of one stage nothing is weighed */
  are(s, NULL, NULL, 0, "3");
}

static void torchtitan_takes_layers_per_stage(void **state)
{
  (void)state;
  are(torchtitan(30, 4, 0, 2), NULL, NULL, 0, "1 2 2 2 2 2 2 2 2 2 2 2 2 2 2 1");
  are(torchtitan(32, 4, 1, 9), NULL, NULL, 0, "8 9 8 7"); /* a schedule of one chunk */
  are(torchtitan(30, 4, 4, 2), NULL, NULL, 0, "1 2 2 2 2 2 2 2 2 2 2 2 2 2 2 1");
  refused(torchtitan(32, 4, 0, 8), NULL, DTC_E_RANGE, DTC_RULE_SPLIT_STAGES,
          "per_stage = 8: makes 5 stages; it must be a multiple of pp, 8 to 4096; nearest legal: 3");
  refused(torchtitan(32, 4, 0, 9), NULL, DTC_E_RANGE, DTC_RULE_SPLIT_STAGES, /* one chunk, of a schedule with several */
          "per_stage = 9: makes 4 stages; it must be a multiple of pp, 8 to 4096; nearest legal: 3");
  refused(torchtitan(32, 4, 1, 3), NULL, DTC_E_RANGE, DTC_RULE_SPLIT_STAGES,
          "per_stage = 3: makes 12 stages; it must be a multiple of pp, 4; nearest legal: 9");
  refused(in_v(torchtitan(32, 4, 0, 3)), NULL, DTC_E_RANGE, DTC_RULE_SPLIT_STAGES,
          "per_stage = 3: makes 12 stages; it must be a multiple of pp, 8");
}

static void torchtitan_refuses(void **state)
{
  (void)state;
  refused(torchtitan(6, 16, 1, 0), NULL, DTC_E_RANGE, DTC_RULE_SPLIT_STAGES,
          "pp = 16: makes 16 stages; it must be a multiple of pp, 1 to 8; nearest legal: 8");
  refused(torchtitan(6, 4, 3, 0), NULL, DTC_E_RANGE, DTC_RULE_SPLIT_STAGES,
          "vpp = 3: makes 12 stages; it must be a multiple of pp, 4 to 8; nearest legal: 2");
  dtc_pipe_split s = torchtitan(16, 8, 1, 0);
  s.first_less = 5;
  refused(s, NULL, DTC_E_RANGE, DTC_RULE_SPLIT_LESS, "first_less = 5: must be at most the 2 layers of a stage");
  s.first_less = 0;
  s.last_less = 3;
  refused(s, NULL, DTC_E_RANGE, DTC_RULE_SPLIT_LESS, "last_less = 3: must be at most the 2 layers of a stage");
  s.last_less = DTC_NONE - 1;
  refused(s, NULL, DTC_E_RANGE, DTC_RULE_RANGE, "last_less = 18446744073709551614: must be 0 to 1048576");
}

/* ---- ColossalAI ------------------------------------------------------------------------------ */

static void colossalai_gives_the_rest_to_the_middle(void **state)
{
  (void)state;
  static const uint64_t given[] = {7, 8, 9, 8};
  are(of(DTC_SPLITTER_COLOSSALAI, 33, 4, 0), NULL, NULL, 0, "8 8 9 8");
  assert_true(parts[0].embedding && parts[3].head);
  are(of(DTC_SPLITTER_COLOSSALAI, 31, 4, 1), NULL, NULL, 0, "7 8 8 8");
  are(of(DTC_SPLITTER_COLOSSALAI, 5, 8, 1), NULL, NULL, 0, "0 0 1 1 1 1 1 0");
  are(in_v(of(DTC_SPLITTER_COLOSSALAI, 30, 4, 2)), NULL, NULL, 0, "3 4 4 4 4 4 4 3");
  assert_true(parts[7].rank == 0 && parts[4].rank == 3);
  are(of(DTC_SPLITTER_COLOSSALAI, 32, 4, 0), NULL, given, 4, "7 8 9 8");
}

static void colossalai_refuses(void **state)
{
  (void)state;
  static const uint64_t given[] = {7, 8, 9, 9, UINT64_MAX};
  dtc_pipe_split s = of(DTC_SPLITTER_COLOSSALAI, 32, 4, 0);
  assert_int_equal(ask(&s, NULL, given, 4), DTC_E_CONFLICT);
  assert_true(err.rule == DTC_RULE_SPLIT_GIVEN && err.got == 33 && err.other_got == 32);
  assert_int_equal(ask(&s, NULL, given, 3), DTC_E_RANGE);
  assert_true(err.rule == DTC_RULE_LENGTH && err.min == 4 && err.max == 4);
  assert_int_equal(ask(&s, NULL, given + 1, 4), DTC_E_CONFLICT); /* the sum does not fit */
  assert_true(err.rule == DTC_RULE_SPLIT_GIVEN && err.got == DTC_NONE);
  s.vpp = 2;
  assert_int_equal(ask(&s, NULL, given, 4), DTC_E_CONFLICT);
  assert_true(err.rule == DTC_RULE_FIELD_NEEDS && err.field == DTC_FIELD(pipe_split, vpp));
}

/* ---- any of them ----------------------------------------------------------------------------- */

static void settings_belong_to_a_splitter(void **state)
{
  (void)state;
  static const uint64_t weights[] = {1, 1, 1, 1};
  static const struct {
    uint32_t field;
    uint64_t value;
    uint32_t splitters; /* that have it */
  } rows[] = {
      {DTC_FIELD(pipe_split, v_shape), DTC_BOOL_ON, 0x31},
      {DTC_FIELD(pipe_split, account_embedding), DTC_BOOL_ON, 1},
      {DTC_FIELD(pipe_split, account_loss), DTC_BOOL_ON, 1},
      {DTC_FIELD(pipe_split, mtp_layers), 1, 2},
      {DTC_FIELD(pipe_split, vpp), 2, 0x33},
      {DTC_FIELD(pipe_split, first), 1, 1},
      {DTC_FIELD(pipe_split, last), 1, 1},
      {DTC_FIELD(pipe_split, first_less), 1, 0x10},
      {DTC_FIELD(pipe_split, last_less), DTC_NONE, 0x10},
      {DTC_FIELD(pipe_split, per_stage), 2, 0x10},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (dtc_splitter splitter = 0; splitter < 6; splitter++) {
      dtc_pipe_split s = of(splitter, 4, 2, 0);
      size_t offset = rows[i].field & 0xffff;
      memcpy((char *)&s + offset, &rows[i].value, offset < offsetof(dtc_pipe_split, layers) ? 4 : 8);
      ask(&s, splitter == DTC_SPLITTER_LAYOUT ? "Ett|ttL" : NULL, weights, splitter == DTC_SPLITTER_BALANCED ? 4 : 0);
      int has = rows[i].splitters >> splitter & 1;
      assert_int_equal(err.rule == DTC_RULE_PIPE_SETTING, !has);
      if (!has)
        assert_true(err.status == DTC_E_CONFLICT && err.field == rows[i].field && err.got == rows[i].value &&
                    err.other == DTC_FIELD(pipe_split, splitter) && err.other_got == splitter);
    }
  dtc_pipe_split s = of(DTC_SPLITTER_UNIFORM, 4, 2, 1);
  s.v_shape = s.account_loss = DTC_BOOL_OFF;
  are(s, NULL, NULL, 0, "2 2");
  refused(s, "Et*4L", DTC_E_CONFLICT, DTC_RULE_PIPE_SETTING, "layout = 5: uniform has no such setting");
  assert_int_equal(ask(&s, NULL, weights, 4), DTC_E_CONFLICT);
  assert_true(err.rule == DTC_RULE_PIPE_SETTING && err.field == (uint32_t)DTC_ARG_WEIGHTS);
}

static void arrays_are_checked(void **state)
{
  (void)state;
  dtc_pipe_split s = layout(4, 0, 1);
  DTC_INIT(&err);
  assert_int_equal(dtc_pipe_layers(&s, NULL, 3, NULL, 0, parts, PARTS, &count, NULL, 0, &err), DTC_E_RANGE);
  assert_int_equal(err.field, DTC_ARG_LAYOUT);
  assert_int_equal(dtc_pipe_layers(&s, "E", ((size_t)1 << 20) + 1, NULL, 0, parts, PARTS, &count, NULL, 0, &err),
                   DTC_E_RANGE);
  assert_int_equal(err.field, DTC_ARG_LAYOUT);
  s = of(DTC_SPLITTER_BALANCED, 3, 2, 0);
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, NULL, 3, parts, PARTS, &count, NULL, 0, &err), DTC_E_RANGE);
  assert_int_equal(err.field, DTC_ARG_WEIGHTS);
  s.splitter = 6;
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, NULL, 0, parts, PARTS, &count, NULL, 0, &err), DTC_E_RANGE);
  assert_int_equal(err.field, DTC_FIELD(pipe_split, splitter));
  s = megatron(0, 4, 0);
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, NULL, 0, parts, PARTS, &count, NULL, 0, &err), DTC_E_RANGE);
  assert_int_equal(err.field, DTC_FIELD(pipe_split, layers));
  s.struct_size = 3;
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, NULL, 0, parts, PARTS, &count, NULL, 0, NULL), DTC_E_SIZE);
}

static void outputs_stay_until_all_is_right(void **state)
{
  (void)state;
  static const uint64_t weights[] = {1, 2, 3};
  dtc_pipe_split s = of(DTC_SPLITTER_BALANCED, 3, 2, 0);
  uint64_t needed = 77;
  s.vpp = 2000;
  assert_int_equal(dtc_pipe_layers_scratch(&s, &needed, NULL), DTC_E_RANGE);
  assert_int_equal(needed, 77);
  s.vpp = 0;
  assert_int_equal(dtc_pipe_layers_scratch(&s, &needed, NULL), DTC_OK);
  DTC_INIT(&err);
  count = 99;
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, weights, 3, parts, 2, &count, scratch, needed - 1, &err), DTC_E_SPACE);
  assert_true(count == 99 && err.rule == DTC_RULE_SCRATCH && err.min == needed);
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, weights, 3, parts, 2, &count, NULL, needed, &err), DTC_E_SPACE);
  assert_true(count == 99 && err.rule == DTC_RULE_SCRATCH);
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, weights, 3, parts, 1, &count, scratch, needed, &err), DTC_E_SPACE);
  assert_true(count == 2 && err.rule == DTC_RULE_SPACE && err.got == 1 && err.min == 2);
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, weights, 3, parts, 2, &count, scratch, needed, NULL), DTC_OK);
  err.struct_size = 1;
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, weights, 3, parts, 2, &count, scratch, needed, &err), DTC_E_SIZE);
  assert_int_equal(dtc_pipe_layers_scratch(&s, &needed, &err), DTC_E_SIZE);
  s.splitter = DTC_SPLITTER_UNIFORM;
  assert_int_equal(dtc_pipe_layers_scratch(&s, &needed, NULL), DTC_OK);
  assert_int_equal(needed, 0);
  count = 99;
  assert_int_equal(dtc_pipe_layers(&s, NULL, 0, NULL, 0, NULL, 0, &count, NULL, 0, NULL), DTC_E_SPACE);
  assert_int_equal(count, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(megatron_splits_evenly),
      cmocka_unit_test(megatron_counts_embedding_and_loss),
      cmocka_unit_test(megatron_splits_unevenly),
      cmocka_unit_test(megatron_refuses),
      cmocka_unit_test(layouts_are_read),
      cmocka_unit_test(layouts_place_mtp),
      cmocka_unit_test(layouts_are_written_out_in_two_passes),
      cmocka_unit_test(layouts_are_refused),
      cmocka_unit_test(layouts_place_mtp_only_last),
      cmocka_unit_test(layouts_are_what_they_are_written_out),
      cmocka_unit_test(uniform_gives_the_rest_to_the_first),
      cmocka_unit_test(balanced_is_deepspeeds),
      cmocka_unit_test(balanced_was_another_before_0_12_5),
      cmocka_unit_test(balanced_is_its_loops),
      cmocka_unit_test(balanced_refuses),
      cmocka_unit_test(torchtitan_weighs_the_ends),
      cmocka_unit_test(torchtitan_takes_layers_per_stage),
      cmocka_unit_test(torchtitan_refuses),
      cmocka_unit_test(colossalai_gives_the_rest_to_the_middle),
      cmocka_unit_test(colossalai_refuses),
      cmocka_unit_test(settings_belong_to_a_splitter),
      cmocka_unit_test(arrays_are_checked),
      cmocka_unit_test(outputs_stay_until_all_is_right),
  };
  return cmocka_run_group_tests_name("pipeline_layers", tests, NULL, NULL);
}
