/* The traits of frameworks as rows of a table. */
#ifndef FRAMEWORK_LIST_H
#define FRAMEWORK_LIST_H

#include "cli.h"

/* A trait: its field, its name, and what its values are called; 0: a number. */
typedef struct trait {
  const char *key; /* in JSON */
  msg name;
  uint32_t offset; /* in dtc_traits */
  msg words[5];    /* by value; the first one 0: a number */
} trait;

enum { TRAITS = 26, FRAMEWORKS_MOST = 16, TRAIT_TEXT = 32 };
extern const trait traits_list[TRAITS];

/* Frameworks to show, and what is known of them. */
typedef struct framework_list {
  size_t count;
  size_t index[FRAMEWORKS_MOST];
  dtc_traits traits[FRAMEWORKS_MOST];
} framework_list;

uint32_t trait_value(const dtc_traits *t, const trait *row);
void trait_text(const cli *c, const dtc_traits *t, const trait *row, char out[TRAIT_TEXT]);

/* Adds a framework; all traits of it are known by its index. */
void framework_add(framework_list *l, size_t index);

/* A part of a note; "" when there is none. */
void note_text(const cli *c, size_t index, dtc_note part, char *out, size_t cap);
/* Is the note about one of them, or about several frameworks? */
bool note_is_about(const cli *c, size_t index, const framework_list *l);

/* "DeepSpeed: older guides say: ..." in lines of the terminal's width. */
void note_print(const cli *c, size_t index);

/* The page of Markdown: table, notes, sources. */
void framework_page(const cli *c, const framework_list *l);

#endif
