/* The sheet of a stage: its terms added up by moment and item. */
#include "internal/memory.h"
#include "internal/pipeline.h"

/* ---- tables ---------------------------------------------------------------------------------- */

static const dtci_term *terms_of(uint32_t table, uint32_t *count)
{
  switch (table) {
  case DTCI_TERMS_MEGATRON:
    *count = dtci_terms_megatron_count;
    return dtci_terms_megatron;
  case DTCI_TERMS_TORCH:
    *count = dtci_terms_torch_count;
    return dtci_terms_torch;
  case DTCI_TERMS_SCALING:
    *count = dtci_terms_scaling_count;
    return dtci_terms_scaling;
  case DTCI_TERMS_COLOSSALAI:
    *count = dtci_terms_colossalai_count;
    return dtci_terms_colossalai;
  case DTCI_TERMS_DEEPSPEED:
    *count = dtci_terms_deepspeed_count;
    return dtci_terms_deepspeed;
  default:
    *count = 0;
    return NULL;
  }
}

/* Rows that stand before those of the framework: of every framework, of fine-tuning. */
static uint32_t common_count(void)
{
  return dtci_terms_all_count + dtci_terms_tuning_count;
}

/* Row i of a framework's terms: the common ones, then its own. NULL behind the last. */
static const dtci_term *term_at(uint32_t table, uint32_t i)
{
  uint32_t count = 0;
  const dtci_term *own = terms_of(table, &count);
  if (i < dtci_terms_all_count)
    return &dtci_terms_all[i];
  if (i < common_count())
    return &dtci_terms_tuning[i - dtci_terms_all_count];
  return i - common_count() < count ? &own[i - common_count()] : NULL;
}

enum { TABLE_SIZE = 1 << 8 }; /* dtc_memory_term.index = table * TABLE_SIZE + row; common rows in table 0 */

static uint32_t index_of(uint32_t table, uint32_t i)
{
  return i < common_count() ? i : (table + 1) * TABLE_SIZE + i - common_count();
}

/* The row of dtc_memory_term.index; NULL when there is none. */
static const dtci_term *term_of(uint32_t index)
{
  uint32_t table = index / TABLE_SIZE;
  uint32_t i = index % TABLE_SIZE;
  if (table == 0)
    return i < common_count() ? term_at(0, i) : NULL;
  return table <= DTCI_TERMS_COUNT ? term_at(table - 1, common_count() + i) : NULL;
}

const char *dtc_memory_term_text(uint32_t index, dtc_lang lang)
{
  const dtci_term *row = term_of(index);
  if (row == NULL)
    return NULL;
  return lang == DTC_LANG_ZH ? dtci_term_texts[row->text].zh : dtci_term_texts[row->text].en;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Those that pipelines, sharding and offloading change. */
static const uint64_t SPLIT = DTCI_WHEN_PP | DTCI_WHEN_DP | DTCI_WHEN_ACCUMULATES | DTCI_WHEN_SHARDS_OPTIMIZER |
                              DTCI_WHEN_SHARDS_GRADIENTS | DTCI_WHEN_SHARDS_WEIGHTS | DTCI_WHEN_UNITS |
                              DTCI_WHEN_HEAD_UNIT | DTCI_WHEN_BUCKET_VIEW | DTCI_WHEN_OFFLOAD |
                              DTCI_WHEN_OFFLOAD_PARAMS | DTCI_WHEN_BF16_OPTIMIZER;

static uint64_t split_conditions(const dtc_plan *p)
{
  const dtci_sharding_row *split = &dtci_shardings[p->sharding];
  int bf16 = p->framework == DTC_FRAMEWORK_DEEPSPEED && p->sharding == DTC_SHARDING_ZERO1 &&
             p->precision == DTC_PRECISION_BF16;
  uint64_t w = dtci_on(p->pp > 1, DTCI_WHEN_PP) | dtci_on(p->dp * p->cp > 1, DTCI_WHEN_DP);
  w |= dtci_on(p->accumulation > 1, DTCI_WHEN_ACCUMULATES);
  w |= dtci_on(split->optimizer, DTCI_WHEN_SHARDS_OPTIMIZER) | dtci_on(split->gradients, DTCI_WHEN_SHARDS_GRADIENTS);
  w |= dtci_on(split->weights, DTCI_WHEN_SHARDS_WEIGHTS) | dtci_on(split->units, DTCI_WHEN_UNITS);
  w |= dtci_on(split->units && dtci_frameworks[p->framework].head_unit, DTCI_WHEN_HEAD_UNIT);
  w |= dtci_on(p->bucket_view == DTC_BOOL_ON && p->dp * p->cp > 1, DTCI_WHEN_BUCKET_VIEW);
  w |= dtci_on(p->offload != DTC_OFFLOAD_DEFAULT, DTCI_WHEN_OFFLOAD);
  w |= dtci_on(p->offload > DTC_OFFLOAD_OPTIMIZER, DTCI_WHEN_OFFLOAD_PARAMS);
  return w | dtci_on(bf16 && p->grad_dtype == DTC_GRAD_DTYPE_FP32, DTCI_WHEN_BF16_OPTIMIZER);
}

/* Megatron's own layers run under DeepSpeed for its models alone. */
static uint64_t layer_conditions(const dtci_case *c)
{
  const dtc_plan *p = &c->plan;
  int deepspeed = p->framework == DTC_FRAMEWORK_DEEPSPEED;
  uint64_t w = dtci_on(p->tp > 1, DTCI_WHEN_TP);
  w |= dtci_on(p->tp > 1 && p->sequence_parallel == DTC_BOOL_ON, DTCI_WHEN_SP);
  w |= dtci_on(deepspeed && c->model.arch == DTC_ARCH_MEGATRON, DTCI_WHEN_MEGATRON_LAYERS);
  return w | dtci_on(p->reshard == DTC_BOOL_ON, DTCI_WHEN_RESHARD);
}

static uint64_t type_conditions(const dtc_plan *p)
{
  uint64_t w =
      dtci_on(dtci_autocast(p), DTCI_WHEN_AUTOCAST) | dtci_on(p->precision == DTC_PRECISION_FP32, DTCI_WHEN_FP32);
  w |= dtci_on(p->precision == DTC_PRECISION_FP16, DTCI_WHEN_FP16) | dtci_on(dtci_is_scaled(p), DTCI_WHEN_FP8);
  w |= dtci_on(p->precision == DTC_PRECISION_PURE_BF16, DTCI_WHEN_PURE);
  w |= dtci_on(p->fp8_params == DTC_BOOL_ON, DTCI_WHEN_FP8_PARAMS);
  w |=
      dtci_on(p->loss == DTC_LOSS_SAME, DTCI_WHEN_LOSS_SAME) | dtci_on(p->loss == DTC_LOSS_FUSED, DTCI_WHEN_LOSS_FUSED);
  w |= dtci_on(p->loss == DTC_LOSS_TE, DTCI_WHEN_LOSS_TE) |
       dtci_on(p->loss == DTC_LOSS_COMPILED, DTCI_WHEN_LOSS_COMPILED);
  int hugging_face = dtci_frameworks[p->framework].form == DTCI_FORM_HF;
  w |= dtci_on(p->loss_chunks > 1, hugging_face ? DTCI_WHEN_LOSS_CHUNKS : DTCI_WHEN_CHUNKED);
  int in_place = p->optimizer == DTC_OPTIMIZER_SGD || p->optimizer == DTC_OPTIMIZER_MOMENTUM;
  w |= dtci_on(p->optimizer_kernel == DTC_OPTIMIZER_KERNEL_FOREACH && !in_place, DTCI_WHEN_FOREACH);
  w |= dtci_on(p->optimizer_kernel == DTC_OPTIMIZER_KERNEL_LOOP && !in_place, DTCI_WHEN_LOOP);
  return w;
}

static uint64_t setting_conditions(const dtc_plan *p)
{
  uint64_t w = dtci_on(p->recompute == DTC_RECOMPUTE_FULL, DTCI_WHEN_FULL) |
               dtci_on(p->dropout == DTC_BOOL_ON, DTCI_WHEN_DROPOUT);
  w |= dtci_on(p->transformer_engine == DTC_BOOL_ON, DTCI_WHEN_TE) |
       dtci_on(p->grad_fusion == DTC_BOOL_ON, DTCI_WHEN_GRAD_FUSION);
  w |= dtci_on(p->attention_mask == DTC_BOOL_ON, DTCI_WHEN_MASK) |
       dtci_on(p->defer_wgrad == DTC_BOOL_ON, DTCI_WHEN_DEFER);
  w |= dtci_on(p->dispatcher == DTC_DISPATCHER_ALLGATHER, DTCI_WHEN_ALLGATHER);
  w |= dtci_on(dtci_is_unfused(p), DTCI_WHEN_EAGER);
  return w | dtci_on(p->tuning == DTC_TUNING_QLORA, DTCI_WHEN_QLORA);
}

/* Ranks that share what a row counts, by its shard. */
static void ranks_of(const dtc_plan *p, uint64_t ranks[DTCI_TERM_SHARDS])
{
  uint64_t sp = p->sequence_parallel == DTC_BOOL_ON ? p->tp : 1;
  ranks[DTCI_SHARD_NONE] = 1;
  ranks[DTCI_SHARD_TP] = p->tp;
  ranks[DTCI_SHARD_SP] = sp;
  ranks[DTCI_SHARD_ETP] = sp;
  ranks[DTCI_SHARD_DP] = p->dp_shard;
  ranks[DTCI_SHARD_VOCAB] = p->vocab_parallel == DTC_BOOL_ON ? p->tp : 1;
}

/* Of what a row counts: all of it, or one for each rank of a group that has all rows. */
static uint64_t times_of(const dtci_term *row, const dtc_plan *p)
{
  return row->shard == DTCI_SHARD_ETP ? p->etp : 1;
}

/* Do these conditions meet what is needed and never? Those of `open` may hold or not. */
static inline int holds(uint64_t needs, uint64_t never, uint64_t when, uint64_t open)
{
  return ((needs & ~(when | open)) | (never & when)) == 0;
}

/* Lines of a table whose first row is `first`, whatever a stage and the split of a case are. */
static void add_lines(const dtci_case *c, dtci_memory_setup *s, const dtci_term *rows, uint32_t count, uint32_t first)
{
  dtci_term_line *line = s->line + s->terms;
  const dtci_term_line *end = s->line + DTCI_TERMS_MOST;
  const uint64_t e = dtci_activation_size(&c->plan);
  for (uint32_t i = 0; i < count && line != end; i++) {
    const dtci_term *row = &rows[i];
    if (!holds(row->needs, row->never, s->fixed, DTCI_STAGE_BITS | SPLIT))
      continue;
    line->row = row;
    line->factor = (row->per_value * e + row->bytes) * times_of(row, &c->plan);
    line->sums = row->moments == DTCI_ALWAYS ? 1u : row->moments == DTCI_POOL ? 1u << DTCI_POOLS : row->moments;
    line->number = first + i;
    line++;
  }
  s->terms = (uint64_t)(line - s->line);
}

void dtci_terms_fixed(const dtci_case *c, dtci_memory_setup *s)
{
  uint32_t count = 0;
  const dtci_term *own = terms_of(dtci_frameworks[c->plan.framework].terms, &count);
  s->fixed = layer_conditions(c) | type_conditions(&c->plan) | setting_conditions(&c->plan);
  s->terms = 0;
  add_lines(c, s, dtci_terms_all, dtci_terms_all_count, 0);
  add_lines(c, s, dtci_terms_tuning, dtci_terms_tuning_count, dtci_terms_all_count);
  add_lines(c, s, own, count, common_count());
}

void dtci_terms_split(const dtci_case *c, dtci_memory_setup *s)
{
  s->when = s->fixed | split_conditions(&c->plan);
  ranks_of(&c->plan, s->ranks);
}

static uint64_t when_of(const dtci_memory_setup *s, const dtci_stage_held *h)
{
  return s->when | dtci_on(h->stage->embedding != 0, DTCI_WHEN_FIRST) | dtci_on(h->stage->head != 0, DTCI_WHEN_HEAD) |
         dtci_on((h->dense_layers | h->kind_layers[DTCI_MLP_LAYER]) != 0, DTCI_WHEN_DENSE) |
         dtci_on(h->moe_layers != 0, DTCI_WHEN_MOE) | dtci_on(h->stage->mtp_layers != 0, DTCI_WHEN_MTP);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static inline uint64_t bytes_of(uint64_t factor, uint64_t unit, uint64_t ranks, int *bad)
{
  uint64_t bytes = dtci_mul(factor, unit, bad);
  return ranks != 1 ? dtci_ceil_div(bytes, ranks) : bytes;
}

/* Which moments a stage has. */
static uint32_t moments_of(uint64_t when)
{
  uint32_t mask = 0;
  for (uint32_t i = DTC_MOMENT_FORWARD; i < DTCI_MOMENTS; i++)
    if (holds(dtci_moment_rows[i].needs, dtci_moment_rows[i].never, when, 0))
      mask |= 1u << i;
  return mask;
}

/* Puts line i behind the last one with the same sums, from place `first` on, or at the end. */
static void put_line(const dtci_memory_setup *s, uint64_t i, uint32_t sums, uint64_t first, dtci_term_list *list)
{
  const dtci_term *row = s->line[i].row;
  uint64_t place = list->count;
  while (place > first && list->at[place - 1].sums != sums)
    place--;
  place = place != first ? place : list->count;
  for (uint64_t k = list->count++; k > place; k--)
    list->at[k] = list->at[k - 1];
  list->at[place].line = (uint16_t)i;
  list->at[place].unit = row->unit;
  list->at[place].shard = row->shard;
  list->at[place].sums = (uint16_t)sums;
}

static void count_rows(dtci_term_list *list, uint64_t first)
{
  for (uint64_t i = first; i < list->count; i++) {
    first = list->at[i].sums == list->at[first].sums ? first : i;
    list->at[first].row = (uint16_t)(i + 1 - first);
  }
}

/* Lines of units that are steady, or of the others, behind those that are listed. */
static void list_lines(const dtci_memory_setup *s, int steady, dtci_term_list *list)
{
  const uint64_t first = list->count;
  for (uint64_t i = 0; i < s->terms; i++) {
    const dtci_term_line *line = &s->line[i];
    uint32_t sums = line->sums & ((uint32_t)list->moments | 1u | 1u << DTCI_POOLS);
    if (sums != 0 && (line->row->unit >= DTCI_U_STEADY) == steady &&
        holds(line->row->needs, line->row->never, list->when, 0))
      put_line(s, i, sums, first, list);
  }
  count_rows(list, first);
}

static void list_all(const dtci_memory_setup *s, uint64_t when, dtci_term_list *list)
{
  list->when = when;
  list->moments = moments_of(when);
  list->count = 0;
  list_lines(s, 1, list);
  list->steady = list->count;
  list_lines(s, 0, list);
}

void dtci_terms_list(const dtci_memory_setup *s, const dtci_stage_held *h, dtci_term_list *list)
{
  list_all(s, when_of(s, h), list);
}

const dtci_term_list *dtci_terms_listed(const dtci_memory_setup *s, const dtci_stage_held *h, dtci_counted *counted)
{
  uint64_t when = when_of(s, h);
  dtci_term_list *list = &counted->list[(when * UINT64_C(0x9e3779b97f4a7c15) >> 32) % counted->lists];
  if (list->count == 0 || list->when != when)
    list_all(s, when, list);
  return list;
}

/* As long as all lines together fit, every sum of some does. */
static void add_up(const dtci_memory_setup *s, const dtci_term_list *list, uint64_t i, uint64_t count,
                   const uint64_t unit[DTCI_UNITS], dtci_sheet *sheet, int *bad)
{
  uint64_t all = sheet->all;
  int wrong = 0;
  while (i < count) {
    const uint32_t sums = list->at[i].sums;
    const uint64_t before = all;
    for (uint64_t end = i + list->at[i].row; i < end; i++) {
      uint64_t n = unit[list->at[i].unit];
      if (n != 0)
        all = dtci_add(all, bytes_of(s->line[list->at[i].line].factor, n, s->ranks[list->at[i].shard], &wrong), &wrong);
    }
    for (uint32_t mask = sums; mask != 0; mask &= mask - 1)
      sheet->at[__builtin_ctz(mask)] += all - before;
  }
  sheet->all = all;
  *bad |= wrong;
}

void dtci_sheet_steady(const dtci_memory_setup *s, const dtci_term_list *list, const dtci_stage_held *h,
                       dtci_sheet *sheet, int *bad)
{
  *sheet = (dtci_sheet){.all = 0};
  add_up(s, list, 0, list->steady, h->unit, sheet, bad);
}

void dtci_sheet_others(const dtci_memory_setup *s, const dtci_term_list *list, const dtci_stage_held *h,
                       dtci_sheet *sheet, int *bad)
{
  add_up(s, list, list->steady, list->count, h->unit, sheet, bad);
}

void dtci_memory_items(const dtci_memory_setup *s, const dtci_term_list *list, const dtci_stage_held *h,
                       dtc_moment moment, uint64_t items[DTCI_ITEMS])
{
  int known = 0;
  memset(items, 0, DTCI_ITEMS * sizeof items[0]);
  for (uint64_t i = 0; i < list->count; i++) {
    const dtci_term_line *line = &s->line[list->at[i].line];
    if (line->row->moments >> moment & 1)
      items[line->row->item] += bytes_of(line->factor, h->unit[line->row->unit], s->ranks[line->row->shard], &known);
  }
}

/* ---- terms, for those who ask ---------------------------------------------------------------- */

dtc_status dtci_memory_list(const dtci_case *c, const dtci_memory_setup *s, const dtci_stage_held *h,
                            dtc_memory_term *terms, size_t cap, size_t *count, dtc_error *e)
{
  const uint64_t *unit = h->unit;
  uint64_t when = when_of(s, h);
  uint32_t table = dtci_frameworks[c->plan.framework].terms;
  uint32_t moments = moments_of(when);
  size_t n = 0;
  int bad = 0;
  for (uint64_t i = 0; i < s->terms; i++) {
    const dtci_term *row = s->line[i].row;
    dtc_memory_term t = {.item = row->item, .moments = row->moments & (moments | DTCI_POOL)};
    if (!holds(row->needs, row->never, when, 0) || t.moments == 0 || unit[row->unit] == 0)
      continue;
    t.index = index_of(table, s->line[i].number);
    t.each = s->line[i].factor / times_of(row, &c->plan);
    t.count = dtci_mul(unit[row->unit], times_of(row, &c->plan), &bad);
    t.ranks = s->ranks[row->shard];
    t.bytes = bytes_of(s->line[i].factor, unit[row->unit], t.ranks, &bad);
    if (t.bytes == 0)
      continue;
    if (n < cap)
      terms[n] = t;
    n++;
  }
  if (bad)
    return dtci_fail_overflow(e, DTC_FIELD(plan, micro_batch), c->plan.micro_batch);
  *count = n;
  return n <= cap ? DTC_OK : dtci_fail_space(e, cap, n);
}
