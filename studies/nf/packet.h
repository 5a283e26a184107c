/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A packet that a network function processes. For native code and for BPF, C and C++. */
#ifndef SARTOR_STUDY_NF_PACKET_H
#define SARTOR_STUDY_NF_PACKET_H

#ifdef __bpf__ /* The C library does not know the BPF target. */
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
#else /* The headers that DPDK includes; the kernel's conflict with them. */
#include <netinet/in.h>
#include <netinet/ip.h>
#endif

/* Headers in a frame are misaligned by two bytes. */
#define NF_UNALIGNED __attribute__((no_sanitize("alignment")))
#define NF_INLINE NF_UNALIGNED static inline __attribute__((always_inline))
/* For rare cases, which are kept out of the handler. */
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

/* The fate of a packet. */
enum NfVerdict {
  nf_drop,
  nf_pass_on, /* Leaves by the other port. */
  nf_return,  /* Leaves by the port that it came by. */
  nf_keep     /* For the host: the kernel passes it on, DPDK drops it. */
};

/* Filled in by nf_parse(); the bytes from `transport` to `end` may be read. */
struct NfPacket {
  uint8_t *data; /* The Ethernet header. */
  uint8_t *end;  /* End of the frame; the IPv4 packet in it may end earlier. */
  void *buffer;  /* The buffer with the frame, of a type that only the I/O knows. */
  struct iphdr *ip;
  uint8_t *transport; /* Set for unfragmented packets and first fragments: TCP, UDP, or ICMP. */
  uint32_t hash;      /* Hash of its table key, once that is known. */
  uint8_t side;       /* enum NfSide: the ingress port. */
  uint8_t form;       /* enum NfForm */
  uint8_t verdict;    /* enum NfVerdict */
  uint8_t about;      /* Data that NAME_prepare() passes to NAME_packet(). */
};

/* The format of a frame. `ip` is set only for the first three, `transport` only for the first. */
enum NfForm {
  nf_whole,          /* IPv4; a TCP, UDP or ICMP header is present. */
  nf_later_fragment, /* IPv4, a later fragment, which has no ports. */
  nf_other_protocol, /* IPv4 with another protocol. */
  nf_not_ipv4,
  nf_truncated,    /* Shorter than its headers specify. */
  nf_malformed,    /* Invalid lengths or version. */
  nf_bad_checksum, /* Wrong checksum of the IPv4 header. */
  nf_forms
};

#ifdef __cplusplus
}
#endif

#endif
