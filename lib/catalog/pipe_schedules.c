/* Which schedules a framework has, and what it asks of a job.
 * Sources: Megatron-LM d98e8a64 core/pipeline_parallel/schedules.py and training/arguments.py; zero-bubble 39f2c186
 * megatron/core/pipeline_parallel/zerobubble/scheduler; DualPipe 3da1bbea; PyTorch 00722e64 distributed/pipelining/
 * schedules.py; DeepSpeed edaa7221 runtime/pipe/schedule.py; ColossalAI 4f9953be pipeline/schedule; TorchTitan b5bcd76c
 * distributed/pipeline_parallel.py (chunks: one, or at least two). */
#include "internal/pipeline_order.h"

enum { MOST = 1024 }; /* chunks */

#define FORWARD_ONLY DTCI_PIPE_HAS_FORWARD_ONLY
#define MOE_OVERLAP DTCI_PIPE_HAS_MOE_OVERLAP
#define P2P_OVERLAP DTCI_PIPE_HAS_P2P_OVERLAP

#define ROW(name, whose, where, by, ops, usual, lowest, highest)                                                       \
  .schedule = DTC_SCHEDULE_##name, .framework = DTC_FRAMEWORK_##whose, .place = DTCI_PIPE_##where,                     \
  .maker = DTCI_PIPE_##by, .rows = (ops), .chunks = (usual), .chunks_min = (lowest), .chunks_max = (highest)

const dtci_pipe_row dtci_pipe_schedules[] = {
    {ROW(GPIPE, PYTORCH, LOOP, PHASES, 2, 1, 1, 1), .settings = FORWARD_ONLY},
    {ROW(GPIPE, TORCHTITAN, LOOP, PHASES, 2, 1, 1, 1), .settings = FORWARD_ONLY},
    {ROW(1F1B, MEGATRON, LOOP, 1F1B, 2, 1, 1, 1), .settings = FORWARD_ONLY},
    {ROW(1F1B, PYTORCH, LOOP, 1F1B, 2, 1, 1, 1), .least = 1, .settings = FORWARD_ONLY},
    {ROW(1F1B, TORCHTITAN, LOOP, 1F1B, 2, 1, 1, 1), .least = 1, .settings = FORWARD_ONLY},
    {ROW(1F1B, DEEPSPEED, LOOP, 1F1B, 2, 1, 1, 1), .settings = FORWARD_ONLY},
    {ROW(1F1B, COLOSSALAI, LOOP, 1F1B, 2, 1, 1, 1), .settings = FORWARD_ONLY},
    {ROW(INTERLEAVED, MEGATRON, LOOP, 1F1B, 2, 2, 2, MOST), .divides = DTCI_PIPE_REST, .groups = DTCI_PIPE_GROUP_GIVEN,
     .least = 1, .settings = FORWARD_ONLY | MOE_OVERLAP | P2P_OVERLAP},
    {ROW(INTERLEAVED, PYTORCH, LOOP, 1F1B, 2, 2, 1, MOST), .divides = DTCI_PIPE_ROUNDS,
     .groups = DTCI_PIPE_GROUP_ROUNDS, .settings = FORWARD_ONLY},
    {ROW(INTERLEAVED, TORCHTITAN, LOOP, 1F1B, 2, 2, 2, MOST), .divides = DTCI_PIPE_ROUNDS,
     .groups = DTCI_PIPE_GROUP_ROUNDS, .settings = FORWARD_ONLY},
    {ROW(INTERLEAVED, COLOSSALAI, LOOP, 1F1B, 2, 2, 2, MOST), .divides = DTCI_PIPE_MULTIPLE,
     .groups = DTCI_PIPE_GROUP_PP, .settings = FORWARD_ONLY},
    {ROW(VPP, MEGATRON, LOOP, 1F1B, 2, 2, 2, MOST), .divides = DTCI_PIPE_MULTIPLE, .groups = DTCI_PIPE_GROUP_PP},
    {ROW(LOOPED_BFS, PYTORCH, LOOP, PHASES, 2, 2, 1, MOST), .settings = FORWARD_ONLY},
    {ROW(LOOPED_BFS, TORCHTITAN, LOOP, PHASES, 2, 2, 2, MOST), .settings = FORWARD_ONLY},
    {ROW(GROUP_INTERLEAVED, MEGATRON, LOOP, GENERATED_GROUP, 3, 2, 2, MOST), .groups = DTCI_PIPE_GROUP_SMALL},
    {ROW(ZBV, PYTORCH, V, ZBV, 3, 2, 2, 2)},
    {ROW(ZBV, TORCHTITAN, V, ZBV, 3, 2, 2, 2)},
    {ROW(ZBV, MEGATRON, V, GENERATED_ZBV, 3, 2, 2, 2), .limit = 2, .freed = {7, 32}},
    {ROW(ZBV, COLOSSALAI, V, GENERATED_ZBV, 3, 2, 2, 2), .limit = 2, .freed = {384, 1024}},
    {ROW(V_HALF, MEGATRON, V, GENERATED_V, 3, 2, 2, 2)},
    {ROW(V_MIN, MEGATRON, V, GENERATED_V, 3, 2, 2, 2)},
    {ROW(1F1B_V, MEGATRON, V, GENERATED_1F1B_V, 2, 2, 2, 2)},
    {ROW(DUALPIPE_V, PYTORCH, V, EIGHT, 2, 2, 2, 2), .least = 2},
    {ROW(DUALPIPE_V, TORCHTITAN, V, EIGHT, 2, 2, 2, 2), .least = 2},
    {ROW(DUALPIPE, MEGATRON, DUAL, EIGHT, 2, 2, 2, 2), .divides = DTCI_PIPE_EVEN, .least = 2, .settings = FORWARD_ONLY},
    {ROW(INTERLEAVED_ZB, PYTORCH, LOOP, ZB1P, 3, 1, 1, MOST), .divides = DTCI_PIPE_ROUNDS,
     .groups = DTCI_PIPE_GROUP_ROUNDS, .settings = FORWARD_ONLY},
    {ROW(INTERLEAVED_ZB, TORCHTITAN, LOOP, ZB1P, 3, 2, 2, MOST), .divides = DTCI_PIPE_ROUNDS,
     .groups = DTCI_PIPE_GROUP_ROUNDS, .settings = FORWARD_ONLY},
    {ROW(ZB_H1, MEGATRON, LOOP, GENERATED_ZB, 3, 1, 1, 1), .limit = 1, .freed = {0, 1}},
    {ROW(ZB_H2, MEGATRON, LOOP, GENERATED_ZB, 3, 1, 1, 1), .limit = 2, .freed = {0, 1}},
};
const uint32_t dtci_pipe_schedules_count = sizeof dtci_pipe_schedules / sizeof dtci_pipe_schedules[0];
