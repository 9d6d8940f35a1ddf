/* Calls any public function with arguments made from bytes, and checks what holds for every function:
 *   - only the statuses that its documentation names come back;
 *   - inputs are never written; outputs are not touched on error (arrays excepted with DTC_E_SPACE), and never beyond
 *     their end; no double of a result is NaN;
 *   - a failed call fills a whole dtc_error with its status and a rule, which makes a line of text; a good one leaves
 *     it alone;
 *   - scratch of the length that a call without any asks for is enough, and what it held makes no difference.
 * tests/fuzz/generated/calls.c holds one call_NAME() per function; fuzz targets, tests/gates/bits.c and the thread
 * test run them. */
#ifndef HARNESS_H
#define HARNESS_H

#include <dtcore.h>

enum { BLOCKS = 16, REQUIRED = 0, OPTIONAL = 1 };

/* Memory of one argument. */
typedef struct block {
  unsigned char *bytes;
  unsigned char *before; /* what it held before the call */
  size_t size;
  size_t stride; /* of an array, else size */
  uint32_t noun; /* DTC_STRUCT_*, 0 none */
  uint8_t output;
  uint8_t array;
  uint8_t real;    /* a double */
  uint8_t scratch; /* unspecified afterwards */
  uint8_t count;   /* a size_t */
} block;

typedef struct call {
  const char *name;    /* the function */
  const uint8_t *data; /* where the arguments come from; zeros behind the end */
  size_t size;
  size_t at;
  int tame; /* structs of the right size, mostly legal values: what needs a model, a cluster and a plan at once */
  const struct call *shared; /* when not NULL, const arguments are those of this earlier call of the same bytes */
  uint64_t hash;             /* of the status and all results */
  dtc_status status;         /* DTC_OK also for functions that return none */
  dtc_error *err;
  uint64_t sizes[DTC_MESH_AXES]; /* of the axes of a mesh among the arguments, cut to what fits */
  unsigned axes;
  uint64_t world;          /* their product; 0 without a mesh */
  uint64_t first;          /* number behind which a later one must lie: the offset of the mesh, say */
  dtc_shards shards[2];    /* shardings, in the order of the arguments */
  const dtc_shape *shapes; /* tensors */
  size_t tensors;
  uint64_t tensor; /* the one that an argument names */
  unsigned shardings;
  dtc_pipe pipe;           /* a pipeline job, resolved; pp is 0 when there is none */
  dtc_pipe_split split;    /* a split of layers */
  dtc_framework framework; /* of the plan that a launch text is for */
  const dtc_pipe_op *ops;
  size_t n_ops;
  const dtc_pipe_cost *costs;
  size_t n_costs;
  dtc_dialect dialect; /* of a text */
  unsigned layouts;    /* arrays of slots so far */
  int changed_scratch; /* scratch holds something else before the call than it does by default */
  int scratched;       /* there is scratch among the arguments */
  int enough;          /* as much as was asked for */
  dtc_error needs;     /* of the call without scratch */
  unsigned count;
  block blocks[BLOCKS];
} call;

void start(call *c, const char *name, const uint8_t *data, size_t size);
void finish(call *c); /* frees the arguments */

/* Arguments. A struct has the right size, or a larger, smaller or random one; its fields are random bytes, or legal
 * values with some that are not. */
const void *in_struct(call *c, uint32_t noun, int optional);
const void *in_array(call *c, uint32_t noun, size_t *n, int optional);
const uint64_t *in_numbers(call *c, const char *name, size_t *n, int optional);
const char *in_text(call *c, const char *name, size_t *len, int optional); /* does not end in NUL */
const char *in_name(call *c, int optional);
uint64_t in_number(call *c, const char *name);
size_t in_index(call *c, const char *name); /* of 32 bits, the same on every processor */
double in_double(call *c);
uint32_t in_choice(call *c, uint32_t last); /* mostly up to `last` */
void *out_struct(call *c, uint32_t noun, int optional);
void *out_array(call *c, uint32_t noun, size_t *cap);
void *out_numbers(call *c, size_t size, size_t *cap);
char *out_text(call *c, size_t *cap);
void *out_scalar(call *c, size_t size, int real);
size_t *out_count(call *c);
dtc_error *needs_scratch(call *c);
uint64_t *in_scratch(call *c, dtc_status without, size_t *n); /* `without`: status of the call without scratch */
dtc_error *out_error(call *c);

/* Around the call. `named`: mask of the statuses that the documentation names. */
void begun(call *c);
void ended(call *c, dtc_status status, uint32_t named);
void returned_text(call *c, const char *text);
void returned_number(call *c, uint64_t number);
/* When the call had scratch, makes it once more with other things in it: what it held must make no difference. */
void again(const call *first, void (*run)(call *c));

/* The generated ones, each public function's: by name, .. */
#define CALL(name) void call_##name(call *c);
#include "generated/calls.def"
#undef CALL

/* .. and all of them. */
typedef struct function {
  const char *name;
  void (*run)(call *c);
} function;

enum {
#define CALL(name) FUNCTION_##name,
#include "generated/calls.def"
#undef CALL
  FUNCTIONS
};

extern const function functions[FUNCTIONS];

#endif
