/* A strict RFC 8259 pull reader: no tokens, no allocation, no recursion; depth at most 256; duplicate keys are seen. */
#ifndef DTCI_JSON_H
#define DTCI_JSON_H

#include "internal/internal.h"

typedef enum dtci_json_type {
  DTCI_JSON_END,    /* end of the text, after the top value */
  DTCI_JSON_OBJECT, /* { */
  DTCI_JSON_OBJECT_END,
  DTCI_JSON_ARRAY, /* [ */
  DTCI_JSON_ARRAY_END,
  DTCI_JSON_KEY,
  DTCI_JSON_STRING,
  DTCI_JSON_NUMBER,
  DTCI_JSON_TRUE,
  DTCI_JSON_FALSE,
  DTCI_JSON_NULL,
} dtci_json_type;

enum { DTCI_JSON_DEPTH = 256, DTCI_JSON_KEYS = 512 };

typedef struct dtci_json {
  const char *text;
  size_t len;
  size_t pos;
  uint32_t depth;
  uint8_t state;
  uint8_t in_object[DTCI_JSON_DEPTH / 8]; /* one bit per level */
  /* The token last read. */
  dtci_json_type type;
  size_t at; /* offset of its first byte, which for a string or key is the quote */
  size_t n;  /* its bytes; for a string or key those between the quotes, escapes as written */
} dtci_json;

/* The keys of one object so far, to find one that comes twice. */
typedef struct dtci_json_keys {
  uint32_t count;
  uint64_t hash[DTCI_JSON_KEYS];
  size_t at[DTCI_JSON_KEYS];
} dtci_json_keys;

/* To read only the value that starts at byte p, set `pos` to p behind this and `len` to its end. */
void dtci_json_start(dtci_json *j, const char *text, size_t len);
/* Reads the next token. On malformed text DTC_E_PARSE with rule JSON_* and the byte offset; do not go on then. */
dtc_status dtci_json_next(dtci_json *j, dtc_error *e);
/* Skips the value that starts with the token last read (a whole object or array). */
dtc_status dtci_json_skip(dtci_json *j, dtc_error *e);
/* The key or string token is this ASCII word (escapes are decoded for the comparison). */
int dtci_json_is(const dtci_json *j, const char *word);
/* Copies the characters of a key or string token, escapes decoded, and of another token its bytes: as UTF-8, no NUL behind
 * them. Returns how many bytes they are, whatever cap is. */
size_t dtci_json_chars(const dtci_json *j, char *buf, size_t cap);
/* The number token as an unsigned integer: 4096, 4.096e3 and 4096.0 are; 0 when it is none or does not fit. */
int dtci_json_u64(const dtci_json *j, uint64_t *v);
/* Notes the key token: DTC_E_CONFLICT (JSON_DUPLICATE) the second time, DTC_E_RANGE beyond DTCI_JSON_KEYS keys. */
dtc_status dtci_json_once(dtci_json_keys *keys, const dtci_json *j, dtc_error *e);

#endif
