/* What the terms of a step are. Products first: an operator's forward, gradient of the input, gradient of the weight. */
#include "internal/step.h"

#define PRODUCT(op, name)                                                                                              \
  [DTC_OPERATOR_##op * DTCI_PASSES +                                                                                   \
      DTCI_PASS_FORWARD] = name ", forward",                                                                           \
      [DTC_OPERATOR_##op * DTCI_PASSES + DTCI_PASS_INPUT] = name ", gradient of the input",                            \
      [DTC_OPERATOR_##op * DTCI_PASSES + DTCI_PASS_WEIGHT] = name ", gradient of the weight"
#define TEXT(x) [DTCI_STEP_TEXT_##x]
#define MOVED(x, name) TEXT(x) = name ", forward", TEXT(x##_BACK) = name ", backward"

const char dtci_step_texts[DTCI_STEP_TEXTS][64] = {
    PRODUCT(QKV, "query, key, value"),
    PRODUCT(ATTENTION_OUT, "attention output"),
    PRODUCT(MLP, "MLP"),
    PRODUCT(ROUTER, "router"),
    PRODUCT(EXPERTS, "routed experts"),
    PRODUCT(SHARED_EXPERTS, "shared experts"),
    PRODUCT(HEAD, "output head"),
    PRODUCT(MAMBA, "Mamba-2 projections"),
    [DTC_OPERATOR_ATTENTION * DTCI_PASSES + DTCI_PASS_FORWARD] = "attention, forward",
    [DTC_OPERATOR_ATTENTION * DTCI_PASSES + DTCI_PASS_INPUT] = "attention, backward",
    MOVED(NORM, "norms"),
    MOVED(RESIDUAL, "residual additions and dropout"),
    MOVED(ROPE, "rotary positions"),
    MOVED(UNPAD, "gathering and scattering of unpadded tokens"),
    MOVED(ACTIVATION, "activation function"),
    MOVED(SCORES, "mask, softmax and dropout of scores"),
    MOVED(PERMUTE, "permutation of tokens to experts and back"),
    MOVED(SCALING, "scaling and casting to fp8 or fp4"),
    MOVED(SCAN, "convolution and scan"),
    MOVED(LOGITS, "cross entropy"),
    TEXT(EMBEDDING) = "embedding",
    TEXT(SUMS) = "adding gradients to their fp32 sum",
    TEXT(TP) = "tensor parallel messages, forward",
    TEXT(TP_BACK) = "tensor parallel messages, backward",
    TEXT(KEPT) = "gathering of kept inputs that are split over tp",
    TEXT(CP) = "context parallel messages, forward",
    TEXT(CP_BACK) = "context parallel messages, backward",
    TEXT(EP) = "dispatch and combine, forward",
    TEXT(EP_BACK) = "dispatch and combine, backward",
    TEXT(RECOMPUTE) = "recomputation",
    TEXT(HOST) = "launches and gaps, forward",
    TEXT(HOST_BACK) = "launches and gaps, backward",
    TEXT(UNIT) = "gathering of a layer's weights, forward",
    TEXT(UNIT_BACK) = "gathering of weights, reduction of gradients, backward",
    TEXT(UNIT_ENDS) = "messages of the first, last and embedding unit",
    TEXT(HOP) = "messages between stages",
    TEXT(BUBBLE) = "pipeline fills, drains and waits",
    TEXT(REDUCE) = "reduction of gradients",
    TEXT(REDUCE_EXPERTS) = "reduction of the experts' gradients",
    TEXT(REPLICAS) = "reduction of gradients between replicas",
    TEXT(TIED) = "reduction of the tied embedding's gradients",
    TEXT(GATHER) = "gathering of the stepped weights",
    TEXT(OPTIMIZER) = "optimizer step, norm of gradients",
    TEXT(ON_HOST) = "optimizer step on the host",
    TEXT(COPIES) = "copies between GPU and host",
    TEXT(NVME) = "states to and from NVMe",
    TEXT(ACTIVATIONS) = "activations to and from the host",
    TEXT(STEP) = "host work of every step",
    TEXT(STRAGGLERS) = "waiting for the slowest node",
};
