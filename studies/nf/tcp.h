/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_STUDY_NF_TCP_H
#define SARTOR_STUDY_NF_TCP_H

enum {
  nf_tcp_flags_at = 13, /* in the header (RFC 9293) */
  nf_tcp_fin = 1,
  nf_tcp_syn = 2,
  nf_tcp_reset = 4,
  nf_tcp_ack = 16
};

#endif
