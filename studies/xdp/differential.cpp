// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "differential.h"

#include <map>

#include "test_run.h"

namespace xdp {

namespace {

std::map<std::string, std::string> content_of(const Side &side, const Compared &map) {
  std::map<std::string, std::string> content;
  for (const auto &[key, value] : KernelMap(side.maps(map.name)).content())
    content[key] = value.substr(map.time_bytes);
  return content;
}

std::string hexadecimal(const std::string &bytes) {
  static const char *const digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string text_of(const Ran &ran) {
  return "verdict " + std::to_string(ran.verdict) + ", frame " + hexadecimal(ran.frame);
}

} // namespace

std::string difference(const Side &one, const Side &other, const std::vector<std::string> &frames,
                       const std::vector<Compared> &maps) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Ran first = run(one.program, frames[i]);
    const Ran second = run(other.program, frames[i]);
    if (first != second)
      return "frame " + std::to_string(i) + ", " + hexadecimal(frames[i]) + ": " + text_of(first) +
             "; " + text_of(second);
  }
  for (const Compared &map : maps)
    if (content_of(one, map) != content_of(other, map))
      return "the map " + map.name;
  return "";
}

} // namespace xdp
