/* Where the values come from: the generated field tables for ranges, the catalogues for whole models and clusters. */
#include "harness/values.h"
#include "internal/internal.h"

#include <stdio.h>

unsigned take_byte(call *c)
{
  return c->at < c->size ? c->data[c->at++] : 0;
}

uint64_t take_u64(call *c)
{
  uint64_t v = 0;
  for (int i = 0; i < 8; i++)
    v = v << 8 | take_byte(c);
  return v;
}

int is_sized(uint32_t noun)
{
  const dtci_struct *s = dtci_struct_of(noun);
  return s != NULL && strcmp(dtci_fields[s->first].name, "struct_size") == 0;
}

/* ---- numbers --------------------------------------------------------------------------------- */

uint64_t in_number(call *c)
{
  unsigned how = take_byte(c);
  if (how < 96)
    return how % 3 * (how % 5);
  if (how < 160)
    return take_byte(c);
  if (how < 176) /* a field id */
    return (uint64_t)(take_byte(c) % 13) << 16 | take_byte(c);
  if (how < 224)
    return (uint64_t)take_byte(c) << take_byte(c) % 64;
  return take_u64(c);
}

static uint64_t bits_of(double v)
{
  uint64_t bits = 0;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static uint64_t take_double(call *c)
{
  static const uint64_t special[] = {0,
                                     0x8000000000000000, /* -0 */
                                     0x7FF0000000000000, /* infinity */
                                     0xFFF0000000000000,
                                     0x7FF8000000000000, /* NaN */
                                     0xFFF8000000000001,
                                     1, /* the smallest number */
                                     0x7FEFFFFFFFFFFFFF};
  unsigned how = take_byte(c);
  if (how < 64)
    return special[how % 8];
  if (how < 96)
    return take_u64(c);
  return bits_of((double)take_byte(c) * (double)((uint64_t)1 << take_byte(c) % 64));
}

double in_double(call *c)
{
  double v = 0;
  uint64_t bits = take_double(c);
  memcpy(&v, &bits, sizeof v);
  return v;
}

uint32_t in_choice(call *c, uint32_t last)
{
  unsigned how = take_byte(c);
  return how < 240 || c->tame ? how % (last + 1) : how < 248 ? last + 1 : (uint32_t)take_u64(c);
}

/* A value for a field: a small one, a power of two, a bound or its neighbour, or anything. */
static uint64_t take_value(call *c, const dtci_field *f)
{
  unsigned how = take_byte(c);
  if (f->type == DTCI_F64)
    return how < 32 ? (how % 2 == 0 ? f->min : f->max) : take_double(c);
  if (f->type == DTCI_ENUM || f->type == DTCI_BOOL)
    return c->tame ? how % (f->max + 1) : in_choice(c, (uint32_t)f->max);
  if (how < 96 || c->tame)
    return (uint64_t)1 << how % 8;
  if (how < 192)
    return f->min + how % 8;
  if (how < 200)
    return f->min - how % 2;
  if (how < 208)
    return f->max + how % 2;
  return in_number(c);
}

/* ---- structs --------------------------------------------------------------------------------- */

/* A legal start: something of a catalogue, else all defaults. */
static void make_base(call *c, uint32_t noun, unsigned char *local)
{
  unsigned pick = take_byte(c);
  uint32_t size = dtc_struct_size(noun);
  memcpy(local, &size, sizeof size);
  if (noun == DTC_STRUCT_model)
    (void)!dtc_model_find(dtc_model_name(pick % dtc_model_count()), (dtc_model *)(void *)local, NULL);
  if (noun == DTC_STRUCT_cluster && pick % 2 == 0)
    (void)!dtc_gpu_find(dtc_gpu_name(pick / 2 % dtc_gpu_count()), (dtc_cluster *)(void *)local, NULL);
  if (noun == DTC_STRUCT_cluster && pick % 2 != 0)
    (void)!dtc_cluster_find(dtc_cluster_name(pick / 2 % dtc_cluster_count()), (dtc_cluster *)(void *)local, NULL);
}

void make_struct(call *c, uint32_t noun, unsigned char *local)
{
  const dtci_struct *s = dtci_struct_of(noun);
  unsigned how = take_byte(c);
  if (how >= 224 && !c->tame) {
    for (uint32_t i = 0; i < s->size; i++)
      local[i] = (unsigned char)take_byte(c);
    return;
  }
  if (is_sized(noun))
    make_base(c, noun, local);
  for (unsigned changes = how % (c->tame ? 4 : 8); changes > 0; changes--) {
    const dtci_field *f = &dtci_fields[s->first + take_byte(c) % s->count];
    dtci_write(local, f, take_value(c, f));
  }
}

uint32_t take_struct_size(call *c, uint32_t noun, unsigned char *local)
{
  unsigned how = take_byte(c);
  uint32_t known = dtc_struct_size(noun);
  uint32_t longer = known + 8 * (1 + how % 8);
  if (how < 208 || c->tame)
    return known;
  if (how < 224) {
    memset(local + known, 0, longer - known);
    return longer;
  }
  if (how < 232) {
    for (uint32_t i = known; i < longer; i++)
      local[i] = (unsigned char)take_byte(c);
    return longer;
  }
  if (how < 240)
    return known - how % 8;
  return how < 248 ? how % 8 : (uint32_t)take_u64(c);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static size_t change_text(call *c, char *text, size_t len)
{
  for (unsigned changes = take_byte(c) % 4; changes > 0 && len > 0; changes--)
    text[take_u64(c) % len] = (char)take_byte(c);
  return take_byte(c) < 32 ? take_byte(c) % (len + 1) : len;
}

static size_t random_text(call *c, char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    text[i] = (char)take_byte(c);
  return len;
}

static const char *catalogue_name(call *c)
{
  unsigned kind = take_byte(c) % 3;
  unsigned pick = take_byte(c);
  if (kind == 0)
    return dtc_model_name(pick % dtc_model_count());
  return kind == 1 ? dtc_gpu_name(pick % dtc_gpu_count()) : dtc_cluster_name(pick % dtc_cluster_count());
}

size_t make_name(call *c, char *text)
{
  unsigned how = take_byte(c);
  if (how >= 224)
    return random_text(c, text, how % 32);
  size_t len = (size_t)snprintf(text, TEXT_MAX, "%s", catalogue_name(c));
  return how < 192 ? len : change_text(c, text, len);
}

static size_t plan_line(call *c, char *text)
{
  unsigned char local[4096] = {0};
  char words[TEXT_MAX / 2] = "";
  make_struct(c, DTC_STRUCT_plan, local);
  (void)!dtc_plan_format(NULL, (const dtc_plan *)(const void *)local, words, sizeof words, NULL, NULL);
  const char *model = dtc_model_name(take_byte(c) % dtc_model_count());
  return (size_t)snprintf(text, TEXT_MAX, "%s model=%s", words, model);
}

static size_t config_json(call *c, char *text)
{
  static const char types[][12] = {"llama", "qwen2", "gpt2", "mixtral", "deepseek_v3", "gemma2", "phi3", "opt"};
  unsigned heads = 1 + take_byte(c) % 64;
  unsigned dim = 8u << take_byte(c) % 5;
  return (size_t)snprintf(text, TEXT_MAX,
                          "{\"model_type\": \"%s\", \"hidden_size\": %u, \"num_attention_heads\": %u, "
                          "\"num_key_value_heads\": %u, \"num_hidden_layers\": %u, \"intermediate_size\": %u, "
                          "\"vocab_size\": %u, \"tie_word_embeddings\": %s, \"n_embd\": %u, \"n_head\": %u, "
                          "\"n_layer\": %u, \"num_local_experts\": %u, \"num_experts_per_tok\": 2, "
                          "\"max_position_embeddings\": %u, \"ffn_dim\": 64, \"word_embed_proj_dim\": %u}",
                          types[take_byte(c) % 8], heads * dim, heads, take_byte(c) % 2 == 0 ? heads : 1, take_byte(c),
                          64 * take_byte(c), 1000 * take_byte(c), take_byte(c) % 2 == 0 ? "true" : "false", heads * dim,
                          heads, take_byte(c), 1 + take_byte(c) % 16, 16 * take_byte(c), heads * dim);
}

size_t make_text(call *c, const char *name, char *text)
{
  unsigned how = take_byte(c);
  if (how >= 224)
    return random_text(c, text, take_byte(c));
  size_t len = strcmp(name, "json") == 0 ? config_json(c, text) : plan_line(c, text);
  return how < 160 ? len : change_text(c, text, len);
}
