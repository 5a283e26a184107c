/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_STUDY_NF_TCP_H
#define SARTOR_STUDY_NF_TCP_H

#include "parse.h"

enum {
  nf_tcp_flags_at = 13, /* offset in the header (RFC 9293) */
  nf_tcp_fin = 1,
  nf_tcp_syn = 2,
  nf_tcp_reset = 4,
  nf_tcp_ack = 16
};

/* The flags of a TCP packet whose header is present. */
NF_INLINE uint8_t nf_tcp_flags(const struct NfPacket *packet) {
#ifdef __bpf__ /* Checked again for the verifier. */
  if (!packet->transport || packet->transport + nf_tcp_header > packet->end)
    return 0;
#endif
  return packet->transport[nf_tcp_flags_at];
}

#endif
