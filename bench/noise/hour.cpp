// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hour.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace sartor::bench {

namespace {

constexpr std::string_view kMagic = "SARTORHOUR1\n";
constexpr std::size_t kSliceBytes = 3;

} // namespace

Hour Hour::read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto byte = [&](std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(bytes.at(at)));
  };
  if (!bytes.starts_with(kMagic))
    throw std::runtime_error(path.string() + ": no recording of an hour");
  std::size_t at = kMagic.size();
  std::size_t count = 0;
  for (int i = 0; i < 4; ++i)
    count += static_cast<std::size_t>(byte(at++)) << (8 * i);
  Hour hour;
  for (std::size_t sample_time = 0; sample_time < count; ++sample_time, at += kSliceBytes)
    hour.sample_count.push_back(
        {byte(at), byte(at + 1) == 0 ? 0 : 10 * std::exp(0.015 * byte(at + 1))});
  while (at < bytes.size()) {
    Kinds &kinds = hour.kinds.emplace_back();
    for (std::uint64_t &kind : kinds) {
      kind = byte(at) + 256 * byte(at + 1);
      at += 2;
    }
  }
  return hour;
}

} // namespace sartor::bench
