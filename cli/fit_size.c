/* dtcore fit with a bare size: the account that people quote, in decimal GB. */
#include "fit.h"

#include "size.h"
#include "table.h"
#include "text.h"

#include <stdio.h>

/* Accounts in circulation: what they add for activations. */
typedef struct account {
  uint64_t params;
  uint64_t activations; /* bytes */
  uint64_t batch;
  uint64_t seq;
} account;

static const account accounts[] = {
    {70000000000, 50000000000, 1, 4096},
};

typedef struct size_answer {
  size_states kept;
  bool has_activations;
  account quoted; /* batch 0: the user gave the activations */
  uint64_t total;
  uint64_t gpus_states; /* fewest GPUs for the states alone, by usable memory */
  uint64_t gpus_total;  /* as the account counts: by nominal memory */
} size_answer;

static uint64_t divide_up(uint64_t a, uint64_t b)
{
  return a / b + (a % b != 0);
}

static int read_activations(const cli *c, const args *a, const fit_question *q, size_answer *out)
{
  const char *given = a->value[OPT_ACTIVATIONS];
  if (given != NULL) {
    out->has_activations = text_read_bytes(given, &out->quoted.activations) && out->quoted.activations < (uint64_t)1
                                                                                                             << 60;
    return out->has_activations ? 0 : fail(c, MSG_BAD_VALUE, options[OPT_ACTIVATIONS].name, given, "SIZE");
  }
  for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++) {
    if (accounts[i].params == q->model.params) {
      out->quoted = accounts[i];
      out->has_activations = true;
    }
  }
  return 0;
}

static int count(const cli *c, const args *a, const fit_question *q, size_answer *out)
{
  if (size_count(c, a, &q->model, &q->plan, &out->kept) != 0 || read_activations(c, a, q, out) != 0)
    return EXIT_BAD_INPUT;
  out->total = out->kept.states.total + out->quoted.activations;
  out->gpus_states = divide_up(out->kept.states.total, q->cluster.cluster.usable);
  out->gpus_total = divide_up(out->total, nominal_gb(&q->cluster) * 1000000000);
  return 0;
}

static void state_row(const cli *c, table *t, msg name, uint64_t bytes, const fit_question *q, uint64_t whole)
{
  char each[32];
  snprintf(each, sizeof each, "%.4g", (double)bytes / (double)q->model.params);
  table_cell(t, say(c, name));
  table_cell(t, each);
  table_cell(t, text_gb((double)bytes).s);
  table_cell(t, bar_of(c, (double)bytes, (double)whole).s);
}

/* "1 GPU", "14 GPUs" */
static text gpus_text(const cli *c, uint64_t gpus)
{
  text t;
  write_line(c, t.s, sizeof t.s, gpus == 1 ? MSG_ONE_GPU : MSG_SOME_GPUS, text_thousands(gpus).s);
  return t;
}

static void print_text(const cli *c, const fit_question *q, const size_answer *s)
{
  const dtc_model_states *kept = &s->kept.states;
  text gb = text_u64(nominal_gb(&q->cluster));
  text states = text_gb((double)kept->total);
  print_line(c, MSG_SIZE_INTRO, q->model.name, dtc_value_name(DTC_FIELD(plan, framework), s->kept.framework));
  table t = table_new("lrrl");
  table_cell(&t, say(c, MSG_ITEM));
  table_cell(&t, say(c, MSG_BYTES_PARAM));
  table_cell(&t, "GB");
  table_cell(&t, "");
  state_row(c, &t, MSG_ITEM_WEIGHTS, kept->weights, q, kept->total);
  state_row(c, &t, MSG_ITEM_GRADIENTS, kept->gradients, q, kept->total);
  state_row(c, &t, MSG_ITEM_OPTIMIZER, kept->master + kept->moments, q, kept->total);
  state_row(c, &t, MSG_STATES, kept->total, q, kept->total);
  table_print(c, &t, 2);
  print_line(c, MSG_SIZE_STATES, states.s, text_gb((double)q->cluster.cluster.usable).s, q->cluster.name,
             gpus_text(c, s->gpus_states).s);
  if (s->has_activations && s->quoted.batch != 0)
    print_line(c, MSG_SIZE_QUOTED, text_gb((double)s->quoted.activations).s, text_u64(s->quoted.batch).s,
               text_u64(s->quoted.seq).s, text_gb((double)s->total).s, text_thousands(s->gpus_total).s, q->cluster.name,
               gb.s);
  else if (s->has_activations)
    print_line(c, MSG_SIZE_GIVEN, text_gb((double)s->quoted.activations).s, text_gb((double)s->total).s,
               text_thousands(s->gpus_total).s, q->cluster.name, gb.s);
  if (q->cluster.gpus != 0)
    print_line(c, q->cluster.gpus >= s->gpus_states ? MSG_SIZE_ENOUGH : MSG_SIZE_TOO_FEW,
               gpus_text(c, q->cluster.gpus).s);
  print_line(c, MSG_SIZE_MISSES);
}

static void print_json(const args *a, const fit_question *q, const size_answer *s)
{
  json j;
  json_start(&j, a->command);
  json_model(&j, &q->model);
  json_cluster(&j, &q->cluster);
  json_text(&j, "framework", dtc_value_name(DTC_FIELD(plan, framework), s->kept.framework));
  json_states(&j, "states", &s->kept.states);
  json_u64(&j, "min_gpus_states", s->gpus_states);
  if (s->has_activations) {
    json_object(&j, "account");
    json_u64(&j, "activations", s->quoted.activations);
    if (s->quoted.batch != 0) {
      json_u64(&j, "batch", s->quoted.batch);
      json_u64(&j, "seq", s->quoted.seq);
    }
    json_u64(&j, "total", s->total);
    json_u64(&j, "nominal_gpu_bytes", nominal_gb(&q->cluster) * 1000000000);
    json_u64(&j, "min_gpus", s->gpus_total);
    json_end(&j);
  } else {
    json_null(&j, "account");
  }
  json_end(&j);
}

int fit_size(const cli *c, const args *a, const fit_question *q)
{
  size_answer s = {0};
  if (count(c, a, q, &s) != 0)
    return EXIT_BAD_INPUT;
  if (c->json)
    print_json(a, q, &s);
  else
    print_text(c, q, &s);
  return q->cluster.gpus != 0 && q->cluster.gpus < s.gpus_states ? EXIT_NO : EXIT_YES;
}
