// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interpreter in a common form: instructions are decoded out of line, byte by byte, and rare
// cases return into the loop.
#include <sartor/points.h>

#include "fold_shapes.h"

namespace {

struct Decoded {
  std::uint32_t op, a, b, c;
  std::int64_t immediate;
};

std::uint32_t byte_at(const std::uint8_t *bytes, std::uint64_t size, std::uint64_t at) {
  if (at >= size)
    __builtin_trap();
  return bytes[at];
}

Decoded decode(const std::uint8_t *bytes, std::uint64_t size) {
  Decoded decoded{};
  decoded.op = byte_at(bytes, size, 0);
  decoded.a = byte_at(bytes, size, 1) & 7U;
  decoded.b = byte_at(bytes, size, 2) & 7U;
  decoded.c = byte_at(bytes, size, 3) & 7U;
  decoded.immediate =
      static_cast<std::int32_t>(byte_at(bytes, size, 4) | byte_at(bytes, size, 5) << 8U |
                                byte_at(bytes, size, 6) << 16U | byte_at(bytes, size, 7) << 24U);
  if (decoded.op >= op_count || (decoded.op == op_jump && decoded.immediate < 0))
    decoded.op = op_return;
  return decoded;
}

} // namespace

SARTOR_HANDLER std::uint64_t fold_run_decoding(const Config *config, std::uint64_t a,
                                               std::uint64_t fuel) {
  const auto *code = reinterpret_cast<const std::uint8_t *>(config->program);
  const std::uint64_t size = config->count * sizeof(Instruction);
  std::uint64_t r[8] = {};
  std::uint64_t pc = 0;
  while (fuel-- > 0 && pc < config->count) {
    const std::uint64_t at = pc * sizeof(Instruction);
    const Decoded i = decode(code + at, size - at);
    ++pc;
    switch (i.op) {
    case op_return:
      return r[i.a];
    case op_load:
      r[i.a] = static_cast<std::uint64_t>(i.immediate);
      break;
    case op_add:
      r[i.a] = r[i.b] + r[i.c];
      break;
    case op_multiply:
      r[i.a] = r[i.b] * r[i.c];
      if (__builtin_expect(r[i.a] % 5 == 4, 0))
        r[i.a] = fold_seldom(r[i.a]);
      break;
    case op_xor:
      r[i.a] = r[i.b] ^ r[i.c];
      break;
    case op_input:
      r[i.a] = a;
      break;
    case op_jump:
      pc = static_cast<std::uint64_t>(i.immediate);
      break;
    case op_jump_if_zero: {
      const Decoded next = decode(code + at, size - at); // called twice, so that it is not inlined
      if (r[i.a] == 0)
        pc = static_cast<std::uint64_t>(next.immediate);
      break;
    }
    case op_jump_if_less:
      pc = r[i.a] < r[i.b] ? static_cast<std::uint64_t>(i.immediate) : pc;
      break;
    default:
      return ~std::uint64_t{0};
    }
  }
  return r[0] ^ r[7];
}
