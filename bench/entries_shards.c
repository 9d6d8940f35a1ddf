/* One call per function of shard.h: the tensors of Llama-3 70B over 1,024 ranks, by the scheme that a function answers
 * for; and what the project promises to answer in 50 us, by several schemes. */
#include "bench.h"

enum { TENSORS_MOST = 1024, WORLD = 1024, RANK = 777, TP = 8, SCRATCH = 17 * TENSORS_MOST, SLICES = 2 * WORLD };

/* A layout over the ranks. */
typedef struct laid {
  dtc_shards s;
  dtc_slot slots[TENSORS_MOST];
} laid;

/* Arguments: read only after bench_setup_shards(). */
static dtc_model model;
static dtc_cluster cluster;
static dtc_plan plan;
static dtc_shape shapes[TENSORS_MOST];
static size_t n;
static dtc_module modules[2 * TENSORS_MOST]; /* each tensor forward, then each backward */
static dtc_tracing tracing;
static dtc_optimizer_spec optimizer;
static laid zero12, zero3, fsdp1, fsdp2, distopt, megatron_fsdp;
static laid half; /* zero3 over half of the ranks */
static dtc_shards boxes_from, boxes_to, gemini;

/* Results. */
static dtc_shards shards_out;
static dtc_shape shapes_out[TENSORS_MOST];
static dtc_slot slots_out[TENSORS_MOST];
static dtc_bucket buckets[TENSORS_MOST];
static dtc_fragment fragments[TENSORS_MOST];
static dtc_batch batches[TENSORS_MOST];
static dtc_slice slices[SLICES];
static dtc_message messages[8];
static dtc_reshard_item items[SLICES];
static dtc_reshard_box boxes[SLICES];
static dtc_shard_totals totals;
static dtc_chunks chunks;
static dtc_reshard verdict;
static dtc_reshard_sums sums;
static dtc_checkpoint checkpoint;
static dtc_trace trace;
static dtc_shard_bytes bytes;
static dtc_optimizer_held optimizer_held;
static dtc_offload_bytes offload;
static dtc_error findings[8];
static uint64_t scratch[SCRATCH];
static uint64_t count, offset;
static size_t size;
static dtc_error err;

/* A layout as the functions take it. */
#define LAID(x) &(x).s, shapes, n, (x).slots, n
/* Two, as those about resharding do. */
#define BOTH(x, y) &(x).s, &(y).s, shapes, n, (x).slots, n, (y).slots, n
#define WORK scratch, SCRATCH, &err

#define FRAGMENTS(x) dtc_shards_fragments(LAID(x), RANK, fragments, TENSORS_MOST, &size, &err)
#define TOTALS(x) dtc_shards_totals(LAID(x), &totals, WORK)

/* X(name, the call) */
#define ENTRIES(X)                                                                                                     \
  X(dtc_shards_resolve, dtc_shards_resolve(&distopt.s, &shards_out, &err))                                             \
  X(dtc_shards_from_plan, dtc_shards_from_plan(&model, &cluster, &plan, &shards_out, &err))                            \
  X(dtc_shards_shapes, dtc_shards_shapes(&model, shapes_out, TENSORS_MOST, &size, &err))                               \
  X(dtc_shards_scratch, dtc_shards_scratch(&distopt.s, n, &count, &err))                                               \
  X(dtc_shards_local, dtc_shards_local(shapes, n, TP, 3, shapes_out, TENSORS_MOST, &size, &err))                       \
  X(dtc_shards_layout, dtc_shards_layout(&distopt.s, shapes, n, slots_out, TENSORS_MOST, &size, WORK))                 \
  X(dtc_shards_totals, TOTALS(distopt))                                                                                \
  X(dtc_shards_buckets, dtc_shards_buckets(LAID(distopt), buckets, TENSORS_MOST, &size, &err))                         \
  X(dtc_shards_chunks, dtc_shards_chunks(&gemini, shapes, n, &chunks, WORK))                                           \
  X(dtc_shards_fragments, FRAGMENTS(distopt))                                                                          \
  X(dtc_shards_owner, dtc_shards_owner(LAID(distopt), 500, 77777, &count, &offset, &err))                              \
  X(dtc_reshard_check, dtc_reshard_check(BOTH(zero3, half), DTC_CHECKPOINT_FORM_DEFAULT, &verdict, &err))              \
  X(dtc_reshard_items, dtc_reshard_items(BOTH(zero3, half), 77, DTC_RESHARD_KIND_TENSOR, items, SLICES, &size, &err))  \
  X(dtc_reshard_totals, dtc_reshard_totals(BOTH(zero3, half), DTC_RESHARD_KIND_TENSOR, &sums, &err))                   \
  X(dtc_reshard_scratch, dtc_reshard_scratch(&boxes_from, TP, &count, &err))                                           \
  X(dtc_reshard_boxes, dtc_reshard_boxes(&boxes_from, TP, &boxes_to, TP, shapes, n, 77, boxes, SLICES, &size, WORK))   \
  X(dtc_reshard_box_totals, dtc_reshard_box_totals(&boxes_from, TP, &boxes_to, TP, shapes, n, &sums, WORK))            \
  X(dtc_checkpoint_estimate, dtc_checkpoint_estimate(LAID(zero3), 0, DTC_CHECKPOINT_FORM_DEFAULT, &checkpoint, WORK))  \
  X(dtc_shards_reductions, dtc_shards_reductions(LAID(zero3), batches, TENSORS_MOST, &size, &err))                     \
  X(dtc_shards_slices, dtc_shards_slices(LAID(zero12), slices, SLICES, &size, WORK))                                   \
  X(dtc_shards_accumulator, dtc_shards_accumulator(LAID(zero12), DTC_NONE, &count, WORK))                              \
  X(dtc_shards_gathers, dtc_shards_gathers(LAID(zero3), batches, TENSORS_MOST, &size, &err))                           \
  X(dtc_shards_sub_groups, dtc_shards_sub_groups(LAID(zero3), batches, TENSORS_MOST, &size, &err))                     \
  X(dtc_shards_persistent, dtc_shards_persistent(&zero3.s, shapes, n, &count, &offset, &err))                          \
  X(dtc_shards_secondary, dtc_shards_secondary(LAID(zero3), RANK, fragments, TENSORS_MOST, &size, &count, &err))       \
  X(dtc_shards_trace, dtc_shards_trace(&zero3.s, shapes, n, modules, 2 * n, &tracing, &trace, WORK))                   \
  X(dtc_shards_messages, dtc_shards_messages(LAID(zero3), 4, messages, 8, &size, &err))                                \
  X(dtc_shards_bytes, dtc_shards_bytes(LAID(zero3), RANK, 4, &bytes, &err))                                            \
  X(dtc_shards_held, dtc_shards_held(LAID(zero12), RANK, 4, 3, DTC_SHARD_MOMENT_BACKWARD, &bytes, &err))               \
  X(dtc_optimizer_bytes, dtc_optimizer_bytes(shapes, n, &optimizer, &optimizer_held, &err))                            \
  X(dtc_shards_check, dtc_shards_check(LAID(fsdp2), NULL, findings, 8, &size, WORK))                                   \
  X(dtc_shards_offload, dtc_shards_offload(LAID(zero3), RANK, 4, DTC_OFFLOAD_NVME, &offload, &err))                    \
  X(fragments_zero12, FRAGMENTS(zero12))                                                                               \
  X(fragments_zero3, FRAGMENTS(zero3))                                                                                 \
  X(fragments_fsdp1, FRAGMENTS(fsdp1))                                                                                 \
  X(fragments_fsdp2, FRAGMENTS(fsdp2))                                                                                 \
  X(fragments_distopt, FRAGMENTS(distopt))                                                                             \
  X(fragments_megatron_fsdp, FRAGMENTS(megatron_fsdp))                                                                 \
  X(totals_zero12, TOTALS(zero12))                                                                                     \
  X(totals_zero3, TOTALS(zero3))                                                                                       \
  X(totals_fsdp1, TOTALS(fsdp1))                                                                                       \
  X(totals_fsdp2, TOTALS(fsdp2))                                                                                       \
  X(totals_distopt, TOTALS(distopt))                                                                                   \
  X(totals_megatron_fsdp, TOTALS(megatron_fsdp))

ENTRIES(BENCH_DEFINE)

const bench_entry bench_shards[] = {ENTRIES(BENCH_ROW)};
const size_t bench_shards_count = sizeof bench_shards / sizeof *bench_shards;

static dtc_shards shards_of(dtc_shard_scheme scheme, uint64_t world)
{
  dtc_shards s;
  DTC_INIT(&s);
  s.scheme = scheme;
  s.world = world;
  return s;
}

static int lay(laid *x, dtc_shard_scheme scheme, uint64_t world)
{
  x->s = shards_of(scheme, world);
  x->s.hpz = scheme == DTC_SHARD_SCHEME_ZERO3 ? 8 : 0;
  return dtc_shards_layout(&x->s, shapes, n, x->slots, TENSORS_MOST, &size, WORK) == DTC_OK;
}

static int lay_all(void)
{
  boxes_from = shards_of(DTC_SHARD_SCHEME_FSDP2, WORLD / TP);
  boxes_to = shards_of(DTC_SHARD_SCHEME_FSDP2, WORLD / 2 / TP);
  gemini = shards_of(DTC_SHARD_SCHEME_GEMINI, WORLD);
  gemini.interval = 8192; /* the hidden size */
  return lay(&zero12, DTC_SHARD_SCHEME_ZERO12, WORLD) && lay(&zero3, DTC_SHARD_SCHEME_ZERO3, WORLD) &&
         lay(&half, DTC_SHARD_SCHEME_ZERO3, WORLD / 2) && lay(&fsdp1, DTC_SHARD_SCHEME_FSDP1, WORLD) &&
         lay(&fsdp2, DTC_SHARD_SCHEME_FSDP2, WORLD) && lay(&distopt, DTC_SHARD_SCHEME_DISTOPT, WORLD) &&
         lay(&megatron_fsdp, DTC_SHARD_SCHEME_MEGATRON_FSDP, WORLD);
}

int bench_setup_shards(void)
{
  static const char line[] = "dtcore: megatron tp=8 pp=4 dp=32 mbs=1 gbs=1024 seq=4096 recompute=selective";
  DTC_INIT(&err);
  DTC_INIT(&findings[0]);
  DTC_INIT(&model);
  DTC_INIT(&cluster);
  DTC_INIT(&plan);
  DTC_INIT(&tracing);
  DTC_INIT(&optimizer);
  DTC_INIT(&optimizer_held);
  DTC_INIT(&shards_out);
  DTC_INIT(&totals);
  DTC_INIT(&chunks);
  DTC_INIT(&verdict);
  DTC_INIT(&sums);
  DTC_INIT(&checkpoint);
  DTC_INIT(&trace);
  DTC_INIT(&bytes);
  DTC_INIT(&offload);
  if (dtc_model_find("llama-3-70b", &model, &err) != DTC_OK || dtc_cluster_find("dgx-h100", &cluster, &err) != DTC_OK)
    return 0;
  if (dtc_plan_parse(line, sizeof line - 1, NULL, &plan, &err) != DTC_OK)
    return 0;
  if (dtc_shards_shapes(&model, shapes, TENSORS_MOST, &n, &err) != DTC_OK)
    return 0;
  for (size_t i = 0; i < n; i++) {
    modules[i] = (dtc_module){(uint32_t)i, 1};
    modules[2 * n - 1 - i] = modules[i];
  }
  return lay_all();
}
