/* --leaves: how often a ring over the nodes, in this order, crosses between leaf switches, and the best order. */
#ifndef LEAVES_H
#define LEAVES_H

#include "json_out.h"
#include "options.h"

typedef struct leaves {
  uint64_t *of; /* leaf switch of each node; NULL when not given */
  size_t nodes;
  uint64_t *order; /* the best one */
  uint64_t crossings;
  uint64_t fewest;
} leaves;

/* 0, or EXIT_BAD_INPUT with the reason printed. */
int leaves_read(const cli *c, const args *a, leaves *out);

void leaves_print(const cli *c, const leaves *l);

/* ring */
void leaves_json(json *j, const leaves *l);

#endif
