/* Every text of the program in English and Chinese: messages.def. */
#ifndef MESSAGES_H
#define MESSAGES_H

typedef enum msg {
#define M(id, en, zh) MSG_##id,
#include "messages.def"
#undef M
  MSG_COUNT
} msg;

#endif
