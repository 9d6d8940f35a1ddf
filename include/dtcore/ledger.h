/**
 * @file ledger.h
 * @brief What the operators of a layer compute and keep. Experimental: not under the ABI promise.
 *
 * The one place that knows what a layer does: memory.h and step.h are sums over these rows.
 */
#ifndef DTCORE_LEDGER_H
#define DTCORE_LEDGER_H

#include <dtcore/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kind of a layer. */
typedef uint32_t dtc_layer_kind;
enum {
  DTC_LAYER_KIND_DENSE = 1,     /**< transformer layer with a dense MLP */
  DTC_LAYER_KIND_MOE = 2,       /**< transformer layer with routed experts */
  DTC_LAYER_KIND_HEAD = 3,      /**< final norm, output head and loss */
  DTC_LAYER_KIND_MAMBA = 4,     /**< Megatron hybrid: Mamba-2 mixer */
  DTC_LAYER_KIND_ATTENTION = 5, /**< Megatron hybrid: attention alone */
  DTC_LAYER_KIND_MLP = 6,       /**< Megatron hybrid: an MLP alone */
  DTC_LAYER_KIND_ENCODER = 7,   /**< Megatron's T5: encoder layer; dense is one of the decoder, with cross attention */
};

/** Operator of a layer. */
typedef uint32_t dtc_operator;
enum {
  DTC_OPERATOR_NONE = 0,
  DTC_OPERATOR_NORM = 1,           /**< norms and their inputs */
  DTC_OPERATOR_QKV = 2,            /**< query, key and value projections, MLA's included */
  DTC_OPERATOR_QK_NORM = 3,        /**< norms of queries and keys */
  DTC_OPERATOR_ATTENTION = 4,      /**< attention core: scores, softmax, values */
  DTC_OPERATOR_ATTENTION_OUT = 5,  /**< attention output projection */
  DTC_OPERATOR_MLP = 6,            /**< dense MLP */
  DTC_OPERATOR_ROUTER = 7,         /**< router and token permutation */
  DTC_OPERATOR_EXPERTS = 8,        /**< routed experts */
  DTC_OPERATOR_SHARED_EXPERTS = 9, /**< shared experts */
  DTC_OPERATOR_DROPOUT = 10,       /**< hidden dropout */
  DTC_OPERATOR_HEAD = 11,          /**< output head */
  DTC_OPERATOR_LOSS = 12,          /**< cross entropy */
  DTC_OPERATOR_MAMBA = 13,         /**< Mamba-2 mixer: projections, convolution, scan, gated norm */
};

/** One operator of one layer: figures for one micro-batch on one rank. */
typedef struct dtc_ledger_row {
  dtc_operator op;       /**< operator */
  uint32_t pad;          /**< 0 */
  uint64_t saved;        /**< bytes kept from forward to backward */
  double forward_flops;  /**< FLOPs of forward, matrix products only, causal half of the scores, a Mamba-2
                              scan left out */
  double backward_flops; /**< FLOPs of backward, without recomputation */
} dtc_ledger_row;

/**
 * @brief Operators of a layer under a plan, as the plan's framework runs them.
 * @param model what is trained
 * @param plan how it is split
 * @param kind kind of layer
 * @param rows array of cap rows
 * @param cap length of rows
 * @param count rows there are
 * @param err may be NULL
 * @return as dtc_plan_resolve(), DTC_E_SPACE (*count was written), DTC_E_RANGE for kind, DTC_E_CONFLICT (the model has
 *         no such layer). Saved bytes: exact for Megatron-Core 0.16.1's local modules, all layers and recomputation by
 *         module, with tensor and sequence parallelism, but for the causal mask that a layer makes when its fused softmax
 *         is refused, which all layers share; with Transformer Engine a model, see doc/formulas/memory.md. Without tensor parallelism: exact
 *         up to 24 bytes a layer for Llama, Qwen2, Qwen3 and GPT-2 in transformers 5.24, and for Llama and Qwen3 in
 *         TorchTitan 0.3.0; else a model. Since 1.0.
 */
DTC_API DTC_NODISCARD dtc_status dtc_ledger_rows(const dtc_model *model, const dtc_plan *plan, dtc_layer_kind kind,
                                                 dtc_ledger_row *rows, size_t cap, size_t *count, dtc_error *err);

#ifdef __cplusplus
}
#endif
#endif
