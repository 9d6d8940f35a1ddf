/* NCCL's lists of devices and interfaces: `^=name:port,name`, as NCCL 2.30 reads and matches them. */
#ifndef DTCI_HCA_H
#define DTCI_HCA_H

#include "internal/internal.h"

enum {
  DTCI_NCCL_DEVICES = 32,    /* names of NCCL_IB_HCA that are read, and ports that are selected (MAX_IB_DEVS) */
  DTCI_NCCL_INTERFACES = 16, /* names of NCCL_SOCKET_IFNAME that are read (MAX_IFS) */
  DTCI_NCCL_NAME = 63,       /* bytes of a name that are kept */
  DTCI_NCCL_ANY_PORT = -1,
};

typedef struct dtci_nccl_name {
  const char *name;
  uint32_t n;
  int32_t port; /* DTCI_NCCL_ANY_PORT: of every port */
} dtci_nccl_name;

typedef struct dtci_nccl_list {
  uint32_t count;
  uint32_t exclude; /* ^ */
  uint32_t exact;   /* = */
  dtci_nccl_name names[DTCI_NCCL_DEVICES];
} dtci_nccl_list;

/* Reads a list of at most `max` names, which stay where they are. */
void dtci_nccl_read(dtci_nccl_list *list, const char *value, size_t len, uint32_t max);
/* Does the list select this port of a device, or an interface (DTCI_NCCL_ANY_PORT)? */
int dtci_nccl_selects(const dtci_nccl_list *list, const char *name, size_t n, int32_t port);

/* What is to be said of a list as a text, whatever the devices are: bits of the value of its key. */
enum {
  DTCI_NCCL_PREFIX,   /* a name ends in a number that longer ones may go on: mlx5_1 of mlx5_10 */
  DTCI_NCCL_FORM,     /* a name holds a blank, ; | ^ = or a glob */
  DTCI_NCCL_BARE,     /* ^ without a name: excludes everything */
  DTCI_NCCL_PORT,     /* a port that is 0 or no number: no device has it */
  DTCI_NCCL_LONG,     /* more names than are read */
  DTCI_NCCL_LOOPBACK, /* selects lo, docker or veth by name */
};
uint64_t dtci_nccl_look(const char *value, size_t len, uint32_t max);

#endif
