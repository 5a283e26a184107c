// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/processor.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <initializer_list>

#include <cpuid.h>

namespace sartor::image {

namespace {

struct Registers {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
};

// A virtual machine's processor takes microseconds to answer: nothing is asked twice, and nothing
// that others say is not there.
Registers ask(std::uint32_t leaf, std::uint32_t subleaf = 0) {
  Registers r;
  __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
  return r;
}

bool has(std::uint32_t flags, unsigned bit) { return (flags >> bit & 1U) != 0; }

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

// By the leaves of Intel SDM, volume 2A, "CPUID", and AMD APM, volume 3, appendix E, that compilers
// read, without those parts that tell one processor of a machine from another.
std::string describe() {
  std::string said = "x86_64";
  const auto add_all = [&](std::initializer_list<std::uint32_t> numbers) {
    for (const std::uint32_t number : numbers)
      add(said, number);
  };
  const Registers maker = ask(0);
  add_all({maker.b, maker.d, maker.c});
  const Registers basic = ask(1);
  add_all({basic.a, basic.c, basic.d});
  if (has(basic.c, 27)) // the system keeps more
    add(said, kept_registers());
  const std::uint32_t last = maker.a;
  if (last >= 0x7) {
    const Registers more = ask(0x7);
    add_all({more.a, more.b, more.c, more.d});
    const Registers still_more = more.a >= 1 ? ask(0x7, 1) : Registers();
    add_all({still_more.a, still_more.b, still_more.c, still_more.d});
    if (has(basic.c, 26) && last >= 0xd) // saves registers, in one of several ways
      add(said, ask(0xd, 1).a & 0xffU);
    if (has(more.b, 25) && last >= 0x14) // traces
      add(said, ask(0x14).b);
    if (has(more.c, 23) && last >= 0x19) // locks keys away
      add(said, ask(0x19).b);
    if (has(more.d, 24) && last >= 0x1e) // multiplies tiles
      add(said, ask(0x1e, 1).a);
    if (has(still_more.d, 19) && last >= 0x24) // AVX10, of some version
      add(said, ask(0x24).b);
  }
  const Registers extended = ask(0x80000001); // which there is where there are 64 bits
  add_all({extended.c, extended.d});
  add(said, ask(0x80000008).b);
  return said;
}

} // namespace

const std::string &this_processor() {
  static const std::string text = describe();
  return text;
}

} // namespace sartor::image
