// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "variants.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sartor::bench {

namespace {

// Format after the magic: the number of variants and of rounds, 32 bits each; then for each round
// and each variant the logarithm of the rate in steps of 0.05 %, 0 for a rate of zero, and the
// length in units of ten microseconds, 16 bits each. All numbers are little-endian.
constexpr std::string_view magic = "SARTORVARIANTS1\n";
constexpr double steps = 2000, zero = 40'000;
constexpr double unit = 1e-5;
constexpr double most = 65535;

std::uint16_t packed(double number) {
  return static_cast<std::uint16_t>(std::lround(std::clamp(number, 0.0, most)));
}

} // namespace

double RecordedVariants::rate_of(std::size_t variant) const {
  double work = 0, seconds = 0;
  for (const Slice &sample_time : variants_[variant])
    work += sample_time.rate * sample_time.seconds, seconds += sample_time.seconds;
  return work / seconds;
}

RecordedVariants RecordedVariants::read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!bytes.starts_with(magic))
    throw std::runtime_error(path.string() + ": no recording of variants");
  std::size_t at = magic.size();
  const auto number = [&](unsigned of_bytes) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < of_bytes; ++i)
      value += static_cast<std::uint32_t>(static_cast<unsigned char>(bytes.at(at++))) << (8 * i);
    return value;
  };
  std::vector<std::vector<Slice>> variants(number(4));
  const std::uint32_t rounds = number(4);
  if (variants.empty() || rounds == 0)
    throw std::runtime_error(path.string() + ": nothing is recorded there");
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (auto &variant : variants) {
      const auto rate = number(2);
      variant.push_back({rate == 0 ? 0 : std::exp((rate - zero) / steps), number(2) * unit});
    }
  return RecordedVariants(std::move(variants));
}

void RecordedVariants::write(const std::filesystem::path &path) const {
  std::string bytes{magic};
  const auto number = [&](std::size_t value, unsigned of_bytes) {
    for (unsigned i = 0; i < of_bytes; ++i)
      bytes += static_cast<char>(value >> (8 * i) & 255U);
  };
  number(variants(), 4);
  number(rounds(), 4);
  const double first = rate_of(0);
  for (std::size_t round = 0; round < rounds(); ++round)
    for (const auto &variant : variants_) {
      const auto [rate, seconds] = variant[round];
      number(rate > 0 ? std::max<std::uint16_t>(packed(steps * std::log(rate / first) + zero), 1)
                      : 0,
             2);
      number(packed(seconds / unit), 2);
    }
  if (!(std::ofstream(path, std::ios::binary) << bytes))
    throw std::runtime_error(path.string() + ": cannot be written");
}

} // namespace sartor::bench
