#include "options.h"

#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

#define PLAN FOR_PLANS
#define SIZE (FOR_PLANS | FOR_SIZES)

const option options[] = {
    [OPT_HELP] = {"help", NULL, NULL, FOR_ALL, 0, "this text; `dtcore COMMAND --help` for a command",
                  "显示帮助；`dtcore 命令 --help` 显示该命令的帮助"},
    [OPT_VERSION] = {"version", NULL, NULL, FOR_ALL, 0, "version of dtcore", "显示 dtcore 版本"},
    [OPT_JSON] = {"json", NULL, NULL, FOR_ALL, 0, "answer in JSON, bytes as integers (keys: cli/json.md)",
                  "以 JSON 输出，字节数为整数（键名见 cli/json.md）"},
    [OPT_LANG] = {"lang", "en|zh", NULL, FOR_ALL, 0, "language of the answer", "输出语言"},
    [OPT_GPU] = {"gpu", "NAME", NULL, SIZE, 0, "GPU of the catalogue, in nodes usual for it (`dtcore gpus`)",
                 "目录中的 GPU 型号，节点按常见配置（`dtcore gpus`）"},
    [OPT_CLUSTER] = {"cluster", "NAME", NULL, SIZE, 0, "machine type of the catalogue (`dtcore clusters`)",
                     "目录中的机型（`dtcore clusters`）"},
    [OPT_NODES] = {"nodes", "N", NULL, SIZE, 0, "nodes there are", "节点（机器）数"},
    [OPT_GPUS] = {"gpus", "N", NULL, SIZE, 0, "GPUs there are in all", "总卡数"},
    [OPT_GPUS_PER_NODE] = {"gpus-per-node", "N", NULL, SIZE, 0, "GPUs of a node, when not the usual number",
                           "每个节点的卡数（与常见配置不同时）"},
    [OPT_ACTIVATIONS] = {"activations", "SIZE", NULL, FOR_FIT | FOR_SIZES, 0,
                         "with a bare size: bytes of activations to add (50GB, 46.5GiB)",
                         "仅给参数量时：另加的激活值字节数（50GB、46.5GiB）"},
    [OPT_PLAN] = {"plan", "TEXT", NULL, PLAN, 0, "a plan as text: 'tp=8 pp=4 sp megatron@0.19 mbs=1'",
                  "文本形式的并行方案：'tp=8 pp=4 sp megatron@0.19 mbs=1'"},
    {"framework", "NAME[@VERSION]", "", SIZE, DTC_FIELD(plan, framework), "framework", "框架"},
    {"sharding", "KIND", "sharding=", PLAN, DTC_FIELD(plan, sharding), "sharding of the states", "模型状态切分"},
    {"tp", "N", "tp=", PLAN, 0, "tensor parallel degree", "张量并行度"},
    {"pp", "N", "pp=", PLAN, 0, "pipeline parallel degree", "流水线并行度"},
    {"vpp", "N", "vpp=", PLAN, 0, "model chunks of a pipeline rank", "每个流水线 rank 的模型块数"},
    {"cp", "N", "cp=", PLAN, 0, "context parallel degree", "上下文并行度"},
    {"ep", "N", "ep=", PLAN, 0, "expert parallel degree", "专家并行度"},
    {"etp", "N", "etp=", PLAN, 0, "tensor parallel degree of the experts", "专家的张量并行度"},
    {"dp", "N", "dp=", PLAN, 0, "data parallel degree", "数据并行度"},
    {"dp-shard", "N", "dp_shard=", PLAN, 0, "ranks that a state is sharded over", "一份状态切分到多少个 rank"},
    {"sp", NULL, "sp", PLAN, 0, "sequence parallel on", "打开序列并行"},
    {"nosp", NULL, "nosp", PLAN, 0, "sequence parallel off", "关闭序列并行"},
    {"schedule", "KIND", "schedule=", PLAN, DTC_FIELD(plan, schedule), "pipeline schedule", "流水线调度"},
    {"mbs", "N", "mbs=", PLAN, 0, "sequences of a micro-batch", "micro-batch 的序列数"},
    {"gbs", "N", "gbs=", PLAN, 0, "sequences of an optimizer step", "一次优化器更新的序列数（全局 batch）"},
    {"accum", "N", "accum=", PLAN, 0, "micro-batches of an optimizer step", "梯度累积次数"},
    {"seq", "N", "seq=", PLAN, 0, "sequence length, tokens", "序列长度（token）"},
    {"recompute", "KIND", "recompute=", PLAN, DTC_FIELD(plan, recompute), "recomputation in backward", "重计算"},
    {"attention", "KIND", "attention=", PLAN, DTC_FIELD(plan, attention), "attention kernel", "注意力实现"},
    {"precision", "KIND", "precision=", SIZE, DTC_FIELD(plan, precision), "training precision", "训练精度"},
    {"grad", "KIND", "grad=", SIZE, DTC_FIELD(plan, grad_dtype), "type of the kept gradients", "保留的梯度类型"},
    {"optimizer", "KIND", "optimizer=", SIZE, DTC_FIELD(plan, optimizer), "optimizer", "优化器"},
    {"dropout", NULL, "dropout", PLAN, 0, "dropout on", "打开 dropout"},
    {"nodropout", NULL, "nodropout", PLAN, 0, "dropout off", "关闭 dropout"},
    {"vocab-multiple", "N", "vocab_multiple=", PLAN, 0, "pad the vocabulary to a multiple of this",
     "词表补齐到它的倍数"},
};
const size_t option_count = sizeof options / sizeof *options;

/* What stands behind the dashes, one or two; NULL when the word is no option, as the size "-7B" is not. */
static const char *option_name(const char *word)
{
  if (word[0] != '-' || word[1] == 0 || text_is_size(word))
    return NULL;
  return strcmp(word, "-h") == 0 ? "help" : word + (word[1] == '-' ? 2 : 1);
}

void args_scan(int argc, char **argv, cli *c)
{
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *name = option_name(argv[i]);
    if (name == NULL)
      continue;
    c->json = c->json || strcmp(name, "json") == 0;
    if (strcmp(name, "lang=zh") == 0 || (strcmp(name, "lang") == 0 && i + 1 < argc && strcmp(argv[i + 1], "zh") == 0))
      c->lang = DTC_LANG_ZH;
  }
}

static void add_other(const cli *c, size_t index, uint32_t groups, char *out, size_t cap)
{
  char name[64];
  snprintf(name, sizeof name, "--%s", options[index].name);
  if ((options[index].groups & (groups | FOR_ALL)) == 0)
    list_add(c, out, cap, name);
}

void args_others(const cli *c, const args *a, uint32_t groups, char *out, size_t cap)
{
  *out = 0;
  for (size_t i = 0; i < OPT_WORDS; i++) {
    if (a->value[i] != NULL)
      add_other(c, i, groups, out, cap);
  }
  for (size_t i = 0; i < a->word_count; i++)
    add_other(c, a->words[i].option, groups, out, cap);
}

/* Index of the option whose name is s[0..n); option_count when there is none. */
static size_t find_option(const char *s, size_t n)
{
  size_t i = 0;
  while (i < option_count && !(strlen(options[i].name) == n && memcmp(options[i].name, s, n) == 0))
    i++;
  return i;
}

/* `word` is what was typed, `name` what of it stands behind the dashes. */
static int unknown_option(const cli *c, const char *word, const char *name)
{
  const char *names[MAX_WORDS];
  char asked[64];
  snprintf(asked, sizeof asked, "%.*s", (int)strcspn(name, "="), name);
  for (size_t i = 0; i < option_count; i++)
    names[i] = options[i].name;
  return fail(c, MSG_UNKNOWN_OPTION, word, names[nearest_name(asked, names, option_count)]);
}

/* One word of the plan text; blanks, ';' and control characters would end it early. */
static int add_word(const cli *c, args *a, size_t option_index, const char *value)
{
  const option *o = &options[option_index];
  plan_word *w = &a->words[a->word_count];
  size_t room = sizeof a->plan - a->plan_len;
  bool clean = o->value == NULL || *value != 0;
  for (const char *p = value; *p != 0; p++)
    clean = clean && (unsigned char)*p > ' ' && *p != ';' && *p != '=';
  if (!clean)
    return fail(c, MSG_BAD_VALUE, o->name, value, o->value);
  int n = snprintf(a->plan + a->plan_len, room, "%s%s%s", a->plan_len == 0 ? "" : " ", o->word, value);
  if (n < 0 || (size_t)n >= room || a->word_count == MAX_WORDS)
    return fail(c, MSG_TOO_LONG);
  w->start = a->plan_len + (a->plan_len == 0 ? 0 : 1);
  w->option = option_index;
  snprintf(w->shown, sizeof w->shown, *value == 0 ? "--%s" : "--%s %s", o->name, value);
  a->plan_len += (size_t)n;
  a->word_count++;
  return 0;
}

static int set_option(const cli *c, args *a, size_t i, const char *value)
{
  const option *o = &options[i];
  if (i >= OPT_WORDS)
    return add_word(c, a, i, value);
  if (a->value[i] != NULL && o->value != NULL)
    return fail(c, MSG_TWICE, o->name);
  if (i == OPT_LANG && strcmp(value, "en") != 0 && strcmp(value, "zh") != 0)
    return fail(c, MSG_BAD_VALUE, o->name, value, o->value);
  a->value[i] = value;
  return 0;
}

/* --name value, --name=value, --name. Gives how many more words it took, or -1. */
static int read_option(const cli *c, args *a, const char *word, const char *next)
{
  const char *name = option_name(word);
  const char *equals = strchr(name, '=');
  size_t i = find_option(name, equals != NULL ? (size_t)(equals - name) : strlen(name));
  if (i == option_count)
    return unknown_option(c, word, name), -1;
  if (options[i].value == NULL) {
    if (equals != NULL)
      return fail(c, MSG_NO_VALUE, options[i].name), -1;
    return set_option(c, a, i, "") == 0 ? 0 : -1;
  }
  if (equals != NULL)
    return set_option(c, a, i, equals + 1) == 0 ? 0 : -1;
  if (next == NULL || strncmp(next, "--", 2) == 0)
    return fail(c, MSG_NEEDS_VALUE, options[i].name, options[i].value), -1;
  return set_option(c, a, i, next) == 0 ? 1 : -1;
}

int args_read(const cli *c, int argc, char **argv, args *out)
{
  memset(out, 0, sizeof *out);
  bool words_only = false; /* behind "--" */
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (!words_only && strcmp(word, "--") == 0) {
      words_only = true;
    } else if (!words_only && option_name(word) != NULL) {
      int more = read_option(c, out, word, i + 1 < argc ? argv[i + 1] : NULL);
      if (more < 0)
        return EXIT_BAD_INPUT;
      i += more;
    } else if (out->command == NULL) {
      out->command = word;
    } else if (out->operand == NULL) {
      out->operand = word;
    } else {
      return fail(c, MSG_EXTRA_WORD, word);
    }
  }
  return 0;
}
