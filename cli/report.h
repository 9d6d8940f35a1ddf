/* What several commands print in the same way. */
#ifndef REPORT_H
#define REPORT_H

#include "cluster_arg.h"
#include "draw.h"
#include "json_error.h"
#include "model_arg.h"

enum { PLAN_LINE = 4096 }; /* every word of a plan has room */

/* An item of dtc_memory. */
typedef struct memory_item {
  dtc_memory_item item; /* bit in dtc_memory.exact */
  const char *key;      /* in JSON */
  msg name;
  msg column;    /* short, for a table */
  size_t offset; /* in dtc_memory */
  size_t held;   /* in dtc_memory_held */
} memory_item;

enum { MEMORY_ITEMS = 8 };
extern const memory_item memory_items[MEMORY_ITEMS];

uint64_t memory_item_bytes(const dtc_memory *m, const memory_item *item);

uint64_t held_item_bytes(const dtc_memory_held *h, const memory_item *item);

/* Item with this number; NULL when there is none. */
const memory_item *memory_item_of(dtc_memory_item item);

/* One GPU: item, GiB, exact or estimate, bar; then allocated, reserved and device. */
void print_memory(const cli *c, const dtc_memory *m);

/* "fits: 3.10 GiB of 79.11 GiB stay free", or that and how much is missing. Nothing without a GPU. */
void print_verdict(const cli *c, uint64_t device, uint64_t capacity);

/* "llama-2-70b: 68,976,648,192 parameters" and "h100-80gb: 79.11 GiB ..." */
void print_model(const cli *c, const model_arg *m);
void print_cluster(const cli *c, const cluster_arg *a);

/* A line of format `id`, to stdout or to out[0..cap). */
void print_line(const cli *c, msg id, ...);
void write_line(const cli *c, char *out, size_t cap, msg id, ...);

/* "source: ..." in lines of the terminal's width. */
void print_source(const cli *c, const char *source);

/* Text form of a plan. */
void plan_line(const model_arg *m, const dtc_plan *plan, char out[PLAN_LINE]);

/* The picture as a file. 0, or EXIT_BAD_INPUT with the reason printed. */
int picture_write(const cli *c, const char *path, const picture *p);

/* Starts the object every answer is: {"dtcore": version, "command": ...}. */
void json_start(json *j, const char *command);
void json_model(json *j, const model_arg *m);
void json_cluster(json *j, const cluster_arg *a);
void json_memory(json *j, const char *key, const dtc_memory *m);
void json_states(json *j, const char *key, const dtc_model_states *s);

/* Every field of a struct of the library without doubles: DTC_STRUCT_model, DTC_STRUCT_layout. */
void json_struct(json *j, const char *key, uint32_t number, const void *object);

#endif
