// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_GATE_CODE_H
#define SARTOR_LOADER_AGENTS_ISOLATE_GATE_CODE_H

#include <cstddef>
#include <cstdint>

#include "agents/isolate/domain.h"

namespace sartor::isolate {

/// The target of a gate.
struct Gate {
  std::uintptr_t function;
  Domain *domain;
};

constexpr std::size_t gate_size = 16; ///< Size of a gate's code in bytes.

} // namespace sartor::isolate

// The code of all gates exists from the start, one after the other, and each gate finds its entry
// in this table by its number. No code is generated at run time, which some systems forbid. Unused
// gates and entries are never touched and take no memory.
#pragma GCC visibility push(hidden)
extern "C" {
extern sartor::isolate::Gate sartor_isolate_gates[sartor::isolate::most_gates];
extern const char sartor_isolate_gate_code[];
extern const char sartor_isolate_way_back[];

void sartor_isolate_enter_domain(const sartor::isolate::Gate *gate, std::uintptr_t *return_slot);
std::uintptr_t sartor_isolate_leave_domain(const std::uintptr_t *return_slot);
}
#pragma GCC visibility pop

#endif
