/* Lines of a DeepSpeed hostfile, in one place: launcher/runner.py, _parse_hostfile(), for ASCII blanks and digits. */
#ifndef DTCI_HOSTFILE_H
#define DTCI_HOSTFILE_H

#include "internal/internal.h"

enum { DTCI_SLOTS_MAX = 1 << 16 };

typedef struct dtci_hostfile {
  const char *text;
  size_t len;
  size_t pos;
  /* The line last read, without the blanks around it. */
  size_t line;
  size_t line_n;
  size_t host; /* its host */
  size_t host_n;
  uint64_t slots; /* DTC_NONE: more than 64 bits hold */
  size_t digits;  /* place of its slots */
  size_t rest;    /* place behind them */
} dtci_hostfile;

/* The next line that is neither empty nor a comment; 0 at the end. */
int dtci_next_line(dtci_hostfile *h);
/* Reads that line as `host slots=8`, whatever follows; 0 when it is none. */
int dtci_read_host(dtci_hostfile *h);
/* Both, and slots within [1, DTCI_SLOTS_MAX]; *found is 0 at the end. */
dtc_status dtci_next_host(dtci_hostfile *h, int *found, dtc_error *e);

#endif
