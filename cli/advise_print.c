#include "advise.h"
#include "framework_list.h"
#include "plan_short.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

enum { REASONS = 32, AGAINST = DTC_REASON_NO_FIT };

void advise_name(const dtc_advice *a, char out[64])
{
  dtc_traits t;
  DTC_INIT(&t);
  const char *name = dtc_framework_traits(a->framework, a->sharding, &t, NULL) == DTC_OK
                         ? dtc_traits_name(t.index)
                         : dtc_value_name(DTC_FIELD(plan, framework), a->framework);
  bool more = a->framework == DTC_FRAMEWORK_DEEPSPEED;
  snprintf(out, 64, "%s%s%s", name, more ? " " : "",
           more ? dtc_value_name(DTC_FIELD(plan, sharding), a->sharding) : "");
}

static void reason_text(const cli *c, dtc_reason reason, char out[256])
{
  if (dtc_framework_reason(reason, c->lang, out, 256, NULL, NULL) != DTC_OK)
    *out = 0;
}

/* The shortened plan of a piece of advice; "" when there is none. */
static void line_of(const advise_question *q, size_t i, char out[PLAN_LINE])
{
  *out = 0;
  if (q->plans[i].framework == DTC_FRAMEWORK_DEFAULT)
    return;
  dtc_plan shown = plan_shorten(&q->model.model, &q->cluster.cluster, &q->plans[i]);
  plan_line(&q->model, &shown, out);
}

static void print_table(const cli *c, const advise_question *q)
{
  table t = table_new("rlrrr");
  table_cell(&t, "");
  table_cell(&t, say(c, MSG_ADVISE_NAME));
  table_cell(&t, say(c, MSG_ADVISE_TIME));
  table_cell(&t, "GiB");
  table_cell(&t, say(c, MSG_ADVISE_SCORE));
  for (size_t i = 0; i < q->count; i++) {
    const dtc_advice *a = &q->advice[i];
    char name[64], score[32];
    advise_name(a, name);
    bool runs = a->fits == DTC_BOOL_ON && !(a->reasons >> DTC_REASON_NO_VENDOR & 1);
    snprintf(score, sizeof score, "%.1f", a->score);
    table_cell(&t, text_u64(i + 1).s);
    table_cell(&t, name);
    table_cell(&t, a->seconds > 0 ? text_seconds(a->seconds).s : "");
    table_cell(&t, a->device != 0 ? text_gib(a->device).s : "");
    table_cell(&t, runs ? score : "-");
  }
  table_print(c, &t, 2);
}

/* "+ shortest step", what speaks for it first. */
static void print_reasons(const cli *c, uint64_t reasons)
{
  for (dtc_reason r = 1; r < REASONS; r++) {
    char told[256], line[300];
    if (!(reasons >> r & 1))
      continue;
    reason_text(c, r, told);
    write_line(c, line, sizeof line, r < AGAINST ? MSG_ADVISE_FOR : MSG_ADVISE_AGAINST, told);
    printf("   %s\n", line);
  }
}

static void print_one(const cli *c, const advise_question *q, size_t i)
{
  char name[64], line[PLAN_LINE];
  advise_name(&q->advice[i], name);
  print_line(c, MSG_ADVISE_LINE, text_u64(i + 1).s, name);
  print_reasons(c, q->advice[i].reasons);
  line_of(q, i, line);
  if (*line != 0 && q->advice[i].fits == DTC_BOOL_ON)
    printf("   %s\n", line);
}

/* What "dtcore frameworks" says of the one that comes first and of GPUs like these; the rest is there. */
static void print_notes(const cli *c, const advise_question *q)
{
  dtc_traits t;
  dtc_vendor vendor = q->wishes.vendor != DTC_VENDOR_DEFAULT ? q->wishes.vendor : q->cluster.cluster.vendor;
  DTC_INIT(&t);
  if (dtc_framework_traits(q->advice[0].framework, q->advice[0].sharding, &t, NULL) != DTC_OK)
    return;
  for (size_t i = 0; i < dtc_framework_note_count(); i++) {
    char about[64], of[64];
    note_text(c, i, DTC_NOTE_ABOUT, about, sizeof about);
    note_text(c, i, DTC_NOTE_VENDOR, of, sizeof of);
    if (strcmp(about, dtc_traits_name(t.index)) == 0 && *of != 0 &&
        strcmp(of, dtc_value_name(DTC_FIELD(cluster, vendor), vendor)) == 0)
      note_print(c, i);
  }
  print_line(c, MSG_ADVISE_MORE, dtc_traits_name(t.index));
}

static void print_next(const cli *c, const advise_question *q)
{
  char line[PLAN_LINE];
  const char *at = NULL;
  line_of(q, 0, line);
  if (q->advice[0].fits != DTC_BOOL_ON) {
    print_line(c, MSG_ADVISE_NONE);
    return;
  }
  at = strncmp(line, "dtcore: ", 8) == 0 ? line + 8 : line;
  uint64_t index = 0;
  for (size_t i = 0; i < dtc_cluster_count(); i++)
    index += strcmp(dtc_cluster_name(i), q->cluster.name) == 0;
  print_line(c, MSG_ADVISE_NEXT);
  printf("  dtcore step --%s %s --gpus %s --plan '%s'\n", index != 0 ? "cluster" : "gpu", q->cluster.name,
         text_u64(q->cluster.gpus).s, at);
}

void advise_print(const cli *c, const advise_question *q)
{
  print_model(c, &q->model);
  print_cluster(c, &q->cluster);
  if (q->plan.plan.global_batch == 0 && q->plans[0].framework != DTC_FRAMEWORK_DEFAULT)
    print_line(c, MSG_ADVISE_BATCH, text_u64(q->plans[0].global_batch).s);
  if (*q->ignored != 0)
    print_line(c, MSG_ADVISE_IGNORED, q->ignored);
  print_table(c, q);
  for (size_t i = 0; i < q->count; i++)
    print_one(c, q, i);
  print_next(c, q);
  puts("");
  print_notes(c, q);
}

static void json_reasons(json *j, const cli *c, const char *key, uint64_t reasons, dtc_reason from, dtc_reason until)
{
  json_array(j, key);
  for (dtc_reason r = from; r < until; r++) {
    char told[256];
    if (!(reasons >> r & 1))
      continue;
    reason_text(c, r, told);
    json_text(j, NULL, told);
  }
  json_end(j);
}

static void json_seconds(json *j, const char *key, double v)
{
  if (v > 0)
    json_f64(j, key, v);
  else
    json_null(j, key);
}

static void json_one(json *j, const cli *c, const advise_question *q, size_t i)
{
  const dtc_advice *a = &q->advice[i];
  char name[64], line[PLAN_LINE];
  advise_name(a, name);
  json_object(j, NULL);
  json_text(j, "name", name);
  json_text(j, "framework", dtc_value_name(DTC_FIELD(plan, framework), a->framework));
  json_f64(j, "score", a->score);
  json_bool(j, "fits", a->fits == DTC_BOOL_ON);
  json_seconds(j, "seconds", a->seconds);
  json_seconds(j, "seconds_now", a->seconds_now);
  json_u64(j, "device", a->device);
  json_u64(j, "device_now", a->device_now);
  json_u64(j, "host", a->host);
  json_reasons(j, c, "for", a->reasons, 1, AGAINST);
  json_reasons(j, c, "against", a->reasons, AGAINST, REASONS);
  if (q->plans[i].framework != DTC_FRAMEWORK_DEFAULT)
    plan_line(&q->model, &q->plans[i], line);
  json_text(j, "plan", q->plans[i].framework != DTC_FRAMEWORK_DEFAULT ? line : NULL);
  json_end(j);
}

/* A string for each word. */
static void json_ignored(json *j, const char *words)
{
  json_array(j, "ignored");
  for (const char *at = words; *at != 0;) {
    char word[128];
    size_t n = strcspn(at, " ");
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    json_text(j, NULL, word);
    at += n + strspn(at + n, " ");
  }
  json_end(j);
}

void advise_json(const cli *c, const args *a, const advise_question *q)
{
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  json_ignored(&j, q->ignored);
  json_array(&j, "advice");
  for (size_t i = 0; i < q->count; i++)
    json_one(&j, c, q, i);
  json_end(&j);
  json_end(&j);
}
