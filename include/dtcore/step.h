/**
 * @file step.h
 * @brief How long a training step takes, and a whole run: seconds by item, tokens/s, MFU, days, cost.
 *
 * All of it is a model. Its constants are rows of a table, each of a kind of GPU or of a software, set on published runs;
 * doc/formulas/step.md has the formulas, doc/accuracy.md the error of each set of runs.
 */
#ifndef DTCORE_STEP_H
#define DTCORE_STEP_H

#include <dtcore/collective.h>
#include <dtcore/pipeline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Item of the time of a step: what the pipeline's slowest stage spends it on. */
typedef uint32_t dtc_step_item;
enum {
  DTC_STEP_ITEM_NONE = 0,
  DTC_STEP_ITEM_DENSE = 1,       /**< matrix products of layers, but for routed experts */
  DTC_STEP_ITEM_ATTENTION = 2,   /**< attention core: scores, softmax, values */
  DTC_STEP_ITEM_EXPERTS = 3,     /**< routed experts: grouped products */
  DTC_STEP_ITEM_ELEMENTWISE = 4, /**< what moves bytes through memory: norms, activations, residuals, permutation of
                                       tokens, quantisation */
  DTC_STEP_ITEM_HEAD = 5,        /**< embedding, output head and loss; MTP modules */
  DTC_STEP_ITEM_RECOMPUTE = 6,   /**< forward a second time */
  DTC_STEP_ITEM_LAUNCH = 7,      /**< GPUs wait for the host, gaps between kernels */
  DTC_STEP_ITEM_TP = 8,          /**< messages of tensor parallelism that nothing hides */
  DTC_STEP_ITEM_CP = 9,          /**< the same of context parallelism */
  DTC_STEP_ITEM_EP = 10,         /**< the same of expert parallelism: dispatch and combine */
  DTC_STEP_ITEM_PP = 11,         /**< the same between pipeline stages */
  DTC_STEP_ITEM_BUBBLE = 12,     /**< the pipeline fills and drains, and waits for its slowest stage */
  DTC_STEP_ITEM_WEIGHTS = 13,    /**< gathering of sharded weights that nothing hides */
  DTC_STEP_ITEM_GRADIENTS = 14,  /**< reduction of gradients that nothing hides */
  DTC_STEP_ITEM_OPTIMIZER = 15,  /**< optimizer step, norm of gradients; on the host where it is offloaded */
  DTC_STEP_ITEM_OFFLOAD = 16,    /**< copies to and from host memory or NVMe that nothing hides */
  DTC_STEP_ITEM_STRAGGLERS = 17, /**< waiting for the slowest of many nodes */
};

/** Time of a training step, seconds by item, and what follows from it. */
typedef struct dtc_step {
  uint32_t struct_size;         /**< sizeof, set by DTC_INIT() */
  dtc_step_item limit;          /**< largest item beside products, attention and experts: what to look at first */
  double seconds;               /**< an optimizer step; the sum of the items */
  double low;                   /**< nine of ten published runs are between low and high, seconds */
  double high;                  /**< see low, seconds */
  double dense;                 /**< seconds of DTC_STEP_ITEM_DENSE, and so on */
  double attention;             /**< seconds */
  double experts;               /**< seconds */
  double elementwise;           /**< seconds */
  double head;                  /**< seconds */
  double recompute;             /**< seconds */
  double launch;                /**< seconds */
  double tp;                    /**< seconds */
  double cp;                    /**< seconds */
  double ep;                    /**< seconds */
  double pp;                    /**< seconds */
  double bubble;                /**< seconds */
  double weights;               /**< seconds */
  double gradients;             /**< seconds */
  double optimizer;             /**< seconds */
  double offload;               /**< seconds */
  double stragglers;            /**< seconds */
  uint64_t tokens;              /**< of a step, all GPUs */
  uint64_t gpus;                /**< tp * cp * pp * dp */
  uint64_t stage;               /**< slowest pipeline stage */
  double tokens_per_gpu_second; /**< tokens per second and GPU */
  double flops_per_gpu_second;  /**< model FLOP/s of a GPU, convention megatron */
  double mfu;                   /**< flops_per_gpu_second / dense 16-bit peak, a fraction */
  double hfu;                   /**< the same with what is recomputed */
  dtc_confidence
      confidence; /**< measured: published runs of this kind of GPU with this software; relative: of a sibling;
                                  extrapolated: no run near it */
  uint32_t pad;   /**< 0 */
} dtc_step;

/** Speed of a step, by a named convention of counting FLOPs. */
typedef struct dtc_step_rate {
  uint32_t struct_size;            /**< sizeof, set by DTC_INIT() */
  dtc_flops_convention convention; /**< how FLOPs are counted */
  double seconds;                  /**< of a step */
  double tokens_per_second;        /**< all GPUs */
  double tokens_per_gpu_second;    /**< tokens per second and GPU */
  double sequences_per_second;     /**< all GPUs */
  double model_flops;          /**< of a step, all GPUs; a convention named HFU counts what is recomputed in any case */
  double hardware_flops;       /**< the same with what the plan recomputes */
  double flops_per_gpu_second; /**< model FLOP/s of a GPU */
  double peak;                 /**< dense peak that mfu and hfu refer to, FLOP/s */
  double mfu;                  /**< flops_per_gpu_second / peak, a fraction; 0 without a peak */
  double hfu;                  /**< the same of hardware_flops */
} dtc_step_rate;

/** One term of the sum: count * each. A record, frozen for ever. */
typedef struct dtc_step_term {
  uint32_t index;     /**< for dtc_step_term_text() */
  dtc_step_item item; /**< item that it is part of */
  uint64_t m;         /**< rows of a product's result, 0 for what is none */
  uint64_t n;         /**< its columns */
  uint64_t k;         /**< its depth */
  uint64_t batch;     /**< products of that shape that run as one */
  double flops;       /**< FLOPs of one */
  double bytes;       /**< bytes of one: moved through memory, or of a message */
  double each;        /**< seconds of one */
  double count;       /**< how many in a step, one behind the other, on the slowest stage */
  double seconds;     /**< the term that is not hidden, seconds */
} dtc_step_term;

/**
 * @brief Number of softwares whose constants are known: what a framework runs with, by version, and forks of it.
 * @return softwares. Exact. Since 1.0.
 */
DTC_API size_t dtc_software_count(void);

/**
 * @brief Name of a software.
 * @param index [0, dtc_software_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_software_name(size_t index);

/**
 * @brief Which published runs its constants were set on.
 * @param index [0, dtc_software_count())
 * @return constant string; NULL when index is out of range. Exact. Since 1.0.
 */
DTC_API const char *dtc_software_source(size_t index);

/**
 * @brief A software by name.
 * @param name "nemo", "megatron-2021"; case, '-' and '_' do not matter
 * @param index its index
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_UNKNOWN (err->lower is the index of the nearest name, or DTC_NONE). Exact.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_software_find(const char *name, uint64_t *index, dtc_error *err);

/**
 * What times depend on beside model, cluster and plan. 0 means what published runs say of the kind of GPU and of the
 * software; who measured a cluster of their own says better.
 */
typedef struct dtc_step_params {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t software;    /**< dtc_software_name() of software - 1; 0 = the plan's framework and version
                                  [0, 4294967295] */
  double fp32;          /**< what large products reach in fp32, FLOP/s [0, 1e18] */
  double bf16;          /**< the same in bf16 and fp16, FLOP/s [0, 1e18] */
  double fp8;           /**< the same in fp8, FLOP/s [0, 1e18] */
  double fp4;           /**< the same in fp4, FLOP/s [0, 1e18] */
  double hbm;           /**< what element-wise kernels move, bytes/s [0, 1e15] */
  double attention;     /**< factor on the time of attention [0, 1000] */
  double communication; /**< factor on the time of messages [0, 1000] */
  double host;          /**< factor on the time that the host takes to launch kernels [0, 1000] */
} dtc_step_params;

/**
 * @brief Fills every parameter that is 0. Idempotent.
 * @param model what is trained
 * @param cluster on what
 * @param plan how it is split
 * @param params may be NULL: all are 0
 * @param out the same with nothing left to default; may be the same object
 * @param err may be NULL
 * @return as dtc_step_estimate(). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_step_resolve(const dtc_model *model, const dtc_cluster *cluster,
                                                  const dtc_plan *plan, const dtc_step_params *params,
                                                  dtc_step_params *out, dtc_error *err);

/**
 * @brief Time of a training step.
 * @param model what is trained
 * @param cluster on what: peaks, bandwidths, power; from dtc_cluster_find(), or a measured one
 * @param plan how it is split
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param params constants; may be NULL: those of published runs
 * @param out seconds by item
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_RANGE (stages, params), DTC_E_CONFLICT (a cluster without the peak, the memory
 *         bandwidth or the links that the plan needs), DTC_E_UNSUPPORTED (a schedule without a closed form: simulate it
 *         with dtc_step_costs(); a framework or setting without a model of time), DTC_E_OVERFLOW. Model:
 *         doc/accuracy.md. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_step_estimate(const dtc_model *model, const dtc_cluster *cluster,
                                                   const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                   const dtc_step_params *params, dtc_step *out, dtc_error *err);

/**
 * @brief The terms that dtc_step_estimate() adds up, of the slowest stage.
 * @param model what is trained
 * @param cluster on what
 * @param plan how it is split
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param params constants; may be NULL
 * @param out array of cap terms
 * @param cap length of out
 * @param count terms there are, at most 192
 * @param err may be NULL
 * @return as dtc_step_estimate(), DTC_E_SPACE (*count was written). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_step_terms(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                const dtc_step_params *params, dtc_step_term *out, size_t cap,
                                                size_t *count, dtc_error *err);

/**
 * @brief What a term is: "MLP, gradient of the weight".
 * @param index dtc_step_term.index
 * @param lang 0 English, 1 Chinese; of others English
 * @return constant string; NULL when there is no such term. Exact. Since 1.0.
 */
DTC_API const char *dtc_step_term_text(uint32_t index, dtc_lang lang);

/**
 * @brief Time of each pipeline stage and micro-batch, for dtc_pipe_simulate() and dtc_pipe_balance(); stages of ranks with
 *        several chunks share the rank's time evenly.
 * @param model what is trained
 * @param cluster on what
 * @param plan how it is split; any schedule
 * @param stages pp stages, stages[0].struct_size apart, or NULL for dtc_plan_stage()
 * @param n length of stages; 0 with NULL
 * @param params constants; may be NULL
 * @param out array of cap costs, seconds, by stage of dtc_pipe_stage()
 * @param cap length of out
 * @param count costs there are: as many as stages
 * @param err may be NULL
 * @return as dtc_step_estimate(), DTC_E_SPACE (*count was written). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_step_costs(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, const dtc_stage *stages, size_t n,
                                                const dtc_step_params *params, dtc_pipe_cost *out, size_t cap,
                                                size_t *count, dtc_error *err);

/**
 * @brief Speed of a step that takes some seconds, measured or estimated, by a convention of counting FLOPs.
 * @param model what is trained
 * @param cluster on what: its dense 16-bit peak is what mfu refers to; may be NULL: no peak, mfu and hfu 0
 * @param plan how it is split: batch, sequence, recomputation. Packed sequences attend to their own tokens alone; full
 *        recomputation does layers and scores once more, a share of them where it takes a share of the layers; modules
 *        their products
 * @param convention how FLOPs are counted
 * @param seconds of a step (0, 1e9]
 * @param out the rates
 * @param err may be NULL
 * @return as dtc_plan_resolve(), as dtc_model_flops(), DTC_E_RANGE (convention, seconds), DTC_E_OVERFLOW (seconds).
 *         Exact: each convention's formula. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_step_rates(const dtc_model *model, const dtc_cluster *cluster,
                                                const dtc_plan *plan, dtc_flops_convention convention, double seconds,
                                                dtc_step_rate *out, dtc_error *err);

/** Rules of steps, fits and runs; they join dtc_rule. */
enum {
  DTC_RULE_RUN_AHEAD = 860,     /**< a job gets from one checkpoint to the next, and back to work, between failures */
  DTC_RULE_STEP_RESOLVED = 861, /**< a fit starts from parameters with nothing left to default */
  DTC_RULE_STEP_POINTS = 862,   /**< measured collectives have a point of 1 MiB or more */
  DTC_RULE_STEP_PEAK = 880,     /**< the cluster says the peak of the plan's precision */
  DTC_RULE_STEP_MEMORY = 881,   /**< it says the bandwidth of a GPU's memory */
  DTC_RULE_STEP_HOST = 882,     /**< of an offloaded plan, the bandwidths of host memory, PCIe and NVMe */
  DTC_RULE_STEP_SCHEDULE = 883, /**< the schedule has a closed form of its time */
  DTC_RULE_SOFTWARE_NAME = 884, /**< a software of the catalogue */
};

/** What a calibration found. */
typedef struct dtc_step_fitted {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t steps;       /**< steps it was set on */
  double products;      /**< factor on the time of matrix products */
  double attention;     /**< of attention */
  double memory;        /**< of what moves bytes through memory, optimizer included */
  double communication; /**< of messages */
  double host;          /**< of waiting for the host */
  double before;        /**< mean of |estimate / measured - 1| before */
  double after;         /**< and with the factors */
} dtc_step_fitted;

/** A measured step beside its estimate, seconds. A record, frozen for ever. */
typedef struct dtc_step_sample {
  double products;      /**< estimate: matrix products, with head and recomputation [0, 1e9] */
  double attention;     /**< attention [0, 1e9] */
  double memory;        /**< what moves bytes through memory, optimizer included [0, 1e9] */
  double communication; /**< messages [0, 1e9] */
  double host;          /**< waiting for the host [0, 1e9] */
  double share;         /**< what grows with all of it, bubble and stragglers, as a share of the sum [0, 1e9] */
  double measured;      /**< what the step took [1e-9, 1e9] */
} dtc_step_sample;

/**
 * @brief A measured step as dtc_step_fit() takes it.
 * @param step from dtc_step_estimate()
 * @param seconds what it took [1e-9, 1e9]
 * @param out the sample
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE. Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_step_measure(const dtc_step *step, double seconds, dtc_step_sample *out,
                                                  dtc_error *err);

/**
 * @brief Parameters that fit measured steps. The five factors of dtc_step_fitted minimise the sum of relative errors and of
 *        five times the square of what each is away from 1, so that few steps move them little. Where a step
 *        waits for the host the sum is not linear in them: estimate and fit again, twice is enough.
 * @param samples of any models, plans and one kind of GPU
 * @param n_samples length of samples [1, 65536]
 * @param params those the steps were estimated with, from dtc_step_resolve()
 * @param out the same times the factors; may be the same object
 * @param fitted the factors
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE (n_samples, a sample, a parameter). Model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_step_fit(const dtc_step_sample *samples, size_t n_samples,
                                              const dtc_step_params *params, dtc_step_params *out,
                                              dtc_step_fitted *fitted, dtc_error *err);

/**
 * @brief Factor on messages that fits measured collectives, as nccl-tests and dtc_collective_read() give them.
 * @param cluster on what
 * @param call what was measured; its bytes are not read
 * @param points sizes and times; those below 1 MiB, or without time, are left out: layers send more
 * @param n_points length of points [1, 65536]
 * @param params any
 * @param out the same with that factor; may be the same object
 * @param err may be NULL
 * @return as dtc_collective_estimate(), DTC_E_RANGE (a point, n_points, a factor beyond 1000), DTC_E_CONFLICT (no point of
 *         1 MiB or more; an operation without bytes, or one rank). Model: the median of measured over estimated time.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_step_fit_collective(const dtc_cluster *cluster, const dtc_collective_call *call,
                                                         const dtc_timing *points, size_t n_points,
                                                         const dtc_step_params *params, dtc_step_params *out,
                                                         dtc_error *err);

/** A training run: what is trained, beside the cluster. */
typedef struct dtc_run_call {
  uint32_t struct_size; /**< sizeof, set by DTC_INIT() */
  uint32_t pad;         /**< 0 */
  double tokens;        /**< to train on [1, 1e18] */
  double step_seconds;  /**< time of a step (0, 1e9] */
  double step_tokens;   /**< tokens of a step [1, 1e15] */
  uint64_t gpus;        /**< GPUs [1, 2^32] */
  double mtbf;          /**< hours between failures of a GPU; 0 = the cluster's, none when it says none [0, 1e12] */
  uint64_t checkpoint_bytes; /**< bytes of a checkpoint, written to shared storage [0, 2^60] */
  double write_seconds;      /**< how long training stands still for a checkpoint; 0 = checkpoint_bytes at the cluster's
                                  storage_bandwidth [0, 1e9] */
  double restart_seconds;    /**< from a failure to the next step: detection, new nodes, loading; 0 = 600 [0, 1e9] */
  double interval_seconds;   /**< between checkpoints; 0 = the best [0, 1e9] */
  double price;              /**< of a GPU for an hour; 0 = the cluster's [0, 1e9] */
  double utilisation;        /**< power that GPUs draw, share of their limit; 0 = 0.9 [0, 1] */
  double pue;                /**< power of the building over that of the computers; 0 = 1 [0, 10] */
} dtc_run_call;

/** What a run takes. */
typedef struct dtc_run {
  uint32_t struct_size;      /**< sizeof, set by DTC_INIT() */
  uint32_t pad;              /**< 0 */
  double steps;              /**< optimizer steps, rounded up */
  double seconds;            /**< expected time of all */
  double days;               /**< the same */
  double productive_seconds; /**< steps that count */
  double checkpoint_seconds; /**< writing checkpoints */
  double lost_seconds;       /**< steps done again after a failure */
  double restart_seconds;    /**< coming back after failures */
  double failures;           /**< failures to expect */
  double mtbf_seconds;       /**< between failures of the job; 0 = none are known */
  double interval_seconds;   /**< between checkpoints; 0 = none are written */
  double interval_steps;     /**< the same in steps, rounded to whole ones */
  double best_interval;      /**< that makes the run shortest, seconds; 0 without failures or checkpoints */
  double goodput;            /**< productive_seconds / seconds */
  double gpu_hours;          /**< GPUs * hours */
  double cost;               /**< gpu_hours * price; 0 without a price */
  double energy;             /**< J; 0 where the cluster does not say its power */
} dtc_run;

/**
 * @brief Days, GPU-hours, cost, energy and goodput of a run with failures. Failures come one by one at a constant rate (the
 *        GPUs' rates add up), also while the job restarts; each throws it back to the last checkpoint. Without a time to
 *        write them checkpoints cost nothing, and there is one behind every step.
 * @param cluster on what: mtbf, price, storage_bandwidth, power
 * @param call the run
 * @param out what it takes
 * @param err may be NULL
 * @return as dtc_cluster_resolve(), DTC_E_RANGE, DTC_E_CONFLICT (failures come faster than the job can get ahead: an
 *         interval and its checkpoint, or the restart, takes more than 10 times the time between them). Model: Daly's
 *         expected time of exponential failures, exact for it. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_run_estimate(const dtc_cluster *cluster, const dtc_run_call *call, dtc_run *out,
                                                  dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif
