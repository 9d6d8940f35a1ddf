/* dtcore gpus, clusters: the catalogue of machines. */
#include "cluster_arg.h"
#include "cmd.h"
#include "fields.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* From TERA on: of numbers with a fraction. */
typedef enum unit { COUNT, WORD, BYTES, TERA, GIGA, WATT, HOUR } unit;

/* How to show a field of dtc_cluster: the struct itself does not say its units. */
typedef struct cluster_field {
  field field;
  unit unit;
} cluster_field;

#define F(member, unit)                                                                                                \
  {                                                                                                                    \
    {DTC_FIELD(cluster, member), offsetof(dtc_cluster, member), sizeof(((dtc_cluster *)0)->member)}, unit              \
  }
static const cluster_field cluster_fields[] = {
    F(vendor, WORD),
    F(compute, COUNT),
    F(sms, COUNT),
    F(power, WATT),
    F(memory, BYTES),
    F(usable, BYTES),
    F(fp32, TERA),
    F(tf32, TERA),
    F(fp16, TERA),
    F(bf16, TERA),
    F(fp8, TERA),
    F(fp4, TERA),
    F(int8, TERA),
    F(hbm_bandwidth, GIGA),
    F(gpus_per_node, COUNT),
    F(nvlink_domain, COUNT),
    F(nvlink_bandwidth, GIGA),
    F(pcie_bandwidth, GIGA),
    F(nics_per_node, COUNT),
    F(nic_bandwidth, GIGA),
    F(host_memory, BYTES),
    F(host_bandwidth, GIGA),
    F(nvme_bandwidth, GIGA),
    F(node_power, WATT),
    F(mtbf, HOUR),
};

static double field_f64(const dtc_cluster *cl, const field *f)
{
  uint64_t bits = field_get(cl, f);
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static void cluster_row(table *t, const dtc_cluster *cl, const cluster_field *f)
{
  static const struct {
    double scale;
    const char *name;
    int digits;
  } units[] = {
      [COUNT] = {1, "", 0},       [WORD] = {1, "", 0},   [BYTES] = {1, "GiB", 0}, [TERA] = {1e12, "TFLOP/s", 10},
      [GIGA] = {1e9, "GB/s", 10}, [WATT] = {1, "W", 10}, [HOUR] = {1, "hours", 5}};
  char s[64];
  if (f->unit == WORD)
    snprintf(s, sizeof s, "%s", dtc_value_name(f->field.id, field_get(cl, &f->field)));
  else if (f->unit == COUNT)
    snprintf(s, sizeof s, "%s", text_u64(field_get(cl, &f->field)).s);
  else if (f->unit == BYTES)
    snprintf(s, sizeof s, "%s", text_gib(field_get(cl, &f->field)).s);
  else
    snprintf(s, sizeof s, "%.*g", units[f->unit].digits, field_f64(cl, &f->field) / units[f->unit].scale);
  if (strcmp(s, "0") == 0 || strcmp(s, "0.00") == 0)
    return; /* 0 means that the GPU lacks it, or that it is not known */
  table_cell(t, dtc_field_name(f->field.id));
  table_cell(t, s);
  table_cell(t, units[f->unit].name);
}

static void cluster_json(json *j, const dtc_cluster *cl)
{
  for (size_t i = 0; i < sizeof cluster_fields / sizeof *cluster_fields; i++) {
    const cluster_field *f = &cluster_fields[i];
    const char *name = dtc_field_name(f->field.id);
    if (f->unit == WORD)
      json_text(j, name, dtc_value_name(f->field.id, field_get(cl, &f->field)));
    else if (f->unit >= TERA)
      json_f64(j, name, field_f64(cl, &f->field));
    else
      json_u64(j, name, field_get(cl, &f->field));
  }
}

/* One of the two lists. */
typedef struct catalogue {
  const char *key; /* in JSON */
  size_t (*count)(void);
  const char *(*name)(size_t);
  const char *(*source)(size_t);
  dtc_status (*find)(const char *, dtc_cluster *, dtc_error *);
} catalogue;

static const catalogue gpus = {"gpus", dtc_gpu_count, dtc_gpu_name, dtc_gpu_source, dtc_gpu_find};
static const catalogue clusters = {"clusters", dtc_cluster_count, dtc_cluster_name, dtc_cluster_source,
                                   dtc_cluster_find};

static void show_cluster(const cli *c, const catalogue *k, const char *name, const char *source, const dtc_cluster *cl)
{
  if (c->json) {
    json j;
    json_start(&j, k->key);
    json_text(&j, "name", name);
    json_text(&j, "source", source);
    cluster_json(&j, cl);
    json_end(&j);
    return;
  }
  puts(name);
  table t = table_new("lrl");
  table_cell(&t, say(c, MSG_FIELD));
  table_cell(&t, say(c, MSG_VALUE));
  table_cell(&t, "");
  for (size_t i = 0; i < sizeof cluster_fields / sizeof *cluster_fields; i++)
    cluster_row(&t, cl, &cluster_fields[i]);
  table_print(c, &t, 2);
  print_source(c, source);
}

static int find_machine(const cli *c, const catalogue *k, const char *name, dtc_cluster *cl)
{
  dtc_error err;
  DTC_INIT(cl);
  DTC_INIT(&err);
  return k->find(name, cl, &err) == DTC_OK ? 0 : fail_name(c, name, &err);
}

static int show_one(const cli *c, const catalogue *k, const char *asked)
{
  dtc_cluster cl;
  if (find_machine(c, k, asked, &cl) != 0)
    return EXIT_BAD_INPUT;
  size_t i = name_index(asked, k->count(), k->name);
  if (i < k->count())
    show_cluster(c, k, k->name(i), k->source(i), &cl);
  return EXIT_YES;
}

static void cluster_cells(table *t, const char *name, const dtc_cluster *cl)
{
  char s[64];
  table_cell(t, name);
  table_cell(t, text_gib(cl->memory).s);
  table_cell(t, text_gib(cl->usable).s);
  snprintf(s, sizeof s, "%.5g", (cl->bf16 > 0 ? cl->bf16 : cl->fp16) / 1e12);
  table_cell(t, s);
  snprintf(s, sizeof s, "%.5g", cl->hbm_bandwidth / 1e9);
  table_cell(t, s);
  snprintf(s, sizeof s, "%.5g", cl->nvlink_bandwidth / 1e9);
  table_cell(t, strcmp(s, "0") == 0 ? "" : s);
  table_cell(t, text_u64(cl->gpus_per_node).s);
  snprintf(s, sizeof s, "%.5g", cl->nic_bandwidth * (double)cl->nics_per_node / 1e9);
  table_cell(t, strcmp(s, "0") == 0 ? "" : s);
}

static int list_as_json(const cli *c, const catalogue *k)
{
  json j;
  json_start(&j, k->key);
  json_array(&j, k->key);
  for (size_t i = 0; i < k->count(); i++) {
    dtc_cluster cl;
    if (find_machine(c, k, k->name(i), &cl) != 0)
      return EXIT_BAD_INPUT;
    json_object(&j, NULL);
    json_text(&j, "name", k->name(i));
    cluster_json(&j, &cl);
    json_end(&j);
  }
  json_end(&j);
  json_end(&j);
  return EXIT_YES;
}

static int list_as_table(const cli *c, const catalogue *k)
{
  static const msg head[] = {MSG_NAME,    MSG_MEMORY_GIB, MSG_USABLE_GIB, MSG_TFLOPS,
                             MSG_HBM_GBS, MSG_NVLINK_GBS, MSG_GPUS_NODE,  MSG_NET_GBS};
  table t = table_new("lrrrrrrr");
  for (size_t i = 0; i < t.columns; i++)
    table_cell(&t, say(c, head[i]));
  for (size_t i = 0; i < k->count(); i++) {
    dtc_cluster cl;
    if (find_machine(c, k, k->name(i), &cl) != 0)
      return EXIT_BAD_INPUT;
    cluster_cells(&t, k->name(i), &cl);
  }
  table_print(c, &t, 0);
  puts(say(c, MSG_GPUS_NOTE));
  return EXIT_YES;
}

static int answer(const cli *c, const args *a, const catalogue *k)
{
  if (a->operand != NULL)
    return show_one(c, k, a->operand);
  return c->json ? list_as_json(c, k) : list_as_table(c, k);
}

int cmd_gpus(const cli *c, const args *a)
{
  return answer(c, a, &gpus);
}

int cmd_clusters(const cli *c, const args *a)
{
  return answer(c, a, &clusters);
}
