/* One call per function of explain.h: the usual message, of a model of 72 billion parameters under ZeRO-2. */
#include "bench.h"

enum { CANDIDATES = 64 };

static const char message[] = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 16.83 GiB. GPU 3 has a "
                              "total capacity of 79.35 GiB of which "
                              "1.20 GiB is free. Including non-PyTorch memory, this process has 78.13 GiB memory in "
                              "use. Of the allocated memory 76.65 GiB is "
                              "allocated by PyTorch, and 107.97 MiB is reserved by PyTorch but unallocated.";

/* Arguments: read only after bench_setup_explain(). */
static dtc_model model;
static dtc_plan plan;
static dtc_alloc alloc;

/* Results. */
static dtc_alloc alloc_out;
static dtc_candidate candidates[CANDIDATES];
static size_t count;
static dtc_error err;

/* The function that returns no status. */
static dtc_status text(const char *s)
{
  bench_kept = (uintptr_t)s;
  return DTC_OK;
}

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_explain_read, dtc_explain_read(message, sizeof message - 1, &alloc_out, &err))                                 \
  X(dtc_explain_alloc, dtc_explain_alloc(&model, NULL, &plan, &alloc, candidates, CANDIDATES, &count, &err))           \
  X(dtc_explain_text, text(dtc_explain_text(DTC_SUSPECT_SHARD, DTC_LANG_EN)))

ENTRIES(BENCH_DEFINE)

const bench_entry bench_explain[] = {ENTRIES(BENCH_ROW)};
const size_t bench_explain_count = sizeof bench_explain / sizeof *bench_explain;

int bench_setup_explain(void)
{
  DTC_INIT(&err);
  DTC_INIT(&model);
  DTC_INIT(&plan);
  DTC_INIT(&alloc);
  DTC_INIT(&alloc_out);
  plan.sharding = DTC_SHARDING_ZERO2;
  plan.dp = 16;
  return dtc_model_find("qwen1.5-72b", &model, &err) == DTC_OK &&
         dtc_explain_read(message, sizeof message - 1, &alloc, &err) == DTC_OK;
}
