#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 24 };

char *stream_read(FILE *f, size_t *len)
{
  char *content = NULL;
  size_t cap = 0;
  *len = 0;
  do {
    cap = cap == 0 ? 1 << 14 : cap * 2;
    content = grow(content, cap);
    *len += fread(content + *len, 1, cap - *len, f);
  } while (*len == cap && cap < MAX_FILE);
  int error = ferror(f) ? errno : *len == cap ? EFBIG : 0;
  if (error != 0) {
    free(content);
    errno = error;
    return NULL;
  }
  return content;
}

char *file_read(const char *path, size_t *len)
{
  FILE *f = fopen(path, "rb");
  *len = 0;
  if (f == NULL)
    return NULL;
  char *content = stream_read(f, len);
  int error = errno;
  fclose(f);
  errno = error;
  return content;
}

FILE *file_create(const cli *c, const char *path)
{
  FILE *f = fopen(path, "wb");
  if (f == NULL)
    fail(c, MSG_CANNOT_WRITE, path, strerror(errno));
  return f;
}

int file_close(const cli *c, FILE *f, const char *path)
{
  bool bad = ferror(f) != 0;
  if (fclose(f) != 0 || bad)
    return fail(c, MSG_CANNOT_WRITE, path, strerror(errno));
  return 0;
}
