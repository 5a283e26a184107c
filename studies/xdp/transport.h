/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_STUDY_XDP_TRANSPORT_H
#define SARTOR_STUDY_XDP_TRANSPORT_H

/* Flags of TCP, in the header's fourteenth byte. */
enum Flag { flag_fin = 1, flag_syn = 2, flag_rst = 4, flag_ack = 16 };

enum IcmpType {
  icmp_echo_reply = 0,
  icmp_unreachable = 3,
  icmp_echo = 8,
  icmp_expired = 11,
  icmp_bad_parameter = 12
};

#endif
