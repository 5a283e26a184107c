// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include <charconv>
#include <map>
#include <stdexcept>

#include <arpa/inet.h>

#include "routes.h"

namespace xdp {

void read_lines(std::istream &in, const std::string &name,
                const std::function<void(std::istringstream &words)> &read) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (!has_more(words))
      continue;
    try {
      read(words);
      if (std::string more; words >> more)
        throw std::runtime_error("nothing is expected where \"" + more + "\" is");
    } catch (const std::runtime_error &error) {
      throw std::runtime_error(name + ":" + std::to_string(number) + ": " + error.what());
    }
  }
}

bool has_more(std::istringstream &words) { return words.good() && !(words >> std::ws).eof(); }

bool take(std::istringstream &words, const std::string &word) {
  if (!has_more(words))
    return false;
  const auto begin = words.tellg();
  std::string next;
  words >> next;
  if (next == word)
    return true;
  words.clear();
  words.seekg(begin);
  return false;
}

std::string next_word(std::istringstream &words, const std::string &what) {
  std::string word;
  if (!(words >> word))
    throw std::runtime_error(what + " is missing");
  return word;
}

std::uint32_t next_number(std::istringstream &words, const std::string &what, std::uint32_t most) {
  const std::string word = next_word(words, what);
  std::uint32_t number = 0;
  const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || last != word.data() + word.size() || number > most)
    throw std::runtime_error("\"" + word + "\" is no " + what + "; it is 0 to " +
                             std::to_string(most));
  return number;
}

std::uint32_t next_address(std::istringstream &words) {
  const std::string word = next_word(words, "an address");
  const std::optional<std::uint32_t> address = router::read_address(word);
  if (!address)
    throw std::runtime_error("\"" + word + "\" is no address");
  return htonl(*address);
}

void next_mac(std::istringstream &words, std::span<std::uint8_t, 6> mac) {
  const std::string word = next_word(words, "a MAC address");
  const char *at = word.data();
  const char *const end = at + word.size();
  for (std::size_t i = 0; i < mac.size(); ++i) {
    const auto [last, error] = std::from_chars(at, end, mac[i], 16);
    const bool is_last = i + 1 == mac.size();
    if (error != std::errc() || (is_last ? last != end : last == end || *last != ':'))
      throw std::runtime_error("\"" + word + "\" is no MAC address");
    at = last + 1;
  }
}

std::uint8_t next_protocol(std::istringstream &words) {
  static const std::map<std::string, std::uint8_t> known = {
      {"any", 0}, {"icmp", IPPROTO_ICMP}, {"tcp", IPPROTO_TCP}, {"udp", IPPROTO_UDP}};
  const std::string word = next_word(words, "a protocol");
  const auto found = known.find(word);
  if (found == known.end())
    throw std::runtime_error("\"" + word + "\" is no protocol; they are any, icmp, tcp, udp");
  return found->second;
}

} // namespace xdp
