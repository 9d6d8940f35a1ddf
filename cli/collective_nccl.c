#include "collective_nccl.h"

#include "report.h"
#include "text.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine that one of NCCL's searches ran for; fabrics with a plugin of their own are others. */
typedef struct known {
  const char *system;
  uint32_t compute;
  uint32_t domain; /* GPUs joined by NVLink */
  double nvlink;
  uint64_t nics;
  double nic;
} known;

static const known systems[] = {
    {"a100-8x200", 80, 8, 300e9, 8, 25e9},    {"a100-4x100", 80, 8, 300e9, 4, 12.5e9},
    {"h100-8x400", 90, 8, 450e9, 8, 50e9},    {"h100-8x200", 90, 8, 450e9, 8, 25e9},
    {"b200-8x400", 100, 8, 900e9, 8, 50e9},   {"b300-8x800", 103, 8, 900e9, 8, 100e9},
    {"gb200-nvl4", 100, 4, 900e9, 4, 50e9},   {"gb200-nvl8", 100, 8, 900e9, 4, 50e9},
    {"gb200-nvl16", 100, 16, 900e9, 4, 50e9}, {"gb200-nvl32", 100, 32, 900e9, 4, 50e9},
    {"gb200-nvl64", 100, 64, 900e9, 4, 50e9}, {"gb200-nvl72", 100, 72, 900e9, 4, 50e9},
};

static bool near(double a, double b)
{
  return a >= b * 0.99 && a <= b * 1.01;
}

static const char *system_of(const dtc_cluster *cl)
{
  bool plain = cl->vendor == DTC_VENDOR_NVIDIA && cl->fabric <= DTC_FABRIC_RDMA;
  for (size_t i = 0; plain && i < sizeof systems / sizeof *systems; i++) {
    const known *k = &systems[i];
    if (k->compute == cl->compute && k->domain == cl->nvlink_domain && near(cl->nvlink_bandwidth, k->nvlink) &&
        k->nics == cl->nics_per_node && near(cl->nic_bandwidth, k->nic))
      return k->system;
  }
  return NULL;
}

int collective_nccl_find(const cli *c, const args *a, const collective_arg *arg, collective_nccl *out)
{
  const char *given = a->value[OPT_SYSTEM];
  const dtc_collective_call *call = &arg->call;
  dtc_error err;
  DTC_INIT(&err);
  DTC_INIT(&out->comm);
  out->system = given != NULL ? given : system_of(&arg->cluster);
  if (out->system == NULL || call->ranks < 2 || call->per_node == 0)
    return out->system = NULL, 0;
  uint64_t nodes = (call->ranks + call->per_node - 1) / call->per_node;
  if (dtc_nccl_find(out->system, call->version, nodes, call->per_node, &out->comm, &err) != DTC_OK) {
    out->system = NULL;
    return given == NULL ? 0 : fail_name(c, given, &err);
  }
  out->system = dtc_nccl_name(name_index(out->system, dtc_nccl_count(), dtc_nccl_name));
  if (a->value[OPT_NO_NVLS] != NULL)
    out->comm.nvls_channels = 0;
  return 0;
}

bool collective_nccl_choose(const collective_nccl *n, const collective_arg *arg, uint64_t bytes, dtc_nccl_choice *out)
{
  return n->system != NULL && bytes > 0 && dtc_nccl_choose(&n->comm, arg->call.op, bytes, out, NULL) == DTC_OK;
}

/* ---- --nccl-tuner-csv -------------------------------------------------------------------------------------------- */

static int tuner_print(const cli *c, const args *a, const dtc_nccl *comm, dtc_collective op)
{
  size_t len = 0;
  dtc_error err;
  DTC_INIT(&err);
  if (dtc_nccl_tuner_write(comm, op, NULL, 0, &len, &err) != DTC_OK)
    return fail_with(c, NULL, &err);
  char *csv = grow(NULL, len + 1);
  int code = dtc_nccl_tuner_write(comm, op, csv, len + 1, &len, &err) == DTC_OK ? 0 : fail_with(c, NULL, &err);
  if (code == 0 && c->json) {
    json j;
    json_start(&j, a->command);
    json_text(&j, "system", a->value[OPT_SYSTEM]);
    json_u64(&j, "nodes", comm->nodes);
    json_u64(&j, "per_node", comm->per_node);
    json_u64(&j, "nccl_version", comm->version);
    json_text(&j, "csv", csv);
    json_end(&j);
  } else if (code == 0) {
    fputs(csv, stdout);
  }
  free(csv);
  return code;
}

int answer_tuner(const cli *c, const args *a)
{
  const char *system = a->value[OPT_SYSTEM];
  const char *version = a->value[OPT_NCCL];
  dtc_collective op = DTC_COLLECTIVE_NONE;
  dtc_release release = 0;
  uint64_t nodes;
  uint64_t per_node;
  dtc_nccl comm;
  dtc_error err;
  DTC_INIT(&comm);
  DTC_INIT(&err);
  if (system == NULL)
    return fail(c, MSG_NEEDS_SYSTEM);
  if ((a->operand != NULL && collective_op_read(c, a->operand, &op) != 0) ||
      (version != NULL && release_read(c, "nccl", version, &release) != 0) ||
      args_number(c, a, OPT_COLL_NODES, 1, 1, &nodes) != 0 || args_number(c, a, OPT_PER_NODE, 1, 0, &per_node) != 0)
    return EXIT_BAD_INPUT;
  if (per_node == 0) { /* all GPUs: the name of a GB200 system says how many, others have eight */
    const char *nvl = strstr(system, "nvl");
    per_node = nvl != NULL ? strtoull(nvl + 3, NULL, 10) : 8;
  }
  if (dtc_nccl_find(system, release, nodes, per_node, &comm, &err) != DTC_OK)
    return fail_name(c, system, &err);
  return tuner_print(c, a, &comm, op);
}
