/* The sharding and the tensors that the options give: a model's or a list of shapes, by a scheme or by a plan. */
#ifndef SHARD_ARG_H
#define SHARD_ARG_H

#include "json_out.h"
#include "model_arg.h"

enum { TENSOR_NAME = 128 };

/* Tensors in the order of the module. */
typedef struct tensors {
  bool has_model; /* they are this model's */
  model_arg model;
  dtc_shape *shapes;
  uint64_t *index; /* of each in the model; NULL when it is the same */
  size_t n;
} tensors;

typedef struct shard_arg {
  tensors tensors;
  dtc_shards shards; /* resolved */
  dtc_slot *slots;   /* of the tensors */
  dtc_shard_totals totals;
} shard_arg;

/* The tensors of MODEL, of one of its layers, or of --shapes. 0, or EXIT_BAD_INPUT with the reason printed. */
int tensors_read(const cli *c, const args *a, const plan_arg *plan, tensors *out);

/* "model.norm.weight", or "tensor 3". */
void tensor_name(const cli *c, const tensors *t, size_t i, char out[TENSOR_NAME]);

/* "4096 x 4096" */
void shape_text(const dtc_shape *s, char out[TENSOR_NAME]);

/* A tensor by its name or its number. 0, or EXIT_BAD_INPUT with the reason printed. */
int tensor_find(const cli *c, const tensors *t, const char *name, size_t *index);

/* The whole question. 0, or EXIT_BAD_INPUT with the reason printed. */
int shard_arg_read(const cli *c, const args *a, shard_arg *out);

/* Sets the field of an option, as the options and the words "scheme=zero12 world=32" give it, in a struct of the library
 * that has it. `shown` is what the user wrote. 0, or EXIT_BAD_INPUT with the reason printed. */
int field_set(const cli *c, const option *o, const char *shown, const char *value, void *object);

/* Sets what options give of a struct of the library, DTC_STRUCT_shards. 0, or EXIT_BAD_INPUT with the reason printed. */
int fields_set(const cli *c, const args *a, uint32_t number, void *object);

/* Scratch that the library needs for the tensors in a resolved sharding. The caller frees. */
uint64_t *shards_scratch(const cli *c, const dtc_shards *s, const tensors *t, size_t *n);

/* Where the tensors lie, and the sums. 0, or EXIT_BAD_INPUT with the reason printed. */
int shards_lay(const cli *c, const tensors *t, const dtc_shards *s, dtc_slot **slots, dtc_shard_totals *totals);

/* Bytes of so many elements. */
uint64_t elements_bytes(const dtc_shards *s, uint64_t elements);

/* model, shards */
void json_shards(json *j, const shard_arg *s);

/* "llama-2-7b: ..." and "fsdp2: ranks 512, tensors 291, elements of bf16" */
void print_shards(const cli *c, const shard_arg *s);

#endif
