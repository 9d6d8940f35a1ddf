/* What the terms of a step are. Products first: an operator's forward, gradient of the input, gradient of the weight. */
#include "internal/step.h"

#define PASS(op, pass, en, zh) [DTC_OPERATOR_##op * DTCI_PASSES + DTCI_PASS_##pass] = {en, zh}
#define PRODUCT(op, en, zh)                                                                                            \
  PASS(op, FORWARD, en ", forward", zh "，前向"), PASS(op, INPUT, en ", gradient of the input", zh "，输入的梯度"),    \
      PASS(op, WEIGHT, en ", gradient of the weight", zh "，权重的梯度")
#define TEXT(x) [DTCI_STEP_TEXT_##x]
#define MOVED(x, en, zh) TEXT(x) = {en ", forward", zh "，前向"}, TEXT(x##_BACK) = {en ", backward", zh "，反向"}

const dtci_term_text dtci_step_texts[DTCI_STEP_TEXTS] = {
    PRODUCT(QKV, "query, key, value", "查询、键、值"),
    PRODUCT(ATTENTION_OUT, "attention output", "注意力输出"),
    PRODUCT(MLP, "MLP", "MLP"),
    PRODUCT(ROUTER, "router", "路由器"),
    PRODUCT(EXPERTS, "routed experts", "路由专家"),
    PRODUCT(SHARED_EXPERTS, "shared experts", "共享专家"),
    PRODUCT(HEAD, "output head", "输出头"),
    PRODUCT(MAMBA, "Mamba-2 projections", "Mamba-2 投影"),
    PASS(ATTENTION, FORWARD, "attention, forward", "注意力，前向"),
    PASS(ATTENTION, INPUT, "attention, backward", "注意力，反向"),
    MOVED(NORM, "norms", "归一化"),
    MOVED(RESIDUAL, "residual additions and dropout", "残差相加与 dropout"),
    MOVED(ROPE, "rotary positions", "旋转位置编码"),
    MOVED(UNPAD, "gathering and scattering of unpadded tokens", "去填充 token 的取出与放回"),
    MOVED(ACTIVATION, "activation function", "激活函数"),
    MOVED(SCORES, "mask, softmax and dropout of scores", "注意力分数的掩码、softmax 与 dropout"),
    MOVED(PERMUTE, "permutation of tokens to experts and back", "token 按专家重排与还原"),
    MOVED(SCALING, "scaling and casting to fp8 or fp4", "缩放并转换为 fp8 或 fp4"),
    MOVED(SCAN, "convolution and scan", "卷积与扫描"),
    MOVED(LOGITS, "cross entropy", "交叉熵"),
    TEXT(EMBEDDING) = {"embedding", "词嵌入"},
    TEXT(SUMS) = {"adding gradients to their fp32 sum", "把梯度累加到 fp32"},
    MOVED(TP, "tensor parallel messages", "张量并行通信"),
    TEXT(KEPT) = {"gathering of kept inputs that are split over tp", "按 tp 切分保存的输入的聚合"},
    MOVED(CP, "context parallel messages", "上下文并行通信"),
    MOVED(EP, "dispatch and combine", "专家分发与合并"),
    TEXT(RECOMPUTE) = {"recomputation", "重计算"},
    MOVED(HOST, "launches and gaps", "内核启动与间隙"),
    TEXT(UNIT) = {"gathering of a layer's weights, forward", "一层权重的聚合，前向"},
    TEXT(UNIT_BACK) = {"gathering of weights, reduction of gradients, backward", "权重聚合与梯度归约，反向"},
    TEXT(UNIT_ENDS) = {"messages of the first, last and embedding unit", "首、末单元与词嵌入单元的通信"},
    TEXT(HOP) = {"messages between stages", "阶段间通信"},
    TEXT(BUBBLE) = {"pipeline fills, drains and waits", "流水线的填充、排空与等待"},
    TEXT(REDUCE) = {"reduction of gradients", "梯度归约"},
    TEXT(REPLICAS) = {"reduction of gradients between replicas", "副本之间的梯度归约"},
    TEXT(TIED) = {"reduction of the tied embedding's gradients", "共享词嵌入的梯度归约"},
    TEXT(GATHER) = {"gathering of the stepped weights", "更新后权重的聚合"},
    TEXT(OPTIMIZER) = {"optimizer step, norm of gradients", "优化器更新与梯度范数"},
    TEXT(ON_HOST) = {"optimizer step on the host", "主机上的优化器更新"},
    TEXT(COPIES) = {"copies between GPU and host", "GPU 与主机之间的拷贝"},
    TEXT(NVME) = {"states to and from NVMe", "NVMe 上状态的读写"},
    TEXT(STEP) = {"host work of every step", "每步的主机工作"},
    TEXT(STRAGGLERS) = {"waiting for the slowest node", "等待最慢的节点"},
};
