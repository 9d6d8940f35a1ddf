/* What the library's own files share. Nothing here is installed. */
#ifndef DTCI_INTERNAL_H
#define DTCI_INTERNAL_H

#include <dtcore/base.h>

#if defined(__FAST_MATH__)
#error "dtcore promises bit-equal results: build without -ffast-math"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "dtcore promises bit-equal results: build for SSE2 or another FLT_EVAL_METHOD 0"
#endif

/* ---- errors ---------------------------------------------------------------------------------- */

/* Inside the library `dtc_error *e` is never NULL and always whole; a public function makes one and hands it over:
 *     dtc_error e;
 *     if (!dtci_begin(&e, err)) return DTC_E_SIZE;
 *     return dtci_end(work(..., &e), &e, err);                                                                        */
int dtci_begin(dtc_error *e, const dtc_error *err);
dtc_status dtci_end(dtc_status status, const dtc_error *e, dtc_error *err);

/* Fills *e, with DTC_NONE for what is not said, and returns status. */
dtc_status dtci_fail(dtc_error *e, dtc_status status, dtc_rule rule, uint32_t field, uint64_t got);
/* The common one: got is outside [min, max]. */
dtc_status dtci_fail_range(dtc_error *e, uint32_t field, uint64_t got, uint64_t min, uint64_t max);
/* DTC_OK when it is inside. */
dtc_status dtci_check_range(dtc_error *e, uint32_t field, uint64_t got, uint64_t min, uint64_t max);
/* The same of a double, whose bits the error holds; NaN is outside. */
dtc_status dtci_check_double(dtc_error *e, uint32_t field, double got, double min, double max);
/* As dtci_fail_range(), by another rule or status. */
dtc_status dtci_fail_within(dtc_error *e, dtc_status status, dtc_rule rule, uint32_t field, uint64_t got, uint64_t min,
                            uint64_t max);
/* The result does not fit 64 bits; field is what made it large. */
dtc_status dtci_fail_overflow(dtc_error *e, uint32_t field, uint64_t got);
/* No name of a catalogue; `nearest` is the index of one that is near, or DTC_NONE. */
dtc_status dtci_fail_name(dtc_error *e, dtc_rule rule, uint64_t nearest);
/* The index is not below count, which is not 0. */
dtc_status dtci_fail_index(dtc_error *e, uint64_t index, uint64_t count);
/* An array of `cap` elements is too short. */
dtc_status dtci_fail_space(dtc_error *e, uint64_t cap, uint64_t needed);
/* A count as callers read it: where size_t has 32 bits, SIZE_MAX stands for what it cannot hold. */
size_t dtci_count(uint64_t n);
/* Is the scratch long enough? */
dtc_status dtci_scratch_in(const uint64_t *scratch, size_t n_scratch, uint64_t needed, dtc_error *e);

/* Passes a failure on. */
#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    dtc_status try_status = (call);                                                                                    \
    if (try_status != DTC_OK)                                                                                          \
      return try_status;                                                                                               \
  } while (0)

/* Field id of a function's argument: DTCI_ARG(INDEX). */
#define DTCI_ARG(what) ((uint32_t)DTC_ARG_##what)

/* ---- structs --------------------------------------------------------------------------------- */

/* Reads a caller's size-first struct into a local one: size rules, unknown tail, range of every field. `noun` is
 * DTC_STRUCT_*. Fields the caller does not have are zero. */
dtc_status dtci_in(void *local, uint32_t noun, const void *user, dtc_error *e);
/* The same of element i of an array whose stride is element 0's struct_size; and once more, of one that was checked. */
dtc_status dtci_in_at(void *local, uint32_t noun, const void *array, size_t i, dtc_error *e);
void dtci_read_at(void *local, uint32_t noun, const void *array, size_t i);
/* Writes a local struct to a caller's: cut to the caller's size, what the caller has beyond is zeroed. */
dtc_status dtci_out(void *user, uint32_t noun, const void *local, dtc_error *e);
/* Would dtci_out() accept this struct? */
dtc_status dtci_out_ok(const void *user, uint32_t noun, dtc_error *e);
/* The same for element i of an array whose stride is element 0's struct_size; sets the element's struct_size. */
dtc_status dtci_out_at(void *array, size_t i, uint32_t noun, const void *local, dtc_error *e);
/* Range of every field of a local struct. */
dtc_status dtci_ranges(const void *local, uint32_t noun, dtc_error *e);

/* ---- field tables, generated from the public headers (lib/generated/fields.c) ---------------- */

/* Those of 4 bytes lie between DTCI_U64 and DTCI_F64. */
enum { DTCI_U64, DTCI_ENUM, DTCI_BOOL, DTCI_U32, DTCI_I32, DTCI_RELEASE, DTCI_F64, DTCI_U16, DTCI_U8 };

typedef struct dtci_field {
  char name[28];
  uint16_t offset;
  uint8_t type;    /* DTCI_U64 .. */
  uint8_t enum_id; /* enum_id of its dtci_values, for DTCI_ENUM and DTCI_BOOL */
  uint64_t min;    /* for DTCI_F64 the bits of a double */
  uint64_t max;
} dtci_field;

typedef struct dtci_struct {
  char name[16];
  uint16_t number; /* DTC_STRUCT_* */
  uint16_t size;
  uint16_t first; /* first row in dtci_fields */
  uint16_t count;
} dtci_struct;

typedef struct dtci_value {
  char name[24];
  uint32_t value;
  uint32_t enum_id;
} dtci_value;

typedef struct dtci_rule_name {
  char name[30];
  uint16_t rule;
} dtci_rule_name;

extern const dtci_rule_name dtci_rule_names[];
extern const uint32_t dtci_rule_names_count;
extern const dtci_struct dtci_structs[];
extern const uint32_t dtci_structs_count;
extern const dtci_field dtci_fields[];
extern const uint16_t dtci_plan_switches[]; /* offsets of the fields of a plan that are a dtc_bool */
extern const uint32_t dtci_plan_switches_count;
extern const dtci_value dtci_values[];
extern const uint32_t dtci_values_count;

const dtci_struct *dtci_struct_of(uint32_t number);
const dtci_field *dtci_field_of(uint32_t field);
/* Value of a field of a local struct, and the way back; a double as its bits. */
size_t dtci_field_size(const dtci_field *f); /* bytes */
uint64_t dtci_read(const void *local, const dtci_field *f);
void dtci_write(void *local, const dtci_field *f, uint64_t v);
/* Value of an enum by its name; DTC_NONE when unknown. */
uint64_t dtci_value_of(uint8_t enum_id, const char *name, size_t len);

/* Fills a field that is 0. */
static inline void dtci_default(uint64_t *v, uint64_t value)
{
  if (*v == 0)
    *v = value;
}

/* ---- checked arithmetic: once wrong, `*bad` stays 1 ------------------------------------------ */

static inline uint64_t dtci_mul(uint64_t a, uint64_t b, int *bad)
{
  uint64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r))
    *bad = 1;
  return r;
}

static inline uint64_t dtci_add(uint64_t a, uint64_t b, int *bad)
{
  uint64_t r = 0;
  if (__builtin_add_overflow(a, b, &r))
    *bad = 1;
  return r;
}

static inline uint64_t dtci_smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static inline uint64_t dtci_larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* Doubles as errors, field tables and scratch hold them. */
static inline uint64_t dtci_word_of(double v)
{
  uint64_t word = 0;
  memcpy(&word, &v, sizeof word);
  return word;
}

static inline double dtci_double_of(uint64_t word)
{
  double v = 0;
  memcpy(&v, &word, sizeof v);
  return v;
}

static inline double dtci_smaller_f64(double a, double b)
{
  return a < b ? a : b;
}

static inline double dtci_larger_f64(double a, double b)
{
  return a > b ? a : b;
}

/* a - b, at least 0. */
static inline uint64_t dtci_less(uint64_t a, uint64_t b)
{
  return a > b ? a - b : 0;
}

/* A bit of a mask, when something holds. */
static inline uint64_t dtci_on(int holds, uint64_t bit)
{
  return holds ? bit : 0;
}

/* Does a product fit 64 bits? */
static inline int dtci_mul_fits(uint64_t a, uint64_t b)
{
  int bad = 0;
  (void)dtci_mul(a, b, &bad);
  return !bad;
}

static inline uint64_t dtci_ceil_div(uint64_t a, uint64_t b)
{
  return a / b + (a % b != 0);
}

static inline uint64_t dtci_common_divisor(uint64_t a, uint64_t b)
{
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The largest r whose power is at most n. */
static inline uint64_t dtci_root(uint64_t n, uint32_t power)
{
  uint64_t low = 0;
  uint64_t high = n;
  while (low < high) {
    uint64_t r = high - (high - low) / 2;
    uint64_t p = 1;
    int bad = 0;
    for (uint32_t i = 0; i < power && !bad; i++)
      p = dtci_mul(p, r, &bad);
    if (bad || p > n)
      high = r - 1;
    else
      low = r;
  }
  return low;
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* Sorts numbers, the least first: by by[number], equal ones and without `by` by themselves. O(n log n). */
void dtci_sort(uint64_t *list, size_t n, const uint64_t *by);

/* ---- text ------------------------------------------------------------------------------------ */

/* Writes into the caller's buffer like snprintf: counts everything, keeps what fits, ends in NUL. */
typedef struct dtci_text {
  char *buf;
  size_t cap;
  size_t len;
} dtci_text;

void dtci_put(dtci_text *t, const char *s, size_t n);
void dtci_puts(dtci_text *t, const char *s);
void dtci_put_u64(dtci_text *t, uint64_t v);
void dtci_put_f64(dtci_text *t, double v);       /* six significant digits */
void dtci_put_release(dtci_text *t, uint32_t v); /* 0.19, 0.19.8, main */
void dtci_end_text(dtci_text *t);                /* NUL, and no half UTF-8 character when the text was cut */

/* Reads decimal digits; 0 when there are none, something else, or it does not fit. */
int dtci_get_u64(const char *s, size_t n, uint64_t *v);
/* The same with a sign before the digits. */
int dtci_text_i64(const char *s, size_t n, int64_t *v);
/* Reads 1, -0.5, .5, 1e-4; also inf and nan, in any case. Correct to a few units in the last place: for comparisons. */
int dtci_text_f64(const char *s, size_t n, double *v);
/* Bytes of the next name from *pos on, which then stands behind it; 0 at the end. Blanks, line ends and commas lie between
 * names. */
size_t dtci_next_name(const char *s, size_t len, size_t *pos);
int dtci_same(const char *s, size_t n, const char *word);         /* s[0..n) is word */
int dtci_same_letters(const char *s, size_t n, const char *word); /* the same, whatever the case of ASCII letters */

/* ---- names of the catalogues ----------------------------------------------------------------- */

/* Index of a name among `count` names, `stride` bytes apart (fixed char arrays); case, '-' and '_' do not matter.
 * Not found: count, and *nearest (when asked for) is the index of the most similar one, or DTC_NONE. */
size_t dtci_name_find(const char *names, size_t count, size_t stride, const char *name, size_t len, uint64_t *nearest);

#endif
