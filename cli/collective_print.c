#include "collective_print.h"

#include "report.h"

#include <stdio.h>

const char *say_bound(const cli *c, dtc_bound bound)
{
  static const msg words[] = {MSG_BOUND_NONE, MSG_BOUND_LAUNCH, MSG_BOUND_LATENCY, MSG_BOUND_NVLINK,
                              MSG_BOUND_PCIE, MSG_BOUND_NIC,    MSG_BOUND_SWITCH,  MSG_BOUND_SMS};
  return say(c, words[bound < sizeof words / sizeof *words ? bound : 0]);
}

const char *say_confidence(const cli *c, dtc_confidence confidence)
{
  static const msg words[] = {MSG_RESTS_NONE, MSG_RESTS_MEASURED, MSG_RESTS_RELATIVE, MSG_RESTS_EXTRAPOLATED};
  return say(c, words[confidence < sizeof words / sizeof *words ? confidence : 0]);
}

const char *say_grade(const cli *c, dtc_grade grade)
{
  static const msg words[] = {MSG_GRADE_NONE, MSG_GRADE_GOOD, MSG_GRADE_LOW, MSG_GRADE_BROKEN, MSG_GRADE_IMPOSSIBLE};
  return say(c, words[grade < sizeof words / sizeof *words ? grade : 0]);
}

const char *say_reason(const cli *c, dtc_slow_reason reason)
{
  static const msg words[] = {MSG_SLOW_NONE,      MSG_SLOW_SOCKETS,  MSG_SLOW_ONE_NIC,
                              MSG_SLOW_HALF_NICS, MSG_SLOW_PCIE,     MSG_SLOW_IN_SWITCH,
                              MSG_SLOW_CHANNELS,  MSG_SLOW_BLOCKING, MSG_SLOW_SETUP};
  return say(c, words[reason < sizeof words / sizeof *words ? reason : 0]);
}

text text_choice(const dtc_nccl_choice *choice)
{
  text t;
  snprintf(t.s, sizeof t.s, "%s %s", dtc_value_name(DTC_FIELD(nccl_choice, algorithm), choice->algorithm),
           dtc_value_name(DTC_FIELD(nccl_choice, protocol), choice->protocol));
  return t;
}

void print_call(const cli *c, const collective_arg *arg, const char *what)
{
  uint64_t per_node = arg->call.per_node;
  uint64_t nodes = (arg->call.ranks + per_node - 1) / per_node;
  char op[128];
  snprintf(op, sizeof op, "%s%s%s", arg->op_name, *what != 0 ? " " : "", what);
  print_line(c, MSG_COLL_TITLE, op, arg->machine, text_u64(arg->call.ranks).s, text_u64(nodes).s, text_u64(per_node).s);
}

void json_call(json *j, const collective_arg *arg)
{
  const dtc_collective_call *call = &arg->call;
  json_object(j, "call");
  json_text(j, "op", arg->op_name);
  json_text(j, "machine", arg->machine);
  json_text(j, "style", dtc_value_name(DTC_FIELD(collective_call, style), call->style));
  json_u64(j, "ranks", call->ranks);
  json_u64(j, "per_node", call->per_node);
  json_u64(j, "groups", call->groups);
  json_bool(j, "in_switch", call->in_switch == DTC_BOOL_ON);
  json_bool(j, "tuned", call->tuned == DTC_BOOL_ON);
  json_bool(j, "two_level", call->two_level == DTC_BOOL_ON);
  json_text(j, "fabric", dtc_value_name(DTC_FIELD(cluster, fabric), arg->cluster.fabric));
  json_end(j);
}

void json_choice(json *j, const char *key, const char *system, const dtc_nccl_choice *choice)
{
  if (choice == NULL) {
    json_null(j, key);
    return;
  }
  json_object(j, key);
  json_text(j, "system", system);
  json_text(j, "algorithm", dtc_value_name(DTC_FIELD(nccl_choice, algorithm), choice->algorithm));
  json_text(j, "protocol", dtc_value_name(DTC_FIELD(nccl_choice, protocol), choice->protocol));
  json_u64(j, "channels", choice->channels);
  json_f64(j, "nccl_seconds", choice->seconds);
  json_end(j);
}
