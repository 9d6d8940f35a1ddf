/* The pipeline job of a row. */
#include "pipe.h"

#include <stdlib.h>

/* Names that the files give to what an enum and two switches say here. */
typedef struct pipe_name {
  const char *source;
  const char *kind;
  dtc_schedule schedule;
  dtc_framework framework;
  dtc_bool forward_only;
  dtc_bool moe_overlap;
} pipe_name;

#define NAME(source, kind, schedule, framework)                                                                        \
  {                                                                                                                    \
    source, kind, DTC_SCHEDULE_##schedule, DTC_FRAMEWORK_##framework, 0, 0                                             \
  }
#define FORWARDS(source, kind, schedule, framework)                                                                    \
  {                                                                                                                    \
    source, kind, DTC_SCHEDULE_##schedule, DTC_FRAMEWORK_##framework, DTC_BOOL_ON, 0                                   \
  }

static const pipe_name names[] = {
    NAME("megatron", "1f1b", 1F1B, MEGATRON),
    NAME("megatron", "interleaved", INTERLEAVED, MEGATRON),
    FORWARDS("megatron", "1f1b-fwdonly", 1F1B, MEGATRON),
    FORWARDS("megatron", "interleaved-fwdonly", INTERLEAVED, MEGATRON),
    {"megatron", "interleaved-moe-overlap", DTC_SCHEDULE_INTERLEAVED, DTC_FRAMEWORK_MEGATRON, 0, DTC_BOOL_ON},
    NAME("torch", "GPipe", GPIPE, PYTORCH),
    NAME("torch", "1F1B", 1F1B, PYTORCH),
    NAME("torch", "Interleaved1F1B", INTERLEAVED, PYTORCH),
    NAME("torch", "LoopedBFS", LOOPED_BFS, PYTORCH),
    NAME("torch", "InterleavedZeroBubble", INTERLEAVED_ZB, PYTORCH),
    NAME("torch", "ZBVZeroBubble", ZBV, PYTORCH),
    NAME("torch", "DualPipeV", DUALPIPE_V, PYTORCH),
    /* as pipe_errors.csv writes them */
    NAME("torch", "gpipe", GPIPE, PYTORCH),
    NAME("torch", "s1f1b", 1F1B, PYTORCH),
    NAME("torch", "s1f1b_runtime", 1F1B, PYTORCH),
    NAME("torch", "interleaved_1f1b", INTERLEAVED, PYTORCH),
    NAME("torch", "looped_bfs", LOOPED_BFS, PYTORCH),
    NAME("torch", "interleaved_zb", INTERLEAVED_ZB, PYTORCH),
    NAME("torch", "zbv", ZBV, PYTORCH),
    NAME("torch", "dualpipev", DUALPIPE_V, PYTORCH),
    NAME("deepspeed", "TrainSchedule", 1F1B, DEEPSPEED),
    FORWARDS("deepspeed", "InferenceSchedule", 1F1B, DEEPSPEED),
    NAME("zero-bubble", "zb", ZB_H1, MEGATRON), /* with the limit of the row */
    NAME("zero-bubble", "zbv", ZBV, MEGATRON),
    NAME("zero-bubble", "v-half", V_HALF, MEGATRON),
    NAME("zero-bubble", "v-min", V_MIN, MEGATRON),
    NAME("zero-bubble", "1f1b-v", 1F1B_V, MEGATRON),
    NAME("zero-bubble", "vpp", VPP, MEGATRON),
    NAME("zero-bubble", "group-interleaved", GROUP_INTERLEAVED, MEGATRON),
    NAME("dualpipe", "DualPipe", DUALPIPE, MEGATRON),
    NAME("dualpipe", "DualPipeV", DUALPIPE_V, PYTORCH),
    NAME("colossalai", "1f1b", 1F1B, COLOSSALAI),
    NAME("colossalai", "interleaved", INTERLEAVED, COLOSSALAI),
    NAME("colossalai", "zbv", ZBV, COLOSSALAI),
};

static int is_word(const char *s, size_t len, const char *word)
{
  return strlen(word) == len && memcmp(s, word, len) == 0;
}

/* An option KEY=VALUE. What an order does not follow from (bufs, the size that f_mem adds up) is left out. */
static void read_option(dtc_pipe *p, const char *key, size_t len, const char *value)
{
  double number = strtod(value, NULL);
  uint64_t whole = (uint64_t)(number < 0 ? -number : number);
  if (is_word(key, len, "group"))
    p->group = whole; /* None is 0 */
  else if (is_word(key, len, "limit"))
    p->limit = strncmp(value, "None", 4) == 0 ? DTC_NONE : whole;
  else if (is_word(key, len, "f"))
    p->forward = number;
  else if (is_word(key, len, "b"))
    p->input = number;
  else if (is_word(key, len, "w"))
    p->weight = number;
  else if (is_word(key, len, "c"))
    p->hop = number;
  else if (is_word(key, len, "bm") || is_word(key, len, "b_mem"))
    p->freed_input = whole;
  else if (is_word(key, len, "wm") || is_word(key, len, "w_mem"))
    p->freed_weight = whole;
  else if (is_word(key, len, "overlap_p2p_comm"))
    p->p2p_overlap = strncmp(value, "True", 4) == 0 ? DTC_BOOL_ON : DTC_BOOL_OFF;
}

static void read_options(dtc_pipe *p, const char *opt)
{
  while (*opt != 0) {
    size_t len = strcspn(opt, ";"), key = strcspn(opt, "=");
    if (key < len)
      read_option(p, opt, key, opt + key + 1);
    opt += len + (opt[len] == ';');
  }
}

int pipe_read(golden *g, dtc_pipe *p)
{
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const pipe_name *n = &names[i];
    if (!golden_is(g, "source", n->source) || !golden_is(g, "kind", n->kind))
      continue;
    DTC_INIT(p);
    p->schedule = n->schedule;
    p->framework = n->framework;
    p->forward_only = n->forward_only;
    p->moe_overlap = n->moe_overlap;
    p->pp = golden_number(g, "pp");
    p->vpp = golden_number(g, "vpp"); /* "" is 0, the default */
    p->micro_batches = golden_number(g, "microbatches");
    read_options(p, golden_cell(g, "opt"));
    return 1;
  }
  golden_refused(g, "no schedule of this source and kind");
  return 0;
}
