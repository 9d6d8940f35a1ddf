/**
 * @file pipeline.h
 * @brief Pipeline schedules: the order of forwards and backwards on every rank, how long it takes, what it holds, and
 * which layers a stage has.
 *
 * A model is cut into pp * vpp stages; a rank holds vpp of them, its chunks. Where stages lie is the schedule's choice:
 * stage = chunk * pp + rank, or a V (chunk 0 of rank r is stage r, chunk 1 stage 2 * pp - 1 - r). DualPipe runs the pp
 * stages of a model in two directions at once: chunk is the direction, and each stage lies on two ranks.
 *
 * dtc_pipe_order() writes the ops of all ranks, rank after rank, with the same number of rows for each
 * (dtc_pipe_count()): rank r's are [r * n, (r + 1) * n). dtc_pipe_simulate() times any such order.
 */
#ifndef DTCORE_PIPELINE_H
#define DTCORE_PIPELINE_H

#include <dtcore/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an op of a pipeline does. */
typedef uint32_t dtc_pipe_kind;
enum {
  DTC_PIPE_KIND_NONE = 0,     /**< nothing: a row behind the last op of a rank */
  DTC_PIPE_KIND_FORWARD = 1,  /**< forward */
  DTC_PIPE_KIND_BACKWARD = 2, /**< backward, whole */
  DTC_PIPE_KIND_INPUT = 3,    /**< backward for the input alone */
  DTC_PIPE_KIND_WEIGHT = 4,   /**< backward for the weights alone */
};

/** A pipeline job: everything that the order of its ops follows from. */
typedef struct dtc_pipe {
  uint32_t struct_size;    /**< sizeof, set by DTC_INIT() */
  dtc_schedule schedule;   /**< whose order */
  dtc_framework framework; /**< whose form of it and whose refusals; default where the schedule comes from: see
                                dtc_pipe_resolve() */
  dtc_bool forward_only;   /**< inference: forwards alone; default off */
  dtc_bool moe_overlap;    /**< Megatron's overlap_moe_expert_parallel_comm: a forward and a backward run as one step;
                               default off; interleaved only */
  dtc_bool p2p_overlap;    /**< Megatron's overlap_p2p_comm; default on for interleaved, else off */
  uint64_t pp;             /**< pipeline ranks [1, 4096] */
  uint64_t vpp;            /**< chunks of a rank; 0 = 2 where the schedule needs several, else 1 [0, 1024] */
  uint64_t micro_batches;  /**< micro-batches of a step; of dualpipe both directions together [1, 2^20] */
  uint64_t group;          /**< micro-batches that run through a chunk before the next: Megatron's
                               microbatch_group_size_per_vp_stage; 0 = the framework's own [0, 2^20] */
  double forward;          /**< time of a chunk's forward that a generated order plans with, any unit; 0 = 1000
                               [0, 1e15] */
  double input;            /**< its backward for the input; 0 = 1000 [0, 1e15] */
  double weight;           /**< its backward for the weights; 0 = 1000 [0, 1e15] */
  double hop;              /**< a message between ranks [0, 1e15] */
  uint64_t limit;       /**< activations of a chunk that a generated order may hold; 0 = zb_h1 pp, zb_h2 and zbv 2 * pp;
                               DTC_NONE = no limit */
  uint64_t freed_input; /**< share of an activation that the backward for the input frees; 0 beside a freed_weight of
                               0 = both the framework's [0, 2^40] */
  uint64_t freed_weight; /**< share that the backward for the weights frees; 0 see freed_input [0, 2^40] */
} dtc_pipe;

/** An op of a rank. A record, frozen for ever. */
typedef struct dtc_pipe_op {
  uint32_t micro_batch; /**< micro-batch; of dualpipe counted in its direction */
  uint16_t chunk;       /**< chunk of the rank; of dualpipe the direction */
  uint8_t kind;         /**< dtc_pipe_kind */
  uint8_t fused;        /**< 1 when it runs as one step with the rank's next op, else 0 */
} dtc_pipe_op;

/** What one stage needs for one micro-batch. A record, frozen for ever. */
typedef struct dtc_pipe_cost {
  double forward;        /**< time of the forward [0, 1e15] */
  double input;          /**< time of the backward for the input [0, 1e15] */
  double weight;         /**< time of the backward for the weights; a whole backward takes both [0, 1e15] */
  uint64_t freed_input;  /**< bytes of activations that the backward for the input frees [0, 2^50] */
  uint64_t freed_weight; /**< bytes that are kept until the backward for the weights [0, 2^50] */
} dtc_pipe_cost;

/** How messages between pipeline ranks are sent. */
typedef uint32_t dtc_pipe_sends;
enum {
  DTC_PIPE_SENDS_ASYNC = 0,    /**< they pass beside the computation */
  DTC_PIPE_SENDS_BLOCKING = 1, /**< Megatron's batched calls without overlap: both sides wait for each other; 1f1b */
};

/** When an op runs. A record, frozen for ever. */
typedef struct dtc_pipe_time {
  double start; /**< begin */
  double stop;  /**< end; of a row without an op both are 0 */
} dtc_pipe_time;

/** A rank over a step. A record, frozen for ever. */
typedef struct dtc_pipe_rank {
  double start;         /**< begin of its first op */
  double stop;          /**< end of its last op */
  double busy;          /**< sum of its ops' times */
  uint64_t held_input;  /**< most activations (micro-batch and chunk) alive, freed by the backward for the input */
  uint64_t held_weight; /**< the same, freed by the backward for the weights */
  uint64_t bytes;       /**< most bytes of activations alive, each part freed when its cost says */
} dtc_pipe_rank;

/** A pipeline over a step. A record, frozen for ever. */
typedef struct dtc_pipe_totals {
  double makespan; /**< from the first begin to the last end of anything */
  double busy;     /**< sum of ops' times, the busiest rank */
  double bubble;   /**< makespan - busy: counts when the optimizer step waits for all ranks */
  double span;     /**< from a rank's first begin to its last end, the longest */
  double
      span_bubble; /**< longest time that a rank waits within its span: counts when it need not wait for the others */
  double idle;     /**< share of ranks * makespan that is not busy [0, 1] */
  uint64_t bytes;  /**< most bytes of activations alive on a rank */
  uint64_t rank;   /**< that rank, the first of them */
} dtc_pipe_totals;

/** Activations that a rank holds at most, by micro-batch and chunk. A record, frozen for ever. */
typedef struct dtc_pipe_held {
  uint64_t input;  /**< when the backward for the input frees them */
  uint64_t weight; /**< when the backward for the weights does */
} dtc_pipe_held;

/** What an instruction of DeepSpeed's pipeline engine does. */
typedef uint32_t dtc_pipe_instruction;
enum {
  DTC_PIPE_INSTRUCTION_LOAD = 1,            /**< LoadMicroBatch */
  DTC_PIPE_INSTRUCTION_FORWARD = 2,         /**< ForwardPass */
  DTC_PIPE_INSTRUCTION_BACKWARD = 3,        /**< BackwardPass */
  DTC_PIPE_INSTRUCTION_SEND_ACTIVATION = 4, /**< SendActivation */
  DTC_PIPE_INSTRUCTION_RECV_ACTIVATION = 5, /**< RecvActivation */
  DTC_PIPE_INSTRUCTION_SEND_GRAD = 6,       /**< SendGrad */
  DTC_PIPE_INSTRUCTION_RECV_GRAD = 7,       /**< RecvGrad */
  DTC_PIPE_INSTRUCTION_REDUCE_TIED = 8,     /**< ReduceTiedGrads */
  DTC_PIPE_INSTRUCTION_REDUCE_GRADS = 9,    /**< ReduceGrads */
  DTC_PIPE_INSTRUCTION_OPTIMIZER_STEP = 10, /**< OptimizerStep */
};

/** An instruction of DeepSpeed's pipeline engine. A record, frozen for ever. */
typedef struct dtc_pipe_step {
  uint32_t step;   /**< lock step, from 0 */
  uint16_t buffer; /**< pipeline buffer; 0 where it has none */
  uint16_t what;   /**< dtc_pipe_instruction */
} dtc_pipe_step;

/** Whose way of giving layers to stages. */
typedef uint32_t dtc_splitter;
enum {
  DTC_SPLITTER_MEGATRON = 0,   /**< Megatron-Core: even, account_for_*, or uneven first and last ranks */
  DTC_SPLITTER_LAYOUT = 1,     /**< Megatron's --pipeline-model-parallel-layout, as text */
  DTC_SPLITTER_UNIFORM = 2,    /**< DeepSpeed's partition_uniform */
  DTC_SPLITTER_BALANCED = 3,   /**< DeepSpeed's partition_balanced: by parameters or by the class of each module */
  DTC_SPLITTER_TORCHTITAN = 4, /**< TorchTitan's names of modules per stage */
  DTC_SPLITTER_COLOSSALAI = 5, /**< ColossalAI's distribute_layers */
};

/** A split of a model's layers. */
typedef struct dtc_pipe_split {
  uint32_t struct_size;       /**< sizeof, set by DTC_INIT() */
  dtc_splitter splitter;      /**< whose */
  dtc_release version;        /**< of DeepSpeed: before 0.12.5 balanced is another; 0 = newest known [0, 4294967295] */
  dtc_bool v_shape;           /**< chunk 1 of rank r is stage 2 * pp - 1 - r; default off */
  dtc_bool account_embedding; /**< Megatron's account_for_embedding_in_pipeline_split; default off */
  dtc_bool account_loss;      /**< Megatron's account_for_loss_in_pipeline_split; default off */
  uint64_t layers;            /**< transformer layers; of DeepSpeed all modules of the list [1, 2^20] */
  uint64_t mtp_layers;        /**< multi-token-prediction modules, for layout [0, 1024] */
  uint64_t pp;                /**< pipeline ranks [1, 4096] */
  uint64_t vpp;               /**< chunks of a rank; 0 = 1, in a V 2; of layout what the text says [0, 1024] */
  uint64_t first;             /**< Megatron: layers of the first rank; 0 = not given [0, 2^20] */
  uint64_t last;              /**< Megatron: layers of the last rank; 0 = not given [0, 2^20] */
  uint64_t first_less;        /**< TorchTitan: layers that the embedding stands for, to 2^20; 0 = 1, DTC_NONE = 0 */
  uint64_t last_less;         /**< TorchTitan: layers that norm and head stand for, to 2^20; 0 = 1, DTC_NONE = 0 */
  uint64_t per_stage; /**< TorchTitan: layers of a stage; vpp follows: two or more, or what vpp says; 0 = not given
                                   [0, 2^20] */
} dtc_pipe_split;

/** A stage of a split. A record, frozen for ever. */
typedef struct dtc_pipe_part {
  uint64_t first;      /**< first layer */
  uint64_t layers;     /**< layers; the others follow the first */
  uint64_t mtp_layers; /**< multi-token-prediction modules */
  uint32_t rank;       /**< pipeline rank that holds it */
  uint32_t chunk;      /**< chunk of the rank */
  uint32_t embedding;  /**< 1 when it holds the input embedding; of DeepSpeed 0 */
  uint32_t head;       /**< 1 when it holds the final norm, the head and the loss; of DeepSpeed 0 */
} dtc_pipe_part;

/** A layer, or another piece that is not cut, for dtc_pipe_balance(). A record, frozen for ever. */
typedef struct dtc_pipe_item {
  double cost;    /**< its time for one micro-batch, forward and backward, any unit [0, 1e15] */
  uint64_t bytes; /**< what it holds all the time: weights, gradients, optimizer states [0, 2^50] */
  uint64_t saved; /**< its activations of one micro-batch, bytes [0, 2^50] */
} dtc_pipe_item;

/** What dtc_pipe_balance() gained. A record, frozen for ever. */
typedef struct dtc_pipe_gain {
  double cost;    /**< cost of the dearest stage */
  double uniform; /**< the same when every stage gets as many items, the first ones one more */
  double mean;    /**< cost of all items / stages: no split is better */
  uint64_t bytes; /**< most bytes of a stage; DTC_NONE when a rank has several or the schedule has no closed form */
} dtc_pipe_gain;

/** Rules of dtc_pipe_resolve() and what follows; they join dtc_rule. */
enum {
  DTC_RULE_PIPE_FRAMEWORK = 300, /**< a framework that has the schedule */
  DTC_RULE_PIPE_CHUNKS = 301,    /**< as many chunks as the schedule works with */
  DTC_RULE_PIPE_LEAST = 302,     /**< enough micro-batches for the ranks */
  DTC_RULE_PIPE_MULTIPLE = 303,  /**< micro-batches a multiple of pp */
  DTC_RULE_PIPE_ROUNDS = 304,    /**< micro-batches a multiple of the rounds, max(1, micro_batches / pp) */
  DTC_RULE_PIPE_EVEN = 305,      /**< DualPipe: an even number */
  DTC_RULE_PIPE_GROUP = 306,     /**< Megatron: pp <= group <= micro_batches */
  DTC_RULE_PIPE_REST = 307,      /**< Megatron: micro_batches mod group is 0 or at least pp */
  DTC_RULE_PIPE_P2P = 308,       /**< Megatron's 1f1b has no overlap of messages */
  DTC_RULE_PIPE_SETTING = 309,   /**< a setting that the schedule has */
  DTC_RULE_PIPE_MEMORY = 310,    /**< the generator finds an order within limit */
  DTC_RULE_PIPE_CLOSED = 311,    /**< a schedule with a closed form */
  DTC_RULE_PIPE_ORDER = 312,     /**< ops in an order that can run to its end, each at most once */
  DTC_RULE_PIPE_WORK = 313,      /**< ops times ranks stay within the work that a call does */
  DTC_RULE_PIPE_SENDS = 314,     /**< blocking sends are known of Megatron's 1f1b alone */
  DTC_RULE_SPLIT_DIVIDES = 320,  /**< Megatron: pp divides the layers */
  DTC_RULE_SPLIT_CHUNKS = 321,   /**< Megatron: vpp divides the layers of a rank */
  DTC_RULE_SPLIT_MIDDLE = 322,   /**< Megatron: the other ranks divide what first and last leave */
  DTC_RULE_SPLIT_ACCOUNT = 323,  /**< Megatron: account_for_* and first or last exclude each other */
  DTC_RULE_SPLIT_UNEVEN = 324,   /**< Megatron divides by zero with pp = 2, vpp > 1, first and last */
  DTC_RULE_SPLIT_STAGES = 325,   /**< stages a multiple of pp, at most as many as there are layers */
  DTC_RULE_SPLIT_LESS = 326,     /**< TorchTitan: first_less and last_less at most the layers of a stage */
  DTC_RULE_SPLIT_GIVEN = 327,    /**< the given layers of the stages add up to all */
  DTC_RULE_LAYOUT_SYNTAX = 330,  /**< layout: E, t, m, L, '|', ',', xN and (..)xN */
  DTC_RULE_LAYOUT_STAGES = 331,  /**< layout: pp divides the stages */
  DTC_RULE_LAYOUT_ENDS = 332,    /**< layout: first E, last L, one of each */
  DTC_RULE_LAYOUT_LAYERS = 333,  /**< layout: as many t as layers, m as mtp_layers */
  DTC_RULE_LAYOUT_MTP = 334,     /**< layout: all m in one stage, the last of its rank, behind every t */
  DTC_RULE_BALANCE_ITEMS = 340,  /**< at least one item for each stage */
  DTC_RULE_BALANCE_LIMIT = 341,  /**< a split whose stages stay within limit */
};

/**
 * @brief Fills every default of a pipeline job, or says which rule refuses it. Idempotent.
 *
 * A schedule's home, which a default framework means: PyTorch for gpipe, looped_bfs, interleaved_zb, zbv and dualpipe_v,
 * Megatron-LM for the others; zb_h1, zb_h2, v_half, v_min, 1f1b_v, group_interleaved and vpp are those of its fork
 * zero-bubble, dualpipe DeepSeek's. The forms that differ: interleaved of PyTorch (rounds) and ColossalAI (groups of
 * pp); 1f1b of PyTorch (at least pp micro-batches) and DeepSpeed; zbv of Megatron's fork and of ColossalAI, both
 * generated from times. TorchTitan runs PyTorch's.
 * @param pipe the job
 * @param out the same with nothing left to default; may be the same object
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE (a value, too few micro-batches, chunks), DTC_E_DIVIDE,
 *         DTC_E_CONFLICT (a setting that the schedule has not), DTC_E_UNSUPPORTED (a framework that has not the
 *         schedule), DTC_E_OVERFLOW. Exact: Megatron-Core 0.20, PyTorch 2.15, DeepSpeed 0.19, ColossalAI 0.5,
 *         zero-bubble 39f2c186, DualPipe 3da1bbea. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_resolve(const dtc_pipe *pipe, dtc_pipe *out, dtc_error *err);

/**
 * @brief The pipeline job of a plan: schedule, framework, degrees, and its accumulation as micro-batches.
 * @param plan the plan, resolved by dtc_plan_resolve()
 * @param out the job, resolved
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_RANGE (a plan that is not resolved). Exact. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_from_plan(const dtc_plan *plan, dtc_pipe *out, dtc_error *err);

/**
 * @brief The stage of the model that a chunk of a rank is.
 * @param pipe the job
 * @param rank pipeline rank [0, pp)
 * @param chunk of the rank; of dualpipe the direction [0, vpp)
 * @param stage its stage [0, pp * vpp); of dualpipe [0, pp)
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_RANGE. Exact, O(1). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_stage(const dtc_pipe *pipe, uint64_t rank, uint64_t chunk, uint64_t *stage,
                                                dtc_error *err);

/**
 * @brief Rows of an order per rank: dtc_pipe_order() writes pp times as many.
 * @param pipe the job
 * @param rows rows of each rank, those behind its last op included
 * @param err may be NULL
 * @return as dtc_pipe_resolve(). Exact, O(pp). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_count(const dtc_pipe *pipe, uint64_t *rows, dtc_error *err);

/**
 * @brief Elements of scratch that dtc_pipe_order() and dtc_pipe_simulate() need.
 * @param pipe the job
 * @param needed elements of 8 bytes
 * @param err may be NULL
 * @return as dtc_pipe_resolve(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_scratch(const dtc_pipe *pipe, uint64_t *needed, dtc_error *err);

/**
 * @brief The ops of all ranks in the order in which they run.
 *
 * O(ops) where a closed form exists. zb_h1, zb_h2, the generated forms of zbv, v_half, v_min, 1f1b_v and
 * group_interleaved come from the heuristics of their authors, whose result depends on forward, input, weight, hop and
 * limit; the first four of these on all of them, v_half, v_min, 1f1b_v and group_interleaved on none.
 * @param pipe the job
 * @param out array of cap ops, rank after rank
 * @param cap length of out
 * @param count pp * dtc_pipe_count() rows
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_pipe_scratch()
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_SPACE, DTC_E_CONFLICT (no order within limit), DTC_E_RANGE (a generator's work
 *         beyond 2^32 steps). Exact: as dtc_pipe_resolve(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_order(const dtc_pipe *pipe, dtc_pipe_op *out, size_t cap, size_t *count,
                                                uint64_t *scratch, size_t n_scratch, dtc_error *err);

/**
 * @brief One op of a rank, without the others.
 * @param pipe the job
 * @param rank pipeline rank [0, pp)
 * @param index row of the rank [0, dtc_pipe_count())
 * @param out the op
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_RANGE, DTC_E_UNSUPPORTED (a schedule without a closed form). Exact, O(1).
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_op_at(const dtc_pipe *pipe, uint64_t rank, uint64_t index, dtc_pipe_op *out,
                                                dtc_error *err);

/**
 * @brief Activations that a rank holds at most, in closed form. dtc_pipe_ranks() counts them for any order.
 * @param pipe the job
 * @param rank pipeline rank [0, pp)
 * @param out by micro-batch and chunk
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_RANGE, DTC_E_UNSUPPORTED (a schedule without a closed form). Exact, O(1).
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_inflight(const dtc_pipe *pipe, uint64_t rank, dtc_pipe_held *out,
                                                   dtc_error *err);

/**
 * @brief Instructions of DeepSpeed's pipeline engine on a rank, in lock steps: TrainSchedule, or InferenceSchedule with
 *        forward_only.
 * @param pipe the job: 1f1b of DeepSpeed
 * @param rank pipeline rank [0, pp)
 * @param out array of cap instructions
 * @param cap length of out
 * @param count instructions there are
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_RANGE, DTC_E_SPACE, DTC_E_UNSUPPORTED (another job). Exact: DeepSpeed 0.19.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_steps(const dtc_pipe *pipe, uint64_t rank, dtc_pipe_step *out, size_t cap,
                                                size_t *count, dtc_error *err);

/**
 * @brief When each op of an order runs. O(ops).
 *
 * An op starts when its rank is free and its inputs are there: a forward needs that of the stage before, a backward (whole
 * or for the input) that of the stage behind, of the last stage its own forward; a backward for the weights follows its
 * own by the order alone. A message takes latency + transfer, and each direction of a pair of ranks carries one transfer
 * at a time. A fused pair takes the sum of its times, needs both inputs at its start and gives both results at its end.
 * Blocking: every batched call of Megatron's 1f1b waits for the other side; a transfer then takes latency + transfer.
 * @param pipe the job
 * @param ops the order: pp * n rows, any n
 * @param n_ops length of ops
 * @param costs of the stages, by stage, or one for all
 * @param n_costs 1, or as many as there are stages
 * @param latency of a message, unit as the costs [0, 1e15]
 * @param transfer time that a message occupies its link [0, 1e15]
 * @param sends how messages are sent
 * @param out array of cap times, one for each row of ops
 * @param cap length of out
 * @param count n_ops
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_pipe_scratch()
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_RANGE (a cost, the lengths), DTC_E_CONFLICT (an order that cannot run to its end,
 *         or has an op twice), DTC_E_SPACE, DTC_E_UNSUPPORTED (blocking sends of another schedule). Exact for the
 *         costs given. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_simulate(const dtc_pipe *pipe, const dtc_pipe_op *ops, size_t n_ops,
                                                   const dtc_pipe_cost *costs, size_t n_costs, double latency,
                                                   double transfer, dtc_pipe_sends sends, dtc_pipe_time *out,
                                                   size_t cap, size_t *count, uint64_t *scratch, size_t n_scratch,
                                                   dtc_error *err);

/**
 * @brief Begin, end, busy time and most activations of every rank. O(ops).
 * @param pipe the job
 * @param ops the order
 * @param n_ops length of ops
 * @param costs of the stages, as for dtc_pipe_simulate()
 * @param n_costs 1, or as many as there are stages
 * @param times from dtc_pipe_simulate()
 * @param n_times length of times: n_ops
 * @param out array of cap ranks
 * @param cap length of out
 * @param count pp
 * @param err may be NULL
 * @return as dtc_pipe_simulate(), DTC_E_CONFLICT (a backward before its forward). Exact for the costs given. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_ranks(const dtc_pipe *pipe, const dtc_pipe_op *ops, size_t n_ops,
                                                const dtc_pipe_cost *costs, size_t n_costs, const dtc_pipe_time *times,
                                                size_t n_times, dtc_pipe_rank *out, size_t cap, size_t *count,
                                                dtc_error *err);

/**
 * @brief Makespan, bubbles and the fullest rank. O(ranks).
 * @param ranks from dtc_pipe_ranks()
 * @param n_ranks length of ranks [1, 4096]
 * @param out the sums
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_RANGE (n_ranks, a time that is not finite). Exact for the times given. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_sum(const dtc_pipe_rank *ranks, size_t n_ranks, dtc_pipe_totals *out,
                                              dtc_error *err);

/**
 * @brief Which layers each stage has, as a framework splits them.
 * @param split the model's layers and the pipeline
 * @param layout text of Megatron's layout: `Ettt|(tt|)*2,tmL`; may be NULL for the other splitters
 * @param len bytes [0, 2^20]
 * @param weights of the modules, for balanced: parameters, or 1 where the class matches and else 0; layers of each stage
 *        for colossalai, when given; else none; may be NULL
 * @param n_weights length of weights
 * @param out array of cap parts, by stage
 * @param cap length of out
 * @param count parts there are: pp * vpp
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_pipe_layers_scratch()
 * @param err may be NULL
 * @return DTC_OK, DTC_E_SIZE, DTC_E_NEWER, DTC_E_RANGE, DTC_E_DIVIDE, DTC_E_CONFLICT, DTC_E_PARSE (the layout),
 *         DTC_E_SPACE. Exact: Megatron-Core 0.20, DeepSpeed 0.19 and before 0.12.5, TorchTitan 0.3, ColossalAI 0.5.
 *         Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_layers(const dtc_pipe_split *split, const char *layout, size_t len,
                                                 const uint64_t *weights, size_t n_weights, dtc_pipe_part *out,
                                                 size_t cap, size_t *count, uint64_t *scratch, size_t n_scratch,
                                                 dtc_error *err);

/**
 * @brief Elements of scratch that dtc_pipe_layers() needs: none but for balanced.
 * @param split the model's layers and the pipeline
 * @param needed elements of 8 bytes
 * @param err may be NULL
 * @return as dtc_pipe_layers(). Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_layers_scratch(const dtc_pipe_split *split, uint64_t *needed, dtc_error *err);

/**
 * @brief The best split: the dearest stage costs as little as it can, every stage within the limit.
 *
 * Of the splits whose dearest stage costs the least it takes the one with the least sum of squares. A stage holds the
 * bytes of its items, and their activations of as many micro-batches as the schedule keeps on its rank.
 * @param pipe the job; with a limit one chunk per rank
 * @param items in the order of the model
 * @param n_items length of items, at least pp * vpp [1, 65536]
 * @param limit bytes of a stage; 0 = no limit
 * @param out array of cap parts, by stage; layers counts items
 * @param cap length of out
 * @param count parts there are: pp * vpp
 * @param gain what it gained
 * @param scratch array of n_scratch elements; may be NULL when none is needed
 * @param n_scratch length of scratch, see dtc_pipe_balance_scratch()
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_RANGE (an item, too few or too many), DTC_E_CONFLICT (no split within limit),
 *         DTC_E_SPACE, DTC_E_UNSUPPORTED (a limit with several chunks). Exact for the costs given. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_balance(const dtc_pipe *pipe, const dtc_pipe_item *items, size_t n_items,
                                                  uint64_t limit, dtc_pipe_part *out, size_t cap, size_t *count,
                                                  dtc_pipe_gain *gain, uint64_t *scratch, size_t n_scratch,
                                                  dtc_error *err);

/**
 * @brief Elements of scratch that dtc_pipe_balance() needs.
 * @param pipe the job
 * @param items number of items [1, 65536]
 * @param needed elements of 8 bytes
 * @param err may be NULL
 * @return as dtc_pipe_resolve(), DTC_E_RANGE. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_pipe_balance_scratch(const dtc_pipe *pipe, uint64_t items, uint64_t *needed,
                                                          dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif
