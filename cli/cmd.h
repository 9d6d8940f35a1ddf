/* The commands. Each gives an exit code. */
#ifndef CMD_H
#define CMD_H

#include "options.h"

typedef struct command {
  const char *name;
  const char *operand; /* in the usage line; "" for none */
  uint32_t groups;     /* of the options it knows: FOR_PLANS, FOR_FIT */
  int (*run)(const cli *c, const args *a);
  const char *en;
  const char *zh;
  const char *examples; /* lines */
} command;

extern const command commands[];
extern const size_t command_count;

int cmd_models(const cli *c, const args *a);
int cmd_gpus(const cli *c, const args *a);
int cmd_clusters(const cli *c, const args *a);
int cmd_params(const cli *c, const args *a);
int cmd_memory(const cli *c, const args *a);
int cmd_check(const cli *c, const args *a);
int cmd_fit(const cli *c, const args *a);
int cmd_ranks(const cli *c, const args *a);
int cmd_place(const cli *c, const args *a);
int cmd_shard(const cli *c, const args *a);
int cmd_reshard(const cli *c, const args *a);
int cmd_pipeline(const cli *c, const args *a);
int cmd_step(const cli *c, const args *a);
int cmd_plan(const cli *c, const args *a);
int cmd_explain(const cli *c, const args *a);
int cmd_launch(const cli *c, const args *a);
int cmd_frameworks(const cli *c, const args *a);
int cmd_advise(const cli *c, const args *a);
int cmd_lint(const cli *c, const args *a);
int cmd_collective(const cli *c, const args *a);

/* Help of the program (`of` NULL) or of a command, to stdout. */
void help_print(const cli *c, const command *of);

#endif
