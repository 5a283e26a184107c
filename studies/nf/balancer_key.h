/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The timeouts of flows, and the hash that places new ones: for packets and for the control
 * plane. */
#ifndef SARTOR_STUDY_NF_BALANCER_KEY_H
#define SARTOR_STUDY_NF_BALANCER_KEY_H

#include "balancer.h"
#include "hash.h"
#include "parse.h"

/* Fixed, so that balancers with the same configuration choose the same back ends. */
#define BALANCER_SEED 0x6d61676c65760001U

/* The index of a flow's entry in a VIP's lookup table. */
NF_INLINE uint32_t balancer_entry(const struct BalancerConfig *config,
                                  const struct BalancerKey *key) {
  return nf_hash(key, sizeof *key, BALANCER_SEED) % config->lookup_size;
}

NF_INLINE uint64_t balancer_timeout(const struct BalancerConfig *config,
                                    const struct BalancerKey *key) {
  if (key->is_fragment)
    return config->fragment_timeout;
  return key->protocol == IPPROTO_TCP ? config->tcp_timeout : config->udp_timeout;
}

NF_INLINE int balancer_is_over(const struct BalancerConfig *config, const struct BalancerKey *key,
                               const struct BalancerFlow *flow, uint64_t now) {
  return now - flow->seen > balancer_timeout(config, key);
}

#endif
