/* Short names in the tables of terms: for lib/catalog/terms_*.c alone. */
#ifndef DTCI_TERMS_SHORT_H
#define DTCI_TERMS_SHORT_H

#include "internal/terms.h"

#define TEXT(x) DTCI_TERM_TEXT_##x
#define ITEM(x) DTC_MEMORY_ITEM_##x
#define AT(x) DTCI_AT(x)
#define U(x) DTCI_U_##x
#define WHEN(x) DTCI_WHEN_##x
#define BY(x) DTCI_SHARD_##x
#define ALWAYS DTCI_ALWAYS

/* Moments that belong together. */
#define REDUCES (AT(HEAD) | AT(BACKWARD) | AT(EXPERTS) | AT(END))
#define PASSES (AT(FORWARD) | AT(FORWARDED) | AT(LOSS) | REDUCES)
#define IN_BACKWARD (AT(FORWARDED) | AT(LOSS) | AT(HEAD) | AT(BACKWARD) | AT(EXPERTS))
#define MADE (AT(END) | AT(REDUCED) | AT(STEP)) /* gradients of a backward, freed behind the step */

/* Conditions with a word of their own. */
#define ADDS WHEN(ACCUMULATES)
#define ZERO WHEN(SHARDS_OPTIMIZER)
#define HOST WHEN(OFFLOAD)

#endif
