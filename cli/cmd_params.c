/* dtcore params: exact parameter counts. */
#include "cmd.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>

typedef struct part {
  msg name;
  const char *key;
  uint64_t each;
  uint64_t count;
} part;

enum { PARTS = 9, PIECES = 7 };

/* The parts that add up to the total. */
static size_t list_parts(const dtc_params *p, part out[PARTS])
{
  const part all[] = {{MSG_PART_EMBEDDING, "embedding", p->embedding, 1},
                      {MSG_PART_ENCODER, "encoder_layer", p->encoder_layer, p->encoder_count},
                      {MSG_PART_DENSE, "dense_layer", p->dense_layer, p->dense_count},
                      {MSG_PART_MOE, "moe_layer", p->moe_layer, p->moe_count},
                      {MSG_PART_MAMBA, "mamba_layer", p->mamba_layer, p->mamba_count},
                      {MSG_PART_ATTENTION, "attention_layer", p->attention_layer, p->attention_count},
                      {MSG_PART_MLP, "mlp_layer", p->mlp_layer, p->mlp_count},
                      {MSG_PART_NORM, "final_norm", p->final_norm, 1},
                      {MSG_PART_HEAD, "head", p->head, 1}};
  size_t n = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].each * all[i].count != 0)
      out[n++] = all[i];
  }
  return n;
}

/* What a layer is made of. */
static size_t list_pieces(const dtc_params *p, part out[PIECES])
{
  const part all[] = {{MSG_PIECE_ATTENTION, "attention", p->attention, 1},
                      {MSG_PIECE_CROSS, "cross", p->cross, 1},
                      {MSG_PIECE_MLP, "mlp", p->mlp, 1},
                      {MSG_PIECE_EXPERT, "expert", p->expert, 1},
                      {MSG_PIECE_SHARED, "shared", p->shared, 1},
                      {MSG_PIECE_ROUTER, "router", p->router, 1},
                      {MSG_PIECE_NORMS, "norms", p->norms, 1}};
  size_t n = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].each != 0)
      out[n++] = all[i];
  }
  return n;
}

static void print_json(const args *a, const model_arg *m, const dtc_params *p)
{
  json j;
  json_start(&j, a->command);
  json_model(&j, m);
  json_object(&j, "params");
  json_u64(&j, "total", p->total);
  json_u64(&j, "active", p->active);
  json_u64(&j, "embedding", p->embedding);
  json_u64(&j, "head", p->head);
  json_u64(&j, "final_norm", p->final_norm);
  json_u64(&j, "dense_layer", p->dense_layer);
  json_u64(&j, "dense_count", p->dense_count);
  json_u64(&j, "moe_layer", p->moe_layer);
  json_u64(&j, "moe_count", p->moe_count);
  json_u64(&j, "attention", p->attention);
  json_u64(&j, "mlp", p->mlp);
  json_u64(&j, "expert", p->expert);
  json_u64(&j, "shared", p->shared);
  json_u64(&j, "router", p->router);
  json_u64(&j, "norms", p->norms);
  json_u64(&j, "mtp", p->mtp);
  json_u64(&j, "cross", p->cross);
  json_u64(&j, "encoder_layer", p->encoder_layer);
  json_u64(&j, "encoder_count", p->encoder_count);
  json_u64(&j, "mamba_layer", p->mamba_layer);
  json_u64(&j, "mamba_count", p->mamba_count);
  json_u64(&j, "attention_layer", p->attention_layer);
  json_u64(&j, "attention_count", p->attention_count);
  json_u64(&j, "mlp_layer", p->mlp_layer);
  json_u64(&j, "mlp_count", p->mlp_count);
  json_end(&j);
  json_end(&j);
}

static void print_text(const cli *c, const model_arg *m, const dtc_params *p)
{
  part parts[PARTS];
  size_t n = list_parts(p, parts);
  table t = table_new("lrrrl");
  print_model(c, m);
  putchar('\n');
  table_cell(&t, say(c, MSG_PART));
  table_cell(&t, say(c, MSG_EACH));
  table_cell(&t, say(c, MSG_COUNT_HEAD));
  table_cell(&t, say(c, MSG_PARAMETERS));
  table_cell(&t, "");
  for (size_t i = 0; i < n; i++) {
    uint64_t all = parts[i].each * parts[i].count;
    table_cell(&t, say(c, parts[i].name));
    table_cell(&t, parts[i].count == 1 ? "" : text_thousands(parts[i].each).s);
    table_cell(&t, parts[i].count == 1 ? "" : text_u64(parts[i].count).s);
    table_cell(&t, text_thousands(all).s);
    table_cell(&t, bar_of(c, (double)all, (double)p->total).s);
  }
  table_print(c, &t, 2);
  putchar('\n');
  n = list_pieces(p, parts);
  t = table_new("lr");
  table_cell(&t, say(c, MSG_PIECE));
  table_cell(&t, say(c, MSG_PARAMETERS));
  for (size_t i = 0; i < n; i++) {
    table_cell(&t, say(c, parts[i].name));
    table_cell(&t, text_thousands(parts[i].each).s);
  }
  table_print(c, &t, 2);
  if (p->mtp != 0)
    print_line(c, MSG_MTP, text_thousands(p->mtp).s);
}

int cmd_params(const cli *c, const args *a)
{
  static model_arg m; /* holds a path: large */
  dtc_params p;
  dtc_error err;
  DTC_INIT(&p);
  DTC_INIT(&err);
  if (model_arg_read(c, a, NULL, &m) != 0)
    return EXIT_BAD_INPUT;
  if (m.size_only)
    return fail(c, MSG_SIZE_HAS_NO_SHAPE, m.name);
  if (dtc_model_params(&m.model, &p, &err) != DTC_OK)
    return fail_with(c, m.name, &err);
  if (c->json)
    print_json(a, &m, &p);
  else
    print_text(c, &m, &p);
  return EXIT_YES;
}
