/* dtcore advise: the question, and the answer in words and in JSON. */
#ifndef ADVISE_H
#define ADVISE_H

#include "cluster_arg.h"
#include "json_out.h"
#include "model_arg.h"
#include "report.h"

enum { ADVICE_MOST = 8 };

typedef struct advise_question {
  model_arg model;
  cluster_arg cluster;
  plan_arg plan;
  char ignored[PLAN_LINE]; /* words of the plan without effect, "megatron tp=7" */
  dtc_wishes wishes;
  dtc_advice advice[ADVICE_MOST];
  dtc_plan plans[ADVICE_MOST]; /* resolved; framework 0 where there is none */
  size_t count;
} advise_question;

/* "PyTorch FSDP", "DeepSpeed zero3". */
void advise_name(const dtc_advice *a, char out[64]);
void advise_print(const cli *c, const advise_question *q);
void advise_json(const cli *c, const args *a, const advise_question *q);

#endif
