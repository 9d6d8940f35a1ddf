/* What the tests of searches share: spaces of any model and framework, calls, and what one index becomes. */
#ifndef SEARCH_CHECK_H
#define SEARCH_CHECK_H

#include "step_check.h"

#include <dtcore/search.h>

enum { SEARCH_SCRATCH = 1 << 16, SEARCH_BEST = 4096, SEARCH_LEAST_PLANS = 200, SEARCH_MOST_PLANS = 4000 };

/* What became of a plan. */
typedef enum fate { SAME, ILLEGAL, UNKNOWN, OVER, FIT, FATES } fate;

static uint64_t search_scratch[SEARCH_SCRATCH];

/* A space and what is not varied in it. */
typedef struct search_space {
  dtc_model m;
  dtc_cluster c;
  dtc_plan p;
  dtc_space s;
} search_space;

typedef struct search_result {
  dtc_found best[SEARCH_BEST];
  size_t count;
  dtc_search out;
} search_result;

static inline search_space search_of(const char *model, uint64_t nodes, uint64_t global_batch)
{
  search_space s = {.m = check_named(model), .c = step_cluster("dgx-h100"), .p = check_plan()};
  DTC_INIT(&s.s);
  s.c.nodes = nodes;
  s.p.global_batch = global_batch;
  return s;
}

static inline uint64_t search_size(const search_space *s)
{
  uint64_t size = 0;
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_search_size(&s->m, &s->c, &s->p, &s->s, &size, &e), &e);
  return size;
}

static inline size_t search_axis(const search_space *s, dtc_space_axis axis, uint64_t values[256])
{
  size_t count = 0;
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_search_axis(&s->m, &s->c, &s->p, &s->s, axis, values, 256, &count, &e), &e);
  return count;
}

static inline dtc_plan search_plan(const search_space *s, uint64_t index)
{
  dtc_plan p = check_plan();
  dtc_error e;
  DTC_INIT(&e);
  check_ok(dtc_search_plan(&s->m, &s->c, &s->p, &s->s, index, &p, &e), &e);
  return p;
}

static inline void search_run(const search_space *s, uint64_t first, uint64_t number, search_result *r)
{
  dtc_error e;
  DTC_INIT(&e);
  DTC_INIT(&r->out);
  check_ok(dtc_search_run(&s->m, &s->c, &s->p, &s->s, NULL, first, number, r->best, SEARCH_BEST, &r->count, &r->out,
                          search_scratch, SEARCH_SCRATCH, &e),
           &e);
}

static inline void search_fates(const dtc_search *out, uint64_t numbers[FATES])
{
  numbers[SAME] += out->same;
  numbers[ILLEGAL] += out->illegal;
  numbers[UNKNOWN] += out->unknown;
  numbers[OVER] += out->over;
  numbers[FIT] += out->fit;
}

/* ---- any space ------------------------------------------------------------------------------- */

static const char *const search_models[] = {"gpt2-xl",      "llama-3-8b",    "llama-3.2-1b", "gpt3-13b",
                                            "mixtral-8x7b", "qwen3-30b-a3b", "gpt-oss-20b",  "deepseek-v2-lite"};

static const dtc_schedule search_schedules[] = {
    DTC_SCHEDULE_GPIPE,    DTC_SCHEDULE_1F1B,       DTC_SCHEDULE_INTERLEAVED, DTC_SCHEDULE_ZBV,  DTC_SCHEDULE_ZB_H1,
    DTC_SCHEDULE_DUALPIPE, DTC_SCHEDULE_DUALPIPE_V, DTC_SCHEDULE_LOOPED_BFS,  DTC_SCHEDULE_ZB_H2};

static inline uint64_t search_one_of(uint64_t a, uint64_t b, uint64_t c)
{
  uint64_t pick = roll(3);
  return pick == 0 ? a : pick == 1 ? b : c;
}

static inline void search_random_limits(dtc_space *s)
{
  s->objective = (dtc_objective)roll(4);
  s->gpus_least = roll(2) * 8;
  s->tp_most = search_one_of(0, 2, 4);
  s->cp_most = search_one_of(1, 2, 4);
  s->ep_most = search_one_of(1, 4, 8);
  s->pp_most = search_one_of(2, 4, 8);
  s->vpp_most = search_one_of(1, 2, 4);
  s->micro_batch_most = search_one_of(1, 2, 8);
  s->keep = search_one_of(0, 1, 400);
  s->reserve = roll(3) ? 0 : (uint64_t)10 << 30;
  s->surely = (dtc_bool)roll(3);
  s->recompute_layers = (dtc_bool)roll(3);
  s->dp_split = (dtc_bool)roll(3);
}

static inline void search_random_masks(dtc_space *s)
{
  if (roll(2))
    s->shardings = 1u << roll(8) | 1u << roll(8);
  if (roll(3) == 0)
    s->recomputes = 1u << roll(4) | 1u << roll(4);
  if (roll(2))
    s->schedules = 1u << search_schedules[roll(9)] | 1u << search_schedules[roll(9)] | 1u << search_schedules[roll(9)];
  if (roll(3) == 0)
    s->offloads = 1 | 1u << roll(4);
}

static inline void search_random_plan(dtc_plan *p)
{
  p->framework = (dtc_framework)roll(DTC_FRAMEWORK_SCALING + 1);
  p->global_batch = search_one_of(16, 48, 128);
  p->seq = search_one_of(0, 1024, 4096);
  p->sequence_parallel = roll(4) ? 0 : (dtc_bool)(1 + roll(2));
  p->recompute = roll(4) ? 0 : (dtc_recompute)(1 + roll(3));
  p->micro_batch = roll(3) ? 0 : 1;
  p->vpp = roll(4) ? 0 : 1;
  p->tp = roll(5) ? 0 : 2;
  p->pp = roll(5) ? 0 : search_one_of(1, 2, 4);
  p->dp = roll(6) ? 0 : 4;
  p->etp = roll(2);
  p->accumulation = roll(8) ? 0 : 4;
  p->sharding = roll(6) ? 0 : (dtc_sharding)(1 + roll(7));
  p->group = roll(6) ? 0 : search_one_of(2, 4, 8);
  p->p2p_overlap = roll(6) ? 0 : (dtc_bool)(1 + roll(2));
  p->account_embedding = roll(8) ? 0 : DTC_BOOL_ON;
  p->account_loss = roll(8) ? 0 : DTC_BOOL_ON;
  p->first_layers = roll(10) ? 0 : search_one_of(2, 4, 6);
  p->moe_overlap = roll(10) ? 0 : DTC_BOOL_ON;
  p->precision = roll(6) ? 0 : (dtc_precision)(1 + roll(5));
  p->recompute_method = roll(6) ? 0 : (dtc_recompute_method)(1 + roll(3));
}

static inline search_space search_random_space(void)
{
  search_space s = search_of(search_models[roll(8)], search_one_of(1, 2, 3), 0);
  s.c.nodes = search_one_of(1, 2, 3);
  search_random_limits(&s.s);
  search_random_masks(&s.s);
  search_random_plan(&s.p);
  if (s.p.framework != DTC_FRAMEWORK_DEFAULT && s.s.shardings != 0 && roll(2))
    s.s.shardings = 0;
  return s;
}

/* A space of the wanted size in which some plan is legal. */
static inline search_space search_random(uint64_t *size)
{
  static search_result r;
  for (int tries = 0; tries < 100000; tries++) {
    search_space s = search_random_space();
    *size = 0;
    if (dtc_search_size(&s.m, &s.c, &s.p, &s.s, size, NULL) != DTC_OK || *size < SEARCH_LEAST_PLANS ||
        *size > SEARCH_MOST_PLANS)
      continue;
    DTC_INIT(&r.out);
    if (dtc_search_run(&s.m, &s.c, &s.p, &s.s, NULL, 0, *size, r.best, SEARCH_BEST, &r.count, &r.out, search_scratch,
                       SEARCH_SCRATCH, NULL) == DTC_OK &&
        r.out.over + r.out.fit != 0)
      return s;
  }
  fail_msg("no space");
  return (search_space){0};
}

#endif
