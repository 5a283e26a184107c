/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Packet filters: programs for BPF's classic machine, as tcpdump -ddd writes them (McCanne and
 * Jacobson, The BSD Packet Filter, USENIX 1993, section 3.3). */
#ifndef SARTOR_STUDIES_DEVICE_FILTER_H
#define SARTOR_STUDIES_DEVICE_FILTER_H

#include <stdint.h>

struct instruction {
  uint16_t code;
  uint8_t if_true; /**< Number of instructions to skip. */
  uint8_t if_false;
  uint32_t k;
};

#ifdef __cplusplus
extern "C" {
#endif

/** Returns how many bytes of the packet to keep; 0 rejects the packet. `program` must be valid. */
uint32_t run_filter(const struct instruction *program, const uint8_t *packet, uint32_t length);

#ifdef __cplusplus
}
#endif

#endif
