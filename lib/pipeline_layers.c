/* Which layers each pipeline stage has, as the frameworks split them. Sources: Megatron-LM d98e8a64
 * core/transformer/transformer_config.py (__post_init__), transformer_block.py (get_num_layers_to_build),
 * transformer_layer.py (get_transformer_layer_offset), core/parallel_state.py; DeepSpeed edaa7221 runtime/utils.py
 * (partition_uniform); TorchTitan b5bcd76c distributed/pipeline_parallel.py; ColossalAI 4f9953be
 * pipeline/stage_manager.py (distribute_layers, get_stage_index). */
#include "internal/layer_split.h"
#include "internal/pipeline_split.h"

enum { PP_MOST = 4096, VPP_MOST = 1024, LAYERS_MOST = 1 << 20 };

#define SPLIT(member) DTC_FIELD(pipe_split, member)

/* ---- errors ---------------------------------------------------------------------------------- */

dtc_status dtci_fail_with(dtc_error *e, dtc_status status, uint32_t field, uint64_t got, uint64_t min, uint64_t max,
                          uint32_t other, uint64_t other_got)
{
  dtci_fail_within(e, status, DTC_RULE_FIELD_NEEDS, field, got, min, max);
  e->other = other;
  e->other_got = other_got;
  return status;
}

/* One value must divide another and does not. */
static dtc_status fail_divide(dtc_error *e, dtc_rule rule, uint32_t field, uint64_t got, uint32_t other, uint64_t whole)
{
  dtci_fail(e, DTC_E_DIVIDE, rule, field, got);
  e->other = other;
  e->other_got = whole;
  return DTC_E_DIVIDE;
}

void dtci_nearest_divisors(dtc_error *e, uint64_t around, uint64_t least, uint64_t most, uint64_t factor,
                           uint64_t whole)
{
  for (uint64_t v = around <= most ? around - 1 : most; v >= least && e->lower == DTC_NONE; v--)
    if (whole % (v * factor) == 0)
      e->lower = v;
  for (uint64_t v = around + 1 > least ? around + 1 : least; v <= most && e->upper == DTC_NONE; v++)
    if (whole % (v * factor) == 0)
      e->upper = v;
}

/* ---- settings -------------------------------------------------------------------------------- */

#define IN(splitter) (1u << DTC_SPLITTER_##splitter)

/* Settings that not every splitter has, and the value that says nothing, as 0 does. */
static const struct setting {
  uint32_t field;
  uint32_t splitters;
  uint64_t silent;
} settings[] = {
    {SPLIT(v_shape), IN(MEGATRON) | IN(TORCHTITAN) | IN(COLOSSALAI), DTC_BOOL_OFF},
    {SPLIT(account_embedding), IN(MEGATRON), DTC_BOOL_OFF},
    {SPLIT(account_loss), IN(MEGATRON), DTC_BOOL_OFF},
    {SPLIT(mtp_layers), IN(LAYOUT), 0},
    {SPLIT(vpp), IN(MEGATRON) | IN(LAYOUT) | IN(TORCHTITAN) | IN(COLOSSALAI), 1},
    {SPLIT(first), IN(MEGATRON), 0},
    {SPLIT(last), IN(MEGATRON), 0},
    {SPLIT(first_less), IN(TORCHTITAN), 0},
    {SPLIT(last_less), IN(TORCHTITAN), 0},
    {SPLIT(per_stage), IN(TORCHTITAN), 0},
};

static dtc_status check_setting(const dtc_pipe_split *s, uint32_t field, uint32_t splitters, uint64_t got,
                                uint64_t silent, dtc_error *e)
{
  if (got == 0 || got == silent || (splitters >> s->splitter & 1))
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_PIPE_SETTING, field, got);
  e->other = SPLIT(splitter);
  e->other_got = s->splitter;
  return DTC_E_CONFLICT;
}

static dtc_status split_in(const dtc_pipe_split *split, dtc_pipe_split *s, dtc_error *e)
{
  TRY(dtci_in(s, DTC_STRUCT_pipe_split, split, e));
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
    TRY(check_setting(s, settings[i].field, settings[i].splitters, dtci_read(s, dtci_field_of(settings[i].field)),
                      settings[i].silent, e));
  return DTC_OK;
}

static dtc_status arrays_in(const dtci_split *x, dtc_error *e)
{
  TRY(check_setting(&x->s, DTCI_ARG(LAYOUT), IN(LAYOUT), x->len, 0, e));
  TRY(check_setting(&x->s, DTCI_ARG(WEIGHTS), IN(BALANCED) | IN(COLOSSALAI), x->n_weights, 0, e));
  TRY(dtci_check_range(e, DTCI_ARG(LAYOUT), x->len, 0, x->layout != NULL ? 1 << 20 : 0));
  return dtci_check_range(e, DTCI_ARG(WEIGHTS), x->n_weights, 0, x->weights != NULL ? LAYERS_MOST : 0);
}

/* Chunks of a rank where the caller names them: two in a V, else one. */
static dtc_status default_vpp(dtc_pipe_split *s, dtc_error *e)
{
  int v_shape = s->v_shape == DTC_BOOL_ON;
  dtci_default(&s->vpp, v_shape ? 2 : 1);
  if (v_shape && s->vpp != 2)
    return dtci_fail_with(e, DTC_E_CONFLICT, SPLIT(vpp), s->vpp, 2, 2, SPLIT(v_shape), s->v_shape);
  return DTC_OK;
}

/* ---- Megatron -------------------------------------------------------------------------------- */

static dtci_layer_split megatron_of(const dtc_pipe_split *s)
{
  return (dtci_layer_split){.way = DTCI_SPLIT_MEGATRON,
                            .first_less = s->account_embedding == DTC_BOOL_ON,
                            .last_less = s->account_loss == DTC_BOOL_ON,
                            .layers = s->layers,
                            .pp = s->pp,
                            .vpp = s->vpp,
                            .first = s->first,
                            .last = s->last};
}

static dtc_status check_even(const dtc_pipe_split *s, dtc_error *e)
{
  dtci_layer_split split = megatron_of(s);
  uint64_t all = dtci_split_counted(&split);
  if (all % s->pp != 0) {
    fail_divide(e, DTC_RULE_SPLIT_DIVIDES, SPLIT(pp), s->pp, SPLIT(layers), all);
    dtci_nearest_divisors(e, s->pp, s->vpp > 1 ? 2 : 1, PP_MOST, s->vpp, all);
    return DTC_E_DIVIDE;
  }
  if (all / s->pp % s->vpp == 0)
    return DTC_OK;
  fail_divide(e, DTC_RULE_SPLIT_CHUNKS, SPLIT(vpp), s->vpp, SPLIT(layers), all / s->pp);
  if (s->v_shape != DTC_BOOL_ON)
    dtci_nearest_divisors(e, s->vpp, 1, VPP_MOST, 1, all / s->pp);
  return DTC_E_DIVIDE;
}

/* Megatron does not look whether first and last are all layers when there is no rank between them; it then builds a model
 * without the others. */
static dtc_status check_middle(const dtc_pipe_split *s, dtc_error *e)
{
  if (s->first + s->last > s->layers)
    return dtci_fail_range(e, SPLIT(layers), s->layers, s->first + s->last, LAYERS_MOST);
  dtci_layer_split split = megatron_of(s);
  uint64_t layers = dtci_middle_layers(&split);
  uint64_t ranks = dtci_middle_ranks(&split);
  uint64_t rest = ranks > 0 ? layers % ranks : layers;
  if (rest == 0)
    return DTC_OK;
  fail_divide(e, DTC_RULE_SPLIT_MIDDLE, SPLIT(layers), s->layers, SPLIT(layers), layers);
  e->min = ranks;
  e->lower = s->layers - rest;
  if (ranks > 0 && e->lower + ranks <= LAYERS_MOST)
    e->upper = e->lower + ranks;
  return DTC_E_DIVIDE;
}

static dtc_status check_uneven_chunks(const dtc_pipe_split *s, dtc_error *e)
{
  dtci_layer_split split = megatron_of(s);
  uint64_t ranks = dtci_middle_ranks(&split);
  uint64_t each = ranks > 0 ? dtci_middle_layers(&split) / ranks : 0;
  uint32_t field = s->first % s->vpp != 0 ? SPLIT(first) : s->last % s->vpp != 0 ? SPLIT(last) : SPLIT(layers);
  uint64_t whole = field == SPLIT(first) ? s->first : field == SPLIT(last) ? s->last : each;
  if (whole % s->vpp != 0) {
    fail_divide(e, DTC_RULE_SPLIT_CHUNKS, SPLIT(vpp), s->vpp, field, whole);
    uint64_t common = dtci_common_divisor(s->first, s->last);
    dtci_nearest_divisors(e, s->vpp, 1, ranks > 0 ? VPP_MOST : 1, 1, dtci_common_divisor(common, each));
    return DTC_E_DIVIDE;
  }
  if (s->vpp > 1 && ranks == 0) {
    dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SPLIT_UNEVEN, SPLIT(vpp), s->vpp);
    e->lower = 1;
    return DTC_E_CONFLICT;
  }
  return DTC_OK;
}

static dtc_status check_uneven(const dtc_pipe_split *s, dtc_error *e)
{
  uint32_t given = s->first > 0 ? SPLIT(first) : SPLIT(last);
  uint64_t layers = s->first > 0 ? s->first : s->last;
  uint32_t account = s->account_embedding == DTC_BOOL_ON ? SPLIT(account_embedding)
                     : s->account_loss == DTC_BOOL_ON    ? SPLIT(account_loss)
                                                         : 0;
  if (account != 0) {
    dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SPLIT_ACCOUNT, account, DTC_BOOL_ON);
    e->other = given;
    e->other_got = layers;
    return DTC_E_CONFLICT;
  }
  if (s->v_shape == DTC_BOOL_ON)
    return dtci_fail_with(e, DTC_E_CONFLICT, SPLIT(v_shape), DTC_BOOL_ON, DTC_BOOL_OFF, DTC_BOOL_OFF, given, layers);
  if (s->pp == 1 && s->first > 0 && s->last > 0)
    return dtci_fail_with(e, DTC_E_CONFLICT, SPLIT(pp), 1, 2, PP_MOST, SPLIT(last), s->last);
  TRY(check_middle(s, e));
  return check_uneven_chunks(s, e);
}

static dtc_status resolve_megatron(dtc_pipe_split *s, dtc_error *e)
{
  TRY(default_vpp(s, e));
  if (s->pp == 1 && s->vpp > 1)
    return dtci_fail_with(e, DTC_E_CONFLICT, SPLIT(vpp), s->vpp, 1, 1, SPLIT(pp), 1);
  return s->first > 0 || s->last > 0 ? check_uneven(s, e) : check_even(s, e);
}

/* ---- TorchTitan ------------------------------------------------------------------------------ */

/* Stages that a number of layers per stage makes: legal from `least` to `most`, a multiple of pp. */
typedef struct staging {
  uint64_t effective; /* layers, with what embedding, norm and head stand for */
  uint64_t pp;
  uint64_t least;
  uint64_t most;
} staging;

static int is_legal(const staging *g, uint64_t per_stage)
{
  uint64_t stages = dtci_ceil_div(g->effective, per_stage);
  return stages % g->pp == 0 && stages >= g->least && stages <= g->most;
}

static dtc_status fail_stages(dtc_error *e, const staging *g, uint32_t field, uint64_t got, uint64_t stages)
{
  dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_SPLIT_STAGES, field, got, g->least, g->most);
  e->other_got = stages;
  return DTC_E_RANGE;
}

/* Layers per stage decide the chunks: of a schedule with one chunk (vpp = 1) exactly one, of the others at least two. */
static dtc_status stage_by_layers(dtc_pipe_split *s, staging g, dtc_error *e)
{
  uint64_t stages = dtci_ceil_div(g.effective, s->per_stage);
  g.least = s->pp * (s->vpp != 0 ? s->vpp : 2);
  g.most = s->pp * (s->vpp != 0 ? s->vpp : VPP_MOST);
  s->vpp = stages / s->pp;
  if (is_legal(&g, s->per_stage))
    return DTC_OK;
  fail_stages(e, &g, SPLIT(per_stage), s->per_stage, stages);
  for (uint64_t v = s->per_stage - 1; v > 0 && e->lower == DTC_NONE; v--)
    e->lower = is_legal(&g, v) ? v : DTC_NONE;
  uint64_t most = dtci_smaller(g.effective, LAYERS_MOST);
  for (uint64_t v = s->per_stage + 1; v <= most && e->upper == DTC_NONE; v++)
    e->upper = is_legal(&g, v) ? v : DTC_NONE;
  return DTC_E_RANGE;
}

static dtc_status stage_by_chunks(dtc_pipe_split *s, staging g, dtc_error *e)
{
  dtci_default(&s->vpp, 1);
  uint64_t stages = s->pp * s->vpp;
  g.most = g.effective;
  if (stages <= g.effective)
    return DTC_OK;
  int chunks = s->pp <= g.effective;
  g.least = chunks ? s->pp : 1;
  fail_stages(e, &g, chunks ? SPLIT(vpp) : SPLIT(pp), chunks ? s->vpp : s->pp, stages);
  e->lower = chunks ? g.effective / s->pp : g.effective;
  return DTC_E_RANGE;
}

static uint64_t one_or(uint64_t less)
{
  return less == 0 ? 1 : less == DTC_NONE ? 0 : less;
}

static dtc_status check_less(const dtc_pipe_split *s, uint64_t effective, dtc_error *e)
{
  uint64_t stages = s->pp * s->vpp;
  uint64_t floor = effective / stages;
  if (stages == 1)
    return DTC_OK;
  if (s->first_less > floor)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_SPLIT_LESS, SPLIT(first_less), s->first_less, 0, floor);
  if (s->last_less > floor)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_SPLIT_LESS, SPLIT(last_less), s->last_less, 0, floor);
  return DTC_OK;
}

static dtc_status resolve_torchtitan(dtc_pipe_split *s, dtc_error *e)
{
  staging g = {.pp = s->pp};
  if (s->v_shape == DTC_BOOL_ON)
    TRY(default_vpp(s, e));
  s->first_less = one_or(s->first_less);
  s->last_less = one_or(s->last_less);
  TRY(dtci_check_range(e, SPLIT(first_less), s->first_less, 0, LAYERS_MOST));
  TRY(dtci_check_range(e, SPLIT(last_less), s->last_less, 0, LAYERS_MOST));
  g.effective = s->layers + s->first_less + s->last_less;
  TRY(s->per_stage > 0 ? stage_by_layers(s, g, e) : stage_by_chunks(s, g, e));
  return check_less(s, g.effective, e);
}

/* ---- ColossalAI ------------------------------------------------------------------------------ */

/* Layers given per stage are as many as ranks, so that they fit one chunk per rank alone. */
static dtc_status resolve_colossalai(dtci_split *x, dtc_error *e)
{
  dtc_pipe_split *s = &x->s;
  uint64_t sum = 0;
  int bad = 0;
  TRY(default_vpp(s, e));
  if (x->n_weights == 0)
    return DTC_OK;
  if (s->vpp > 1)
    return dtci_fail_with(e, DTC_E_CONFLICT, SPLIT(vpp), s->vpp, 1, 1, DTCI_ARG(WEIGHTS), x->n_weights);
  if (x->n_weights != s->pp)
    return dtci_fail_within(e, DTC_E_RANGE, DTC_RULE_LENGTH, DTCI_ARG(WEIGHTS), x->n_weights, s->pp, s->pp);
  for (size_t i = 0; i < x->n_weights; i++)
    sum = dtci_add(sum, x->weights[i], &bad);
  if (!bad && sum == s->layers)
    return DTC_OK;
  dtci_fail(e, DTC_E_CONFLICT, DTC_RULE_SPLIT_GIVEN, DTCI_ARG(WEIGHTS), bad ? DTC_NONE : sum);
  e->other = SPLIT(layers);
  e->other_got = s->layers;
  return DTC_E_CONFLICT;
}

/* ---- any of them ----------------------------------------------------------------------------- */

static dtc_status resolve(dtci_split *x, dtc_error *e)
{
  switch (x->s.splitter) {
  case DTC_SPLITTER_MEGATRON:
    return resolve_megatron(&x->s, e);
  case DTC_SPLITTER_LAYOUT:
    return dtci_layout_resolve(x, e);
  case DTC_SPLITTER_TORCHTITAN:
    return resolve_torchtitan(&x->s, e);
  case DTC_SPLITTER_COLOSSALAI:
    return resolve_colossalai(x, e);
  case DTC_SPLITTER_BALANCED:
    x->s.vpp = 1;
    return dtci_balanced_resolve(x, e);
  default:
    x->s.vpp = 1;
    return DTC_OK;
  }
}

/* Splits by the numbers of layers, stages, and what the ends are given. */
static dtci_layer_split layer_split_of(const dtc_pipe_split *s)
{
  uint32_t way = s->splitter == DTC_SPLITTER_TORCHTITAN   ? DTCI_SPLIT_TORCHTITAN
                 : s->splitter == DTC_SPLITTER_COLOSSALAI ? DTCI_SPLIT_COLOSSALAI
                                                          : DTCI_SPLIT_UNIFORM;
  dtci_layer_split split = {.way = way, .layers = s->layers, .pp = s->pp, .vpp = s->vpp};
  if (s->splitter == DTC_SPLITTER_MEGATRON)
    return megatron_of(s);
  if (s->splitter == DTC_SPLITTER_TORCHTITAN && s->pp * s->vpp > 1) {
    split.first_less = s->first_less;
    split.last_less = s->last_less;
  }
  return split;
}

static dtc_status fill(const dtci_split *x, dtc_pipe_part *out, uint64_t *scratch, dtc_error *e)
{
  if (x->s.splitter == DTC_SPLITTER_BALANCED)
    return dtci_balanced_fill(x, out, scratch, e);
  if (x->s.splitter == DTC_SPLITTER_LAYOUT) {
    dtci_layout_fill(x, out);
    return DTC_OK;
  }
  dtci_layer_split split = layer_split_of(&x->s);
  dtci_shares shares = dtci_shares_of(&split);
  uint64_t begin = 0;
  for (uint64_t i = 0; i < split.pp * split.vpp; i++) {
    uint64_t end = dtci_split_begin(&shares, i + 1);
    out[i].layers = x->n_weights > 0 ? x->weights[i] : end - begin;
    begin = end;
  }
  return DTC_OK;
}

void dtci_place_stages(dtc_pipe_part *out, uint64_t pp, uint64_t stages, int v_shape)
{
  uint64_t rank = 0;
  uint32_t chunk = 0;
  for (uint64_t i = 0; i < stages; i++) {
    out[i].rank = (uint32_t)(v_shape && chunk == 1 ? pp - 1 - rank : rank);
    out[i].chunk = chunk;
    if (++rank == pp) {
      rank = 0;
      chunk++;
    }
  }
}

/* First layers, places and ends. The stages hold the layers in their order. A layout says itself where its ends are; of a
 * list of modules nobody knows. */
static void place(const dtc_pipe_split *s, dtc_pipe_part *out)
{
  uint64_t stages = s->pp * s->vpp;
  uint64_t next = 0;
  dtci_place_stages(out, s->pp, stages, s->v_shape == DTC_BOOL_ON);
  for (uint64_t i = 0; i < stages; i++) {
    out[i].first = next;
    next += out[i].layers;
  }
  int ends =
      s->splitter != DTC_SPLITTER_LAYOUT && s->splitter != DTC_SPLITTER_UNIFORM && s->splitter != DTC_SPLITTER_BALANCED;
  out[0].embedding |= (uint32_t)ends;
  out[stages - 1].head |= (uint32_t)ends;
}

static dtc_status layers(dtci_split *x, dtc_pipe_part *out, size_t cap, size_t *count, uint64_t *scratch,
                         size_t n_scratch, dtc_error *e)
{
  TRY(arrays_in(x, e));
  TRY(resolve(x, e));
  TRY(dtci_scratch_in(scratch, n_scratch, dtci_balanced_words(&x->s), e));
  uint64_t stages = x->s.pp * x->s.vpp;
  if (cap < stages) {
    *count = dtci_count(stages);
    return dtci_fail_space(e, cap, stages);
  }
  memset(out, 0, (size_t)stages * sizeof *out);
  TRY(fill(x, out, scratch, e));
  place(&x->s, out);
  *count = dtci_count(stages);
  return DTC_OK;
}

dtc_status dtc_pipe_layers(const dtc_pipe_split *split, const char *layout, size_t len, const uint64_t *weights,
                           size_t n_weights, dtc_pipe_part *out, size_t cap, size_t *count, uint64_t *scratch,
                           size_t n_scratch, dtc_error *err)
{
  dtc_error e;
  dtci_split x = {.layout = layout, .len = len, .weights = weights, .n_weights = n_weights};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = split_in(split, &x.s, &e);
  if (s == DTC_OK)
    s = layers(&x, out, cap, count, scratch, n_scratch, &e);
  return dtci_end(s, &e, err);
}

dtc_status dtc_pipe_layers_scratch(const dtc_pipe_split *split, uint64_t *needed, dtc_error *err)
{
  dtc_error e;
  dtc_pipe_split s;
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status status = split_in(split, &s, &e);
  if (status == DTC_OK)
    *needed = dtci_balanced_words(&s);
  return dtci_end(status, &e, err);
}
