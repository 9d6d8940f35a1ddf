/* Sizes in pasted messages: the wordings of PyTorch, NumPy and nvidia-smi, and what they leave open. */
#include "check.h"

static const uint64_t mib = 1 << 20;
static const uint64_t gib = 1 << 30;

static dtc_alloc read_text(const char *text)
{
  dtc_alloc a;
  dtc_error err;
  DTC_INIT(&a);
  DTC_INIT(&err);
  check_ok(dtc_explain_read(text, strlen(text), &a, &err), &err);
  return a;
}

/* "12.94 GiB" is what it says, rounded to two decimals. */
static void check_printed(uint64_t bytes, double gibs)
{
  double apart = (double)bytes / (double)gib - gibs;
  assert_true(apart < 1e-8 && apart > -1e-8);
}

static void old_wordings_are_read(void **state)
{
  (void)state;
  dtc_alloc a = read_text(
      "RuntimeError: CUDA out of memory. Tried to allocate 388.00 MiB (GPU 0; 23.70 GiB total capacity; 22.60 "
      "GiB already allocated; 50.81 MiB free; 22.90 GiB reserved in total by PyTorch) If reserved memory "
      "is >> allocated memory try setting max_split_size_mb");
  assert_true(a.kind == DTC_ALLOC_KIND_REQUEST && a.device == DTC_ALLOC_DEVICE_GPU && a.bytes == 388 * mib);
  /* Any tensor that rounds up to what is printed, 387.995 to 388.005 MiB, and what was not rounded. */
  assert_true(a.low == 386 * mib + 1 && a.high == 388 * mib + 5242);
  check_printed(a.capacity, 23.70);
  check_printed(a.allocated, 22.60);
  check_printed(a.reserved, 22.90);
  check_printed(a.free, 50.81 / 1024);
  assert_int_equal(a.offset, 52);
  assert_int_equal(a.in_use, 0);
  a = read_text("CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.43 GiB total capacity; 6.88 GiB already "
                "allocated; 4.94 MiB free; 1.21 MiB cached)");
  assert_true(a.low == mib + 1 && a.high >= 20 * mib && a.high < 20 * mib + 8192);
  assert_true(a.reserved > 0 && a.reserved < 2 * mib);
}

static void new_wordings_are_read(void **state)
{
  (void)state;
  dtc_alloc a = read_text(
      "step 3\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.94 GiB. GPU 3 has a total capacity of "
      "79.35 GiB of "
      "which 1.20 GiB is free. Process 77 has 3.00 GiB memory in use. Including non-PyTorch memory, this process has "
      "75.13 GiB "
      "memory in use. Of the allocated memory 72.65 GiB is allocated by PyTorch, with 33.88 MiB allocated in private "
      "pools (e.g., "
      "CUDA Graphs), and 1.50 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large\n"
      "CUDA out of memory. Tried to allocate 99.00 GiB.");
  check_printed(a.bytes, 12.94);
  check_printed(a.capacity, 79.35);
  check_printed(a.free, 1.20);
  check_printed(a.in_use, 75.13);
  check_printed(a.allocated, 72.65);
  check_printed(a.reserved, 74.15);
  a = read_text("HIP out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacty of 63.98 GiB");
  assert_true(a.device == DTC_ALLOC_DEVICE_GPU && a.bytes == 2 * mib && a.low == 1);
  check_printed(a.capacity, 63.98);
}

static void other_devices_are_read(void **state)
{
  (void)state;
  dtc_alloc a =
      read_text("NPU out of memory. Tried to allocate 26.44 GiB (NPU 1; 60.96 GiB total capacity; 30.23 GiB already "
                "allocated; 30.23 GiB current active; 4.70 GiB free; 30.58 GiB reserved in total by PyTorch)");
  assert_int_equal(a.device, DTC_ALLOC_DEVICE_NPU);
  check_printed(a.bytes, 26.44);
  check_printed(a.free, 4.70);
  a = read_text("[enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
                "allocate 180355072 bytes. Error code 12 (Cannot allocate memory)");
  assert_true(a.device == DTC_ALLOC_DEVICE_HOST && a.bytes == 180355072 && a.low == 180355072 && a.high == 180355072);
  /* NumPy prints three digits; shape and type say the rest. */
  a = read_text(
      "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 172. MiB for an array with shape (4096, 11008) and "
      "data type float32");
  assert_true(a.device == DTC_ALLOC_DEVICE_HOST && a.low == 180355072 && a.high == 180355072);
  a = read_text("Unable to allocate 1.00 GiB for an array with shape (32768, 32768) and data type bool");
  assert_true(a.low == gib && a.high == gib);
  a = read_text("Unable to allocate 172. MiB for an array with shape (4096, ?) and data type float32");
  assert_true(a.low < 172 * mib && a.high > 172 * mib);
}

static void bare_sizes_are_read(void **state)
{
  (void)state;
  dtc_alloc a = read_text("16.83 GiB");
  check_printed(a.bytes, 16.83);
  assert_true(a.kind == DTC_ALLOC_KIND_REQUEST && a.low < a.bytes - 5000000 && a.high > a.bytes + 5000000);
  a = read_text("180355072");
  assert_true(a.bytes == 180355072 && a.high == 180355072 && a.low == 170 * mib + 1);
  a = read_text("14678 MiB after init");
  assert_true(a.kind == DTC_ALLOC_KIND_DEVICE && a.bytes == 14678 * mib && a.low == a.bytes - mib / 2);
  a = read_text("| 45%   56C    P0   250W / 400W |  14678MiB / 40960MiB |");
  assert_true(a.kind == DTC_ALLOC_KIND_DEVICE && a.bytes == 14678 * mib && a.capacity == 40960 * mib);
  a = read_text("12.5 GB allocated");
  assert_true(a.kind == DTC_ALLOC_KIND_ALLOCATED && a.bytes == 12500000000);
}

/* A comma stands before each three digits, or what it means is not known. */
static void commas_part_thousands(void **state)
{
  (void)state;
  dtc_alloc a = read_text("CUDA out of memory. Tried to allocate 1,024.00 MiB (GPU 0; 81,251.25 MiB total capacity; "
                          "79,35 GiB already allocated)");
  assert_true(a.bytes == gib && a.offset == 38 && a.allocated == 0);
  check_printed(a.capacity, 81251.25 / 1024);
  assert_int_equal(read_text("180,355,072").bytes, 180355072);
  assert_int_equal(read_text("you tried to allocate 180,355,072 bytes").bytes, 180355072);
  assert_int_equal(read_text("14,678MiB / 40,960MiB").capacity, 40960 * mib);
  check_printed(read_text("GPUs 0,1: 16.83 GiB, 2 of 4").bytes, 16.83);
  a = read_text("Unable to allocate 172. MiB for an array with shape (4096,11008) and data type float32");
  assert_int_equal(a.low, 180355072);
}

static void check_refused(const char *text, dtc_status status, dtc_rule rule)
{
  dtc_alloc a;
  dtc_error err;
  DTC_INIT(&a);
  DTC_INIT(&err);
  a.bytes = 7;
  assert_int_equal(dtc_explain_read(text, text == NULL ? 0 : strlen(text), &a, &err), status);
  assert_true(err.rule == rule && a.bytes == 7);
}

static void what_has_no_size_is_refused(void **state)
{
  (void)state;
  static char log[4096];
  check_refused(NULL, DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT);
  check_refused("", DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT);
  check_refused("CUDA out of memory.", DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT);
  check_refused("Tried to allocate more than 1EB memory.", DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT);
  check_refused("1234567890123456789012345 GiB", DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT);
  check_refused("999999999 TiB", DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT);
  check_refused("0", DTC_E_RANGE, DTC_RULE_RANGE);
  check_refused("Tried to allocate 0 bytes", DTC_E_RANGE, DTC_RULE_RANGE);
  /* A number somewhere in a log is no size. */
  memset(log, 'x', sizeof log - 1);
  memcpy(log + 100, " 16.83 GiB ", 11);
  check_refused(log, DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT);
  memcpy(log + 3000, " Tried to allocate 16.83 GiB. ", 30);
  check_printed(read_text(log).bytes, 16.83);
}

static void other_commas_are_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"16,83 GiB",
                                      "Tried to allocate 16,83 GiB.",
                                      "Tried to allocate 16,83 GiB. GPU 0 has 79.35 GiB",
                                      "step 5: 16,83 GiB",
                                      "Unable to allocate 16,8 GiB for an array",
                                      "1234,567 MiB",
                                      "1,0245 MiB",
                                      "1,024,00 MiB",
                                      "0,123 GiB",
                                      "1.024,00 MiB",
                                      "1.024,000 MiB",
                                      "5,16.83 GiB",
                                      "16,83",
                                      "1,2,3 GiB"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    check_refused(texts[i], DTC_E_PARSE, DTC_RULE_EXPLAIN_TEXT);
}

/* Wherever a message is cut, it is read or refused. */
static void cut_messages_are_read_or_refused(void **state)
{
  (void)state;
  static const char text[] =
      "CUDA out of memory. Tried to allocate 12.94 GiB. GPU 3 has a total capacity of 79.35 GiB of which 1.20 "
      "GiB is free. Unable to allocate 172. MiB for an array with shape (4096, 11008) and data type float32";
  for (size_t from = 0; from < sizeof text - 1; from++)
    for (size_t len = 0; from + len < sizeof text; len++) {
      dtc_alloc a;
      DTC_INIT(&a);
      dtc_status s = dtc_explain_read(text + from, len, &a, NULL);
      assert_true(s == DTC_OK ? a.bytes != 0 && a.low <= a.bytes && a.bytes <= a.high && a.offset < len
                              : s == DTC_E_PARSE || s == DTC_E_RANGE);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(old_wordings_are_read),       cmocka_unit_test(new_wordings_are_read),
      cmocka_unit_test(other_devices_are_read),      cmocka_unit_test(bare_sizes_are_read),
      cmocka_unit_test(commas_part_thousands),       cmocka_unit_test(other_commas_are_refused),
      cmocka_unit_test(what_has_no_size_is_refused), cmocka_unit_test(cut_messages_are_read_or_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
