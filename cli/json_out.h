/* JSON to stdout: two blanks a level, keys in the order of the calls, integers never as floats. */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

enum { JSON_DEPTH = 8 };

typedef struct json {
  unsigned depth;
  bool filled[JSON_DEPTH + 1]; /* something stands in the level already */
  char close[JSON_DEPTH + 1];
} json;

/* `key` is NULL in an array and at the top. */
void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_end(json *j);
void json_text(json *j, const char *key, const char *value); /* NULL gives null */
void json_u64(json *j, const char *key, uint64_t value);
void json_f64(json *j, const char *key, double value);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);

#endif
