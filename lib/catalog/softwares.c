/* Constants of what frameworks run with, each set on the published runs that its row names. A plan's framework takes the first
 * row that names it; dtc_step_params.software chooses any. What a setting of the plan explains is in none of them. */
#include "internal/step.h"

#define IN(x) (1u << DTC_FRAMEWORK_##x)
#define ON(row) (1u << (row))
enum { ULTRA, BLACKWELL, HOPPER, AMPERE, VOLTA };
/* clang-format off */
#define NUMBERS(hosts, gaps, steps, messages, units, tp, experts)                                                       \
  .host = hosts, .gap = gaps, .step = steps, .communication = messages, .unit_rate = units,   \
  .tp_hidden = tp, .grouped = experts
#define USUAL NUMBERS(1, 0, .001, 1, 1, .75, .9)

const dtci_software_row dtci_softwares[] = {
    {.name = "megatron", .source = "Megatron-LM 2021 to NeMo and Megatron-Bridge 26: narayanan21-*, korthikanti22-*, dgxc-*, nemo-*, bridge-*, megatron-readme-2024",
     .frameworks = IN(MEGATRON), .measured = ON(ULTRA) | ON(BLACKWELL) | ON(HOPPER) | ON(AMPERE), .doubt = {{170, 105}, {170, 105}, {430, 300}}, USUAL},
    {.name = "megatron-plain", .source = "Megatron-LM 0.14 without Megatron-Bridge's settings: simumax-b200",
     .measured = ON(BLACKWELL), .doubt = {{70, 100}, {70, 100}, {100, 155}}, NUMBERS(1, 0, .001, 1, 1, .75, .4)},
    {.name = "megatron-tests", .source = "Megatron-LM's functional tests: tiny models, deterministic, on shared hosts: megatron-ci",
     .measured = ON(BLACKWELL) | ON(HOPPER) | ON(AMPERE), .doubt = {{700, 2800}, {700, 2800}, {700, 2800}}, NUMBERS(9, 0, .001, 1, 1, .75, .4)},
    {.name = "bloom", .source = "Megatron-DeepSpeed with partitioned activation checkpoints: bigscience-tr11",
     .measured = ON(AMPERE), .doubt = {{100, 90}, {100, 90}, {430, 300}}, NUMBERS(1, 1.2e-3, .001, 1.6, 1, .75, .9)},
    {.name = "megatron-deepspeed", .source = "Megatron-DeepSpeed: vtrain-single, vtrain-multi",
     .measured = ON(AMPERE), .doubt = {{92, 204}, {215, 430}, {430, 430}}, NUMBERS(3.7, 0, .001, 1, 1, .75, .9)},
    {.name = "scaling", .source = "Aleph Alpha's scaling: aleph-alpha",
     .frameworks = IN(SCALING), .measured = ON(AMPERE), .doubt = {{87, 110}, {87, 110}, {430, 300}}, NUMBERS(1, 0, .001, 1.6, 1, .75, .9)},
    {.name = "internevo", .source = "InternEvo: internevo, internevo-flops",
     .measured = ON(AMPERE), .doubt = {{55, 110}, {55, 110}, {430, 300}}, NUMBERS(1, 0, .5, 1, 1, .75, .9)},
    {.name = "fsdp", .source = "torch FSDP: constants of composer, torchtitan and maxtext",
     .frameworks = IN(PYTORCH), .measured = ON(HOPPER) | ON(AMPERE), .doubt = {{170, 150}, {170, 150}, {430, 300}}, USUAL, .unit_slow = 1},
    {.name = "composer", .source = "MosaicML's Composer with torch FSDP: llm-foundry",
     .measured = ON(HOPPER) | ON(AMPERE), .doubt = {{100, 110}, {100, 110}, {430, 300}}, USUAL, .unit_slow = 1, .unpads = 1},
    {.name = "torchtitan", .source = "TorchTitan: torchtitan",
     .frameworks = IN(TORCHTITAN), .measured = ON(HOPPER) | ON(AMPERE), .doubt = {{150, 130}, {150, 130}, {430, 300}}, NUMBERS(1, 0, .001, 1, 1, .6, .9), .unit_slow = 1, .cp_uneven = 1, .narrow = 1},
    {.name = "deepspeed", .source = "no run of today's DeepSpeed or ColossalAI is in the tables: constants of fsdp, Ulysses",
     .frameworks = IN(DEEPSPEED) | IN(COLOSSALAI), .doubt = {{170, 150}, {170, 150}, {430, 300}}, USUAL, .unit_slow = 1, .cp_heads = 1},
    {.name = "deepspeed-2021", .source = "DeepSpeed ZeRO-3 of 2021: narayanan21-tab2, three runs",
     .measured = ON(AMPERE), .doubt = {{170, 150}, {170, 150}, {430, 300}}, NUMBERS(1, 0, .001, 1, .11, .75, .9), .unit_slow = 1},
    {.name = "maxtext", .source = "MaxText: dgxc-maxtext-*", .measured = ON(HOPPER), .doubt = {{58, 125}, {58, 125}, {430, 300}}, USUAL, .unit_slow = 1},
    {.name = "pax", .source = "Pax: dgxc-pax-*", .measured = ON(HOPPER), .doubt = {{50, 80}, {50, 80}, {430, 300}}, NUMBERS(1, 0, .001, 1, .5, .75, .9), .unit_slow = 1},
};
/* clang-format on */
const uint32_t dtci_softwares_count = sizeof dtci_softwares / sizeof dtci_softwares[0];

const dtci_step_constants dtci_step_shared = {
    .most = .815,
    .tile_loss = .4,
    .unaligned = .05,
    .hbm = .62,
    .host = {.27e-3, .39e-3},
    .gap = {.15e-3, .15e-3},
    .moe_host = 3.7e-3,
    .graphed = .6,
    .pp_exposed = .5,
    .cp_hides = .7,
    .exchange_rate = .8,
    .exchange_floor = 20e-6,
    .unit_slow = .5,
    .permute = 22,
    .flex = .5,
    .logit = 11,
    .recipe = {10, 8.5, 22, 8.5, 8.5},
    .embedding = 6,
    .whole = 8,
    .stragglers = .004,
    /* Microsoft DeepSpeed: its Adam on the host moves 30 bytes a parameter at about half of the memory's rate. */
    .host_rate = .5,
    .host_step = 30,
    .copy_rate = .8,
};
