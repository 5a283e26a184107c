/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where functions in native code get their packets from, and where these go. */
#ifndef SARTOR_STUDY_NF_IO_H
#define SARTOR_STUDY_NF_IO_H

#include "packet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { nf_most_packets = 256 };

/* Belongs to the thread that polls. */
struct NfIo {
  /* Reads at most `most` packets of a port into `packets` (`data`, `end`, `buffer`); how many. */
  uint32_t (*receive)(struct NfIo *io, enum NfSide side, struct NfPacket *packets, uint32_t most);
  /* Takes all packets, each where its verdict says. */
  void (*send)(struct NfIo *io, enum NfSide side, struct NfPacket *packets, uint32_t count);
  /* A clock that never goes back, in ns. Read once a batch. */
  uint64_t (*now)(struct NfIo *io);
  uint32_t batch;   /* The most packets that are read at once; 1 to nf_most_packets. */
  uint32_t ahead;   /* How many packets before it is parsed one is prefetched. */
  uint32_t at_once; /* How many slots of a table are compared at once: 4, 8, 16 or 32. */
  struct NfPacket packets[nf_most_packets];
};

#ifdef __cplusplus
}
#endif

#endif
