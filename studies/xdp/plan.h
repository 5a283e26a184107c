// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_PLAN_H
#define SARTOR_STUDY_XDP_PLAN_H

#include <cstdint>
#include <functional>
#include <istream>
#include <span>
#include <sstream>
#include <string>

namespace xdp {

/// Calls `read` with the words of each line; skips everything after a #. Prepends the line to
/// errors, and throws std::runtime_error if words are left.
void read_lines(std::istream &in, const std::string &name,
                const std::function<void(std::istringstream &words)> &read);

bool has_more(std::istringstream &words);
/// Consumes the next word if it equals `word`; returns whether it did.
bool take(std::istringstream &words, const std::string &word);
/// The next word; throws std::runtime_error with the expected `what`.
std::string next_word(std::istringstream &words, const std::string &what);
/// The next number, at most `most`.
std::uint32_t next_number(std::istringstream &words, const std::string &what, std::uint32_t most);
/// An IPv4 address in network byte order.
std::uint32_t next_address(std::istringstream &words);
/// `02:00:00:00:00:01`
void next_mac(std::istringstream &words, std::span<std::uint8_t, 6> mac);
/// The protocol number of `tcp`, `udp`, `icmp`; 0 for `any`.
std::uint8_t next_protocol(std::istringstream &words);

} // namespace xdp

#endif
