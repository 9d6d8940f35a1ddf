/* The stage whose GPU needs most: stages of a pipeline counted, those that cannot be it left out. */
#include "internal/memory.h"
#include "internal/pipeline.h"
#include "internal/tuning.h"

const dtci_stage_run *dtci_memory_run(const dtci_memory_setup *s, const dtc_stage *stages, uint64_t i,
                                      dtci_stage_run *run)
{
  if (stages != NULL || s->runs == NULL || s->runs->count == 0)
    return dtci_next_run(&s->stages, stages, run) ? run : NULL;
  return i < s->runs->count ? &s->runs->run[i] : NULL;
}

static int is_same_stage(const dtc_stage *a, const dtc_stage *b)
{
  return a->layers == b->layers && a->embedding == b->embedding && memcmp(a, b, sizeof *a) == 0;
}

dtci_counted_stage *dtci_counted_of(const dtci_case *c, const dtci_memory_setup *s, dtci_counted *counted,
                                    const dtc_stage *stage, int *bad)
{
  for (uint32_t i = 0; i < counted->stages; i++)
    if (counted->stage[i].known && is_same_stage(&counted->stage[i].stage, stage))
      return &counted->stage[i];
  dtci_counted_stage *k = &counted->stage[counted->next];
  counted->next = (counted->next + 1) % counted->stages;
  k->known = 1;
  k->units = 0;
  k->stage = *stage;
  dtci_memory_hold(c, s, &k->stage, &k->held, bad);
  return k;
}

void dtci_counted_forget(dtci_counted *counted)
{
  for (uint32_t i = 0; i < counted->stages; i++)
    counted->stage[i].known = 0;
}

/* The GPU of the fullest stage, while stages are counted. */
typedef struct fullest {
  const dtci_case *c;
  const dtci_memory_setup *s;
  dtci_counted *counted;
  uint64_t device;
  dtci_stage_run run;        /* its rank in `first` */
  int covers;                /* 1: the first stage covers others: */
  dtc_stage covered;         /* these, .. */
  uint64_t covers_in_flight; /* .. with as many micro-batches in flight */
} fullest;

static uint64_t device_of(fullest *f, dtci_counted_stage *k, uint64_t in_flight, int *bad)
{
  const dtci_term_list *list = dtci_terms_listed(f->s, &k->held, f->counted);
  if (k->units) {
    dtci_memory_units_again(f->c, f->s, &k->held, in_flight, bad);
  } else {
    dtci_memory_units(f->c, f->s, &k->held, in_flight, bad);
    dtci_sheet_steady(f->s, list, &k->held, &k->steady, bad);
    k->units = 1;
  }
  dtci_sheet sheet = k->steady;
  dtci_sheet_others(f->s, list, &k->held, &sheet, bad);
  uint64_t most = 0;
  for (dtc_moment i = DTC_MOMENT_FORWARD; i < DTCI_MOMENTS; i++) /* 0 at those that do not happen */
    most = dtci_larger(most, sheet.at[i]);
  return dtci_device_bytes(f->c, sheet.at[0] + most, sheet.at[DTCI_POOLS], bad);
}

/* Another stage with the layers of the first, which has the embedding too, and no more micro-batches in flight needs no
 * more: units of Megatron grow with what a stage holds, but for the segments that its allocator leaves, and no row asks
 * that there is no embedding. */
static void cover(fullest *f, const dtci_stage_held *first, uint64_t in_flight)
{
  const dtc_plan *p = &f->c->plan;
  f->covered = *first->stage;
  f->covered.embedding = 0;
  f->covers = dtci_frameworks[p->framework].terms == DTCI_TERMS_MEGATRON && !dtci_is_tuned(p) &&
              first->stage->embedding && first->stage->mtp_layers == 0 && !dtci_is_rounded(f->c, f->s, first);
  f->covers_in_flight = in_flight;
}

static int is_covered(const fullest *f, const dtc_stage *stage, uint64_t in_flight)
{
  return f->covers && in_flight <= f->covers_in_flight && is_same_stage(stage, &f->covered);
}

/* Ranks that hold the same need more only where they have more micro-batches in flight. */
static void count_run(fullest *f, const dtci_stage_run *run, int *bad)
{
  uint64_t end = f->s->rises ? run->end : run->first + 1;
  dtci_counted_stage *k = NULL;
  uint64_t held = 0;
  for (uint64_t rank = run->first; rank < end; rank++) {
    uint64_t in_flight = dtci_in_flight(&f->s->pipe, rank, bad);
    if ((rank != run->first && in_flight <= held) || is_covered(f, &run->stage, in_flight))
      continue;
    k = k != NULL ? k : dtci_counted_of(f->c, f->s, f->counted, &run->stage, bad);
    held = in_flight;
    uint64_t device = device_of(f, k, in_flight, bad);
    if (rank == 0)
      cover(f, &k->held, in_flight);
    if (f->run.end != 0 && device <= f->device)
      continue;
    f->device = device;
    f->run = *run;
    f->run.first = rank;
  }
}

uint64_t dtci_memory_device(const dtci_case *c, const dtci_memory_setup *s, dtci_counted *counted,
                            const dtc_stage *stages, dtci_stage_run *worst, int *bad)
{
  dtci_stage_run found = {.end = 0};
  const dtci_stage_run *run = NULL;
  fullest f = {.c = c, .s = s, .counted = counted};
  for (uint64_t i = 0; (run = dtci_memory_run(s, stages, i, &found)) != NULL; i++)
    count_run(&f, run, bad);
  *worst = f.run;
  return f.device;
}
