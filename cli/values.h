/* The values of an enum field, from the library: nothing here knows their names. */
#ifndef VALUES_H
#define VALUES_H

#include "cli.h"

/* Enumerators are 1, 2, ... up to this; 0 is the default, and when the field is no enum. */
uint32_t value_count(uint32_t field);

/* The enumerator of this name; 0 when there is none. */
uint32_t value_find(uint32_t field, const char *name, size_t len);

/* "ddp, zero1, zero2", as the language writes a list; "" when the field is no enum. */
void value_list(const cli *c, uint32_t field, char *out, size_t cap);

/* The same of dtc_software_name(). */
void software_list(const cli *c, char *out, size_t cap);

/* NAME[@VERSION], as --`option` gives it: the value of an enum field, and the version, left as it is
 * without one. 0, or EXIT_BAD_INPUT with the reason printed. */
int value_read(const cli *c, const char *option, uint32_t field, const char *text, uint32_t *value,
               dtc_release *version);

/* "2.27.7", as --`option` gives it. 0, or EXIT_BAD_INPUT with the reason printed. */
int release_read(const cli *c, const char *option, const char *text, dtc_release *version);

/* Adds an item to such a list. */
void list_add(const cli *c, char *out, size_t cap, const char *item);

/* Kinds of layers, from 1, and operators of the ledger. */
enum { LAYER_KINDS = DTC_LAYER_KIND_ENCODER, OPERATORS = DTC_OPERATOR_MAMBA };
const char *layer_kind_name(dtc_layer_kind kind);

#endif
