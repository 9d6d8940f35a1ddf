/* The text of Megatron's --pipeline-model-parallel-layout. Source: Megatron-LM d98e8a64
 * core/transformer/pipeline_parallel_layer_layout.py (parse_str_to_list, validate_layer_layout).
 *
 * Megatron takes the commas out, writes every (..)*n as its body n times, then every character before *n as n of it, and
 * looks at what is left. A body ends at the first ')', so that groups do not nest. Nothing is written out here: a reader
 * walks the text as it would stand behind the first of these steps, and runs of equal characters come out of it. */
#include "internal/chars.h"
#include "internal/pipeline_split.h"

/* Bytes that are looked at. The longest layout that can be right has 2^22 stages and 2^20 layers. */
enum { LOOKS_MOST = 1 << 26, END = -1 };

#define SPLIT(member) DTC_FIELD(pipe_split, member)

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
  const char *text;
  size_t len;
  size_t at;       /* next byte */
  size_t begin;    /* of the body that is repeated */
  size_t end;      /* behind it; 0 outside groups */
  size_t after;    /* behind the group */
  uint64_t left;   /* times that the body still comes */
  size_t close;    /* the first ')' from `at` on, or len */
  size_t behind;   /* behind the number that follows it; 0 when there is none */
  uint64_t times;  /* that number */
  uint64_t *looks; /* bytes looked at so far */
} reader;

/* Times are counted up to this, which is too many for anything. */
static uint64_t with_digit(uint64_t times, int digit)
{
  return dtci_smaller(times * 10 + (uint64_t)(digit - '0'), UINT32_MAX);
}

static size_t skip_commas(const reader *r, size_t at)
{
  while (at < r->len && r->text[at] == ',')
    at++;
  return at;
}

/* Reads "*12" behind the ')' at r->close. */
static void read_times(reader *r)
{
  r->behind = 0;
  r->times = 0;
  size_t at = r->close < r->len ? skip_commas(r, r->close + 1) : r->len;
  if (at == r->len || r->text[at] != '*')
    return;
  for (at = skip_commas(r, at + 1); at < r->len && dtci_is_digit(r->text[at]); at = skip_commas(r, at + 1)) {
    r->times = with_digit(r->times, r->text[at]);
    r->behind = at + 1;
  }
}

/* Does a group begin at the '(' at r->at? Then the reader enters it. */
static int enter_group(reader *r)
{
  if (r->close <= r->at) {
    for (r->close = r->at; r->close < r->len && r->text[r->close] != ')';)
      r->close++;
    read_times(r);
    *r->looks += r->close - r->at;
  }
  if (r->behind == 0 || skip_commas(r, r->at + 1) == r->close)
    return 0;
  r->begin = r->at + 1;
  r->end = r->close;
  r->after = r->behind;
  r->left = r->times;
  r->at = r->end;
  return 1;
}

/* The next character of the text with its groups written out; its place is r->at - 1. */
static int next(reader *r)
{
  while (++*r->looks < LOOKS_MOST) {
    if (r->end != 0 && r->at == r->end) {
      r->at = r->left > 0 ? r->begin : r->after;
      r->end = r->left > 0 ? r->end : 0;
      r->left -= r->left > 0;
    } else if (r->at == r->len) {
      return END;
    } else if (r->text[r->at] == ',') {
      r->at++;
    } else if (r->end != 0 || r->text[r->at] != '(' || !enter_group(r)) {
      return (unsigned char)r->text[r->at++];
    }
  }
  return END;
}

/* A character as often as it stands there. */
typedef struct run {
  int what;
  uint64_t times;
  size_t offset;
} run;

/* Returns 0 at the end. */
static int next_run(reader *r, run *out)
{
  out->what = next(r);
  out->times = 1;
  out->offset = r->at - 1;
  if (out->what == END)
    return 0;
  reader ahead = *r;
  if (out->what == '\n' || next(&ahead) != '*') /* Python's '.' is no line end */
    return 1;
  int digit = next(&ahead);
  if (!dtci_is_digit(digit))
    return 1;
  for (out->times = 0; dtci_is_digit(digit); digit = next(&ahead)) {
    out->times = with_digit(out->times, digit);
    *r = ahead;
  }
  return 1;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* What a layout has; an offset is DTC_NONE where there is no such thing. */
typedef struct summary {
  uint64_t stages;
  uint64_t layers;
  uint64_t mtp_layers;
  int first;              /* first character that is no '|' */
  uint64_t begin;         /* its offset */
  int last;               /* last one */
  uint64_t end;           /* its offset */
  uint64_t second;        /* of an E that is not the first */
  uint64_t loss;          /* of the first L */
  uint64_t early;         /* of an L that is not the last */
  uint64_t late_layer;    /* of a t behind an m */
  uint64_t mtp_stage;     /* stage of the first m */
  uint64_t mtp;           /* its offset */
  uint64_t mtp_elsewhere; /* of the first m in another stage */
} summary;

static void set_once(uint64_t *offset, uint64_t value)
{
  if (*offset == DTC_NONE)
    *offset = value;
}

static void add_run(summary *s, const run *r)
{
  int again = r->times > 1;
  switch (r->what) {
  case '|':
    s->stages += r->times;
    return;
  case 't':
    s->layers += r->times;
    if (s->mtp != DTC_NONE)
      set_once(&s->late_layer, r->offset);
    break;
  case 'm':
    s->mtp_layers += r->times;
    if (s->mtp == DTC_NONE)
      s->mtp_stage = s->stages;
    else if (s->stages != s->mtp_stage)
      set_once(&s->mtp_elsewhere, r->offset);
    set_once(&s->mtp, r->offset);
    break;
  case 'E':
    if (s->begin != DTC_NONE || again)
      set_once(&s->second, r->offset);
    break;
  default: /* L */
    if (s->loss != DTC_NONE || again)
      set_once(&s->early, again ? r->offset : s->loss);
    set_once(&s->loss, r->offset);
  }
  if (s->begin == DTC_NONE)
    s->first = r->what;
  set_once(&s->begin, r->offset);
  s->last = r->what;
  s->end = r->offset;
}

static dtc_status fail_at(dtc_error *e, dtc_rule rule, uint64_t offset)
{
  dtci_fail(e, DTC_E_PARSE, rule, DTCI_ARG(LAYOUT), DTC_NONE);
  e->offset = offset;
  return DTC_E_PARSE;
}

static reader reader_of(const dtci_split *x, uint64_t *looks)
{
  return (reader){.text = x->layout, .len = x->len, .looks = looks};
}

static dtc_status summarize(const dtci_split *x, summary *s, dtc_error *e)
{
  uint64_t looks = 0;
  reader r = reader_of(x, &looks);
  run one;
  *s = (summary){.begin = DTC_NONE,
                 .second = DTC_NONE,
                 .loss = DTC_NONE,
                 .early = DTC_NONE,
                 .late_layer = DTC_NONE,
                 .mtp = DTC_NONE,
                 .mtp_elsewhere = DTC_NONE};
  while (next_run(&r, &one)) {
    if (one.times == 0)
      continue;
    if (one.what != 'E' && one.what != 't' && one.what != 'm' && one.what != 'L' && one.what != '|')
      return fail_at(e, DTC_RULE_LAYOUT_SYNTAX, one.offset);
    add_run(s, &one);
  }
  s->stages++;
  if (looks >= LOOKS_MOST)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_PIPE_WORK, DTCI_ARG(LAYOUT), x->len, 0, LOOKS_MOST);
  return DTC_OK;
}

static dtc_status check_ends(const summary *s, dtc_error *e)
{
  uint64_t wrong = s->begin == DTC_NONE    ? 0
                   : s->first != 'E'       ? s->begin
                   : s->last != 'L'        ? s->end
                   : s->second != DTC_NONE ? s->second
                                           : s->early;
  return wrong == DTC_NONE ? DTC_OK : fail_at(e, DTC_RULE_LAYOUT_ENDS, wrong);
}

static dtc_status check_layers(uint32_t field, uint64_t wanted, uint64_t there, dtc_error *e)
{
  if (wanted == there)
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_LAYOUT_LAYERS, field, wanted);
  e->other = DTCI_ARG(LAYOUT);
  e->other_got = there;
  return DTC_E_CONFLICT;
}

/* In which order they are found is Megatron's: behind the layers, in a last chunk, in one stage. */
static dtc_status check_mtp(const dtc_pipe_split *s, const summary *found, dtc_error *e)
{
  uint64_t wrong = found->late_layer;
  if (wrong == DTC_NONE && found->mtp != DTC_NONE && found->mtp_stage < (s->vpp - 1) * s->pp)
    wrong = found->mtp;
  if (wrong == DTC_NONE)
    wrong = found->mtp_elsewhere;
  return wrong == DTC_NONE ? DTC_OK : fail_at(e, DTC_RULE_LAYOUT_MTP, wrong);
}

/* How many chunks the stages make. Megatron has several on several ranks alone. */
static dtc_status resolve_chunks(dtc_pipe_split *s, uint64_t stages, dtc_error *e)
{
  uint64_t vpp = stages / s->pp;
  if (stages % s->pp != 0) {
    dtci_fail(e, DTC_E_DIVIDE, DTC_RULE_LAYOUT_STAGES, SPLIT(pp), s->pp);
    e->other = DTCI_ARG(LAYOUT);
    e->other_got = stages;
    dtci_nearest_divisors(e, s->pp, stages > 1 ? 2 : 1, 4096, 1, stages);
    return DTC_E_DIVIDE;
  }
  if (s->pp == 1 && vpp > 1)
    return dtci_fail_with(e, DTC_E_CONFLICT, SPLIT(vpp), vpp, 1, 1, SPLIT(pp), 1);
  TRY(dtci_check_range(e, SPLIT(vpp), vpp, 1, 1024));
  if (s->vpp > 0 && s->vpp != vpp)
    return dtci_fail_with(e, DTC_E_CONFLICT, SPLIT(vpp), s->vpp, vpp, vpp, SPLIT(pp), s->pp);
  s->vpp = vpp;
  return DTC_OK;
}

dtc_status dtci_layout_resolve(dtci_split *x, dtc_error *e)
{
  summary found;
  TRY(summarize(x, &found, e));
  TRY(resolve_chunks(&x->s, found.stages, e));
  TRY(check_ends(&found, e));
  TRY(check_layers(SPLIT(layers), x->s.layers, found.layers, e));
  TRY(check_layers(SPLIT(mtp_layers), x->s.mtp_layers, found.mtp_layers, e));
  return check_mtp(&x->s, &found, e);
}

void dtci_layout_fill(const dtci_split *x, dtc_pipe_part *out)
{
  uint64_t looks = 0;
  reader r = reader_of(x, &looks);
  run one;
  while (next_run(&r, &one)) {
    if (one.times == 0)
      continue;
    if (one.what == '|')
      out += one.times;
    else if (one.what == 't')
      out->layers += one.times;
    else if (one.what == 'm')
      out->mtp_layers += one.times;
    else if (one.what == 'E')
      out->embedding = 1;
    else
      out->head = 1;
  }
}
