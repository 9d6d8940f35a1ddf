/* Files read and written whole. */
#ifndef FILE_H
#define FILE_H

#include "cli.h"

#include <stdio.h>

/* The whole file, of at most 16 MiB; NULL and errno when it cannot be read. */
char *file_read(const char *path, size_t *len);
char *stream_read(FILE *f, size_t *len); /* up to its end; does not close it */

/* A file to write, NULL with the reason printed; and its end, 0, or EXIT_BAD_INPUT when not all of it was written. */
FILE *file_create(const cli *c, const char *path);
int file_close(const cli *c, FILE *f, const char *path);

#endif
