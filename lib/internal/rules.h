/* Rules as data: a rule is a row of lib/catalog/rules.c. The hooks are few; none knows a framework. */
#ifndef DTCI_RULES_H
#define DTCI_RULES_H

#include "internal/internal.h"
#include <dtcore/plan.h>

typedef enum dtci_hook {
  DTCI_TEXT,     /* no check: the row only holds the message of an error that some function gives */
  DTCI_DIVIDES,  /* product(left) divides product(right) */
  DTCI_EITHER,   /* product(left) divides product(right) or the other way round */
  DTCI_AT_MOST,  /* product(left) <= product(right) */
  DTCI_EQUALS,   /* product(left) = product(right) */
  DTCI_NEEDS,    /* the condition `need` holds */
  DTCI_EXCLUDES, /* the two conditions `when` do not hold together */
} dtci_hook;

enum { DTCI_OPERANDS = 5 };

/* A field as an operand: its id, and in the top bit whether it is 8 bytes wide, so that reading it needs no table. */
#define DTCI_WIDE 0x80000000u
#define DTCI_GIVEN 0x40000000u /* of the plan as the caller gave it, before its defaults were filled */
#define DTCI_FIELD(operand) ((operand) & ~(DTCI_WIDE | DTCI_GIVEN))
#define DTCI_OPERAND(noun, member) (DTC_FIELD(noun, member) | (sizeof(((dtc_##noun *)0)->member) == 8 ? DTCI_WIDE : 0u))

/* A condition: the field's value lies in [min, max]. No field: always. */
typedef struct dtci_when {
  uint32_t field;
  uint32_t reserved;
  uint64_t min;
  uint64_t max;
} dtci_when;

typedef struct dtci_rule_row {
  dtc_rule rule;
  dtc_status status;
  dtc_severity severity;
  uint32_t hook;
  uint32_t fix;                 /* the operand a user would change, and the one that is reported */
  uint32_t left[DTCI_OPERANDS]; /* operands, 0 ends */
  uint32_t right[DTCI_OPERANDS];
  uint32_t factor; /* constant factor of left; 0 = 1 */
  uint32_t even;   /* 1: about stages of equal size; does not apply to stages that the caller gives */
  dtci_when need;  /* for DTCI_NEEDS */
  dtci_when when[2];
  char en[128]; /* why; for DTCI_TEXT the whole message, with {field} {got} {min} ... */
  char zh[160];
} dtci_rule_row;

extern const dtci_rule_row dtci_rules[];
extern const uint32_t dtci_rules_count;

/* A rule of dtc_layout_resolve(): which schemes it is for, and which versions of their framework, [since, until). */
typedef struct dtci_layout_rule {
  uint16_t first; /* dtc_scheme [first, last] */
  uint16_t last;
  uint32_t since;
  uint32_t until; /* 0: no end */
  dtci_rule_row row;
} dtci_layout_rule;

extern const dtci_layout_rule dtci_layout_rules[];
extern const uint32_t dtci_layout_rules_count;

/* Messages about pipelines (lib/catalog/pipe_rules.c). */
extern const dtci_rule_row dtci_pipe_rules[];
extern const uint32_t dtci_pipe_rules_count;

const dtci_rule_row *dtci_rule_of(dtc_rule rule);
/* Is the field one of several factors on the rule's left? Of a layout the error then tells the product. */
int dtci_rule_multiplies(const dtci_rule_row *row, uint32_t field);
/* Does the rule compare this operand? */
int dtci_rule_reads(const dtci_rule_row *row, uint32_t operand);

/* What a call about a plan works on, and what the rules read: the caller's structs, resolved. A cluster that is not given
 * is all zero. */
typedef struct dtci_case {
  dtc_model model;
  dtc_cluster cluster;
  dtc_plan plan;
  dtc_plan given;     /* the plan before its defaults were filled */
  const void *layout; /* a dtc_layout, for the rules about one */
  uint32_t has_cluster;
  uint32_t has_stages; /* the caller says which layers a stage holds */
} dtci_case;

/* Product of operands, one of them left out; saturates at a value that nothing reaches. */
uint64_t dtci_rule_product(const dtci_case *c, const uint32_t operands[DTCI_OPERANDS], uint64_t factor,
                           uint32_t without);
/* 1 when the rule holds or does not apply. */
int dtci_rule_holds(const dtci_rule_row *row, const dtci_case *c);
/* Fills *e with what a broken rule found against what, as seen from the operand `fix`; without nearest legal values. */
void dtci_rule_describe(const dtci_rule_row *row, const dtci_case *c, uint32_t fix, dtc_error *e);
/* As dtci_rule_holds(); when it is broken *e is the finding. */
int dtci_rule_check(const dtci_rule_row *row, const dtci_case *c, dtc_error *e);

#endif
