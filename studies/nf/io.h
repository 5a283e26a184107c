/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The packet source and sink of functions in native code. */
#ifndef SARTOR_STUDY_NF_IO_H
#define SARTOR_STUDY_NF_IO_H

#include "packet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { nf_most_packets = 256 };

/* Belongs to the thread that polls. */
struct NfIo {
  /* Reads at most `most` packets of a port into `packets` (`data`, `end`, `buffer`); returns
   * their number. */
  uint32_t (*receive)(struct NfIo *io, enum NfSide side, struct NfPacket *packets, uint32_t most);
  /* Takes all packets; each is sent or dropped according to its verdict. */
  void (*send)(struct NfIo *io, enum NfSide side, struct NfPacket *packets, uint32_t count);
  /* A monotonic clock in ns, read once per batch. */
  uint64_t (*now)(struct NfIo *io);
  uint32_t batch;   /* Maximum number of packets read at once; 1 to nf_most_packets. */
  uint32_t ahead;   /* Prefetch distance in packets before parsing. */
  uint32_t at_once; /* Number of table slots compared at once: 4, 8, 16 or 32. */
  struct NfPacket packets[nf_most_packets];
};

#ifdef __cplusplus
}
#endif

#endif
