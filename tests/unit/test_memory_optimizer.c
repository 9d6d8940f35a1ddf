/* What optimizers keep: by hand from the code of torch, bitsandbytes and torchao; the vectors hold many more. */
#include "check.h"

static const dtc_shape block[] = {{.rows = 4096, .cols = 16}, {.rows = 7, .cols = 1}, {.rows = 64, .cols = 64}};
enum { N = 3, P = 4096 * 16 + 7 + 4096 };

static dtc_optimizer_spec spec_of(dtc_optimizer optimizer, dtc_dtype dtype)
{
  dtc_optimizer_spec s;
  DTC_INIT(&s);
  s.optimizer = optimizer;
  s.dtype = dtype;
  return s;
}

static dtc_optimizer_held held(const dtc_shape *shapes, size_t n, const dtc_optimizer_spec *s)
{
  dtc_optimizer_held h;
  dtc_error e;
  DTC_INIT(&h);
  DTC_INIT(&e);
  check_ok(dtc_optimizer_bytes(shapes, n, s, &h, &e), &e);
  return h;
}

/* States as large as each tensor, in its type, and counters, of torch.optim. */
static void torch_keeps_the_type_of_the_tensor(void **state)
{
  (void)state;
  static const struct {
    dtc_optimizer optimizer;
    uint64_t states, counters;
  } rows[] = {
      {DTC_OPTIMIZER_ADAM, 2, 1},     {DTC_OPTIMIZER_SGD, 0, 0},   {DTC_OPTIMIZER_MOMENTUM, 1, 0},
      {DTC_OPTIMIZER_ADAMAX, 2, 1},   {DTC_OPTIMIZER_NADAM, 2, 2}, {DTC_OPTIMIZER_RADAM, 2, 1},
      {DTC_OPTIMIZER_ADAGRAD, 1, 1},  {DTC_OPTIMIZER_RPROP, 2, 1}, {DTC_OPTIMIZER_RMSPROP, 1, 1},
      {DTC_OPTIMIZER_ADADELTA, 2, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (dtc_dtype dtype = DTC_DTYPE_BF16; dtype <= DTC_DTYPE_FP32; dtype++) {
      uint64_t size = dtype == DTC_DTYPE_FP32 ? 4 : 2;
      dtc_optimizer_spec s = spec_of(rows[i].optimizer, dtype);
      dtc_optimizer_held h = held(block, N, &s);
      assert_int_equal(h.device, rows[i].states * size * P);
      assert_int_equal(h.host, rows[i].counters * 4 * N);
    }
  dtc_optimizer_spec s = spec_of(DTC_OPTIMIZER_ASGD, DTC_DTYPE_BF16); /* step, eta and mu beside the parameter */
  assert_int_equal(held(block, N, &s).device, 2 * P + 12 * N);
  assert_int_equal(held(block, N, &s).host, 0);
  s = spec_of(DTC_OPTIMIZER_ADAM, DTC_DTYPE_BF16); /* a tensor's own type wins */
  const dtc_shape one = {.rows = 10, .cols = 10, .dtype = DTC_DTYPE_FP32};
  assert_int_equal(held(&one, 1, &s).device, 800);
}

static void settings_add_states_and_move_counters(void **state)
{
  (void)state;
  dtc_optimizer_spec s = spec_of(DTC_OPTIMIZER_ADAM, DTC_DTYPE_FP32);
  s.amsgrad = DTC_BOOL_ON;
  assert_int_equal(held(block, N, &s).device, 12 * P);
  s.capturable = DTC_BOOL_ON;
  assert_int_equal(held(block, N, &s).device, 12 * P + 4 * N);
  s = spec_of(DTC_OPTIMIZER_ADAM, DTC_DTYPE_FP32);
  s.kernel = DTC_OPTIMIZER_KERNEL_FUSED;
  assert_int_equal(held(block, N, &s).host, 0);
  s.kernel = DTC_OPTIMIZER_KERNEL_DEFAULT;
  s.gpu_default = DTC_BOOL_ON; /* adam.py says device="cpu" */
  assert_int_equal(held(block, N, &s).host, 4 * N);
  s = spec_of(DTC_OPTIMIZER_RMSPROP, DTC_DTYPE_FP32);
  s.momentum = s.centered = s.gpu_default = DTC_BOOL_ON;
  assert_int_equal(held(block, N, &s).device, 12 * P + 4 * N);
  assert_int_equal(held(block, N, &s).host, 0);
}

static void adafactor_keeps_rows_and_columns(void **state)
{
  (void)state;
  dtc_optimizer_spec s = spec_of(DTC_OPTIMIZER_ADAFACTOR, DTC_DTYPE_FP32);
  assert_int_equal(held(block, N, &s).device, 4 * (4096 + 16 + 7 + 64 + 64));
  assert_int_equal(held(block, N, &s).later_step, DTC_NONE);
}

/* 4096 * 16 and 64 * 64 are quantized, 7 is not. */
static void quantized_states(void **state)
{
  (void)state;
  dtc_optimizer_spec s = spec_of(DTC_OPTIMIZER_ADAM8, DTC_DTYPE_BF16);
  uint64_t blocks = (65536 + 4096) / 256;
  assert_int_equal(held(block, N, &s).device, 2 * (65536 + 4096 + 4 * blocks + 4 * 7 + 1024)); /* bitsandbytes */
  s.library = DTC_OPTIMIZER_LIBRARY_TORCHAO;
  assert_int_equal(held(block, N, &s).device, 2 * (65536 + 4096 + 4 * blocks + 2 * 7 + 2 * 1024));
  s.format = DTC_OPTIMIZER_FORMAT_FP8;
  assert_int_equal(held(block, N, &s).device, 2 * (65536 + 4096 + 4 * blocks + 2 * 7));
  s.optimizer = DTC_OPTIMIZER_ADAM;
  s.format = DTC_OPTIMIZER_FORMAT_INT4;
  assert_int_equal(held(block, N, &s).device, 2 * ((65536 + 4096) / 2 + 8 * blocks + 2 * 7 + 2 * 64));
  const dtc_shape odd = {.rows = 5000, .cols = 1}; /* not whole blocks: torchao keeps it, bitsandbytes begins a block */
  assert_int_equal(held(&odd, 1, &s).device, 2 * 2 * 5000);
  s = spec_of(DTC_OPTIMIZER_LION, DTC_DTYPE_BF16);
  assert_int_equal(held(&odd, 1, &s).device, 4 * 5000);
  s.format = DTC_OPTIMIZER_FORMAT_INT8;
  assert_int_equal(held(&odd, 1, &s).device, 5000 + 4 * 20 + 1024);
  s.optimizer = DTC_OPTIMIZER_LAMB;
  assert_int_equal(held(&odd, 1, &s).device, 2 * (5000 + 4 * 20 + 1024) + 4);
  s.optimizer = DTC_OPTIMIZER_ADEMAMIX;
  assert_int_equal(held(&odd, 1, &s).device, 3 * (5000 + 4 * 20) + 2 * 1024);
}

/* 1024 * 1024 and 512 in fp32: 4 MiB and 2 KiB. */
static void what_a_step_adds(void **state)
{
  (void)state;
  const dtc_shape two[] = {{.rows = 512, .cols = 1}, {.rows = 1024, .cols = 1024}};
  const uint64_t small = 2048, large = 4194304;
  dtc_optimizer_spec s = spec_of(DTC_OPTIMIZER_ADAM, DTC_DTYPE_FP32);
  assert_int_equal(held(two, 2, &s).later_step, small + large);
  assert_int_equal(held(two, 2, &s).first_step, 3 * (small + large));
  s.kernel = DTC_OPTIMIZER_KERNEL_LOOP;
  assert_int_equal(held(two, 2, &s).later_step, small + 2 * large);
  s.kernel = DTC_OPTIMIZER_KERNEL_FUSED;
  assert_int_equal(held(two, 2, &s).later_step, 0);
  assert_int_equal(held(two, 2, &s).first_step, 2 * (small + large) + 2 * 512); /* a counter takes 512 bytes */
  s = spec_of(DTC_OPTIMIZER_ADADELTA, DTC_DTYPE_FP32);
  s.kernel = DTC_OPTIMIZER_KERNEL_LOOP;
  const dtc_shape back[] = {two[1], two[0]};
  assert_int_equal(held(back, 2, &s).later_step, 2 * large + small);
  s = spec_of(DTC_OPTIMIZER_MOMENTUM, DTC_DTYPE_FP32);
  assert_int_equal(held(two, 2, &s).later_step, 0);
  s.nesterov = DTC_BOOL_ON;
  assert_int_equal(held(two, 2, &s).later_step, small + large);
  s = spec_of(DTC_OPTIMIZER_MUON, DTC_DTYPE_FP32);
  assert_int_equal(held(&two[1], 1, &s).later_step, DTC_NONE);
}

static void refused(dtc_optimizer_spec s, dtc_rule rule, uint32_t field)
{
  dtc_optimizer_held h;
  dtc_error e;
  DTC_INIT(&h);
  DTC_INIT(&e);
  assert_int_equal(dtc_optimizer_bytes(block, N, &s, &h, &e), DTC_E_UNSUPPORTED);
  assert_int_equal(e.rule, rule);
  assert_int_equal(e.field, field);
}

static void what_a_library_has_not_is_refused(void **state)
{
  (void)state;
  dtc_optimizer_spec s = spec_of(DTC_OPTIMIZER_LION, DTC_DTYPE_BF16);
  s.library = DTC_OPTIMIZER_LIBRARY_TORCH;
  refused(s, DTC_RULE_OPT_LIBRARY, DTC_FIELD(optimizer_spec, library));
  s = spec_of(DTC_OPTIMIZER_ADAM, DTC_DTYPE_BF16);
  s.format = DTC_OPTIMIZER_FORMAT_INT8;
  refused(s, DTC_RULE_OPT_SETTING, DTC_FIELD(optimizer_spec, format));
  s = spec_of(DTC_OPTIMIZER_RMSPROP, DTC_DTYPE_BF16);
  s.kernel = DTC_OPTIMIZER_KERNEL_FUSED;
  refused(s, DTC_RULE_OPT_SETTING, DTC_FIELD(optimizer_spec, kernel));
  s.kernel = DTC_OPTIMIZER_KERNEL_DEFAULT;
  s.amsgrad = DTC_BOOL_ON;
  refused(s, DTC_RULE_OPT_SETTING, DTC_FIELD(optimizer_spec, amsgrad));
  s = spec_of(DTC_OPTIMIZER_SGD, DTC_DTYPE_BF16);
  s.capturable = DTC_BOOL_ON;
  refused(s, DTC_RULE_OPT_SETTING, DTC_FIELD(optimizer_spec, capturable));
  refused(spec_of(DTC_OPTIMIZER_MUON, DTC_DTYPE_BF16), DTC_RULE_OPT_SHAPE, DTC_FIELD(shape, dims));
}

static void arguments_are_checked(void **state)
{
  (void)state;
  const dtc_shape huge[] = {{.rows = UINT64_C(1) << 40, .cols = UINT64_C(1) << 40}};
  dtc_optimizer_spec s = spec_of(DTC_OPTIMIZER_ADAM, DTC_DTYPE_BF16);
  dtc_optimizer_held h;
  dtc_error e;
  DTC_INIT(&h);
  DTC_INIT(&e);
  assert_int_not_equal(dtc_optimizer_bytes(huge, 1, &s, &h, &e), DTC_OK);
  assert_int_equal(dtc_optimizer_bytes(block, N, NULL, &h, &e), DTC_E_SIZE);
  s.optimizer = 99;
  assert_int_equal(dtc_optimizer_bytes(block, N, &s, &h, &e), DTC_E_RANGE);
  assert_int_equal(e.field, DTC_FIELD(optimizer_spec, optimizer));
  assert_int_equal(h.device, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torch_keeps_the_type_of_the_tensor),
      cmocka_unit_test(settings_add_states_and_move_counters),
      cmocka_unit_test(adafactor_keeps_rows_and_columns),
      cmocka_unit_test(quantized_states),
      cmocka_unit_test(what_a_step_adds),
      cmocka_unit_test(what_a_library_has_not_is_refused),
      cmocka_unit_test(arguments_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
