/* Shell text being read: flags of commands, in lib/framework_words.c; scripts, in lib/framework_script.c. */
#ifndef DTCI_WORDS_H
#define DTCI_WORDS_H

#include "internal/settings.h"
#include "internal/shell.h"

/* Which flags of a run of words count. */
typedef enum dtci_scope {
  DTCI_SCOPE_NONE,  /* none: it is another program's command */
  DTCI_SCOPE_KNOWN, /* those that the tables know: others may belong to a launcher */
  DTCI_SCOPE_ALL,
} dtci_scope;

/* The flag whose values are being read. */
typedef struct dtci_pending {
  uint32_t key; /* DTCI_NO_KEY: none */
  uint32_t least;
  uint32_t most;
  uint32_t took;
  uint32_t loose; /* words behind it are whatever they are */
  size_t at;
} dtci_pending;

typedef struct dtci_words {
  dtci_settings *s;
  dtci_shell shell;
  dtci_pending flag;
  uint32_t depth;    /* of if, case, for, while */
  uint32_t fragment; /* the text begins with a flag: it is part of a command */
  uint32_t commands; /* of the tool, so far */
  uint32_t begun;    /* a word was read: directives are over */
  uint32_t declares; /* export, declare and so on stand before, and may have flags of their own */
} dtci_words;

/* What a run of words holds, looked at before it is read: a command up to its end, an array up to ), a string. */
typedef struct dtci_run {
  size_t script;  /* place of the first word that ends in .py, or of the module behind -m; SIZE_MAX */
  size_t program; /* place of the first word that is one of the dialect's programs; SIZE_MAX */
  uint32_t known; /* flags that the tables know */
  uint32_t flags; /* flags */
  int closed;     /* ends in a parenthesis */
} dtci_run;

/* ---- lib/framework_words.c ------------------------------------------------------------------- */

size_t dtci_shown(const dtci_shell *sh);
int dtci_is_word(const dtci_shell *sh, const char *word);
/* A word that argparse takes as a flag: -x, --xyz, but no number. */
int dtci_is_flag(const dtci_shell *sh);
int dtci_ends_in(const dtci_shell *sh, const char *tail);
/* Bytes of the name of NAME=value; 0 when the word is none. */
size_t dtci_assigned(const dtci_shell *sh);
/* The key of the flag, and in *value where its value begins in the word (0: not in it). */
uint32_t dtci_flag_key(const dtci_words *w, size_t *value);
const dtci_key *dtci_target_of(const dtci_settings *s, uint32_t key);
/* No more values for the flag. */
void dtci_close_flag(dtci_words *w);
int dtci_is_end(const dtci_shell *sh, int array);
/* From the token last read on; the words are read again afterwards. */
dtc_status dtci_look_ahead(dtci_words *w, int array, dtci_run *r, dtc_error *e);
/* A word behind a launcher's own flags, and the words inside the quotes of bash -c "...": programs that the key takes,
 * and flags of those. */
dtc_status dtci_read_quoted(dtci_words *w, uint32_t program, dtc_error *e);
/* Reads a run whose first token was read, up to and without its end. */
dtc_status dtci_read_run(dtci_words *w, const dtci_run *r, dtci_scope all, int array, dtc_error *e);

#endif
