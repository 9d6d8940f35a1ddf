/* The parts of the time of a step: constants, products, messages, layers, the pipeline. */
#ifndef DTCI_STEP_H
#define DTCI_STEP_H

#include "internal/memory.h"
#include "internal/operators.h"
#include <dtcore/step.h>

/* ---- lib/catalog/step_gpus.c ----------------------------------------------------------------- */

/* Types that products run in. */
enum { DTCI_IN_FP32, DTCI_IN_16, DTCI_IN_FP8, DTCI_IN_FP4, DTCI_RATES };

enum { DTCI_FLASH_VERSIONS = 4 };

/* Share of the 16-bit peak that fused attention reaches; FLOPs of the causal half, backward counted as 2.5 times forward. */
typedef struct dtci_flash_row {
  double forward;
  double backward;
  double narrow; /* factor on both for heads below 96 */
} dtci_flash_row;

/* Constants of an architecture. */
typedef struct dtci_step_gpu_row {
  dtc_vendor vendor;
  uint32_t compute; /* from this compute capability on */
  double
      per_joule[DTCI_RATES]; /* FLOP per J of the board's power limit, which bounds large products; 0 = it does not */
  uint32_t sms;              /* where the cluster does not say */
  uint32_t power;            /* W, where the cluster does not say */
  dtci_flash_row flash[DTCI_FLASH_VERSIONS];
} dtci_step_gpu_row;

/* Those of a vendor stand together, the newest first; the last row is for every other. */
extern const dtci_step_gpu_row dtci_step_gpus[];
extern const uint32_t dtci_step_gpus_count;

/* ---- lib/catalog/softwares.c ----------------------------------------------------------------- */

/* What is less certain than the rest: runs whose tensor parallel group is larger than a pair, and those with experts. */
enum { DTCI_DOUBT_USUAL, DTCI_DOUBT_TP, DTCI_DOUBT_EXPERTS, DTCI_DOUBTS };

/* Nine of ten published runs took between seconds / (1 + low) and seconds * (1 + high), in thousandths. */
typedef struct dtci_doubt {
  uint16_t low;
  uint16_t high;
} dtci_doubt;

typedef struct dtci_software_row {
  char name[24];
  char source[160];    /* the runs that its constants were set on */
  uint32_t frameworks; /* bit n: what plans of this dtc_framework run with when nothing is said */
  uint32_t measured;   /* bit n: runs on GPUs of dtci_step_gpus[n] */
  uint8_t cp_heads;    /* 1: context parallelism exchanges heads (Ulysses), else keys and values go around */
  uint8_t cp_uneven;   /* 1: the causal work of its ranks differs */
  uint8_t unpads;      /* 1: attention gathers the tokens that are no padding, and scatters its output */
  uint8_t narrow;      /* 1: sequence parallelism gathers what fp8 products read in fp8 */
  uint8_t unit_slow;   /* 1: messages of sharded units slow down the products that hide them */
  uint8_t pad[3];
  dtci_doubt doubt[DTCI_DOUBTS];
  uint32_t pad2;
  double host;          /* factor on the host's time to launch a layer */
  double gap;           /* s between the kernels of a layer and pass, beside what all have */
  double step;          /* s of every step */
  double communication; /* factor on messages */
  double unit_rate;     /* share of the rate of collectives that sharded units reach */
  double tp_hidden;     /* of the messages of tensor parallelism, with tp_overlap */
  double grouped;       /* share of a product's rate that the experts' reach */
} dtci_software_row;

/* Constants that all share. */
typedef struct dtci_step_constants {
  double most;           /* share of the peak that large products reach */
  double tile_loss;      /* weight of what tiles and waves leave unfilled */
  double unaligned;      /* share of its rate that a batch of products not in multiples of 8 reaches */
  double hbm;            /* share of the memory bandwidth that element-wise kernels reach */
  double host[2];        /* s to launch a layer, forward and backward */
  double gap[2];         /* s between the kernels of a layer */
  double moe_host;       /* s more for a layer with experts whose rows the host waits for */
  double graphed;        /* share of it that partial CUDA graphs leave */
  double pp_exposed;     /* share of the messages between stages that nothing hides where they overlap */
  double cp_hides;       /* share of attention that hides keys and values that go around */
  double exchange_rate;  /* share of NVLink that dispatch and combine reach */
  double exchange_floor; /* s */
  double unit_slow;      /* how much messages of sharded units slow products down */
  double permute;        /* bytes per routed value, forward or backward */
  double flex;           /* share of it that fused dispatch leaves */
  double logit;          /* bytes per logit, forward or backward */
  double recipe[5];      /* bytes per value cast, by dtc_fp8_recipe; [0]: fp4 */
  double embedding;      /* bytes per value of the input */
  double whole;          /* bytes per parameter that a rank has gradients of: cleared, and their norm */
  double stragglers;     /* growth with every doubling of nodes */
  double host_rate;      /* share of the host's memory bandwidth that an optimizer on the host reaches */
  double host_step;      /* bytes that it moves per parameter */
  double copy_rate;      /* share of PCIe that copies reach */
} dtci_step_constants;

extern const dtci_step_constants dtci_step_shared;

extern const dtci_software_row dtci_softwares[];
extern const uint32_t dtci_softwares_count;

/* ---- lib/catalog/moves.c --------------------------------------------------------------------- */

/* What is moved through memory beside the products: bytes per value, forward and backward. */
typedef struct dtci_moved_row {
  uint8_t op;    /* dtc_operator */
  uint8_t basis; /* dtci_basis */
  uint8_t shard; /* dtci_shard */
  uint8_t item;  /* dtc_step_item */
  uint32_t text; /* DTCI_STEP_TEXT_* of forward */
  double forward;
  double backward;
  uint64_t needs; /* DTCI_IF_*, all of which must hold */
  uint64_t lacks; /* none of which may */
} dtci_moved_row;

extern const dtci_moved_row dtci_moved_rows[];
extern const uint32_t dtci_moved_rows_count;

/* ---- the work -------------------------------------------------------------------------------- */

enum { DTCI_FORWARD, DTCI_BACKWARD, DTCI_WAYS };
enum { DTCI_STEP_ITEMS = DTC_STEP_ITEM_STRAGGLERS + 1 };

/* Layers of a stage: those that memory tells apart, and the head. */
enum {
  DTCI_TIMED_DENSE,
  DTCI_TIMED_MOE,
  DTCI_TIMED_HEAD,
  DTCI_TIMED_MAMBA,
  DTCI_TIMED_ATTENTION,
  DTCI_TIMED_MLP,
  DTCI_TIMED_ENCODER,
  DTCI_TIMED_KINDS
};

/* Seconds of one layer and micro-batch. */
typedef struct dtci_layer_time {
  double item[DTCI_WAYS][DTCI_STEP_ITEMS];
  double both[DTCI_STEP_ITEMS]; /* of the two ways */
  double sum[DTCI_WAYS];
  double weight; /* of backward, what makes gradients of weights */
} dtci_layer_time;

/* Seconds of a stage and micro-batch. */
typedef struct dtci_stage_time {
  double pass[DTCI_WAYS];
  double weight; /* of backward, gradients of weights */
} dtci_stage_time;

/* All stages of a pipeline. */
typedef struct dtci_timed_line {
  dtci_stage_time slowest;
  double item[DTCI_STEP_ITEMS]; /* of its micro-batch */
  dtc_stage stage;              /* which it is */
  uint64_t index;
  double pass[DTCI_WAYS]; /* of all other stages */
  double weight;
} dtci_timed_line;

/* A GPU with its software, ready to be asked. */
typedef struct dtci_step_machine {
  const dtci_step_gpu_row *gpu;
  const dtci_software_row *software;
  double rate[DTCI_RATES]; /* FLOP/s that large products sustain */
  double top[DTCI_RATES];  /* FLOP/s while they do not fill the GPU, whose other processors leave them their power */
  double flash[DTCI_WAYS]; /* FLOP/s of fused attention */
  double attention;        /* factor on its time */
  double hbm;
  double sms;
  double communication;
  double host;
  double exchange; /* bytes/s of dispatch and combine in a domain, and of a GPU's share of the ports */
  double port;
  uint64_t domain; /* GPUs that NVLink joins */
  dtc_confidence confidence;
  uint32_t pad;
} dtci_step_machine;

/* Products of one shape that run as one: rows m, columns n, depth k; `out` bytes moved per element of the result. */
typedef struct dtci_gemm {
  uint64_t m;
  uint64_t n;
  uint64_t k;
  double batch;
  double out;
} dtci_gemm;

/* Where terms are noted, for dtc_step_terms(): those of a layer happen `times` its kind, in a step. */
typedef struct dtci_step_notes {
  dtc_step_term *out;
  size_t cap;
  size_t count;
  double times[DTCI_TIMED_KINDS];
} dtci_step_notes;

/* A message and its time, for those who time many plans. */
typedef struct dtci_message_memo {
  double bytes;
  uint64_t ranks;
  uint64_t stride;
  uint64_t op;
  double seconds;
} dtci_message_memo;

enum { DTCI_MESSAGES = 256 };

typedef struct dtci_step_work {
  const dtci_case *c;
  const dtci_memory_setup *held;
  dtci_step_machine machine;
  dtci_ledger ledger;
  dtci_step_notes *notes;  /* NULL: nobody wants terms */
  dtci_message_memo *memo; /* DTCI_MESSAGES of this cluster, or NULL */
  dtci_counted *counted;   /* stages of this case that are held already, or NULL */
  dtci_layer_time layer[DTCI_TIMED_KINDS];
  double embedding; /* s of the embedding of a micro-batch */
  double again;     /* share of the layers that full recomputation takes */
  int bad;
  int pad;
} dtci_step_work;

/* ---- lib/step_machine.c ---------------------------------------------------------------------- */

/* DTCI_IN_* of a plan's products. */
uint32_t dtci_step_type(const dtc_plan *p);
/* The GPU and software of a case; `user` may hold zeros, or be NULL. */
dtc_status dtci_step_machine_of(const dtci_case *c, const dtc_step_params *user, dtci_step_machine *out,
                                dtc_step_params *filled, dtc_error *e);

/* ---- lib/step_product.c ---------------------------------------------------------------------- */

double dtci_gemm_flops(const dtci_gemm *p);
double dtci_gemm_bytes(const dtci_gemm *p, uint32_t in);
double dtci_product_time(const dtci_step_machine *g, uint32_t in, const dtci_gemm *p);

/* ---- lib/step_message.c ---------------------------------------------------------------------- */

/* Seconds of a collective on `bytes`, the whole vector, of ranks that are `stride` apart. All such groups are at work, and
 * share the ports of their node. */
double dtci_message(const dtci_step_work *w, dtc_collective op, double bytes, uint64_t ranks, uint64_t stride);
/* The cluster says what the plan's messages need. */
dtc_status dtci_messages_known(const dtci_case *c, dtc_error *e);

/* Does the schedule hide dispatch and combine? */
static inline int dtci_hides_exchange(const dtc_plan *p)
{
  return p->schedule == DTC_SCHEDULE_DUALPIPE || p->schedule == DTC_SCHEDULE_DUALPIPE_V;
}

/* ---- lib/step_layer.c ------------------------------------------------------------------------ */

/* Fills layer[] of the kinds that the model has. */
void dtci_step_layers(dtci_step_work *w);

/* ---- lib/step_shard.c ------------------------------------------------------------------------ */

/* What sharding and replication of the weights add: to the layers whose units are gathered and reduced (0: none are), .. */
int dtci_step_units(dtci_step_work *w);
/* .. and once a step, to the items of a stage whose layers take `pass` seconds forward and backward. */
void dtci_step_data(dtci_step_work *w, const dtc_stage *stage, const double pass[DTCI_WAYS],
                    double item[DTCI_STEP_ITEMS]);

/* ---- lib/step_bubble.c ----------------------------------------------------------------------- */

/* What a rank spends on a micro-batch. */
enum { DTCI_PART_FORWARD, DTCI_PART_INPUT, DTCI_PART_WEIGHT, DTCI_PARTS };

int dtci_bubble_known(dtc_schedule schedule);
/* Seconds that a pipeline of two ranks or more adds to its slowest one's; of the other ranks the sums of a micro-batch,
 * and `slack` seconds that they work less in a step. */
double dtci_bubble(const dtc_plan *p, const double others[DTCI_PARTS], double slack);

/* ---- lib/step.c ------------------------------------------------------------------------------ */

/* What a caller asks about. */
typedef struct dtci_step_call {
  const dtc_model *model;
  const dtc_cluster *cluster;
  const dtc_plan *plan;
  const dtc_stage *stages; /* NULL for the usual split */
  size_t n;
  const dtc_step_params *params;
} dtci_step_call;

/* Reads and checks it all. */
dtc_status dtci_step_begin(dtci_step_work *w, dtci_memory_setup *held, dtci_case *c, dtc_step_params *filled,
                           const dtci_step_call *call, dtc_error *e);

/* Time of the embedding; behind dtci_step_layers(). */
void dtci_step_embedding(dtci_step_work *w);
/* The usual stages, of layers and units that are timed. */
void dtci_step_line(const dtci_step_work *w, dtci_timed_line *line);
/* Seconds of a step with these stages; something above `most` as soon as it is sure to take longer. */
double dtci_step_seconds(dtci_step_work *w, const dtci_timed_line *line, double most);

/* ---- lib/step_rates.c ------------------------------------------------------------------------ */

/* Share of the layers that full recomputation takes. */
double dtci_recomputed_share(const dtc_model *m, const dtc_plan *p);
/* Share of a layer's products that TorchTitan's policy by operator computes again. */
double dtci_policy_share(const dtc_model *m, const dtc_plan *p);
/* Fills a rate whose convention and seconds are set. */
dtc_status dtci_step_rates(const dtci_case *c, dtc_step_rate *r, dtc_error *e);

/* ---- lib/step_terms.c ------------------------------------------------------------------------ */

/* Notes a term of a layer of a kind, when terms are wanted. */
void dtci_step_note(dtci_step_work *w, uint32_t kind, const dtc_step_term *term);
/* Notes a term that is counted already. */
void dtci_step_note_all(dtci_step_work *w, uint32_t text, dtc_step_item item, double seconds, double bytes,
                        double count);

/* ---- lib/catalog/step_texts.c ---------------------------------------------------------------- */

/* What a term is: first the products, by dtc_operator * DTCI_PASSES + pass; of what is moved forward and backward follow each
 * other. */
enum { DTCI_PASS_FORWARD, DTCI_PASS_INPUT, DTCI_PASS_WEIGHT, DTCI_PASSES };
enum {
  DTCI_STEP_TEXT_NORM = (DTC_OPERATOR_MAMBA + 1) * DTCI_PASSES,
  DTCI_STEP_TEXT_NORM_BACK,
  DTCI_STEP_TEXT_RESIDUAL,
  DTCI_STEP_TEXT_RESIDUAL_BACK,
  DTCI_STEP_TEXT_ROPE,
  DTCI_STEP_TEXT_ROPE_BACK,
  DTCI_STEP_TEXT_UNPAD,
  DTCI_STEP_TEXT_UNPAD_BACK,
  DTCI_STEP_TEXT_ACTIVATION,
  DTCI_STEP_TEXT_ACTIVATION_BACK,
  DTCI_STEP_TEXT_SCORES,
  DTCI_STEP_TEXT_SCORES_BACK,
  DTCI_STEP_TEXT_PERMUTE,
  DTCI_STEP_TEXT_PERMUTE_BACK,
  DTCI_STEP_TEXT_SCALING,
  DTCI_STEP_TEXT_SCALING_BACK,
  DTCI_STEP_TEXT_SCAN,
  DTCI_STEP_TEXT_SCAN_BACK,
  DTCI_STEP_TEXT_LOGITS,
  DTCI_STEP_TEXT_LOGITS_BACK,
  DTCI_STEP_TEXT_EMBEDDING,
  DTCI_STEP_TEXT_SUMS,
  DTCI_STEP_TEXT_TP,
  DTCI_STEP_TEXT_TP_BACK,
  DTCI_STEP_TEXT_KEPT,
  DTCI_STEP_TEXT_CP,
  DTCI_STEP_TEXT_CP_BACK,
  DTCI_STEP_TEXT_EP,
  DTCI_STEP_TEXT_EP_BACK,
  DTCI_STEP_TEXT_RECOMPUTE,
  DTCI_STEP_TEXT_HOST, /* forward, then backward */
  DTCI_STEP_TEXT_HOST_BACK,
  DTCI_STEP_TEXT_UNIT,
  DTCI_STEP_TEXT_UNIT_BACK,
  DTCI_STEP_TEXT_UNIT_ENDS,
  DTCI_STEP_TEXT_HOP,
  DTCI_STEP_TEXT_BUBBLE,
  DTCI_STEP_TEXT_REDUCE,
  DTCI_STEP_TEXT_REPLICAS,
  DTCI_STEP_TEXT_TIED,
  DTCI_STEP_TEXT_GATHER,
  DTCI_STEP_TEXT_OPTIMIZER,
  DTCI_STEP_TEXT_ON_HOST,
  DTCI_STEP_TEXT_COPIES,
  DTCI_STEP_TEXT_NVME,
  DTCI_STEP_TEXT_STEP,
  DTCI_STEP_TEXT_STRAGGLERS,
  DTCI_STEP_TEXTS,
};

extern const dtci_term_text dtci_step_texts[];

#endif
