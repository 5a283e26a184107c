// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/image/processor.h"

#include <array>
#include <cstdint>
#include <cstdio>

#define _Bool bool // NOLINT: glibc's header was written for C alone until its version 2.39
#include <sys/platform/x86.h>
#undef _Bool

namespace sartor::core {

namespace {

void add(std::string &text, std::uint32_t number) {
  std::array<char, 10> digits{};
  std::snprintf(digits.data(), digits.size(), " %x", number);
  text += digits.data();
}

constexpr unsigned kModel = CPUID_INDEX_1;

// The results of CPUID that the dynamic linker has read (Intel SDM, volume 2A, "CPUID"; AMD APM,
// volume 3, appendix E), because CPUID takes 13 microseconds in a virtual machine: everything by
// which compilers choose instructions, except parts of AMX and AVX10, which depend on the model.
std::string describe() {
  std::string said = "x86_64";
  for (const unsigned leaf :
       {kModel, unsigned{CPUID_INDEX_7}, unsigned{CPUID_INDEX_80000001},
        unsigned{CPUID_INDEX_D_ECX_1}, unsigned{CPUID_INDEX_80000008},
        unsigned{CPUID_INDEX_7_ECX_1}, unsigned{CPUID_INDEX_19}, unsigned{CPUID_INDEX_14_ECX_0}}) {
    const cpuid_feature &known = *__x86_get_cpuid_feature_leaf(leaf);
    for (unsigned i = 0; i < 4; ++i) {
      const bool is_of_one_core = leaf == kModel && i == cpuid_register_index_ebx;
      const bool is_count = leaf == CPUID_INDEX_80000008 && i == cpuid_register_index_ecx;
      if (is_of_one_core || is_count)
        continue;
      add(said, known.cpuid_array[i]);
      add(said, known.active_array[i]); // and the system enables it
    }
  }
  return said;
}

bool has_v2() {
  return CPU_FEATURE_ACTIVE(CMPXCHG16B) && CPU_FEATURE_ACTIVE(LAHF64_SAHF64) &&
         CPU_FEATURE_ACTIVE(POPCNT) && CPU_FEATURE_ACTIVE(SSE3) && CPU_FEATURE_ACTIVE(SSSE3) &&
         CPU_FEATURE_ACTIVE(SSE4_1) && CPU_FEATURE_ACTIVE(SSE4_2);
}

bool has_v3() {
  return CPU_FEATURE_ACTIVE(AVX) && CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1) &&
         CPU_FEATURE_ACTIVE(BMI2) && CPU_FEATURE_ACTIVE(F16C) && CPU_FEATURE_ACTIVE(FMA) &&
         CPU_FEATURE_ACTIVE(LZCNT) && CPU_FEATURE_ACTIVE(MOVBE) && CPU_FEATURE_ACTIVE(OSXSAVE);
}

bool has_v4() {
  return CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) &&
         CPU_FEATURE_ACTIVE(AVX512CD) && CPU_FEATURE_ACTIVE(AVX512DQ) &&
         CPU_FEATURE_ACTIVE(AVX512VL);
}

constexpr std::array kLevels{"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"};

} // namespace

const std::string &this_processor() {
  static const auto &text = *new std::string(describe()); // used by compiles at exit
  return text;
}

std::span<const char *const> levels_of_this_processor() {
  const std::size_t missing = !has_v2() ? 3 : !has_v3() ? 2 : !has_v4() ? 1 : 0;
  return std::span(kLevels).subspan(missing);
}

} // namespace sartor::core
