/* traced_optimizer_states.csv: what optimizers keep for a set of parameters, on the GPU and on the host. */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TENSORS_MOST = 4096 };

typedef struct set {
  dtc_shape shapes[TENSORS_MOST];
  size_t n;
  uint64_t numel;
} set;

typedef struct block {
  const char *name;
  const char *shapes;
} block;

/* Blocks of parameters by the name that a set begins with (README-memory.md of the vectors). */
static const block blocks[] = {
    {"llama3-8b block", "2x[4096,4096] 2x[1024,4096] 2x[14336,4096] [4096,14336] 2x[4096]"},
    {"llama2-7b block", "4x[4096,4096] 2x[11008,4096] [4096,11008] 2x[4096]"},
    {"gpt2 block", "4x[768] [768,2304] [2304] [768,768] [768] [768,3072] [3072] [3072,768] [768]"},
};

static void add(set *s, uint64_t times, uint64_t rows, uint64_t cols, uint32_t dims)
{
  for (uint64_t i = 0; i < times && s->n < TENSORS_MOST; i++) {
    s->shapes[s->n++] = (dtc_shape){.rows = rows, .cols = cols, .dims = dims};
    s->numel += rows * cols;
  }
}

/* "2x[4096,4096] [7]": what stands between is not read. */
static void add_list(set *s, const char *text)
{
  for (const char *at = strchr(text, '['); at != NULL; at = strchr(at + 1, '[')) {
    const char *begin = at;
    char *end;
    uint64_t times = 1, rows = strtoull(at + 1, &end, 10);
    uint64_t cols = *end == ',' ? strtoull(end + 1, NULL, 10) : 1;
    if (begin > text && begin[-1] == 'x') {
      begin--;
      while (begin > text && begin[-1] >= '0' && begin[-1] <= '9')
        begin--;
      times = strtoull(begin, NULL, 10);
    }
    add(s, times, rows, cols, *end == ',' ? 2 : 1);
  }
}

static const set *set_of(const char *name)
{
  static set s;
  s.n = 0;
  s.numel = 0;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    size_t len = strlen(blocks[i].name);
    if (strncmp(name, blocks[i].name, len) != 0)
      continue;
    uint64_t times = strncmp(name + len, " x", 2) == 0 ? strtoull(name + len + 2, NULL, 10) : 1;
    for (uint64_t k = 0; k < times && k < TENSORS_MOST; k++)
      add_list(&s, blocks[i].shapes);
    return &s;
  }
  uint64_t rows, cols;
  if (sscanf(name, "embedding %" SCNu64 "x%" SCNu64, &rows, &cols) == 2)
    add(&s, 1, rows, cols, 2);
  else
    add_list(&s, name);
  return &s;
}

/* Names of the vectors; nothing else of a name says what is kept. */
typedef struct named {
  const char *name;
  dtc_optimizer optimizer;
  dtc_optimizer_format format;
} named;

static const named names[] = {
    {"AdamW8bit", DTC_OPTIMIZER_ADAM, DTC_OPTIMIZER_FORMAT_INT8},
    {"AdamW4bit", DTC_OPTIMIZER_ADAM, DTC_OPTIMIZER_FORMAT_INT4},
    {"AdamWFp8", DTC_OPTIMIZER_ADAM, DTC_OPTIMIZER_FORMAT_FP8},
    {"Adam8bit", DTC_OPTIMIZER_ADAM, DTC_OPTIMIZER_FORMAT_INT8},
    {"Adam4bit", DTC_OPTIMIZER_ADAM, DTC_OPTIMIZER_FORMAT_INT4},
    {"AdamFp8", DTC_OPTIMIZER_ADAM, DTC_OPTIMIZER_FORMAT_FP8},
    {"AdEMAMix8bit", DTC_OPTIMIZER_ADEMAMIX, DTC_OPTIMIZER_FORMAT_INT8},
    {"AdEMAMix", DTC_OPTIMIZER_ADEMAMIX, DTC_OPTIMIZER_FORMAT_FULL},
    {"Adagrad8bit", DTC_OPTIMIZER_ADAGRAD, DTC_OPTIMIZER_FORMAT_INT8},
    {"RMSprop8bit", DTC_OPTIMIZER_RMSPROP, DTC_OPTIMIZER_FORMAT_INT8},
    {"LAMB8bit", DTC_OPTIMIZER_LAMB, DTC_OPTIMIZER_FORMAT_INT8},
    {"LARS8bit", DTC_OPTIMIZER_LARS, DTC_OPTIMIZER_FORMAT_INT8},
    {"Lion8bit", DTC_OPTIMIZER_LION, DTC_OPTIMIZER_FORMAT_INT8},
    {"SGD8bit", DTC_OPTIMIZER_MOMENTUM, DTC_OPTIMIZER_FORMAT_INT8},
    {"Adafactor", DTC_OPTIMIZER_ADAFACTOR, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"Adadelta", DTC_OPTIMIZER_ADADELTA, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"Adagrad", DTC_OPTIMIZER_ADAGRAD, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"Adamax", DTC_OPTIMIZER_ADAMAX, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"Adam", DTC_OPTIMIZER_ADAM, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"NAdam", DTC_OPTIMIZER_NADAM, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"RAdam", DTC_OPTIMIZER_RADAM, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"RMSprop", DTC_OPTIMIZER_RMSPROP, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"Rprop", DTC_OPTIMIZER_RPROP, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"ASGD", DTC_OPTIMIZER_ASGD, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"SGD momentum", DTC_OPTIMIZER_MOMENTUM, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"SGD", DTC_OPTIMIZER_SGD, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"Muon", DTC_OPTIMIZER_MUON, DTC_OPTIMIZER_FORMAT_DEFAULT},
    {"LAMB", DTC_OPTIMIZER_LAMB, DTC_OPTIMIZER_FORMAT_FULL},
    {"LARS", DTC_OPTIMIZER_LARS, DTC_OPTIMIZER_FORMAT_FULL},
    {"Lion", DTC_OPTIMIZER_LION, DTC_OPTIMIZER_FORMAT_FULL},
};

/* Whether the optimizer's name holds a word of a setting. */
static dtc_bool says(const golden *g, const char *word)
{
  return strstr(golden_cell(g, "optimizer"), word) != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
}

static int read_optimizer(golden *g, dtc_optimizer_spec *s)
{
  const char *name = golden_cell(g, "optimizer");
  name += strncmp(name, "Paged", 5) == 0 ? 5 : 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strncmp(name, names[i].name, strlen(names[i].name)) != 0)
      continue;
    s->optimizer = names[i].optimizer;
    s->format = names[i].format;
    return 1;
  }
  golden_refused(g, "no such optimizer");
  return 0;
}

/* The default device of the traces is the GPU, but where real tensors on the CPU stand for it. */
static int read_spec(golden *g, dtc_optimizer_spec *s)
{
  int torch = golden_is(g, "framework", "torch.optim");
  DTC_INIT(s);
  if (!read_optimizer(g, s))
    return 0;
  s->library = torch                                  ? DTC_OPTIMIZER_LIBRARY_TORCH
               : golden_is(g, "framework", "torchao") ? DTC_OPTIMIZER_LIBRARY_TORCHAO
                                                      : DTC_OPTIMIZER_LIBRARY_BITSANDBYTES;
  s->dtype = golden_is(g, "param_dtype", "f32") ? DTC_DTYPE_FP32 : DTC_DTYPE_BF16;
  s->kernel = golden_is(g, "impl", "foreach")   ? DTC_OPTIMIZER_KERNEL_FOREACH
              : golden_is(g, "impl", "fused")   ? DTC_OPTIMIZER_KERNEL_FUSED
              : golden_is(g, "impl", "forloop") ? DTC_OPTIMIZER_KERNEL_LOOP
                                                : DTC_OPTIMIZER_KERNEL_DEFAULT;
  s->amsgrad = says(g, "amsgrad");
  s->momentum = s->optimizer == DTC_OPTIMIZER_RMSPROP ? says(g, "momentum") : DTC_BOOL_DEFAULT;
  s->centered = says(g, "centered");
  s->nesterov = says(g, "nesterov");
  s->capturable = says(g, "capturable");
  s->gpu_default = torch && golden_is(g, "note", "") ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  return 1;
}

void golden_traced_optimizer_states(golden *g)
{
  const set *s = set_of(golden_cell(g, "param_set"));
  dtc_optimizer_spec spec;
  dtc_optimizer_held held;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&held);
  if (s->n != golden_number(g, "n_tensors") || s->numel != golden_number(g, "n_params")) {
    golden_refused(g, "no such set of parameters");
    return;
  }
  if (!read_spec(g, &spec) || !golden_ok(g, dtc_optimizer_bytes(s->shapes, s->n, &spec, &held, &err), &err))
    return;
  golden_u64(g, "state_bytes_device", held.device);
  golden_u64(g, "state_bytes_host", held.host);
  if (!golden_is(g, "note", "")) /* counters of real tensors on the CPU are counted with the states */
    return;
  golden_u64(g, "state_bytes_device_512", held.rounded);
  if (held.first_step != DTC_NONE)
    golden_u64(g, "peak_extra_first_step_512", held.first_step);
  if (held.later_step != DTC_NONE)
    golden_u64(g, "peak_extra_step_512", held.later_step);
}
