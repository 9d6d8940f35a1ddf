/* Layouts in one vector, tensor by tensor, and by rows: DeepSpeed's, ColossalAI's low-level and PyTorch's FSDP.
 * Sources: DeepSpeed edaa7221 runtime/zero/stage_1_and_2.py, bf16_optimizer.py, partition_parameters.py; PyTorch 2.15
 * torch/distributed/fsdp/_flat_param.py, _fully_shard/_fsdp_param.py; ColossalAI 4f9953be
 * zero/low_level/low_level_optim.py. */
#include "internal/shard.h"

/* DeepSpeed aligns the vector to two elements per rank, so that each part starts at 4 bytes (nccl_start_alignment_factor). */
enum { FLAT_ALIGNMENT = 2 };

/* The vector holds the tensors in order; with round_robin_gradients first those whose number leaves 0 when divided by the
 * world, then those that leave 1, and so on. */
dtc_status dtci_lay_flat(const dtci_laying *l, dtc_error *e)
{
  uint64_t most = l->s->round_robin == DTC_BOOL_ON ? l->s->world : 1;
  size_t rounds = most < l->n ? (size_t)most : l->n; /* with n of them each tensor is alone in its round */
  uint64_t *at = l->scratch;                         /* next place of each round */
  uint64_t used = 0;
  (void)e;
  for (size_t k = 0; k < rounds; k++)
    at[k] = 0;
  for (size_t i = 0, number = 0; i < l->n; i++) {
    at[number % rounds] += dtci_numel(&l->shapes[i]);
    number += !dtci_leaves_out(l->s, &l->shapes[i]);
  }
  for (size_t k = 0; k < rounds; k++) {
    uint64_t size = at[k];
    at[k] = used;
    used += size;
  }
  uint64_t end = dtci_round_up(used, FLAT_ALIGNMENT * l->s->world);
  for (size_t i = 0, number = 0; i < l->n; i++) {
    uint64_t start = at[number % rounds];
    l->slots[i] = (dtc_slot){.start = start, .bucket_end = end, .used = used, .owner = DTC_EVENLY};
    at[number % rounds] += dtci_numel(&l->shapes[i]);
    number += !dtci_leaves_out(l->s, &l->shapes[i]);
  }
  return DTC_OK;
}

/* Every tensor is a bucket of its own, padded to the world. */
dtc_status dtci_lay_tensors(const dtci_laying *l, dtc_error *e)
{
  uint64_t at = 0;
  (void)e;
  for (size_t i = 0; i < l->n; i++) {
    uint64_t numel = dtci_numel(&l->shapes[i]);
    uint64_t end = at + dtci_round_up(numel, l->s->world);
    l->slots[i] = (dtc_slot){at, at, end, numel, (uint32_t)i, DTC_EVENLY};
    at = end;
  }
  return DTC_OK;
}

/* One flat parameter. With use_orig_params each tensor starts at 16 bytes, and the end is padded to the world; without it
 * torch.chunk pads the last parts. */
dtc_status dtci_lay_flat_param(const dtci_laying *l, dtc_error *e)
{
  uint64_t align = l->s->orig_params == DTC_BOOL_ON ? 16 / dtci_dtype_bytes(l->s->dtype) : 1;
  uint64_t at = 0;
  (void)e;
  for (size_t i = 0; i < l->n; i++) {
    at = dtci_round_up(at, align);
    l->slots[i].start = at;
    at += dtci_numel(&l->shapes[i]);
  }
  uint64_t end = dtci_round_up(at, l->s->world);
  for (size_t i = 0; i < l->n; i++) {
    uint64_t start = l->slots[i].start;
    l->slots[i] = (dtc_slot){.start = start, .bucket_end = end, .used = at, .owner = DTC_EVENLY};
  }
  return DTC_OK;
}

/* Rows of each tensor: every rank keeps as many as the first, padded. */
dtc_status dtci_lay_rows(const dtci_laying *l, dtc_error *e)
{
  uint64_t at = 0;
  for (size_t i = 0; i < l->n; i++) {
    int bad = 0;
    uint64_t rows = dtci_ceil_div(l->shapes[i].rows, l->s->world);
    uint64_t end = dtci_add(at, dtci_mul(dtci_mul(rows, l->shapes[i].cols, &bad), l->s->world, &bad), &bad);
    if (bad || end > DTCI_END_MOST)
      return dtci_fail_overflow(e, DTC_FIELD(shape, cols), l->shapes[i].cols);
    l->slots[i] = (dtc_slot){at, at, end, dtci_numel(&l->shapes[i]), (uint32_t)i, DTC_EVENLY};
    at = end;
  }
  return DTC_OK;
}
