/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The Internet checksum (RFC 1071) and its update (RFC 1624). Sums are independent of the byte
 * order: words are loaded as they are in memory. For native code and for BPF. */
#ifndef SARTOR_STUDY_NF_CHECKSUM_H
#define SARTOR_STUDY_NF_CHECKSUM_H

#include "packet.h"

NF_INLINE uint16_t nf_fold_sum(uint64_t sum) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)sum;
}

/* Sums a header without options in words of 32 bits, which are folded to 16 bits later. */
NF_INLINE uint64_t nf_sum_of_header(const struct iphdr *ip) {
  const uint32_t *words = (const uint32_t *)ip;
  return (uint64_t)words[0] + words[1] + words[2] + words[3] + words[4];
}

/* Updates a checksum for changed words (RFC 1624, equation 3). The sums of several changed words
 * may be added. */
NF_INLINE uint16_t nf_updated_checksum(uint16_t checksum, uint64_t old_words, uint64_t new_words) {
  return (uint16_t)~nf_fold_sum((uint64_t)(uint16_t)~checksum + (uint16_t)~nf_fold_sum(old_words) +
                                new_words);
}

/* The sum of the two words of a 32-bit number. */
NF_INLINE uint64_t nf_words_of(uint32_t number) {
  return (uint64_t)(number & 0xffff) + (number >> 16);
}

#endif
