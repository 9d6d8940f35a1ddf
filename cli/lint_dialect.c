#include "lint_dialect.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { WORDS = 5 };

/* The same, whatever stands in the file. */
typedef struct named {
  const char *begin; /* of the name without its folders */
  const char *end;
  dtc_dialect dialect;
} named;

static const named names[] = {
    {"hostfile", "", DTC_DIALECT_HOSTFILE},
    {"hosts", "", DTC_DIALECT_HOSTFILE},
    {"", ".hostfile", DTC_DIALECT_HOSTFILE},
    {"", ".env", DTC_DIALECT_NCCL},
    {"nccl", ".conf", DTC_DIALECT_NCCL},
    {".nccl", ".conf", DTC_DIALECT_NCCL},
    {"", ".sbatch", DTC_DIALECT_SLURM},
    {"", ".slurm", DTC_DIALECT_SLURM},
    {"ds_config", ".json", DTC_DIALECT_DEEPSPEED},
};

/* Words that only one tool's texts have. */
typedef struct told {
  dtc_dialect dialect;
  bool at_begin; /* of a line */
  const char *words[WORDS];
} told;

static const told json_words[] = {
    {DTC_DIALECT_COLOSSALAI, false, {"\"plugin\""}},
    {DTC_DIALECT_ACCELERATE, false, {"\"distributed_type\"", "\"compute_environment\""}},
    {DTC_DIALECT_TORCHTITAN, false, {"\"parallelism\"", "\"activation_checkpoint\"", "\"training\""}},
};

static const told script_words[] = {
    {DTC_DIALECT_MEGATRON, false, {"--num-layers", "model-parallel-size", "--micro-batch-size", "--use-mcore-models"}},
    {DTC_DIALECT_TRAINER, false, {"--per_device_train", "--per-device-train", "--fsdp", "--deepspeed"}},
    {DTC_DIALECT_TORCHRUN, false, {"torchrun", "torch.distributed.run", "--nproc"}},
    {DTC_DIALECT_SLURM, true, {"#SBATCH", "srun ", "sbatch "}},
    {DTC_DIALECT_NCCL, false, {"NCCL_"}},
    {DTC_DIALECT_HOSTFILE, false, {" slots="}},
};

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool ends_in(const char *s, const char *end)
{
  size_t n = strlen(end);
  return strlen(s) >= n && strcasecmp(s + strlen(s) - n, end) == 0;
}

static bool contains(const char *text, size_t len, const char *word, bool at_begin)
{
  size_t n = strlen(word);
  const char *end = text + len;
  for (const char *p = text; (size_t)(end - p) >= n; p++) {
    p = memchr(p, word[0], (size_t)(end - p) - n + 1);
    if (p == NULL)
      return false;
    bool begins = p == text || p[-1] == '\n';
    if (memcmp(p, word, n) == 0 && (begins || !at_begin))
      return true;
  }
  return false;
}

static bool tells(const told *t, const char *text, size_t len)
{
  for (size_t i = 0; i < WORDS && t->words[i] != NULL; i++) {
    if (contains(text, len, t->words[i], t->at_begin))
      return true;
  }
  return false;
}

/* The first byte that is no blank. */
static size_t first_of(const char *text, size_t len)
{
  size_t i = 0;
  while (i < len && strchr(" \t\r\n", text[i]) != NULL && text[i] != 0)
    i++;
  return i;
}

static uint32_t json_dialects(const char *text, size_t len)
{
  for (size_t i = 0; i < sizeof json_words / sizeof *json_words; i++) {
    if (tells(&json_words[i], text, len))
      return 1u << json_words[i].dialect;
  }
  return 1u << DTC_DIALECT_DEEPSPEED;
}

static uint32_t script_dialects(const char *text, size_t len)
{
  uint32_t found = 0;
  for (size_t i = 0; i < sizeof script_words / sizeof *script_words; i++) {
    dtc_dialect d = script_words[i].dialect;
    /* Megatron's scripts may have these flags too; a script that starts jobs is no list of hosts. */
    bool other = (d == DTC_DIALECT_TRAINER && (found & 1u << DTC_DIALECT_MEGATRON) != 0) ||
                 (d == DTC_DIALECT_HOSTFILE && found != 0);
    if (!other && tells(&script_words[i], text, len))
      found |= 1u << d;
  }
  return found;
}

uint32_t dialects_of(const char *path, const char *text, size_t len)
{
  const char *name = base_name(path);
  size_t first = first_of(text, len);
  uint32_t found = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strncasecmp(name, names[i].begin, strlen(names[i].begin)) == 0 && ends_in(name, names[i].end))
      found = 1u << names[i].dialect;
  }
  if (found == 1u << DTC_DIALECT_DEEPSPEED || found == 1u << DTC_DIALECT_HOSTFILE)
    return found;
  if (ends_in(name, ".json") || (first < len && text[first] == '{' && found == 0))
    return json_dialects(text, len);
  return found | script_dialects(text, len);
}

const char *foreign_form(const char *path, const char *text, size_t len)
{
  const char *name = base_name(path);
  size_t first = first_of(text, len);
  bool dotted = strchr(name, '.') != NULL;
  bool section = len - first > 1 && text[first] == '[' && isalpha((unsigned char)text[first + 1]);
  if (ends_in(name, ".toml") || (!dotted && section))
    return "TOML";
  if (ends_in(name, ".yaml") || ends_in(name, ".yml") || (!dotted && contains(text, len, "compute_environment:", true)))
    return "YAML";
  return NULL;
}
