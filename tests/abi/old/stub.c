/* What the linker needs to know of the library of tests/abi/frozen: its symbols. Nothing here is ever called. */
#include "tables.h"

#define X(name)                                                                                                        \
  void name(void);                                                                                                     \
  void name(void)                                                                                                      \
  {                                                                                                                    \
  }
FUNCTIONS(X)
