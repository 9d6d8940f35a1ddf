/* The words of a command that dtc_launch_write() wrote: as a shell would split it, with variables as they stand. */
#ifndef LAUNCH_WORDS_H
#define LAUNCH_WORDS_H

#include "cli.h"

typedef struct words {
  char **list;
  size_t count; /* 0 for a text that is no single command */
} words;

words words_of_command(dtc_launch_target target, const char *text);
void words_free(words *w);

#endif
