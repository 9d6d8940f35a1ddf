#include "json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void put_string(const char *s)
{
  putchar('"');
  for (; *s != 0; s++) {
    unsigned char b = (unsigned char)*s;
    if (b == '"' || b == '\\')
      printf("\\%c", b);
    else if (b < 0x20)
      printf("\\u%04x", (unsigned)b);
    else
      putchar(b);
  }
  putchar('"');
}

static void start(json *j, const char *key)
{
  if (j->depth > 0)
    printf("%s\n%*s", j->filled[j->depth] ? "," : "", (int)(2 * j->depth), "");
  j->filled[j->depth] = true;
  if (key != NULL) {
    put_string(key);
    fputs(": ", stdout);
  }
}

static void open_level(json *j, const char *key, char first, char last)
{
  start(j, key);
  putchar(first);
  if (j->depth == JSON_DEPTH)
    abort(); /* deeper than any output of this program */
  j->depth++;
  j->filled[j->depth] = false;
  j->close[j->depth] = last;
}

void json_object(json *j, const char *key)
{
  open_level(j, key, '{', '}');
}

void json_array(json *j, const char *key)
{
  open_level(j, key, '[', ']');
}

void json_end(json *j)
{
  char last = j->close[j->depth];
  bool filled = j->filled[j->depth];
  j->depth--;
  if (filled)
    printf("\n%*s", (int)(2 * j->depth), "");
  putchar(last);
  if (j->depth == 0)
    putchar('\n');
}

void json_text(json *j, const char *key, const char *value)
{
  if (value == NULL) {
    json_null(j, key);
    return;
  }
  start(j, key);
  put_string(value);
}

void json_u64(json *j, const char *key, uint64_t value)
{
  start(j, key);
  printf("%" PRIu64, value);
}

void json_f64(json *j, const char *key, double value)
{
  start(j, key);
  printf("%.17g", value);
}

void json_bool(json *j, const char *key, bool value)
{
  start(j, key);
  fputs(value ? "true" : "false", stdout);
}

void json_null(json *j, const char *key)
{
  start(j, key);
  fputs("null", stdout);
}
