#include "collective_arg.h"

#include "report.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

int collective_op_read(const cli *c, const char *word, dtc_collective *op)
{
  char name[32];
  char list[512];
  size_t n = 0;
  for (; word[n] != 0 && n + 1 < sizeof name; n++)
    name[n] = word[n] == '-' ? '_' : word[n];
  name[n] = 0;
  *op = value_find(DTC_FIELD(collective_call, op), name, n);
  if (*op != DTC_COLLECTIVE_NONE)
    return 0;
  value_list(c, DTC_FIELD(collective_call, op), list, sizeof list);
  return fail(c, MSG_UNKNOWN_VALUE, "OP", word, list);
}

static int style_read(const cli *c, const args *a, dtc_call_style *style)
{
  static const dtc_call_style styles[] = {DTC_CALL_STYLE_LOOP, DTC_CALL_STYLE_THREAD, DTC_CALL_STYLE_BLOCKING};
  const char *given = a->value[OPT_STYLE];
  char list[128] = "";
  for (size_t i = 0; given != NULL && i < sizeof styles / sizeof *styles; i++) {
    const char *name = dtc_value_name(DTC_FIELD(collective_call, style), styles[i]);
    list_add(c, list, sizeof list, name);
    if (strcmp(given, name) == 0) {
      *style = styles[i];
      return 0;
    }
  }
  return given == NULL ? 0 : fail(c, MSG_UNKNOWN_VALUE, "style", given, list);
}

static int machine_read(const cli *c, const args *a, collective_arg *out)
{
  const char *fabric = a->value[OPT_FABRIC];
  char list[256];
  cluster_arg machine;
  if (cluster_arg_read(c, a, &machine) != 0)
    return EXIT_BAD_INPUT;
  out->machine = machine.given ? machine.name : NULL;
  out->cluster = machine.usual;
  if (fabric == NULL)
    return 0;
  out->cluster.fabric = value_find(DTC_FIELD(cluster, fabric), fabric, strlen(fabric));
  if (out->cluster.fabric != DTC_FABRIC_DEFAULT)
    return 0;
  value_list(c, DTC_FIELD(cluster, fabric), list, sizeof list);
  return fail(c, MSG_UNKNOWN_VALUE, "fabric", fabric, list);
}

/* Ranks from --gpus, --nodes and --per-node: any two say the third; one node of the machine without them. */
static int group_read(const cli *c, const args *a, collective_arg *out)
{
  dtc_collective_call *call = &out->call;
  uint64_t gpus;
  uint64_t nodes;
  uint64_t node = out->machine != NULL ? out->cluster.gpus_per_node : 0;
  if (args_number(c, a, OPT_COLL_GPUS, 1, 0, &gpus) != 0 || args_number(c, a, OPT_COLL_NODES, 1, 0, &nodes) != 0 ||
      args_number(c, a, OPT_PER_NODE, 1, 0, &call->per_node) != 0 ||
      args_number(c, a, OPT_COLL_GROUPS, 1, 0, &call->groups) != 0)
    return EXIT_BAD_INPUT;
  if (gpus != 0 && nodes != 0 && call->per_node == 0)
    call->per_node = gpus / nodes;
  if (gpus != 0 && nodes != 0 && gpus != nodes * call->per_node)
    return fail(c, MSG_GPUS_AND_NODES, text_u64(gpus).s, text_u64(nodes).s, text_u64(call->per_node).s);
  node = call->per_node != 0 ? call->per_node : node;
  call->ranks = gpus != 0 ? gpus : node * (nodes != 0 ? nodes : 1);
  return 0;
}

int collective_arg_read(const cli *c, const args *a, collective_arg *out)
{
  dtc_collective_call *call = &out->call;
  const char *version = a->value[OPT_NCCL];
  memset(out, 0, sizeof *out);
  DTC_INIT(call);
  if (a->operand == NULL)
    return fail(c, MSG_NEEDS_OP);
  if (collective_op_read(c, a->operand, &call->op) != 0 || machine_read(c, a, out) != 0 ||
      style_read(c, a, &call->style) != 0 || group_read(c, a, out) != 0)
    return EXIT_BAD_INPUT;
  if (version != NULL && release_read(c, "nccl", version, &call->version) != 0)
    return EXIT_BAD_INPUT;
  out->op_name = dtc_value_name(DTC_FIELD(collective_call, op), call->op);
  call->tuned = a->value[OPT_TUNED] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  call->two_level = a->value[OPT_TWO_LEVEL] != NULL ? DTC_BOOL_ON : DTC_BOOL_DEFAULT;
  call->in_switch = a->value[OPT_NO_NVLS] != NULL ? DTC_BOOL_OFF : DTC_BOOL_DEFAULT;
  return 0;
}

int collective_arg_resolve(const cli *c, collective_arg *arg)
{
  dtc_error err;
  DTC_INIT(&err);
  if (arg->machine == NULL)
    return fail(c, MSG_NEEDS_GPU);
  return dtc_collective_resolve(&arg->cluster, &arg->call, &arg->call, &err) == DTC_OK
             ? 0
             : fail_with(c, arg->machine, &err);
}
