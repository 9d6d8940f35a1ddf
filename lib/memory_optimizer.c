/* What an optimizer keeps for a list of tensors, and what its step adds.
 * Sources: torch 2.15, bitsandbytes 0.50.2 and torchao 0.18, see catalog/optimizers.c. */
#include "internal/optimizers.h"
#include "internal/shard.h"
#include <dtcore/memory.h>

/* bitsandbytes and torchao keep smaller tensors as they are; a table of 256, or 16, values translates the codes. */
enum { QUANTIZED_LEAST = 4096, BLOCK = 256, BLOCK4 = 128, MAP = 4 * 256, MAP4 = 4 * 16, FP32 = 4, ALLOCATED = 512 };

typedef struct run {
  dtc_optimizer_spec spec; /* defaults filled; of adam8 that of adam */
  const dtci_optimizer_row *row;
  uint64_t states;    /* of the settings, as large as the tensor */
  int beside;         /* counters lie on the GPU */
  uint64_t params;    /* bytes of all tensors, each rounded */
  uint64_t before;    /* bytes of the tensor before, rounded */
  uint64_t loop;      /* most that the for-loop holds */
  uint64_t quantized; /* tensors whose states are quantized */
  dtc_optimizer_held o;
  int bad;
} run;

/* ---- settings -------------------------------------------------------------------------------- */

static dtc_status fail_setting(uint32_t field, uint64_t got, dtc_error *e)
{
  return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_OPT_SETTING, field, got);
}

static void fill(dtc_optimizer_spec *s)
{
  int eight = s->optimizer == DTC_OPTIMIZER_ADAM8;
  if (s->optimizer == DTC_OPTIMIZER_DEFAULT || eight)
    s->optimizer = DTC_OPTIMIZER_ADAM;
  if (s->library == DTC_OPTIMIZER_LIBRARY_DEFAULT)
    s->library = eight || !dtci_optimizers[s->optimizer].torch ? DTC_OPTIMIZER_LIBRARY_BITSANDBYTES
                                                               : DTC_OPTIMIZER_LIBRARY_TORCH;
  if (s->format == DTC_OPTIMIZER_FORMAT_DEFAULT)
    s->format =
        eight || s->library == DTC_OPTIMIZER_LIBRARY_TORCHAO ? DTC_OPTIMIZER_FORMAT_INT8 : DTC_OPTIMIZER_FORMAT_FULL;
  if (s->dtype == DTC_DTYPE_DEFAULT)
    s->dtype = DTC_DTYPE_BF16;
}

/* The library has the optimizer, and stores states so. */
static dtc_status check_library(const dtc_optimizer_spec *s, const dtci_optimizer_row *row, dtc_error *e)
{
  const uint8_t has[] = {0, row->torch, row->bitsandbytes, row->torchao};
  static const uint8_t formats[] = {
      0, 1 << DTC_OPTIMIZER_FORMAT_FULL, 1 << DTC_OPTIMIZER_FORMAT_FULL | 1 << DTC_OPTIMIZER_FORMAT_INT8,
      1 << DTC_OPTIMIZER_FORMAT_INT8 | 1 << DTC_OPTIMIZER_FORMAT_INT4 | 1 << DTC_OPTIMIZER_FORMAT_FP8};
  if (!has[s->library])
    return dtci_fail(e, DTC_E_UNSUPPORTED, DTC_RULE_OPT_LIBRARY, DTC_FIELD(optimizer_spec, library), s->library);
  if ((formats[s->library] >> s->format & 1) == 0)
    return fail_setting(DTC_FIELD(optimizer_spec, format), s->format, e);
  return DTC_OK;
}

/* Settings that only some optimizers have. */
static dtc_status check_settings(const dtc_optimizer_spec *s, const dtci_optimizer_row *row, dtc_error *e)
{
  int torch = s->library == DTC_OPTIMIZER_LIBRARY_TORCH;
  int adam = s->optimizer == DTC_OPTIMIZER_ADAM && s->library != DTC_OPTIMIZER_LIBRARY_BITSANDBYTES;
  int rmsprop = torch && s->optimizer == DTC_OPTIMIZER_RMSPROP;
  int fused = s->kernel == DTC_OPTIMIZER_KERNEL_FUSED;
  if (s->kernel != DTC_OPTIMIZER_KERNEL_DEFAULT && (!torch || (fused && !row->fused)))
    return fail_setting(DTC_FIELD(optimizer_spec, kernel), s->kernel, e);
  if (s->amsgrad == DTC_BOOL_ON && !adam)
    return fail_setting(DTC_FIELD(optimizer_spec, amsgrad), s->amsgrad, e);
  if (s->momentum == DTC_BOOL_ON && !rmsprop)
    return fail_setting(DTC_FIELD(optimizer_spec, momentum), s->momentum, e);
  if (s->centered == DTC_BOOL_ON && !rmsprop)
    return fail_setting(DTC_FIELD(optimizer_spec, centered), s->centered, e);
  if (s->nesterov == DTC_BOOL_ON && !(torch && s->optimizer == DTC_OPTIMIZER_MOMENTUM))
    return fail_setting(DTC_FIELD(optimizer_spec, nesterov), s->nesterov, e);
  if (s->capturable == DTC_BOOL_ON && !(torch && row->capturable))
    return fail_setting(DTC_FIELD(optimizer_spec, capturable), s->capturable, e);
  if (s->gpu_default == DTC_BOOL_ON && !torch)
    return fail_setting(DTC_FIELD(optimizer_spec, gpu_default), s->gpu_default, e);
  return DTC_OK;
}

static dtc_status spec_in(const dtc_optimizer_spec *spec, run *r, dtc_error *e)
{
  dtc_optimizer_spec *s = &r->spec;
  TRY(dtci_in(s, DTC_STRUCT_optimizer_spec, spec, e));
  fill(s);
  r->row = &dtci_optimizers[s->optimizer];
  TRY(check_library(s, r->row, e));
  TRY(check_settings(s, r->row, e));
  r->states = (uint64_t)r->row->states + (uint64_t)(s->amsgrad == DTC_BOOL_ON) +
              (uint64_t)(s->momentum == DTC_BOOL_ON) + (uint64_t)(s->centered == DTC_BOOL_ON);
  r->beside = s->kernel == DTC_OPTIMIZER_KERNEL_FUSED || s->capturable == DTC_BOOL_ON ||
              r->row->counter == DTCI_COUNTER_BESIDE ||
              (r->row->counter == DTCI_COUNTER_DEFAULT && s->gpu_default == DTC_BOOL_ON);
  return DTC_OK;
}

/* ---- states ---------------------------------------------------------------------------------- */

static void keep(run *r, uint64_t times, uint64_t bytes)
{
  uint64_t rounded = dtci_mul(dtci_ceil_div(bytes, ALLOCATED), ALLOCATED, &r->bad);
  r->o.device = dtci_add(r->o.device, dtci_mul(times, bytes, &r->bad), &r->bad);
  r->o.rounded = dtci_add(r->o.rounded, dtci_mul(times, rounded, &r->bad), &r->bad);
}

static void torch_states(run *r, const dtc_shape *shape, uint64_t size)
{
  if (r->spec.optimizer == DTC_OPTIMIZER_ADAFACTOR && dtci_dims(shape) == 2) {
    keep(r, 1, dtci_mul(size, shape->rows, &r->bad));
    keep(r, 1, dtci_mul(size, shape->cols, &r->bad));
  } else if (r->spec.optimizer == DTC_OPTIMIZER_ADAFACTOR) {
    keep(r, 1, dtci_mul(size, dtci_numel(shape), &r->bad));
  } else {
    keep(r, r->states, dtci_mul(size, dtci_numel(shape), &r->bad));
  }
  if (r->beside)
    keep(r, r->row->counters, FP32);
  else
    r->o.host = dtci_add(r->o.host, (uint64_t)FP32 * r->row->counters, &r->bad);
}

/* fp32 states, or codes with a scale per block that has begun; the tables are shared. */
static void bitsandbytes_states(run *r, uint64_t numel)
{
  keep(r, r->row->scalars, FP32);
  if (r->spec.format == DTC_OPTIMIZER_FORMAT_FULL || numel < QUANTIZED_LEAST) {
    keep(r, r->states, dtci_mul(FP32, numel, &r->bad));
    return;
  }
  keep(r, r->states, numel);
  keep(r, r->states, dtci_mul(FP32, dtci_ceil_div(numel, BLOCK), &r->bad));
  if (r->quantized++ == 0)
    keep(r, r->row->maps, MAP);
}

/* States of the tensor's type unless whole blocks make it up; each state has its own table, fp8 none. */
static void torchao_states(run *r, uint64_t numel, uint64_t size)
{
  int four = r->spec.format == DTC_OPTIMIZER_FORMAT_INT4;
  uint64_t block = four ? BLOCK4 : BLOCK;
  if (numel < QUANTIZED_LEAST || numel % block != 0) {
    keep(r, r->states, dtci_mul(size, numel, &r->bad));
    return;
  }
  keep(r, r->states, four ? numel / 2 : numel);
  keep(r, r->states, dtci_mul(FP32, numel / block, &r->bad));
  if (r->spec.format != DTC_OPTIMIZER_FORMAT_FP8)
    keep(r, r->states, four ? MAP4 : MAP);
}

/* ---- the step -------------------------------------------------------------------------------- */

/* What a tensor adds to copies of all of them, and to the most that the for-loop holds. */
static void look_at(run *r, uint64_t bytes)
{
  uint64_t now = dtci_mul(dtci_ceil_div(bytes, ALLOCATED), ALLOCATED, &r->bad);
  r->params = dtci_add(r->params, now, &r->bad);
  for (int i = 0; i < 2; i++) {
    const dtci_optimizer_loop *l = &r->row->loop[i];
    uint64_t held = dtci_add(dtci_mul(l->before, r->before, &r->bad), dtci_mul(l->now, now, &r->bad), &r->bad);
    if (r->spec.nesterov == DTC_BOOL_ON)
      held = dtci_mul(2, now, &r->bad);
    r->loop = held > r->loop ? held : r->loop;
  }
  r->before = now;
}

/* What a step adds beside its states; DTC_NONE is not known. */
static uint64_t temporaries(run *r, uint64_t tensors)
{
  int capturable = r->spec.capturable == DTC_BOOL_ON;
  uint64_t scalars = capturable ? dtci_mul(2 * ALLOCATED, tensors, &r->bad) : 0;
  uint64_t copies = r->spec.nesterov == DTC_BOOL_ON ? 1 : r->row->foreach;
  if (r->spec.library != DTC_OPTIMIZER_LIBRARY_TORCH)
    return DTC_NONE;
  if (r->spec.kernel == DTC_OPTIMIZER_KERNEL_FUSED)
    return 0;
  if (r->spec.kernel == DTC_OPTIMIZER_KERNEL_LOOP)
    return r->row->loop_known && !capturable ? r->loop : DTC_NONE;
  if (copies == DTCI_COPIES_UNKNOWN || (capturable && r->row->capturable < 2))
    return DTC_NONE;
  return dtci_add(dtci_mul(copies, r->params, &r->bad), scalars, &r->bad);
}

/* The for-loop of Nesterov's momentum takes its first states while it needs less. */
static void step_of(run *r, uint64_t tensors)
{
  int odd = r->spec.nesterov == DTC_BOOL_ON && r->spec.kernel == DTC_OPTIMIZER_KERNEL_LOOP;
  r->o.later_step = temporaries(r, tensors);
  r->o.first_step = DTC_NONE;
  if (r->o.later_step != DTC_NONE && r->row->first_known && !odd)
    r->o.first_step = dtci_add(r->o.rounded, r->o.later_step, &r->bad);
}

static dtc_status sum_up(run *r, const dtc_shape *shapes, size_t n, dtc_error *e)
{
  for (size_t i = 0; i < n; i++) {
    dtc_dtype dtype = shapes[i].dtype != DTC_DTYPE_DEFAULT ? shapes[i].dtype : r->spec.dtype;
    uint64_t size = dtci_dtype_bytes(dtype);
    uint64_t numel = dtci_numel(&shapes[i]);
    uint32_t dims = dtci_dims(&shapes[i]);
    if (dims < r->row->dims[0] || dims > r->row->dims[1])
      return dtci_fail_within(e, DTC_E_UNSUPPORTED, DTC_RULE_OPT_SHAPE, DTC_FIELD(shape, dims), dims, r->row->dims[0],
                              r->row->dims[1]);
    if (r->spec.library == DTC_OPTIMIZER_LIBRARY_TORCH)
      torch_states(r, &shapes[i], size);
    else if (r->spec.library == DTC_OPTIMIZER_LIBRARY_BITSANDBYTES)
      bitsandbytes_states(r, numel);
    else
      torchao_states(r, numel, size);
    look_at(r, dtci_mul(size, numel, &r->bad));
  }
  step_of(r, n);
  return r->bad ? dtci_fail_overflow(e, DTCI_ARG(SHAPES), n) : DTC_OK;
}

dtc_status dtc_optimizer_bytes(const dtc_shape *shapes, size_t n_shapes, const dtc_optimizer_spec *spec,
                               dtc_optimizer_held *out, dtc_error *err)
{
  dtc_error e;
  uint64_t numel;
  run r = {.o = {.struct_size = sizeof r.o}};
  if (!dtci_begin(&e, err))
    return DTC_E_SIZE;
  dtc_status s = spec_in(spec, &r, &e);
  if (s == DTC_OK)
    s = dtci_shapes_in(shapes, n_shapes, &numel, &e);
  if (s == DTC_OK)
    s = sum_up(&r, shapes, n_shapes, &e);
  return dtci_end(s != DTC_OK ? s : dtci_out(out, DTC_STRUCT_optimizer_held, &r.o, &e), &e, err);
}
