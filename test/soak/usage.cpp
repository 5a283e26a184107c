// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "usage.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <unistd.h>

namespace {

double entries(const char *directory) {
  return static_cast<double>(std::distance(std::filesystem::directory_iterator(directory),
                                           std::filesystem::directory_iterator()));
}

double resident_kib() {
  std::ifstream in("/proc/self/statm");
  long pages = 0;
  in >> pages >> pages;
  return static_cast<double>(pages * sysconf(_SC_PAGESIZE)) / 1024;
}

double mappings() {
  std::ifstream in("/proc/self/maps");
  return static_cast<double>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

} // namespace

Usage Usage::now(double seconds) {
  // Listing the open files takes one descriptor itself.
  return {seconds,
          {resident_kib(), mappings(), entries("/proc/self/task"), entries("/proc/self/fd") - 1}};
}

double growth_per_minute(const std::vector<Usage> &readings, std::size_t which) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < readings.size(); ++i)
    for (std::size_t j = i + 1; j < readings.size(); ++j)
      slopes.push_back((readings[j].held[which] - readings[i].held[which]) * 60 /
                       (readings[j].seconds - readings[i].seconds));
  if (slopes.empty())
    return 0;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::ranges::nth_element(slopes, middle);
  return *middle;
}

std::string not_flat(const std::vector<Usage> &readings) {
  if (readings.empty())
    return "";
  const double minutes = (readings.back().seconds - readings.front().seconds) / 60;
  for (std::size_t which = 0; which < bounds.size(); ++which) {
    const double grown = growth_per_minute(readings, which) * minutes;
    const double allowed = bounds[which].floor + bounds[which].per_minute * minutes;
    if (grown > allowed) {
      std::ostringstream text;
      text << Usage::names[which] << ": grown by " << grown << " in " << minutes << " minutes, "
           << allowed << " allowed";
      return text.str();
    }
  }
  return "";
}
