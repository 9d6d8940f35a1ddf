/* The MODEL argument: a catalogue name, a Hugging Face id, a config.json or its folder, or a bare size. */
#ifndef MODEL_ARG_H
#define MODEL_ARG_H

#include "plan_arg.h"

typedef struct model_arg {
  const char *name;      /* to show */
  const char *plan_name; /* for `model=` in a plan text; NULL when the model is not of the catalogue */
  const char *source;    /* where the shape comes from */
  bool size_only;        /* a bare size: `params` is all that is known */
  uint64_t params;       /* of a bare size, else the exact count */
  uint64_t active;       /* parameters a token passes through */
  dtc_model model;
  char path[4096]; /* of the config.json that was read */
} model_arg;

/* Reads the operand, or the model that --plan names. 0, or EXIT_BAD_INPUT with the reason printed. */
int model_arg_read(const cli *c, const args *a, const plan_arg *plan, model_arg *out);

#endif
