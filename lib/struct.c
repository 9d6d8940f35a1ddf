/* Size-first structs in and out, the generated field tables, versions. */
#include "internal/catalog.h"
#include "internal/settings.h"

#include <dtcore.h>

enum { STRUCT_MAX = 4096 };

/* Size of each struct in the first release, frozen with it (a caller's may not be smaller), and today's, so that growth is
 * a conscious edit. Records are frozen whole. */
#define STRUCTS(X)                                                                                                     \
  X(error, 80, 80)                                                                                                     \
  X(model, 304, 304)                                                                                                   \
  X(params, 208, 208)                                                                                                  \
  X(tensor, 64, 64)                                                                                                    \
  X(cluster, 216, 216)                                                                                                 \
  X(plan, 456, 456)                                                                                                    \
  X(stage, 64, 64)                                                                                                     \
  X(model_states, 48, 48)                                                                                              \
  X(memory, 240, 240)                                                                                                  \
  X(memory_held, 80, 80)                                                                                               \
  X(min_gpus, 48, 48)                                                                                                  \
  X(max_setting, 48, 48)                                                                                               \
  X(estimator_call, 80, 80)                                                                                            \
  X(estimator_result, 152, 152)                                                                                        \
  X(optimizer_spec, 48, 48)                                                                                            \
  X(optimizer_held, 48, 48)                                                                                            \
  X(layout, 144, 144)                                                                                                  \
  X(placement, 56, 56)                                                                                                 \
  X(slurm, 40, 40)                                                                                                     \
  X(mpi, 72, 72)                                                                                                       \
  X(shards, 152, 152)                                                                                                  \
  X(shard_totals, 88, 88)                                                                                              \
  X(tracing, 40, 40)                                                                                                   \
  X(trace, 80, 80)                                                                                                     \
  X(chunks, 40, 40)                                                                                                    \
  X(shard_bytes, 96, 96)                                                                                               \
  X(lint, 32, 32)                                                                                                      \
  X(offload_bytes, 56, 56)                                                                                             \
  X(reshard, 80, 80)                                                                                                   \
  X(reshard_sums, 40, 40)                                                                                              \
  X(checkpoint, 104, 104)                                                                                              \
  X(nccl, 184, 184)                                                                                                    \
  X(pipe, 112, 112)                                                                                                    \
  X(pipe_split, 96, 96)                                                                                                \
  X(collective_call, 64, 64)                                                                                           \
  X(collective_time, 72, 72)                                                                                           \
  X(verdict, 48, 48)                                                                                                   \
  X(collective_law, 48, 48)                                                                                            \
  X(exchange, 56, 56)                                                                                                  \
  X(moe_call, 64, 64)                                                                                                  \
  X(moe_time, 64, 64)                                                                                                  \
  X(step, 232, 232)                                                                                                    \
  X(step_rate, 88, 88)                                                                                                 \
  X(step_params, 72, 72)                                                                                               \
  X(step_fitted, 64, 64)                                                                                               \
  X(run_call, 104, 104)                                                                                                \
  X(run, 136, 136)                                                                                                     \
  X(space, 112, 112)                                                                                                   \
  X(search, 80, 80)                                                                                                    \
  X(alloc, 96, 96)                                                                                                     \
  X(launch, 56, 56)                                                                                                    \
  X(traits, 120, 120)                                                                                                  \
  X(wishes, 32, 32)
#define RECORDS(X)                                                                                                     \
  X(ledger_row, 32, 32)                                                                                                \
  X(axis, 24, 24)                                                                                                      \
  X(group_kind, 32, 32)                                                                                                \
  X(group, 40, 40)                                                                                                     \
  X(task, 16, 16)                                                                                                      \
  X(shape, 32, 32)                                                                                                     \
  X(slot, 40, 40)                                                                                                      \
  X(fragment, 32, 32)                                                                                                  \
  X(batch, 32, 32)                                                                                                     \
  X(slice, 16, 16)                                                                                                     \
  X(module, 8, 8)                                                                                                      \
  X(bucket, 48, 48)                                                                                                    \
  X(message, 32, 32)                                                                                                   \
  X(reshard_item, 40, 40)                                                                                              \
  X(reshard_box, 64, 64)                                                                                               \
  X(nccl_row, 32, 32)                                                                                                  \
  X(nccl_choice, 40, 40)                                                                                               \
  X(nccl_range, 24, 24)                                                                                                \
  X(pipe_op, 8, 8)                                                                                                     \
  X(pipe_held, 16, 16)                                                                                                 \
  X(pipe_step, 8, 8)                                                                                                   \
  X(pipe_part, 40, 40)                                                                                                 \
  X(pipe_item, 24, 24)                                                                                                 \
  X(pipe_gain, 32, 32)                                                                                                 \
  X(pipe_cost, 40, 40)                                                                                                 \
  X(pipe_time, 16, 16)                                                                                                 \
  X(pipe_rank, 48, 48)                                                                                                 \
  X(pipe_totals, 64, 64)                                                                                               \
  X(timing, 16, 16)                                                                                                    \
  X(memory_remedy, 48, 48)                                                                                             \
  X(traffic, 16, 16)                                                                                                   \
  X(memory_term, 48, 48)                                                                                               \
  X(step_term, 80, 80)                                                                                                 \
  X(step_sample, 56, 56)                                                                                               \
  X(found, 40, 40)                                                                                                     \
  X(candidate, 80, 80)                                                                                                 \
  X(advice, 96, 96)

#define IS_TODAYS(noun, first, today) _Static_assert(sizeof(dtc_##noun) == (today), #noun);
STRUCTS(IS_TODAYS)
RECORDS(IS_TODAYS)

static uint32_t first_size(uint32_t noun)
{
#define FIRST(noun, first, today)                                                                                      \
  case DTC_STRUCT_##noun:                                                                                              \
    return first;
  switch (noun) {
    STRUCTS(FIRST)
  default:
    return 0;
  }
}

uint32_t dtc_version(void)
{
  return DTC_VERSION;
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *dtc_version_string(void)
{
  return TEXT(DTC_VERSION_MAJOR) "." TEXT(DTC_VERSION_MINOR) "." TEXT(DTC_VERSION_PATCH);
}

const dtci_struct *dtci_struct_of(uint32_t number)
{
  /* The first ones lie by their numbers. */
  if (number - 1 < dtci_structs_count && dtci_structs[number - 1].number == number)
    return &dtci_structs[number - 1];
  for (uint32_t i = 0; i < dtci_structs_count; i++)
    if (dtci_structs[i].number == number)
      return &dtci_structs[i];
  return NULL;
}

const dtci_field *dtci_field_of(uint32_t field)
{
  const dtci_struct *s = dtci_struct_of(field >> 16);
  for (uint32_t i = 0; s != NULL && i < s->count; i++)
    if (dtci_fields[s->first + i].offset == (field & 0xffff))
      return &dtci_fields[s->first + i];
  return NULL;
}

uint32_t dtc_struct_size(uint32_t number)
{
  const dtci_struct *s = dtci_struct_of(number);
  return s != NULL ? s->size : 0;
}

static dtc_status size_error(uint32_t noun, uint32_t size, dtc_error *e)
{
  dtci_fail(e, DTC_E_SIZE, DTC_RULE_STRUCT_SIZE, noun << 16, size);
  e->min = first_size(noun);
  e->max = STRUCT_MAX;
  return DTC_E_SIZE;
}

static uint32_t size_of(const void *user)
{
  uint32_t size = 0;
  if (user != NULL)
    memcpy(&size, user, sizeof size);
  return size;
}

static int size_ok(uint32_t noun, uint32_t size)
{
  return size >= first_size(noun) && size <= STRUCT_MAX;
}

/* What the caller has of a struct of `size` bytes; the rest is zero. */
static void read_struct(void *local, uint32_t known, const unsigned char *user, uint32_t size)
{
  if (size < known)
    memset(local, 0, known);
  memcpy(local, user, size < known ? size : known);
  memcpy(local, &known, sizeof known);
}

static dtc_status in_sized(void *local, uint32_t noun, const unsigned char *bytes, uint32_t size, dtc_error *e)
{
  uint32_t known = dtc_struct_size(noun);
  if (!size_ok(noun, size))
    return size_error(noun, size, e);
  for (uint32_t i = known; i < size; i++)
    if (bytes[i] != 0) {
      dtci_fail(e, DTC_E_NEWER, DTC_RULE_STRUCT_NEWER, noun << 16, i);
      e->max = known;
      return DTC_E_NEWER;
    }
  read_struct(local, known, bytes, size);
  return dtci_ranges(local, noun, e);
}

dtc_status dtci_in(void *local, uint32_t noun, const void *user, dtc_error *e)
{
  return in_sized(local, noun, user, size_of(user), e);
}

dtc_status dtci_in_at(void *local, uint32_t noun, const void *array, size_t i, dtc_error *e)
{
  uint32_t stride = size_of(array);
  return in_sized(local, noun, (const unsigned char *)array + i * stride, stride, e);
}

void dtci_read_at(void *local, uint32_t noun, const void *array, size_t i)
{
  uint32_t stride = size_of(array);
  read_struct(local, dtc_struct_size(noun), (const unsigned char *)array + i * stride, stride);
}

/* The caller's promise holds for its own size only; what it has beyond ours reads as zero, "not known". */
static void write_struct(void *user, uint32_t size, const void *local, uint32_t known)
{
  uint32_t shared = size < known ? size : known;
  memcpy(user, local, shared);
  if (size > known)
    memset((unsigned char *)user + known, 0, size - known);
  memcpy(user, &size, sizeof size);
}

dtc_status dtci_out_ok(const void *user, uint32_t noun, dtc_error *e)
{
  uint32_t size = size_of(user);
  return size_ok(noun, size) ? DTC_OK : size_error(noun, size, e);
}

dtc_status dtci_out(void *user, uint32_t noun, const void *local, dtc_error *e)
{
  TRY(dtci_out_ok(user, noun, e));
  write_struct(user, size_of(user), local, dtc_struct_size(noun));
  return DTC_OK;
}

dtc_status dtci_out_at(void *array, size_t i, uint32_t noun, const void *local, dtc_error *e)
{
  uint32_t stride = size_of(array);
  if (!size_ok(noun, stride))
    return size_error(noun, stride, e);
  write_struct((unsigned char *)array + i * stride, stride, local, dtc_struct_size(noun));
  return DTC_OK;
}

static int f64_in_range(double v, const dtci_field *f)
{
  double min = dtci_double_of(f->min);
  double max = dtci_double_of(f->max);
  return v >= min && v <= max; /* false for NaN */
}

/* Most fields are numbers of 8 bytes, most others enums of 4. First field that is not in its range; `end` when all are. */
static const dtci_field *first_outside(const unsigned char *local, const dtci_field *f, const dtci_field *end)
{
  for (; f != end; f++) {
    const unsigned char *at = local + f->offset;
    uint64_t wide = 0;
    uint32_t narrow = 0;
    double real = 0;
    if (f->type == DTCI_U64) {
      memcpy(&wide, at, sizeof wide);
    } else if (f->type < DTCI_F64) {
      memcpy(&narrow, at, sizeof narrow);
      wide = narrow;
    } else if (f->type == DTCI_F64) {
      memcpy(&real, at, sizeof real);
      if (f64_in_range(real, f))
        continue;
      return f;
    } else {
      wide = dtci_read(local, f);
    }
    if (wide < f->min || wide > f->max)
      return f;
  }
  return end;
}

dtc_status dtci_ranges(const void *local, uint32_t noun, dtc_error *e)
{
  const dtci_struct *s = dtci_struct_of(noun);
  const dtci_field *first = &dtci_fields[s != NULL ? s->first : 0];
  const dtci_field *end = first + (s != NULL ? s->count : 0);
  const dtci_field *f = first_outside(local, first, end);
  return f == end ? DTC_OK : dtci_fail_range(e, noun << 16 | f->offset, dtci_read(local, f), f->min, f->max);
}

size_t dtci_field_size(const dtci_field *f)
{
  switch (f->type) {
  case DTCI_U64:
  case DTCI_F64:
    return 8;
  case DTCI_U16:
    return 2;
  case DTCI_U8:
    return 1;
  default:
    return 4;
  }
}

uint64_t dtci_read(const void *local, const dtci_field *f)
{
  uint64_t v = 0;
  uint32_t small = 0;
  uint16_t half = 0;
  const unsigned char *at = (const unsigned char *)local + f->offset;
  switch (dtci_field_size(f)) {
  case 8:
    memcpy(&v, at, sizeof v);
    return v;
  case 2:
    memcpy(&half, at, sizeof half);
    return half;
  case 1:
    return *at;
  default:
    memcpy(&small, at, sizeof small);
    return small;
  }
}

void dtci_write(void *local, const dtci_field *f, uint64_t v)
{
  uint32_t small = (uint32_t)v;
  uint16_t half = (uint16_t)v;
  unsigned char *at = (unsigned char *)local + f->offset;
  switch (dtci_field_size(f)) {
  case 8:
    memcpy(at, &v, sizeof v);
    break;
  case 2:
    memcpy(at, &half, sizeof half);
    break;
  case 1:
    *at = (unsigned char)v;
    break;
  default:
    memcpy(at, &small, sizeof small);
  }
}

const char *dtc_field_name(uint32_t field)
{
  static const char args[][16] = {
      "?",
      [DTC_ARG_INDEX] = "index",
      [DTC_ARG_NAME] = "name",
      [DTC_ARG_TEXT] = "text",
      [DTC_ARG_STAGES] = "stages",
      [DTC_ARG_PARAMS] = "params",
      [DTC_ARG_SEQ] = "seq",
      [DTC_ARG_CONVENTION] = "convention",
      [DTC_ARG_OUT] = "out",
      [DTC_ARG_KIND] = "kind",
      [DTC_ARG_RANK] = "rank",
      [DTC_ARG_RANKS] = "ranks",
      [DTC_ARG_OFFSET] = "offset",
      [DTC_ARG_COORD] = "coord",
      [DTC_ARG_PART] = "part",
      [DTC_ARG_GROUP] = "group",
      [DTC_ARG_DOMAIN] = "domain",
      [DTC_ARG_AXES] = "axes",
      [DTC_ARG_LEAVES] = "leaves",
      [DTC_ARG_CPUS] = "cpus",
      [DTC_ARG_TASK_CPUS] = "cpus_per_task",
      [DTC_ARG_ORDER] = "order",
      [DTC_ARG_WORKERS] = "workers",
      [DTC_ARG_HOSTS] = "hosts",
      [DTC_ARG_HOSTFILE] = "hostfile",
      [DTC_ARG_SHAPES] = "shapes",
      [DTC_ARG_SLOTS] = "slots",
      [DTC_ARG_SCRATCH] = "scratch",
      [DTC_ARG_TENSOR] = "tensor",
      [DTC_ARG_ELEMENT] = "element",
      [DTC_ARG_MODULES] = "modules",
      [DTC_ARG_TP] = "tp",
      [DTC_ARG_MICRO_BATCHES] = "micro_batches",
      [DTC_ARG_OFFLOAD] = "offload",
      [DTC_ARG_SOURCE] = "source_slots",
      [DTC_ARG_TARGET] = "target_slots",
      [DTC_ARG_SOURCE_TP] = "source_tp",
      [DTC_ARG_TARGET_TP] = "target_tp",
      [DTC_ARG_FORM] = "form",
      [DTC_ARG_OPS] = "ops",
      [DTC_ARG_COSTS] = "costs",
      [DTC_ARG_TIMES] = "times",
      [DTC_ARG_LATENCY] = "latency",
      [DTC_ARG_TRANSFER] = "transfer",
      [DTC_ARG_SENDS] = "sends",
      [DTC_ARG_CHUNK] = "chunk",
      [DTC_ARG_LAYOUT] = "layout",
      [DTC_ARG_WEIGHTS] = "weights",
      [DTC_ARG_ITEMS] = "items",
      [DTC_ARG_LIMIT] = "limit",
      [DTC_ARG_OP] = "op",
      [DTC_ARG_LAST] = "last",
      [DTC_ARG_BYTES] = "bytes",
      [DTC_ARG_FRACTION] = "fraction",
      [DTC_ARG_SECONDS] = "seconds",
      [DTC_ARG_POINTS] = "points",
      [DTC_ARG_MATRIX] = "matrix",
      [DTC_ARG_ALGORITHM] = "algorithm",
      [DTC_ARG_ALPHA] = "alpha",
      [DTC_ARG_BETA] = "beta",
      [DTC_ARG_GAMMA] = "gamma",
      [DTC_ARG_SAMPLES] = "samples",
      [DTC_ARG_AXIS] = "axis",
      [DTC_ARG_NUMBER] = "number",
      [DTC_ARG_FIRST] = "first",
      [DTC_ARG_STEP] = "step",
      [DTC_ARG_MOMENT] = "moment",
      [DTC_ARG_MICRO_BATCH] = "micro_batch",
      [DTC_ARG_SCRIPT] = "script",
      [DTC_ARG_TOLD] = "told",
      [DTC_ARG_LANG] = "lang",
      [DTC_ARG_BANDWIDTH] = "bandwidth",
  };
  uint32_t low = field & 0xffff;
  if (field >> 16 == DTC_STRUCT_arg)
    return args[low < sizeof args / sizeof args[0] && args[low][0] != 0 ? low : 0];
  if (field >> 16 == DTC_STRUCT_hf)
    return low < dtci_hf_keys_count ? dtci_hf_keys[low].key : "?";
  if (field >> 16 == DTC_STRUCT_setting)
    return dtci_setting_name(field);
  const dtci_field *f = dtci_field_of(field);
  return f != NULL ? f->name : "?";
}

static const char *rule_name(uint64_t rule)
{
  for (uint32_t i = 0; i < dtci_rule_names_count; i++)
    if (dtci_rule_names[i].rule == rule)
      return dtci_rule_names[i].name;
  return "?";
}

const char *dtc_value_name(uint32_t field, uint64_t value)
{
  if (field == DTC_FIELD(error, rule))
    return rule_name(value);
  if (field >> 16 == DTC_STRUCT_setting)
    return dtci_setting_value_name(field, value);
  const dtci_field *f = dtci_field_of(field);
  if (f == NULL || (f->type != DTCI_ENUM && f->type != DTCI_BOOL))
    return "?";
  for (uint32_t i = 0; i < dtci_values_count; i++)
    if (dtci_values[i].enum_id == f->enum_id && dtci_values[i].value == value)
      return dtci_values[i].name;
  return "?";
}

uint64_t dtci_value_of(uint8_t enum_id, const char *name, size_t len)
{
  for (uint32_t i = 0; i < dtci_values_count; i++)
    if (dtci_values[i].enum_id == enum_id && dtci_same(name, len, dtci_values[i].name))
      return dtci_values[i].value;
  return DTC_NONE;
}
