/* What the bindings share: fields of the C structs by the tables of fields.h, words of enums, lines of errors. Inline,
 * so that a binding may leave one out. */
#ifndef DTCB_COMMON_H
#define DTCB_COMMON_H

#include "fields.h"

#include <stdio.h>

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Largest value of a field that is a number. */
static inline uint64_t dtcb_most(const dtcb_field *f)
{
  return UINT64_MAX >> (64 - 8 * f->size);
}

/* The bits of a field, and the way back. */
static inline uint64_t dtcb_load(const dtcb_field *f, const void *data)
{
  const char *at = (const char *)data + f->offset;
  uint64_t eight = 0;
  uint32_t four = 0;
  uint16_t two = 0;
  switch (f->size) {
  case 8:
    memcpy(&eight, at, sizeof eight);
    return eight;
  case 4:
    memcpy(&four, at, sizeof four);
    return four;
  case 2:
    memcpy(&two, at, sizeof two);
    return two;
  default:
    return (unsigned char)*at;
  }
}

static inline void dtcb_store(const dtcb_field *f, uint64_t bits, void *data)
{
  char *at = (char *)data + f->offset;
  uint32_t four = (uint32_t)bits;
  uint16_t two = (uint16_t)bits;
  switch (f->size) {
  case 8:
    memcpy(at, &bits, sizeof bits);
    break;
  case 4:
    memcpy(at, &four, sizeof four);
    break;
  case 2:
    memcpy(at, &two, sizeof two);
    break;
  default:
    *at = (char)bits;
  }
}

static inline double dtcb_f64(uint64_t bits)
{
  double number = 0;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* By the row of the struct and of the field in it. */
static inline const dtcb_field *dtcb_field_at(int row, int i)
{
  return &dtcb_fields[dtcb_structs[row].first + i];
}

/* By its id; NULL for the fields that a binding hides, and for arguments. */
static inline const dtcb_field *dtcb_field_of(uint32_t id)
{
  for (int row = 0; row < DTCB_STRUCTS; row++)
    for (int i = 0; dtcb_structs[row].number == id >> 16 && i < dtcb_structs[row].count; i++)
      if (dtcb_field_at(row, i)->offset == (id & 0xffff))
        return dtcb_field_at(row, i);
  return NULL;
}

static inline void dtcb_set_size(int row, void *data)
{
  uint32_t size = dtcb_structs[row].size;
  if (dtcb_structs[row].sized)
    memcpy(data, &size, sizeof size);
}

/* ---- output arrays, texts and scratch ---------------------------------------------------------------------------- */

/* Memory for one; when it was too small, the call is made again with enough. */
typedef struct dtcb_buffer {
  void *at;       /* the argument that points to it */
  size_t *cap_at; /* the argument that says how much there is */
  void *data;
  size_t element; /* bytes of an element */
  size_t cap;     /* elements there is room for */
  size_t len;     /* elements there are */
  size_t end;     /* 1 for a text: room for its NUL */
  int row;        /* of dtcb_structs; -1 for numbers and a text */
} dtcb_buffer;

enum { DTCB_ROOM = 32 }; /* elements of a first guess */

static const dtcb_buffer dtcb_text_buffer = {.element = 1, .end = 1, .row = -1};
static const dtcb_buffer dtcb_scratch_buffer = {.element = sizeof(uint64_t), .cap = DTCB_ROOM, .row = -1};

/* How many elements of an array or text to make room for before the call is made again; 0 when there was enough. */
static inline size_t dtcb_longer(const dtcb_buffer *b)
{
  return b->len + b->end > b->cap ? b->len + b->end : 0;
}

/* The same of scratch. What no memory could hold stays an error of the library. */
static inline size_t dtcb_roomier(const dtcb_buffer *b, dtc_status status, const dtc_error *e)
{
  int asks = status == DTC_E_SPACE && e->rule == DTC_RULE_SCRATCH && e->min > b->cap && e->min < SIZE_MAX / b->element;
  return asks ? (size_t)e->min : 0;
}

/* Gives the memory to the next call. The argument's own type of pointer is not known here. */
static inline void dtcb_give(const dtcb_buffer *b)
{
  memcpy(b->at, &b->data, sizeof b->data);
  *b->cap_at = b->cap;
}

/* Number i of an array of uint32_t or uint64_t. */
static inline uint64_t dtcb_number_at(const dtcb_buffer *b, size_t i)
{
  return b->element == sizeof(uint32_t) ? ((const uint32_t *)b->data)[i] : ((const uint64_t *)b->data)[i];
}

/* ---- lines of errors --------------------------------------------------------------------------------------------- */

enum {
  DTCB_LINE = 1024, /* bytes of the line of an error; a longer one is cut */
  DTCB_WORD = 64    /* of the word that an error is about, with its NUL */
};

/* The text that a call was given: names in it are no numbers, so a dtc_error cannot say them. */
typedef struct dtcb_said {
  const char *text; /* NULL when there is none */
  size_t len;
} dtcb_said;

static const dtcb_said dtcb_said_nothing;

static inline int dtcb_ends_word(char c)
{
  return c == 0 || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';';
}

/* Where the word that an error is about begins: a name is all that was said, a word of a plan stands at the error's
 * offset. SIZE_MAX when the error is about none. */
static inline size_t dtcb_word_start(const dtc_error *e, const dtcb_said *said)
{
  int is_name = e->rule == DTC_RULE_MODEL_NAME || e->rule == DTC_RULE_GPU_NAME || e->rule == DTC_RULE_CLUSTER_NAME ||
                e->rule == DTC_RULE_NCCL_SYSTEM;
  int is_word = (e->rule == DTC_RULE_PLAN_WORD || e->rule == DTC_RULE_PLAN_VALUE) && e->field != DTC_ARG_NAME;
  if (!said->text || !(is_name || is_word))
    return SIZE_MAX;
  if (e->offset == DTC_NONE)
    return is_name ? 0 : SIZE_MAX;
  return e->offset <= said->len ? (size_t)e->offset : SIZE_MAX;
}

/* Copies the word that an error is about, in one line and cut to a length that can be read; 0 when it is about none. */
static inline int dtcb_word_of(const dtc_error *e, const dtcb_said *said, char word[DTCB_WORD])
{
  static const char more[] = "...";
  size_t start = dtcb_word_start(e, said);
  size_t n = 0;
  if (start == SIZE_MAX)
    return 0;
  size_t len = said->len - start;
  if (e->offset != DTC_NONE)
    for (len = 0; start + len < said->len && !dtcb_ends_word(said->text[start + len]);)
      len++;
  for (; n < len && n < DTCB_WORD - sizeof more; n++) {
    unsigned char c = (unsigned char)said->text[start + n];
    word[n] = (char)(c < ' ' || c == 0x7f ? '?' : c);
  }
  if (n < len) {
    while (n > 0 && ((unsigned char)said->text[start + n] & 0xc0) == 0x80) /* no half character of UTF-8 */
      n--;
    memcpy(word + n, more, sizeof more - 1);
    n += sizeof more - 1;
  }
  word[n] = 0;
  return 1;
}

/* Writes the line of an error, with the word that it is about, or NULL, behind its first part:
 * "unknown model 'lama'; the nearest name is llama-7b". */
static inline void dtcb_line(const dtc_error *e, dtc_lang lang, const char *word, char line[DTCB_LINE])
{
  char quoted[3 * DTCB_WORD + 8]; /* a word may have grown: a byte that is no UTF-8 is shown as three */
  dtc_error_format(e, lang, line, DTCB_LINE - sizeof quoted);
  if (!word)
    return;
  int zh = lang == DTC_LANG_ZH;
  char *end = strstr(line, zh ? "；" : ";");
  const char *space = end ? " " : zh ? "：" : ": ";
  end = end ? end : line + strlen(line);
  int n = snprintf(quoted, sizeof quoted, "%s'%.*s'", space, 3 * DTCB_WORD, word);
  memmove(end + n, end, strlen(end) + 1);
  memcpy(end, quoted, (size_t)n);
}

#endif
