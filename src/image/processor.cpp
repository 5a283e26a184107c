// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/processor.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include <cpuid.h>

namespace sartor::image {

namespace {

struct Registers {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
};

Registers ask(std::uint32_t leaf, std::uint32_t subleaf = 0) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
  return r;
}

void add(std::string &text, std::uint32_t number) {
  std::array<char, 10> digits{};
  std::snprintf(digits.data(), digits.size(), " %x", number);
  text += digits.data();
}

// Which registers the system keeps for us when it runs others (XCR0).
std::uint32_t kept_registers() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

} // namespace

// By the leaves of Intel SDM, volume 2A, "CPUID", and AMD APM, volume 3, appendix E, that compilers
// read. Leaf 1 has in `b` which of the processors it is, and in `c` whether the system keeps more.
const std::string &this_processor() {
  static const std::string text = [] {
    constexpr std::uint32_t kKeepsMore = 1U << 27U;
    std::string said = "x86_64";
    const Registers maker = ask(0);
    for (const std::uint32_t part : {maker.b, maker.d, maker.c})
      add(said, part);
    const Registers basic = ask(1);
    for (const std::uint32_t part : {basic.a, basic.c, basic.d})
      add(said, part);
    if ((basic.c & kKeepsMore) != 0)
      add(said, kept_registers());
    for (const auto &[leaf, subleaf] : {std::pair{0x7U, 0U},
                                        {0x7U, 1U},
                                        {0x7U, 2U},
                                        {0xdU, 1U},
                                        {0x14U, 0U},
                                        {0x19U, 0U},
                                        {0x1eU, 1U},
                                        {0x24U, 0U},
                                        {0x80000001U, 0U},
                                        {0x80000008U, 0U},
                                        {0x80000021U, 0U}}) {
      const Registers more = ask(leaf, subleaf);
      const bool has_numbers = leaf == 0x80000008U; // of processors, in `c`
      for (const std::uint32_t part : {leaf == 0xdU ? more.a & 0xffU : more.a,
                                       leaf == 0xdU ? 0 : more.b, has_numbers ? 0 : more.c, more.d})
        add(said, part);
    }
    return said;
  }();
  return text;
}

} // namespace sartor::image
