/**
 * @file advise.h
 * @brief Frameworks side by side: what each can do, which suits a job, and what a legal plan loses. Experimental: not
 *        under the ABI promise.
 *
 * Traits are facts of a day, each framework's with its source. Advice weighs them with the best plan that each
 * framework has for a model and a cluster; doc/frameworks.md has the weights.
 */
#ifndef DTCORE_ADVISE_H
#define DTCORE_ADVISE_H

#include <dtcore/rank.h>
#include <dtcore/search.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How far a framework has something. */
typedef uint32_t dtc_level;
enum {
  DTC_LEVEL_DEFAULT = 0, /**< not known */
  DTC_LEVEL_NO = 1,      /**< no */
  DTC_LEVEL_PARTLY = 2,  /**< with limits, or through another project */
  DTC_LEVEL_YES = 3,     /**< yes */
};

/** How much of a user's code changes; each includes those before it. */
typedef uint32_t dtc_code_change;
enum {
  DTC_CODE_CHANGE_DEFAULT = 0, /**< any */
  DTC_CODE_CHANGE_FILE = 1,    /**< nothing but flags or a configuration file, in a script of Trainer or accelerate */
  DTC_CODE_CHANGE_WRAPPER = 2, /**< lines around model, optimizer and data loader */
  DTC_CODE_CHANGE_SCRIPT = 3,  /**< the framework's own training script, with models of its list */
  DTC_CODE_CHANGE_MODEL = 4,   /**< the model is written in the framework's layers */
};

/** How much there is to set and to watch. */
typedef uint32_t dtc_effort;
enum {
  DTC_EFFORT_DEFAULT = 0, /**< any */
  DTC_EFFORT_LITTLE = 1,  /**< nothing to choose */
  DTC_EFFORT_SOME = 2,    /**< some settings, most with a good default */
  DTC_EFFORT_MUCH = 3,    /**< degrees, overlaps and environment are the operator's */
};

/** How lately it was worked on. */
typedef uint32_t dtc_upkeep;
enum {
  DTC_UPKEEP_DEFAULT = 0, /**< not known */
  DTC_UPKEEP_ACTIVE = 1,  /**< its code changed in the half year before it was looked at */
  DTC_UPKEEP_SLOW = 2,    /**< in the year before */
  DTC_UPKEEP_STALLED = 3, /**< not in the year before */
};

/** What a framework can do, on the day it was looked at. */
typedef struct dtc_traits {
  uint32_t struct_size;        /**< sizeof, set by DTC_INIT() */
  dtc_framework framework;     /**< framework of a plan */
  dtc_sharding sharding;       /**< what PyTorch's two differ in: ddp, fsdp; others 0 */
  dtc_release version;         /**< that was looked at */
  dtc_level dp;                /**< data parallel: whole model on each rank */
  dtc_level zero1;             /**< sharded optimizer states */
  dtc_level zero2;             /**< sharded gradients too */
  dtc_level zero3;             /**< sharded weights too */
  dtc_level tp;                /**< tensor parallel */
  dtc_level sp;                /**< sequence parallel in the tensor parallel group */
  dtc_level cp;                /**< context parallel: ring, all-to-all (Ulysses) */
  dtc_level ep;                /**< expert parallel */
  dtc_level pp;                /**< pipeline parallel */
  dtc_level moe;               /**< models with experts */
  dtc_level offload_optimizer; /**< optimizer states in host memory */
  dtc_level offload_params;    /**< weights in host memory */
  dtc_level offload_nvme;      /**< states on NVMe */
  dtc_level fp8;               /**< matrix products in fp8 */
  dtc_level fp4;               /**< matrix products in fp4 */
  dtc_level amd;               /**< AMD GPUs (ROCm) */
  dtc_level ascend;            /**< Huawei Ascend NPUs */
  dtc_level elastic;           /**< goes on with other ranks after a failure */
  dtc_level reshard;           /**< checkpoints load with other degrees */
  dtc_level one_file;          /**< one file sets sharding, offload, precision, optimizer and batch */
  dtc_code_change code;        /**< least change of a user's code */
  dtc_effort work;             /**< what it takes to operate */
  dtc_upkeep upkeep;           /**< how lately it was worked on */
  uint32_t changed;            /**< day of the last known change of its code, yyyymmdd; 0 = not known */
  uint32_t seen;               /**< day that the facts are of, yyyymmdd */
  uint32_t index;              /**< for dtc_traits_name() */
} dtc_traits;

/**
 * @brief Number of frameworks that traits are known of.
 * @return rows. Exact. Since 1.0.
 */
DTC_API size_t dtc_traits_count(void);

/**
 * @brief Name of a framework with traits: "FSDP", "Megatron-LM".
 * @param index [0, dtc_traits_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_traits_name(size_t index);

/**
 * @brief Where its traits come from: commits, with their days.
 * @param index [0, dtc_traits_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_traits_source(size_t index);

/**
 * @brief A framework with traits by name.
 * @param name "deepspeed", "megatron-lm"; case, '-' and '_' do not matter
 * @param index its index
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_UNKNOWN (err->lower is the index of the nearest name, or DTC_NONE). Exact.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_traits_find(const char *name, uint64_t *index, dtc_error *err);

/**
 * @brief What a framework can do.
 * @param framework framework of a plan; default: the one that has the sharding
 * @param sharding of PyTorch ddp, or fsdp and hsdp; others do not read it
 * @param out its traits
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (framework, sharding), DTC_E_UNSUPPORTED (no traits are known of it). Exact:
 *         as the sources say on the day `seen`. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_traits(dtc_framework framework, dtc_sharding sharding, dtc_traits *out,
                                                      dtc_error *err);

/** What is told of a note. */
typedef uint32_t dtc_note;
enum {
  DTC_NOTE_TRUE = 0,   /**< what holds */
  DTC_NOTE_OLD = 1,    /**< what older guides say; empty where they say nothing */
  DTC_NOTE_ABOUT = 2,  /**< name of the framework that it is about; empty: of several */
  DTC_NOTE_SOURCE = 3, /**< where it comes from, with its day */
  DTC_NOTE_VENDOR = 4, /**< word of the dtc_vendor whose GPUs it is about: "amd"; empty: of all */
};

/**
 * @brief Number of notes about frameworks.
 * @return notes. Exact. Since 1.0.
 */
DTC_API size_t dtc_framework_note_count(void);

/**
 * @brief A note about frameworks: what holds, and what older guides say.
 * @param index [0, dtc_framework_note_count())
 * @param part what is told of it; sources are English
 * @param lang language
 * @param buf where to write; may be NULL when cap is 0
 * @param cap bytes in buf; the text is cut to cap - 1 bytes, at a character boundary, and always ends in NUL
 * @param len bytes of the whole text without the NUL; may be NULL
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (index, part, lang). Exact: as the sources say. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_note(uint64_t index, dtc_note part, dtc_lang lang, char *buf, size_t cap,
                                                    size_t *len, dtc_error *err);

/** What a job should have most of. */
typedef uint32_t dtc_goal;
enum {
  DTC_GOAL_DEFAULT = 0,    /**< throughput, less what it takes to get it */
  DTC_GOAL_THROUGHPUT = 1, /**< tokens per second, whatever it takes */
  DTC_GOAL_SIMPLICITY = 2, /**< little to write, to set and to watch */
};

/** What its people wish of a framework. */
typedef struct dtc_wishes {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  dtc_goal goal;           /**< what counts */
  dtc_code_change code;    /**< most that code may change; so much then costs nothing */
  dtc_effort work;         /**< most that it may take to operate; so much then costs nothing */
  dtc_vendor vendor;       /**< GPUs that it must run on; 0 = the cluster's */
  dtc_framework framework; /**< the one in use, whose change costs work; 0 = none */
  dtc_bool hidden;         /**< nobody wishes to see that it is distributed: one file does it; default off */
  uint32_t pad;            /**< 0 */
} dtc_wishes;

/** What speaks for a framework, and from no_fit on against it. */
typedef uint32_t dtc_reason;
enum {
  DTC_REASON_NONE = 0,
  DTC_REASON_FASTEST = 1,       /**< its best plan has the shortest step */
  DTC_REASON_NEAR = 2,          /**< within a tenth of the shortest step */
  DTC_REASON_WHOLE = 3,         /**< the whole model with its states fits each GPU: nothing is sharded */
  DTC_REASON_NO_CODE = 4,       /**< script and model stay as they are */
  DTC_REASON_ONE_FILE = 5,      /**< one file sets everything */
  DTC_REASON_LITTLE_WORK = 6,   /**< nothing to choose */
  DTC_REASON_EXPERTS = 7,       /**< a model with experts, whose plans split them over ranks */
  DTC_REASON_VENDOR = 8,        /**< it runs on GPUs of this maker */
  DTC_REASON_IN_USE = 9,        /**< the one in use */
  DTC_REASON_PRECISION = 10,    /**< it has the precision of the plan */
  DTC_REASON_NO_FIT = 16,       /**< no plan of it fits */
  DTC_REASON_NO_PLAN = 17,      /**< no plan of it is legal, or its memory and time are not modelled */
  DTC_REASON_NO_VENDOR = 18,    /**< it does not run on GPUs of this maker */
  DTC_REASON_FORK = 19,         /**< on GPUs of this maker it runs through another project */
  DTC_REASON_CODE = 20,         /**< more code changes than is wished */
  DTC_REASON_WORK = 21,         /**< it takes more to operate than is wished */
  DTC_REASON_SLOWER = 22,       /**< a step takes a quarter longer than the shortest, or more */
  DTC_REASON_OFFLOADS = 23,     /**< it fits with offloading alone */
  DTC_REASON_NO_EXPERTS = 24,   /**< a model with experts, and every rank works on all of them */
  DTC_REASON_STALLED = 25,      /**< it is not worked on */
  DTC_REASON_SWITCH = 26,       /**< not the one in use */
  DTC_REASON_NO_PRECISION = 27, /**< it has not the precision of the plan */
  DTC_REASON_FILES = 28,        /**< more than one file is needed, and nobody wishes to see them */
};

/** A framework for a job, or a change of a plan: what it was, and what it comes to. A record, frozen for ever. */
typedef struct dtc_advice {
  dtc_framework framework; /**< whose plan */
  dtc_sharding sharding;   /**< variant of it: ddp, fsdp, zero2 (zero1 too), zero3; 0 where there is one */
  dtc_offload offload;     /**< what may be offloaded in the search for it; 0 nothing */
  dtc_bool fits;           /**< on when the plan fits; default when that is not known */
  uint64_t reasons;        /**< bit n is set when the dtc_reason n holds */
  uint64_t index;          /**< of the plan in its search; 0 of a change */
  double score;            /**< the larger the better; 0 of a change [-1e9, 1e9] */
  double seconds;          /**< of a step; 0 not known [0, 1e30] */
  double seconds_now;      /**< of a step with the plan as it was given; 0 not known [0, 1e30] */
  uint64_t device;         /**< bytes that the fullest GPU shows; 0 not known */
  uint64_t device_now;     /**< the same of the plan as it was given */
  uint64_t host;           /**< bytes of host memory of a node that it takes; 0 none or not known */
  uint64_t host_now;       /**< the same of the plan as it was given */
  uint64_t gpus;           /**< ranks */
} dtc_advice;

/**
 * @brief What a reason says, in a sentence's part: "a step takes a quarter longer, or more".
 * @param reason which
 * @param lang language
 * @param buf where to write; may be NULL when cap is 0
 * @param cap bytes in buf; the text is cut to cap - 1 bytes, at a character boundary, and always ends in NUL
 * @param len bytes of the whole text without the NUL; may be NULL
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (reason, lang). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_reason(dtc_reason reason, dtc_lang lang, char *buf, size_t cap,
                                                      size_t *len, dtc_error *err);

/**
 * @brief Which framework suits a job: for each, or each way of sharding that it has, the best plan of a bounded space, and
 *        what speaks for and against it. The space: degrees up to an NVLink domain of tp, 64 of pp, micro-batches up to 8,
 *        cp only beyond 16384 tokens; with offloading where nothing fits without. Of more than 2^28
 *        plans fewer are looked at: vpp up to 4, etp 1, pp up to 16.
 * @param model what is trained
 * @param cluster on what, with its number of nodes
 * @param plan the workload: seq, global_batch, precision, optimizer, tuning and what else is set; degrees, sharding,
 *        schedule, micro_batch, recomputation, offload, and what one framework has alone are looked for and not read. A
 *        plan that is whole is also what seconds_now and device_now are of. NULL: all is default; without global_batch
 *        about 4 * 2^20 tokens, a multiple of the GPUs
 * @param wishes may be NULL: none
 * @param advice array of cap pieces, the best first
 * @param cap length of advice
 * @param count pieces there are, at most 8
 * @param scratch array of n_scratch elements
 * @param n_scratch length of scratch, see dtc_framework_advise_scratch()
 * @param err may be NULL
 * @return as dtc_model_resolve(), as dtc_cluster_resolve(), DTC_E_RANGE (plan, wishes), DTC_E_CONFLICT (no nodes),
 *         DTC_E_SPACE (*count was written; n_scratch), DTC_E_OVERFLOW. Model: memory and time as in
 *         dtc_search_run(), weighed by the table in doc/frameworks.md. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_advise(const dtc_model *model, const dtc_cluster *cluster,
                                                      const dtc_plan *plan, const dtc_wishes *wishes,
                                                      dtc_advice *advice, size_t cap, size_t *count, uint64_t *scratch,
                                                      size_t n_scratch, dtc_error *err);

/**
 * @brief Elements of scratch that dtc_framework_advise() needs.
 * @param needed elements
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE (err). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_advise_scratch(uint64_t *needed, dtc_error *err);

/**
 * @brief The plan of a piece of advice, as the other functions take it.
 * @param model what is trained
 * @param cluster on what
 * @param plan the workload that was given; may be NULL
 * @param one from dtc_framework_advise() for these
 * @param out the plan
 * @param err may be NULL
 * @return as dtc_search_plan(), DTC_E_UNSUPPORTED (no such variant; advice without a plan). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_advise_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                           const dtc_plan *plan, const dtc_advice *one, dtc_plan *out,
                                                           dtc_error *err);

/** Rules of dtc_framework_lint_plan(), all of them warnings; they join dtc_rule. Numbers are frozen. */
enum {
  DTC_RULE_PLACE_TP = 950,            /**< a tensor parallel group lies inside an NVLink domain (warning) */
  DTC_RULE_PLACE_EP = 951,            /**< an expert parallel group lies inside an NVLink domain (warning) */
  DTC_RULE_PLACE_CP = 952,            /**< tp * cp ranks lie inside an NVLink domain (warning) */
  DTC_RULE_NEED_OFFLOAD = 953,        /**< what is offloaded would not fit without (warning) */
  DTC_RULE_NEED_OFFLOAD_PARAMS = 954, /**< weights are offloaded where optimizer states alone do not do (warning) */
  DTC_RULE_FIT_MICRO_BATCH = 955,     /**< the micro-batch fits (warning) */
  DTC_RULE_FILL_PIPELINE = 956,       /**< there are as many micro-batches as pipeline stages, or more (warning) */
  DTC_RULE_NEED_RECOMPUTE = 957,      /**< what is recomputed would not fit without (warning) */
  DTC_RULE_NEED_SHARDING = 958,       /**< weights are sharded where gradients and states alone do not do (warning) */
  DTC_RULE_FIT_HOST = 959,            /**< what is offloaded fits the host memory of a node (warning) */
  DTC_RULE_SPLIT_LOGITS = 960,        /**< logits are split over tensor parallel ranks (warning) */
  DTC_RULE_HIDE_GRADIENTS = 961,      /**< gradients are reduced while backward runs (warning) */
  DTC_RULE_NO_NIC = 962,              /**< NCCL_IB_HCA selects a device (warning) */
  DTC_RULE_FIT_MEMORY = 963,          /**< the plan fits, if need be with another micro-batch (warning) */
  DTC_RULE_SPLIT_SEQUENCE = 964,      /**< sequence parallel with tensor parallel (warning) */
  DTC_RULE_ADVISE_NAME = 965,         /**< a framework with traits */
  DTC_RULE_ADVISE_KNOWN = 966,        /**< a framework, or a way of sharding, that is known here */
  DTC_RULE_ADVISE_CHANGE = 967,       /**< a rule that the plan breaks, and that a change of it mends */
};

/**
 * @brief What a legal plan loses to memory that it does not need, to placement and to exchanges that nothing hides:
 *        findings, in the order of their rules. Whatever memory or time is not modelled is left out.
 * @param model what is trained
 * @param cluster on what
 * @param plan how it is split; legal
 * @param findings array of cap findings; findings[0].struct_size is the stride and must be valid when cap > 0
 * @param cap length of findings
 * @param count findings there are
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_SPACE (*count was written). Model: as dtc_memory_estimate() and
 *         dtc_step_estimate(); placement exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_lint_plan(const dtc_model *model, const dtc_cluster *cluster,
                                                         const dtc_plan *plan, dtc_error *findings, size_t cap,
                                                         size_t *count, dtc_error *err);

/**
 * @brief What a finding costs: memory and time now, and with the nearest plan without it.
 * @param model what is trained
 * @param cluster on what
 * @param plan how it is split
 * @param rule of a finding of dtc_framework_lint_plan()
 * @param next the plan without it, resolved
 * @param cost_out what both come to
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_UNSUPPORTED (the plan does not break the rule, or no change of it mends that).
 *         Model: as dtc_memory_estimate() and dtc_step_estimate(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_lint_cost(const dtc_model *model, const dtc_cluster *cluster,
                                                         const dtc_plan *plan, dtc_rule rule, dtc_plan *next,
                                                         dtc_advice *cost_out, dtc_error *err);

/**
 * @brief What it costs when NCCL finds none of the devices of NCCL_IB_HCA and takes sockets, which it does without an
 *        error: a step over one Ethernet port of each node, beside the step over the cluster's own network. Which
 *        devices a list selects is what dtc_framework_lint_hca() says.
 * @param model what is trained
 * @param cluster on what
 * @param plan how it is split
 * @param bandwidth of the port, bytes/s [1, 1e15]
 * @param cost_out seconds with sockets, and seconds_now without
 * @param err may be NULL
 * @return as dtc_step_estimate(), DTC_E_RANGE (bandwidth). Model: as dtc_step_estimate() with fabric tcp. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_framework_sockets(const dtc_model *model, const dtc_cluster *cluster,
                                                       const dtc_plan *plan, double bandwidth, dtc_advice *cost_out,
                                                       dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif
