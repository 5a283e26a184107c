// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "slices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>

namespace sartor::bench {

namespace {

constexpr double kUnitsPerMedian = 20'000;

double median_of(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

void append(std::string &text, double share) {
  const auto units =
      static_cast<std::uint16_t>(std::clamp(std::round(share * kUnitsPerMedian), 0.0, 65535.0));
  text += static_cast<char>(units & 0xff);
  text += static_cast<char>(units >> 8);
}

} // namespace

std::string packed(const std::vector<Slice> &sample_count) {
  std::vector<double> throughput;
  std::vector<double> efficiency;
  for (const Slice &sample_time : sample_count) {
    throughput.push_back(sample_time.throughput);
    efficiency.push_back(sample_time.efficiency);
  }
  const double usual = median_of(std::move(throughput));
  const double usual_efficiency = median_of(std::move(efficiency));
  std::string text;
  for (const Slice &sample_time : sample_count) {
    append(text, sample_time.throughput / usual);
    append(text, sample_time.efficiency / usual_efficiency);
  }
  return text;
}

std::vector<Slice> read_slices(const std::filesystem::path &file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<Slice> sample_count;
  for (unsigned char bytes[4]; stream.read(reinterpret_cast<char *>(bytes), sizeof bytes);)
    sample_count.push_back({(bytes[0] | bytes[1] << 8) / kUnitsPerMedian,
                            (bytes[2] | bytes[3] << 8) / kUnitsPerMedian});
  if (sample_count.empty())
    throw std::runtime_error("no recording in " + file.string());
  return sample_count;
}

} // namespace sartor::bench
