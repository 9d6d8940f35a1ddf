/* What the terms of memory are, in both languages. */
#include "internal/terms.h"

#define TERM_TEXT(id, english, chinese) [DTCI_TERM_TEXT_##id] = {english, chinese},

const dtci_term_text dtci_term_texts[] = {
#include "internal/terms_texts.def"
};
