/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A packet on its way through a network function. For native code and for BPF, C and C++. */
#ifndef SARTOR_STUDY_NF_PACKET_H
#define SARTOR_STUDY_NF_PACKET_H

#ifdef __bpf__ /* The C library knows no such machine. */
#include <linux/types.h>
typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
#define UINT64_C(number) number##ULL
#else
#include <stdint.h>
#endif

#include <linux/if_ether.h>
#ifdef __bpf__
#include <linux/in.h>
#include <linux/ip.h>
#else /* What DPDK includes, which does not go with the others. */
#include <netinet/in.h>
#include <netinet/ip.h>
#endif

/* Headers in a frame begin two bytes beside where they would be aligned. */
#define NF_UNALIGNED __attribute__((no_sanitize("alignment")))
#define NF_INLINE NF_UNALIGNED static inline __attribute__((always_inline))
/* What comes so seldom that the handler is better without it. */
#ifdef __bpf__
#define NF_SELDOM NF_INLINE
#else
#define NF_SELDOM NF_UNALIGNED static __attribute__((noinline, cold, unused))
#endif

#ifdef __cplusplus
#define NF_NULL nullptr
#else
#define NF_NULL ((void *)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Functions have two ports. */
enum NfSide { nf_external, nf_internal, nf_sides };

/* What becomes of a packet. */
enum NfVerdict {
  nf_drop,
  nf_pass_on, /* It leaves by the other port. */
  nf_return,  /* It leaves by the port that it came by. */
  nf_keep     /* It is for the host: in the kernel it goes on to it, with DPDK it is dropped. */
};

/* Found by nf_parse(); all that is behind `transport` and before `end` may be read. */
struct NfPacket {
  uint8_t *data; /* The Ethernet header. */
  uint8_t *end;  /* Of the frame; the IPv4 packet in it may end before. */
  void *buffer;  /* Where it lies: whoever receives and sends knows of what kind. */
  struct iphdr *ip;
  uint8_t *transport; /* Of the first fragment: TCP, UDP, or ICMP. */
  uint32_t hash;      /* Of what it is looked up by, when that is known. */
  uint8_t side;       /* enum NfSide: the port that it came by. */
  uint8_t form;       /* enum NfForm */
  uint8_t verdict;    /* enum NfVerdict */
  uint8_t about;      /* What NAME_prepare() keeps for NAME_packet(). */
};

/* What is in a frame. Only of the first three, `ip` is set; only of the first, `transport`. */
enum NfForm {
  nf_whole,          /* IPv4; of TCP, UDP and ICMP the header is there. */
  nf_later_fragment, /* IPv4, not the first fragment: there are no ports. */
  nf_other_protocol, /* IPv4, none of the three. */
  nf_not_ipv4,
  nf_truncated,    /* Shorter than its headers say. */
  nf_malformed,    /* Its lengths or its version cannot be. */
  nf_bad_checksum, /* Of the IPv4 header. */
  nf_forms
};

#ifdef __cplusplus
}
#endif

#endif
