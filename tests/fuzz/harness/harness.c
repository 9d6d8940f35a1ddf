/* The call around the call: memory of the arguments, and what must hold afterwards. */
#include "harness/harness.h"
#include "harness/values.h"

#include <stdio.h>
#include <stdlib.h>

const function functions[FUNCTIONS] = {
#define CALL(name) {#name, call_##name},
#include "generated/calls.def"
#undef CALL
};

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED_BY_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(GUARDED_BY_ASAN)
enum { GUARD = 0 }; /* the sanitizer's red zone begins at the last byte */
#else
enum { GUARD = 32 };
#endif
enum { FILL = 0xA5, OUTPUT_MAX = 4096, SCRATCH_MAX = 1 << 16 };

static void must(const call *c, int ok, const char *what)
{
  if (ok)
    return;
  fprintf(stderr, "harness: %s: %s (status %d)\n", c->name, what, (int)c->status);
  abort();
}

void start(call *c, const char *name, const uint8_t *data, size_t size)
{
  memset(c, 0, sizeof *c);
  c->name = name;
  c->data = data;
  c->size = size;
  c->tame = size > 0 && data[0] < 160;
  c->at = 1;
  c->hash = 14695981039346656037u; /* FNV-1a */
}

void finish(call *c)
{
  for (unsigned i = 0; i < c->count; i++) {
    free(c->blocks[i].bytes);
    free(c->blocks[i].before);
  }
  c->count = 0;
}

static block *new_block(call *c, size_t size)
{
  must(c, c->count < BLOCKS, "more arguments than BLOCKS");
  block *b = &c->blocks[c->count++];
  b->bytes = malloc(size + GUARD + (size + GUARD == 0));
  b->before = malloc(size + GUARD + 1);
  must(c, b->bytes != NULL && b->before != NULL, "no memory");
  memset(b->bytes, FILL, size + GUARD);
  b->size = size;
  b->stride = size;
  return b;
}

/* A const argument: this one, or the shared one of the same place. */
static const void *input(call *c, const block *b)
{
  return c->shared != NULL ? c->shared->blocks[b - c->blocks].bytes : b->bytes;
}

/* How many bytes a caller with this struct_size must own: the library may look at no more. */
static size_t promised(uint32_t size)
{
  return size < sizeof size || size > OUTPUT_MAX ? sizeof size : size;
}

const void *in_struct(call *c, uint32_t noun, int optional)
{
  unsigned char local[OUTPUT_MAX];
  if (optional && take_byte(c) < 64)
    return NULL;
  memset(local, 0, sizeof local);
  make_struct(c, noun, local);
  if (!is_sized(noun)) {
    block *record = new_block(c, dtc_struct_size(noun));
    memcpy(record->bytes, local, record->size);
    return input(c, record);
  }
  uint32_t size = take_struct_size(c, noun, local);
  block *b = new_block(c, promised(size));
  memcpy(b->bytes, local, b->size);
  memcpy(b->bytes, &size, sizeof size);
  if (noun == DTC_STRUCT_shards)
    note_shards(c, local);
  if (noun == DTC_STRUCT_pipe)
    note_pipe(c, local);
  if (noun == DTC_STRUCT_pipe_split)
    note_split(c, local);
  if (noun == DTC_STRUCT_lint)
    c->dialect = ((const dtc_lint *)(const void *)local)->dialect;
  return input(c, b);
}

/* Where the tensors among the arguments lie, or nearly so. */
static const void *in_slots(call *c, size_t *n)
{
  dtc_slot local[SLOTS_MAX];
  *n = make_slots(c, local);
  if (*n == 0)
    return NULL;
  block *b = new_block(c, *n * sizeof local[0]);
  memcpy(b->bytes, local, b->size);
  return input(c, b);
}

/* The order of the pipeline among the arguments, or nearly so. */
static const void *in_ops(call *c, size_t *n)
{
  dtc_pipe_op local[OPS_MAX];
  *n = make_ops(c, local);
  if (*n == 0)
    return NULL;
  block *b = new_block(c, *n * sizeof local[0]);
  memcpy(b->bytes, local, b->size);
  c->ops = (const dtc_pipe_op *)(const void *)b->bytes;
  c->n_ops = *n;
  return input(c, b);
}

/* When the ops among the arguments run. */
static const void *in_times(call *c, size_t *n)
{
  dtc_pipe_time local[OPS_MAX];
  *n = make_times(c, local);
  if (*n == 0)
    return NULL;
  block *b = new_block(c, *n * sizeof local[0]);
  memcpy(b->bytes, local, b->size);
  return input(c, b);
}

/* The elements of an array; of structs with a size that of element 0 is how far they lie apart. */
static block *new_elements(call *c, uint32_t noun, size_t n)
{
  unsigned char local[OUTPUT_MAX];
  uint32_t known = dtc_struct_size(noun);
  memset(local, 0, sizeof local);
  uint32_t size = is_sized(noun) ? take_struct_size(c, noun, local) : known;
  size_t stride = is_sized(noun) ? promised(size) : known;
  block *b = new_block(c, n * stride);
  for (size_t i = 0; i < n; i++) {
    memset(local, 0, known);
    make_struct(c, noun, local);
    memcpy(b->bytes + i * stride, local, stride);
  }
  if (is_sized(noun))
    memcpy(b->bytes, &size, sizeof size);
  return b;
}

const void *in_array(call *c, uint32_t noun, size_t *n, int optional)
{
  if (noun == DTC_STRUCT_slot)
    return in_slots(c, n);
  if (noun == DTC_STRUCT_pipe_op)
    return in_ops(c, n);
  if (noun == DTC_STRUCT_pipe_time)
    return in_times(c, n);
  *n = !optional                                                ? make_length(c, noun)
       : take_byte(c) % (noun == DTC_STRUCT_stage ? 8 : 3) != 0 ? 0
                                                                : take_byte(c) % 17;
  if (*n == 0)
    return NULL;
  block *b = new_elements(c, noun, *n);
  if (noun == DTC_STRUCT_axis)
    note_mesh(c, (const dtc_axis *)(const void *)b->bytes, *n);
  if (noun == DTC_STRUCT_shape) {
    c->shapes = (const dtc_shape *)(const void *)b->bytes;
    c->tensors = *n;
  }
  if (noun == DTC_STRUCT_pipe_cost) {
    c->costs = (const dtc_pipe_cost *)(const void *)b->bytes;
    c->n_costs = *n;
  }
  return input(c, b);
}

const uint64_t *in_numbers(call *c, const char *name, size_t *n, int optional)
{
  uint64_t local[NUMBERS_MAX];
  if (optional && take_byte(c) < 64)
    return NULL;
  *n = make_numbers(c, name, local);
  if (*n == 0)
    return NULL;
  block *b = new_block(c, *n * sizeof local[0]);
  memcpy(b->bytes, local, b->size);
  return input(c, b);
}

const char *in_text(call *c, const char *name, size_t *len, int optional)
{
  char local[TEXT_MAX];
  if (optional && take_byte(c) < 64)
    return NULL;
  *len = make_text(c, name, local);
  block *b = new_block(c, *len);
  memcpy(b->bytes, local, *len);
  return input(c, b);
}

const char *in_name(call *c, int optional)
{
  char local[TEXT_MAX];
  if (optional && take_byte(c) < 64)
    return NULL;
  size_t len = make_name(c, local);
  block *b = new_block(c, len + 1);
  memcpy(b->bytes, local, len);
  b->bytes[len] = 0;
  return input(c, b);
}

void *out_struct(call *c, uint32_t noun, int optional)
{
  unsigned char tail[OUTPUT_MAX];
  if (optional && take_byte(c) < 64)
    return NULL;
  uint32_t size = is_sized(noun) ? take_struct_size(c, noun, tail) : dtc_struct_size(noun);
  block *b = new_block(c, is_sized(noun) ? promised(size) : size);
  if (is_sized(noun))
    memcpy(b->bytes, &size, sizeof size);
  b->output = 1;
  b->noun = noun;
  return b->bytes;
}

/* Mostly a few, else more than any list has that a fuzzer makes. */
static size_t take_cap(call *c)
{
  unsigned how = take_byte(c);
  return how < 128 ? how % 12 : how;
}

void *out_array(call *c, uint32_t noun, size_t *cap)
{
  unsigned char tail[OUTPUT_MAX];
  int many = noun == DTC_STRUCT_shape || noun == DTC_STRUCT_pipe_op || noun == DTC_STRUCT_pipe_time ||
             noun == DTC_STRUCT_pipe_step || noun == DTC_STRUCT_step_term;
  *cap = take_cap(c) * (many ? 8 : 1); /* as many as a model has tensors, a pipeline ops, a step terms */
  if (*cap == 0)
    return NULL;
  uint32_t size = is_sized(noun) ? take_struct_size(c, noun, tail) : dtc_struct_size(noun);
  block *b = new_block(c, is_sized(noun) && promised(size) != size ? promised(size) : size * *cap);
  if (is_sized(noun))
    memcpy(b->bytes, &size, sizeof size);
  b->stride = size <= b->size ? size : b->size;
  b->output = b->array = 1;
  b->noun = noun;
  return b->bytes;
}

static void *out_elements(call *c, size_t size)
{
  if (size == 0)
    return NULL;
  block *b = new_block(c, size);
  b->output = b->array = 1;
  return b->bytes;
}

void *out_numbers(call *c, size_t size, size_t *cap)
{
  *cap = take_cap(c);
  return out_elements(c, *cap * size);
}

char *out_text(call *c, size_t *cap)
{
  *cap = take_byte(c);
  return out_elements(c, *cap);
}

void *out_scalar(call *c, size_t size, int real)
{
  block *b = new_block(c, size);
  b->output = 1;
  b->real = real != 0;
  return b->bytes;
}

size_t *out_count(call *c)
{
  size_t *count = out_scalar(c, sizeof *count, 0);
  c->blocks[c->count - 1].count = 1;
  return count;
}

dtc_error *needs_scratch(call *c)
{
  DTC_INIT(&c->needs);
  return &c->needs;
}

/* Exactly what was asked for, seldom less. */
uint64_t *in_scratch(call *c, dtc_status without, size_t *n)
{
  int asked = without == DTC_E_SPACE && c->needs.rule == DTC_RULE_SCRATCH;
  uint64_t needed = asked ? c->needs.min : 0;
  must(c, !asked || (c->needs.field == DTC_ARG_SCRATCH && c->needs.got == 0 && needed > 0),
       "a wrong demand for scratch");
  unsigned less = take_byte(c);
  c->scratched = 1;
  c->enough = needed <= SCRATCH_MAX && less < 240;
  *n = (size_t)(c->enough ? needed : less % (needed < SCRATCH_MAX ? needed + 1 : SCRATCH_MAX));
  if (*n == 0)
    return NULL;
  block *b = new_block(c, *n * sizeof(uint64_t));
  if (c->changed_scratch)
    memset(b->bytes, 0xFF, b->size);
  b->output = b->array = b->scratch = 1;
  return (uint64_t *)(void *)b->bytes;
}

dtc_error *out_error(call *c)
{
  c->err = out_struct(c, DTC_STRUCT_error, 1);
  return c->err;
}

void begun(call *c)
{
  for (unsigned i = 0; i < c->count; i++)
    memcpy(c->blocks[i].before, c->blocks[i].bytes, c->blocks[i].size + GUARD);
}

/* ---- afterwards ------------------------------------------------------------------------------ */

static void hash(call *c, const void *bytes, size_t n)
{
  const unsigned char *b = bytes;
  for (size_t i = 0; i < n; i++)
    c->hash = (c->hash ^ b[i]) * 1099511628211u;
}

static int untouched(const block *b)
{
  return memcmp(b->bytes, b->before, b->size) == 0;
}

/* A count that was written as a processor of 32 bits has it, so that all come to the same hash. */
static void hash_block(call *c, const block *b)
{
  size_t count = 0;
  if (!b->count) {
    hash(c, b->bytes, b->size);
    return;
  }
  memcpy(&count, b->bytes, sizeof count);
  uint64_t wide = count;
  uint32_t shown = wide < UINT32_MAX ? (uint32_t)wide : UINT32_MAX;
  if (!untouched(b))
    hash(c, &shown, sizeof shown);
}

static int is_nan(const unsigned char *at)
{
  double v = 0;
  memcpy(&v, at, sizeof v);
  return v != v;
}

/* A struct that was written: its size is still the caller's, what the library does not know is zero. */
static void check_struct(const call *c, const unsigned char *at, const unsigned char *before, uint32_t noun,
                         size_t size)
{
  const dtci_struct *s = dtci_struct_of(noun);
  if (memcmp(at, before, size) == 0)
    return;
  if (is_sized(noun))
    must(c, memcmp(at, &size, sizeof(uint32_t)) == 0, "a result's struct_size was changed");
  for (size_t i = s->size; i < size; i++)
    must(c, at[i] == 0, "the unknown tail of a result is not zero");
  for (uint32_t i = 0; i < s->count; i++) {
    const dtci_field *f = &dtci_fields[s->first + i];
    if (f->type == DTCI_F64 && f->offset + sizeof(double) <= size)
      must(c, !is_nan(at + f->offset), "a result is NaN");
  }
}

/* A struct or an array of them; of sized ones only those elements that were given a size. */
static void check_structs(const call *c, const block *b)
{
  dtc_error unused;
  if (is_sized(b->noun) && b->size != 0)
    must(c, dtci_out_ok(b->before, b->noun, &unused) == DTC_OK, "a result of a bad size was accepted");
  for (size_t at = 0; at + b->stride <= b->size; at += b->stride)
    if (!is_sized(b->noun) || memcmp(b->bytes + at, b->bytes, sizeof(uint32_t)) == 0)
      check_struct(c, b->bytes + at, b->before + at, b->noun, b->stride);
}

static void check_outputs(call *c)
{
  for (unsigned i = 0; i < c->count; i++) {
    const block *b = &c->blocks[i];
    if (!b->output || b->scratch || b->bytes == (unsigned char *)c->err)
      continue;
    if (b->real && !untouched(b))
      must(c, !is_nan(b->bytes), "a result is NaN");
    if (b->noun != 0)
      check_structs(c, b);
    hash_block(c, b);
  }
}

static void check_refused(call *c)
{
  for (unsigned i = 0; i < c->count; i++) {
    const block *b = &c->blocks[i];
    if (!b->output || b->bytes == (unsigned char *)c->err)
      continue;
    if (b->array) /* working space: unspecified on error */
      continue;
    if (c->status != DTC_E_SPACE)
      must(c, untouched(b), "an output was touched on error");
    else
      hash_block(c, b);
  }
}

static void check_error(call *c)
{
  char text[512];
  dtc_error unused;
  uint32_t size = 0;
  if (c->err == NULL)
    return;
  const block *b = &c->blocks[c->count - 1]; /* the error is always the last argument */
  memcpy(&size, b->before, sizeof size);
  if (dtci_out_ok(b->before, DTC_STRUCT_error, &unused) != DTC_OK) {
    must(c, c->status == DTC_E_SIZE && untouched(b), "an error struct of a bad size was accepted");
    return;
  }
  if (c->status == DTC_OK) {
    must(c, untouched(b), "a good call touched the error struct");
    return;
  }
  must(c, c->err->status == c->status, "the error struct holds another status");
  must(c, c->err->rule != DTC_RULE_NONE, "the error struct names no rule");
  check_struct(c, b->bytes, b->before, DTC_STRUCT_error, size);
  for (dtc_lang lang = DTC_LANG_EN; lang <= DTC_LANG_ZH; lang++) {
    size_t len = dtc_error_format(c->err, lang, text, sizeof text);
    must(c, len > 0 && strlen(text) == (len < sizeof text ? len : strlen(text)), "the error makes no text");
  }
  if (c->err->rule != DTC_RULE_SCRATCH) /* how much depends on the size of a pointer */
    hash(c, b->bytes, b->size);
}

static void check_bounds(const call *c)
{
  for (unsigned i = 0; i < c->count; i++) {
    const block *b = &c->blocks[i];
    must(c, memcmp(b->bytes + b->size, b->before + b->size, GUARD) == 0, "written behind the end of an argument");
    must(c, b->output || untouched(b), "an input was written");
  }
}

void ended(call *c, dtc_status status, uint32_t named)
{
  c->status = status;
  must(c, status >= DTC_OK && status < 32, "an unknown status");
  must(c, (named >> status & 1) != 0, "a status that its documentation does not name");
  if (c->enough && status == DTC_E_SPACE && c->err != NULL)
    must(c, c->err->rule != DTC_RULE_SCRATCH, "scratch as long as was asked for is too short");
  check_bounds(c);
  if (status == DTC_OK)
    check_outputs(c);
  else
    check_refused(c);
  check_error(c);
  hash(c, &status, sizeof status);
}

void returned_text(call *c, const char *text)
{
  check_bounds(c);
  c->status = text != NULL ? DTC_OK : DTC_E_RANGE;
  if (text != NULL)
    hash(c, text, strlen(text));
}

void returned_number(call *c, uint64_t number)
{
  check_bounds(c);
  check_outputs(c);
  hash(c, &number, sizeof number);
}

void again(const call *first, void (*run)(call *c))
{
  call c;
  if (!first->scratched)
    return;
  start(&c, first->name, first->data, first->size);
  c.changed_scratch = 1;
  run(&c);
  must(&c, c.hash == first->hash, "the result depends on what the scratch held before");
  finish(&c);
}
