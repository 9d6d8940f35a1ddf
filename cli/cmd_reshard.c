/* dtcore reshard: does a checkpoint load with another sharding, what is read, and what the checkpoint takes. */
#include "cmd.h"
#include "report.h"
#include "reshard_parts.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct verdict {
  dtc_reshard check;
  dtc_reshard_sums sums;
  dtc_checkpoint written; /* by the checkpoint's sharding */
  dtc_checkpoint loaded;  /* by the job's, in the form that it loads */
} verdict;

static const char *form_name(dtc_checkpoint_form form)
{
  return dtc_value_name(DTC_FIELD(reshard, form), form);
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static int estimate(const cli *c, const reshard_arg *r, const reshard_side *side, dtc_checkpoint_form form,
                    dtc_checkpoint *out)
{
  const tensors *t = &r->tensors;
  size_t n;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(out);
  uint64_t *scratch = shards_scratch(c, &side->shards, t, &n);
  dtc_status status = dtc_checkpoint_estimate(&side->shards, t->shapes, t->n, side->slots, t->n, (double)r->bandwidth,
                                              form, out, scratch, n, &err);
  free(scratch);
  return status == DTC_OK ? 0 : fail_with(c, NULL, &err);
}

static int check(const cli *c, const reshard_arg *r, dtc_reshard *out)
{
  const tensors *t = &r->tensors;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(out);
  if (dtc_reshard_check(&r->from.shards, &r->to.shards, t->shapes, t->n, r->from.slots, t->n, r->to.slots, t->n,
                        r->form, out, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  return 0;
}

static int ask(const cli *c, const reshard_arg *r, verdict *v)
{
  if (estimate(c, r, &r->from, v->check.form, &v->written) != 0)
    return EXIT_BAD_INPUT;
  dtc_checkpoint_form loads = v->check.convert != DTC_CHECKPOINT_FORM_DEFAULT ? v->check.convert : v->check.form;
  if (v->check.loading != DTC_LOADING_NO && estimate(c, r, &r->to, loads, &v->loaded) != 0)
    return EXIT_BAD_INPUT;
  return reshard_sum(c, r, v->check.form, &v->sums);
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* What stands against loading, in the library's words where it has them for the verdict alone. */
static void reason_text(const cli *c, const reshard_arg *r, const dtc_reshard *v, char *out, size_t cap)
{
  dtc_error err;
  DTC_INIT(&err);
  err.status = DTC_E_CONFLICT;
  err.rule = v->rule;
  err.got = v->bucket;
  err.min = v->source_used;
  err.max = v->target_used;
  if (v->rule == DTC_RULE_RESHARD_FORM)
    write_line(c, out, cap, MSG_FORM_NOT, dtc_value_name(DTC_FIELD(shards, scheme), r->to.shards.scheme));
  else
    dtc_error_format(&err, c->lang, out, cap);
}

static void print_tool(const cli *c, dtc_checkpoint_form convert)
{
  if (convert == DTC_CHECKPOINT_FORM_ELASTIC)
    print_line(c, MSG_CONVERT_ELASTIC);
  else if (convert == DTC_CHECKPOINT_FORM_UNIVERSAL)
    print_line(c, MSG_CONVERT_UNIVERSAL);
  else if (convert == DTC_CHECKPOINT_FORM_FULLY_RESHARDABLE)
    print_line(c, MSG_CONVERT_FULLY);
  else if (convert != DTC_CHECKPOINT_FORM_DEFAULT)
    print_line(c, MSG_CONVERT_OTHER, form_name(convert));
}

static void print_loading(const cli *c, const reshard_arg *r, const dtc_reshard *v)
{
  char reason[1024];
  char line[2048];
  if (v->loading == DTC_LOADING_YES) {
    print_line(c, MSG_LOADS, form_name(v->form));
  } else {
    reason_text(c, r, v, reason, sizeof reason);
    write_line(c, line, sizeof line, v->loading == DTC_LOADING_CONVERT ? MSG_LOADS_CONVERTED : MSG_LOADS_NOT,
               form_name(v->form), reason);
    text_wrap(line, 2);
    print_tool(c, v->convert);
    if (v->rule == DTC_RULE_RESHARD_BUCKET)
      print_line(c, MSG_CONVERT_BUCKETS);
  }
  if (v->form != DTC_CHECKPOINT_FORM_DP_RESHARDABLE)
    return;
  print_line(c, MSG_BUCKETS_COMPARED, text_u64(v->source_buckets).s, text_u64(v->target_buckets).s);
  if (v->source_empty != 0 || v->target_empty != 0)
    print_line(c, MSG_EMPTY_PARTS, text_u64(v->source_empty).s, text_u64(v->target_empty).s);
}

static void bytes_row(const cli *c, table *t, msg name, uint64_t bytes)
{
  if (bytes == 0)
    return;
  table_cell(t, say(c, name));
  table_cell(t, text_thousands(bytes).s);
  table_cell(t, text_gib_small(bytes).s);
}

static void print_checkpoint(const cli *c, const reshard_arg *r, const verdict *v)
{
  table t = table_new("lrr");
  char write[32];
  char read[32];
  table_cell(&t, "");
  table_cell(&t, say(c, MSG_BYTES));
  table_cell(&t, "GiB");
  bytes_row(c, &t, MSG_CKPT_WEIGHTS, v->written.weights);
  bytes_row(c, &t, MSG_CKPT_MASTER, v->written.master);
  bytes_row(c, &t, MSG_CKPT_MOMENTS, v->written.moments);
  bytes_row(c, &t, MSG_CKPT_BYTES, v->written.bytes);
  bytes_row(c, &t, MSG_CKPT_RANK, v->written.rank_bytes);
  bytes_row(c, &t, MSG_CKPT_STAGING, v->loaded.staging);
  bytes_row(c, &t, MSG_CKPT_NEEDED, v->loaded.needed);
  bytes_row(c, &t, MSG_CKPT_READ, v->loaded.read);
  bytes_row(c, &t, MSG_CKPT_READ_ALL, v->loaded.read_all);
  print_line(c, MSG_CHECKPOINT_TITLE, form_name(v->written.form));
  table_print(c, &t, 2);
  snprintf(write, sizeof write, "%.3g", v->written.write_seconds);
  snprintf(read, sizeof read, "%.3g", v->loaded.read_seconds);
  if (r->bandwidth > 0)
    print_line(c, MSG_CKPT_TIMES, text_u64(v->written.files).s, text_gb((double)r->bandwidth).s, write, read);
  else
    print_line(c, MSG_CKPT_FILES, text_u64(v->written.files).s);
}

static void print_text(const cli *c, const reshard_arg *r, const verdict *v)
{
  const dtc_reshard_sums *s = &v->sums;
  print_sides(c, r);
  print_loading(c, r, &v->check);
  print_line(c, MSG_RESHARD_MOVES, text_thousands(s->needed).s, text_thousands(s->items).s, text_thousands(s->same).s,
             text_percent((double)s->same, (double)s->needed).s, text_thousands(s->moved).s);
  print_checkpoint(c, r, v);
}

static void json_checkpoint(json *j, const char *key, const reshard_arg *r, const dtc_checkpoint *v)
{
  json_object(j, key);
  json_text(j, "form", form_name(v->form));
  json_u64(j, "weights", v->weights);
  json_u64(j, "master", v->master);
  json_u64(j, "moments", v->moments);
  json_u64(j, "bytes", v->bytes);
  json_u64(j, "rank_bytes", v->rank_bytes);
  json_u64(j, "files", v->files);
  json_u64(j, "staging", v->staging);
  json_u64(j, "needed", v->needed);
  json_u64(j, "read", v->read);
  json_u64(j, "read_all", v->read_all);
  if (r->bandwidth > 0) {
    json_f64(j, "write_seconds", v->write_seconds);
    json_f64(j, "read_seconds", v->read_seconds);
  } else {
    json_null(j, "write_seconds");
    json_null(j, "read_seconds");
  }
  json_end(j);
}

static void print_json(const cli *c, const args *a, const reshard_arg *r, const verdict *v)
{
  char reason[1024];
  json j;
  json_start(&j, a->command);
  json_sides(&j, r);
  json_bool(&j, "loads", v->check.loading == DTC_LOADING_YES);
  json_struct(&j, "verdict", DTC_STRUCT_reshard, &v->check);
  reason_text(c, r, &v->check, reason, sizeof reason);
  json_text(&j, "reason", v->check.loading == DTC_LOADING_YES ? NULL : reason);
  json_struct(&j, "sums", DTC_STRUCT_reshard_sums, &v->sums);
  json_checkpoint(&j, "checkpoint", r, &v->written);
  if (v->check.loading != DTC_LOADING_NO)
    json_checkpoint(&j, "loaded", r, &v->loaded);
  else
    json_null(&j, "loaded");
  json_end(&j);
}

int cmd_reshard(const cli *c, const args *a)
{
  static reshard_arg r; /* holds a path: large */
  verdict v = {0};
  if (reshard_arg_read(c, a, &r) != 0 || check(c, &r, &v.check) != 0)
    return EXIT_BAD_INPUT;
  if (a->value[OPT_SHARD_RANK] != NULL)
    return answer_reshard_rank(c, a, &r, v.check.form);
  if (ask(c, &r, &v) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    print_json(c, a, &r, &v);
  else
    print_text(c, &r, &v);
  return v.check.loading == DTC_LOADING_YES ? EXIT_YES : EXIT_NO;
}
