// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/direct_return.h"

#include <cstddef>

#include <sartor/read_section.hpp>

namespace sartor::engine {

namespace {

using detail::Reader;

static_assert(offsetof(Reader, word) == 0 && offsetof(Reader, frame) == 8 &&
              offsetof(Reader, direct) == 40 && detail::kUnknownFrame == ~0UL);

// The same order as in ReadSection's destructor. Registers that may hold results stay.
[[gnu::naked, gnu::no_sanitize("all")]] void end_section() {
  __asm__("endbr64\n\t"
          "movq sartor_reader@gottpoff(%rip), %r11\n\t"
          "movq %fs:(%r11), %r11\n\t"
          "testq %r11, %r11\n\t"
          "je 1f\n\t"
          "leaq 8(%rsp), %r10\n\t"
          "cmpq %r10, 40(%r11)\n\t"
          "jne 1f\n\t"
          "movq $0, 40(%r11)\n\t"
          "movq $-1, 8(%r11)\n\t"
          "decq (%r11)\n"
          "1:\n\t"
          "ret");
}

} // namespace

void *direct_return() { return reinterpret_cast<void *>(&end_section); }

} // namespace sartor::engine
