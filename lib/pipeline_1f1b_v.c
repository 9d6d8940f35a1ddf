/* 1F1B-V: two chunks of each stage in a V, a pattern of six places that repeats with each micro-batch, whose ops then move
 * as early as inputs, free places and the pattern's own peak of memory let them.
 * Source: zero-bubble 39f2c186 megatron/core/pipeline_parallel/zerobubble/scheduler/v1f1b.py. */
#include "internal/pipeline_generate.h"

/* Ops of a micro-batch on a stage in their order; a backward takes two places, for the input and for the weights. */
enum { F0, F1, B1, B0, KINDS, PERIOD = 6 };

/* What stands in a place: 0 nothing, 1 + kind the begin of an op, REST the second place of a backward. */
enum { REST = KINDS + 1 };

typedef struct plan {
  uint64_t pp;
  uint64_t m;
  uint64_t length;  /* places of a stage */
  uint64_t peak;    /* most activations that the pattern holds on a stage */
  uint64_t steps;   /* left to take */
  uint8_t *places;  /* of each stage */
  uint64_t *held;   /* activations of each stage behind each place */
  uint64_t *begins; /* where an op begins: of each kind, stage and micro-batch */
  uint64_t *done;   /* ops of each stage and kind that have found their place */
} plan;

/* Places of a stage: a period before the pattern, which takes up to 8 * pp and some on the way down and up twice, and one for
 * each micro-batch. */
static uint64_t length_of(const dtc_pipe *p)
{
  return 8 * p->pp + PERIOD * (p->micro_batches + 3);
}

/* Every place is filled, summed up, looked at and written. */
static uint64_t steps(const dtc_pipe *p, int *bad)
{
  return dtci_mul(4, dtci_mul(p->pp, length_of(p), bad), bad);
}

uint64_t dtci_pipe_1f1b_v_scratch(const dtc_pipe *p, int *bad)
{
  if (steps(p, bad) > DTCI_PIPE_WORK)
    return 0;
  uint64_t places = dtci_mul(p->pp, length_of(p), bad);
  uint64_t ops = dtci_mul(dtci_mul(KINDS, p->pp, bad), dtci_add(p->micro_batches, 1, bad), bad);
  return dtci_add(dtci_add(places, dtci_ceil_div(places, 8), bad), ops, bad);
}

static uint64_t *begin_of(const plan *v, int kind, uint64_t j, uint64_t i)
{
  return &v->begins[((uint64_t)kind * v->pp + j) * v->m + i];
}

static int is_forward(int kind)
{
  return kind == F0 || kind == F1;
}

/* Writes an op of a stage into a place. */
static void place(plan *v, uint64_t j, int kind, uint64_t at)
{
  uint8_t *row = v->places + j * v->length;
  row[at] = (uint8_t)(1 + kind);
  if (!is_forward(kind))
    row[at + 1] = REST;
}

/* The same op of all micro-batches, from where it stands for the first. */
static void repeat(plan *v, uint64_t j, int kind, uint64_t at)
{
  for (uint64_t i = 0; i < v->m; i++)
    place(v, j, kind, at + PERIOD * i);
}

/* The pattern: forwards go down and up the V a place a stage, backwards go down and up two places a stage. Every third
 * backward is followed by a gap of three, so that no two ops of a stage fall on places that are a multiple of the period
 * apart. */
static void lay_pattern(plan *v)
{
  uint64_t at = PERIOD + 1;
  uint64_t run = (3 - (v->pp + 2) % 3) % 3; /* backwards since the last gap */
  for (uint64_t j = 0; j < v->pp; j++)
    repeat(v, j, F0, at++);
  for (uint64_t j = v->pp; j-- > 0;)
    repeat(v, j, F1, at++);
  if (v->pp % 3 == 0)
    at += 3;
  for (uint64_t n = 0; n < 2 * v->pp; n++) {
    int down = n < v->pp;
    repeat(v, down ? n : 2 * v->pp - 1 - n, down ? B1 : B0, at);
    at += 2;
    if (++run == 3) {
      run = 0;
      at += 3;
    }
  }
}

static void sum_held(plan *v)
{
  v->peak = 0;
  for (uint64_t j = 0; j < v->pp; j++) {
    uint64_t held = 0;
    for (uint64_t at = j * v->length; at < (j + 1) * v->length; at++) {
      if (v->places[at] == REST)
        held--;
      else if (v->places[at] == 1 + F0 || v->places[at] == 1 + F1)
        held++;
      v->held[at] = held;
      v->peak = held > v->peak ? held : v->peak;
    }
  }
}

/* The first place that an op's inputs and its predecessor on the stage leave it. */
static uint64_t earliest(const plan *v, uint64_t j, int kind, uint64_t i)
{
  int down = kind == F0 || kind == B1;
  int turn = down ? j == 0 : j + 1 == v->pp; /* it follows the micro-batch's last op on its own stage */
  uint64_t from = i > 0 ? *begin_of(v, kind, j, i - 1) + 1 : 0;
  uint64_t input = 0;
  if (!turn)
    input = *begin_of(v, kind, down ? j - 1 : j + 1, i) + (is_forward(kind) ? 1 : 2);
  else if (kind != F0)
    input = *begin_of(v, kind - 1, j, i) + (is_forward(kind - 1) ? 1 : 2);
  return input > from ? input : from;
}

/* The first free place from `from` on, of a backward with the next one free too; `at`, where it stands, when there is none
 * before. */
static uint64_t free_place(const uint8_t *row, int kind, uint64_t from, uint64_t at)
{
  while (from < at && (row[from] != 0 || (!is_forward(kind) && row[from + 1] != 0)))
    from++;
  return from;
}

/* Moves the next op of a stage, which stands in place `at`, to an earlier place. A forward goes only as far as the stage
 * holds less than the peak from there on. Returns 0 when the steps are used up. */
static int move(plan *v, uint64_t j, int kind, uint64_t at)
{
  uint8_t *row = v->places + j * v->length;
  uint64_t *held = v->held + j * v->length;
  uint64_t i = v->done[KINDS * j + (uint64_t)kind]++;
  uint64_t from = earliest(v, j, kind, i);
  uint64_t back = at;
  if (is_forward(kind))
    while (back > from && held[back - 1] < v->peak)
      back--;
  else
    back = from;
  if (2 * (at - back) > v->steps)
    return 0;
  v->steps -= 2 * (at - back); /* looked at on the way back, and on the way forth or when they are counted anew */
  uint64_t to = free_place(row, kind, back, at);
  *begin_of(v, kind, j, i) = to;
  if (to == at)
    return 1;
  row[at] = 0;
  if (!is_forward(kind))
    row[at + 1] = 0;
  place(v, j, kind, to);
  for (uint64_t k = to; k < at; k++)
    if (is_forward(kind))
      held[k]++;
    else
      held[k + 1]--;
  return 1;
}

/* Ops of a stage as they stand. */
static void write_stage(const plan *v, uint64_t j, dtc_pipe_op *out)
{
  uint32_t done[KINDS] = {0};
  const uint8_t *row = v->places + j * v->length;
  for (uint64_t at = 0; at < v->length; at++) {
    if (row[at] == 0 || row[at] == REST)
      continue;
    int kind = row[at] - 1;
    *out++ = dtci_pipe_op_of(is_forward(kind) ? DTC_PIPE_KIND_FORWARD : DTC_PIPE_KIND_BACKWARD,
                             kind == F1 || kind == B1, done[kind]++);
  }
}

dtc_status dtci_pipe_1f1b_v(const dtc_pipe *p, dtc_pipe_op *out, uint64_t *scratch, dtc_error *e)
{
  int bad = 0;
  uint64_t sure = steps(p, &bad);
  if (sure > DTCI_PIPE_WORK || bad)
    return dtci_pipe_fail_work(p, e);
  plan v = {.pp = p->pp, .m = p->micro_batches, .length = length_of(p), .steps = DTCI_PIPE_WORK - sure};
  v.held = scratch;
  v.begins = v.held + v.pp * v.length;
  v.done = v.begins + KINDS * v.pp * v.m;
  v.places = (uint8_t *)(v.done + KINDS * v.pp);
  memset(v.done, 0, (size_t)(KINDS * v.pp) * sizeof v.done[0]);
  memset(v.places, 0, (size_t)(v.pp * v.length));
  lay_pattern(&v);
  sum_held(&v);
  for (uint64_t at = 0; at < v.length; at++)
    for (uint64_t j = 0; j < v.pp; j++) {
      uint8_t what = v.places[j * v.length + at];
      if (what != 0 && what != REST && !move(&v, j, what - 1, at))
        return dtci_pipe_fail_work(p, e);
    }
  for (uint64_t j = 0; j < v.pp; j++)
    write_stage(&v, j, out + KINDS * v.m * j);
  return DTC_OK;
}
