/* A program of the release that tests/abi/frozen describes: built from those texts alone, linked with a library that has
 * its symbols and nothing in them (stub.c), and run with today's. It holds today's library to what it was promised:
 * every symbol is there, structs are at least as long, fields lie where they lay, values have their numbers, every
 * function takes the old structs, writes no further, and gives the status of old; exact answers are what they were.
 * usage: program ANSWERS: the file of old statuses; without it prints them. */
#include "dtcore.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>

enum { GUARD = 0xA5, SCRATCH_WORDS = 4096 };

static int failed;

static void must(int ok, const char *what, const char *name)
{
  if (!ok)
    fprintf(stderr, "abi: old program: %s: %s\n", name, what);
  failed |= !ok;
}

/* ---- what the texts say, asked of the library ---------------------------------------------------------------- */

static void check_structs(void)
{
#define X(noun, number, sized)                                                                                         \
  must(dtc_struct_size(number) >= sizeof(dtc_##noun), "the library knows less of it", #noun);                          \
  must((sized) || dtc_struct_size(number) == sizeof(dtc_##noun), "a record has another size", #noun);
  STRUCTS(X)
#undef X
}

static void check_fields(void)
{
#define X(noun, number, member)                                                                                        \
  must(strcmp(dtc_field_name((uint32_t)(number) << 16 | (uint32_t)offsetof(dtc_##noun, member)), #member) == 0,        \
       "the field is no longer where it was", #noun "." #member);
  FIELDS(X)
#undef X
}

static void check_values(void)
{
#define X(noun, member, value, number, name)                                                                           \
  must((value) == (number) && strcmp(dtc_value_name(DTC_FIELD(noun, member), number), name) == 0,                      \
       "the number means something else", #value);
  VALUES(X)
#undef X
}

/* ---- every function --------------------------------------------------------------------------------------------- */

typedef struct text {
  char bytes[256];
} text;

#define GUARDED(type, name)                                                                                            \
  struct {                                                                                                             \
    type of;                                                                                                           \
    unsigned char guard[64];                                                                                           \
  } name;                                                                                                              \
  memset(&(name), 0, sizeof(name));                                                                                    \
  memset((name).guard, GUARD, sizeof(name).guard)
#define SIZED(type, name)                                                                                              \
  GUARDED(type, name);                                                                                                 \
  (name).of.struct_size = sizeof(type)
#define INTACT(name) must(all_guard((name).guard, sizeof(name).guard), "written behind the end of " #name, __func__)
#define FILL(type, name) fill(#type, &(name).of)
#define SCRATCH(name) static uint64_t name[SCRATCH_WORDS]

static int all_guard(const unsigned char *bytes, size_t n)
{
  size_t i = 0;
  while (i < n && bytes[i] == GUARD)
    i++;
  return i == n;
}

static const char TEXT_text[] = "dtcore: model=llama-2-7b megatron tp=2 pp=2 dp=2 gbs=8 seq=4096";
static const char TEXT_name[] = "llama-2-7b";
static const char TEXT_model_name[] = "llama-2-7b";
static const char TEXT_json[] = "{\"model_type\": \"gpt2\", \"n_embd\": 768, \"n_head\": 12, \"n_layer\": 12}";
static const char TEXT_hosts[] = "a b";
static const char TEXT_hostfile[] = "a slots=8\n";
static const char TEXT_devices[] = "mlx5_0:1 mlx5_1:1";
static const char TEXT_layout[] = "Et*3|t*3L";
static const char TEXT_value[] = "mlx5_0";
static const char TEXT_script[] = "train.py";

/* What a usual job has in a struct; nothing in those that are not named. */
static void fill(const char *type, void *of)
{
  static const dtc_axis axis = {.size = 2};
  static const dtc_shape shape = {.rows = 8, .cols = 4};
  dtc_error err;
  DTC_INIT(&err);
  dtc_status status = DTC_OK;
  if (strcmp(type, "dtc_model") == 0)
    status = dtc_model_find("llama-2-7b", of, &err);
  else if (strcmp(type, "dtc_cluster") == 0)
    status = dtc_cluster_find("dgx-h100", of, &err);
  else if (strcmp(type, "dtc_plan") == 0)
    status = dtc_plan_parse(TEXT_text, sizeof TEXT_text - 1, NULL, of, &err);
  else if (strcmp(type, "dtc_axis") == 0)
    memcpy(of, &axis, sizeof axis);
  else if (strcmp(type, "dtc_shape") == 0)
    memcpy(of, &shape, sizeof shape);
  else if (strcmp(type, "dtc_shards") == 0)
    ((dtc_shards *)of)->world = 2;
  must(status == DTC_OK, "is refused", type);
}

static dtc_status said(const char *words)
{
  return words != NULL && words[0] != 0 ? DTC_OK : DTC_E_UNKNOWN;
}

static dtc_status counted(uint64_t number)
{
  return number > 0 ? DTC_OK : DTC_E_UNKNOWN;
}

#include "calls.h"

static const struct {
  const char *name;
  dtc_status (*call)(void);
} functions[] = {
#define X(name) {#name, call_##name},
    FUNCTIONS(X)
#undef X
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

/* The old statuses, a line each; what was not answered then may be answered now. */
static void check_calls(FILE *answers)
{
  char name[64];
  int old = 0;
  for (size_t i = 0; i < N_FUNCTIONS; i++) {
    dtc_status status = functions[i].call();
    if (answers == NULL) {
      printf("%s %d\n", functions[i].name, (int)status);
    } else if (fscanf(answers, "%63s %d", name, &old) != 2 || strcmp(name, functions[i].name) != 0) {
      must(0, "no old status of it", functions[i].name);
      return;
    } else {
      must(status == old || (old == DTC_E_UNSUPPORTED && status == DTC_OK), "another status than before", name);
    }
  }
}

/* ---- exact answers, one of each kind of function ------------------------------------------------------------------- */

static void check_version(void)
{
  must(dtc_version() >= DTC_VERSION, "older than the program", dtc_version_string());
  must(dtc_version() / 1000000u == DTC_VERSION_MAJOR, "another major release", dtc_version_string());
}

/* A catalogue, a struct read and one written, a scalar. */
static void check_model(void)
{
  dtc_model model;
  dtc_params params;
  DTC_INIT(&model);
  DTC_INIT(&params);
  must(dtc_model_find("llama-2-7b", &model, NULL) == DTC_OK && model.hidden == 4096 && model.layers == 32,
       "another model", "llama-2-7b");
  must(dtc_model_params(&model, &params, NULL) == DTC_OK && params.total == 6738415616u, "other parameters",
       "llama-2-7b");
}

/* A text read, and one written, which is cut where there is no room for it. */
static void check_plan(void)
{
  char line[512];
  size_t len = 0;
  dtc_plan plan;
  dtc_plan again;
  dtc_error err;
  DTC_INIT(&plan);
  DTC_INIT(&again);
  DTC_INIT(&err);
  must(dtc_plan_parse(TEXT_text, sizeof TEXT_text - 1, NULL, &plan, &err) == DTC_OK && plan.tp == 2 && plan.pp == 2 &&
           plan.framework == DTC_FRAMEWORK_MEGATRON,
       "a plan is read differently", TEXT_text);
  must(dtc_plan_format("llama-2-7b", &plan, line, 1, &len, &err) == DTC_OK && len > 40 && len < sizeof line &&
           line[0] == 0,
       "does not say how long the text is", "dtc_plan_format");
  must(dtc_plan_format("llama-2-7b", &plan, line, sizeof line, &len, &err) == DTC_OK &&
           dtc_plan_parse(line, len, NULL, &again, &err) == DTC_OK && memcmp(&plan, &again, sizeof plan) == 0,
       "a plan written is not the plan read", line);
}

/* An error, in numbers and words. */
static void check_error(void)
{
  char line[256];
  dtc_model model;
  dtc_plan plan;
  dtc_error err;
  DTC_INIT(&model);
  fill("dtc_model", &model);
  DTC_INIT(&plan);
  DTC_INIT(&err);
  plan.tp = 3;
  must(dtc_plan_resolve(&model, NULL, &plan, &plan, &err) == DTC_E_DIVIDE && err.rule == DTC_RULE_TP_HEADS &&
           err.field == DTC_FIELD(plan, tp) && err.got == 3 && err.lower == 2 && err.upper == 4 && plan.tp == 3,
       "another error", "tp=3");
  must(dtc_error_format(&err, DTC_LANG_EN, line, sizeof line) > 20 && strstr(line, "tp") != NULL, "no words", "tp=3");
  plan.struct_size = sizeof plan - 8;
  must(dtc_plan_resolve(&model, NULL, &plan, &plan, &err) == DTC_E_SIZE && err.min == sizeof plan,
       "a struct smaller than the first release's is accepted", "dtc_plan");
}

/* Records in arrays, numbers and doubles. */
static void check_records(void)
{
  static const dtc_axis axes[] = {{.size = 4, .stride = 1}, {.size = 2, .stride = 4}};
  static const uint64_t workers[] = {2, 1};
  dtc_task tasks[3];
  uint64_t coord[2];
  uint64_t rank = 0;
  size_t count = 0;
  dtc_traffic traffic;
  must(dtc_mesh_coord(axes, 2, 0, 6, coord, 2, &count, NULL) == DTC_OK && coord[0] == 2 && coord[1] == 1 &&
           dtc_mesh_rank(axes, 2, 0, coord, 2, &rank, NULL) == DTC_OK && rank == 6,
       "another place of rank 6", "mesh of 4 x 2");
  must(dtc_tasks_torchrun(workers, 2, tasks, 2, &count, NULL) == DTC_E_SPACE && count == 3 &&
           dtc_tasks_torchrun(workers, 2, tasks, 3, &count, NULL) == DTC_OK && tasks[1].local_rank == 1 &&
           tasks[2].node == 1,
       "other tasks", "dtc_tasks_torchrun");
  must(dtc_collective_bytes(1000, 4, 0, DTC_COLLECTIVE_ALL_REDUCE, &traffic, NULL) == DTC_OK && traffic.sent == 1500 &&
           traffic.received == 1500,
       "another number of bytes", "dtc_collective_bytes");
}

/* Scratch: how much is needed, and a call with that much. */
static void check_scratch(void)
{
  static const dtc_shape shapes[] = {{.rows = 8, .cols = 4}, {.rows = 3, .cols = 5}};
  static uint64_t scratch[SCRATCH_WORDS];
  dtc_shards shards;
  dtc_slot slots[2];
  uint64_t needed = 0;
  size_t count = 0;
  DTC_INIT(&shards);
  shards.scheme = DTC_SHARD_SCHEME_FSDP2;
  shards.world = 2;
  must(dtc_shards_scratch(&shards, 2, &needed, NULL) == DTC_OK && needed <= SCRATCH_WORDS &&
           dtc_shards_layout(&shards, shapes, 2, slots, 2, &count, scratch, SCRATCH_WORDS, NULL) == DTC_OK &&
           count == 2,
       "no layout", "dtc_shards_layout");
}

int main(int argc, char **argv)
{
  FILE *answers = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (argc > 1 && answers == NULL) {
    perror(argv[1]);
    return 2;
  }
  check_structs();
  check_fields();
  check_values();
  check_calls(answers);
  check_version();
  check_model();
  check_plan();
  check_error();
  check_records();
  check_scratch();
  if (answers != NULL)
    fclose(answers);
  return failed;
}
