// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The wire protocol. All numbers are little endian.
///   request:  Header, then a and b, each n × n times u64
///   response: Header with the request's n and id, then c = a · b
///   refusal:  Header with n = 0 and the request's id, then a u64 Refusal; the server then closes
/// Responses are in the order of the requests. A client may pipeline requests, but has to read
/// responses while it sends.
#ifndef MATMUL_PROTOCOL_H
#define MATMUL_PROTOCOL_H

#include <bit>
#include <cstdint>

#include "matmul.h"

namespace matmul {

static_assert(std::endian::native == std::endian::little,
              "the protocol copies numbers as they lie");

struct Header {
  std::uint32_t magic = expected_magic;
  std::uint32_t n = 0;
  std::uint64_t id = 0;

  static constexpr std::uint32_t expected_magic = 0x314c4d4d; ///< "MML1"
};
static_assert(sizeof(Header) == 16);

/// Reasons for refusing a request.
enum class Refusal : std::uint64_t { none = 0, bad_magic = 1, bad_size = 2 };

inline constexpr std::uint32_t largest_n = 2048;

/// Refusal::none for a valid request.
constexpr Refusal check(const Header &request) {
  if (request.magic != Header::expected_magic)
    return Refusal::bad_magic;
  if (request.n == 0 || request.n > largest_n || request.n % stripe != 0)
    return Refusal::bad_size;
  return Refusal::none;
}

} // namespace matmul

#endif
