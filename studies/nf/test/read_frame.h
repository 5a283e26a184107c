// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_READ_FRAME_H
#define SARTOR_TEST_STUDIES_NF_READ_FRAME_H

#include <span>

#include "frames.h"

namespace nf {

/// TCP flags.
inline constexpr std::uint8_t kFin = 0x11;
inline constexpr std::uint8_t kSyn = 0x02;
inline constexpr std::uint8_t kReset = 0x04;
inline constexpr std::uint8_t kAck = 0x10;

/// Parses a frame's bytes with a simple implementation; the inverse of bytes_of(). The packet must
/// not be a fragment.
Frame read_frame(std::span<const std::uint8_t> bytes);

/// The payload of an ICMP error about a frame: at most `most` bytes of its IPv4 packet.
Bytes quoted(const Frame &about, std::size_t most = 548);
/// The packet that an error quotes, as a frame.
Bytes unquoted(const Frame &error);

} // namespace nf

#endif
