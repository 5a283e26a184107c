// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/test_effects.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <linux/bpf.h>

namespace sartor::bpf {

namespace {

// Functions that only read, or change nothing but the packet, its metadata and maps. Redirection is
// among them: a test run returns the verdict and does not follow it. Events go to maps, too. The
// numbers are those of Linux's enum bpf_func_id, whose names older headers lack.
constexpr std::array<std::int32_t, 80> kHarmless{
    1,   2,   3,   5,   7,   8,   9,   10,  11,  12,  17,  18,  19,  20,  21,  23,
    24,  25,  26,  28,  29,  30,  31,  32,  33,  34,  38,  39,  40,  41,  42,  43,
    44,  46,  47,  48,  50,  51,  54,  65,  68,  69,  79,  84,  85,  86,  87,  88,
    89,  93,  94,  95,  96,  97,  98,  99,  118, 125, 130, 131, 132, 133, 134, 135,
    152, 155, 160, 163, 164, 165, 181, 182, 188, 189, 190, 195, 201, 202, 203, 208};
constexpr std::int32_t kRandom = 7;
constexpr std::int32_t kTailCall = 12;
constexpr std::uint8_t kKernelFunction = 2; ///< BPF_PSEUDO_KFUNC_CALL

} // namespace

Effects effects_of(const bpf_program &program) {
  Effects effects;
  for (const bpf_insn &each :
       std::span(bpf_program__insns(&program), bpf_program__insn_cnt(&program))) {
    if (each.code != (BPF_JMP | BPF_CALL) || each.src_reg == BPF_PSEUDO_CALL)
      continue;
    effects.leaves_test |=
        each.src_reg == kKernelFunction || !std::ranges::binary_search(kHarmless, each.imm);
    effects.uses_random |= each.imm == kRandom;
    effects.calls_others |= each.imm == kTailCall;
  }
  return effects;
}

} // namespace sartor::bpf
