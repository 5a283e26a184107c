// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace sartor {

namespace {

constexpr std::size_t most_names = 8;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) != lower(b[j]) ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// Whether a name is abbreviated.
bool is_begin(std::string_view wanted, std::string_view name) {
  return wanted.size() >= 3 && name.starts_with(wanted);
}

std::string quoted_list(std::span<const std::string> names) {
  std::string list;
  for (const std::string &name : names.first(std::min(names.size(), most_names)))
    list += (list.empty() ? "\"" : ", \"") + name + '"';
  return names.size() > most_names ? list + ", ..." : list;
}

} // namespace

std::string nearest_names(std::string_view wanted, std::span<const std::string> names) {
  if (names.empty())
    return "there are none";
  const std::size_t near = std::max<std::size_t>(1, wanted.size() / 2);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string &name : names)
    if (const std::size_t d = is_begin(wanted, name) ? 1 : distance(wanted, name); d <= near)
      found.emplace_back(d, name);
  if (found.empty())
    return "there are " + quoted_list(names);
  std::ranges::sort(found);
  found.resize(std::min<std::size_t>(found.size(), 3));
  std::string list;
  for (const auto &[d, name] : found)
    list += (list.empty() ? "\"" : " or \"") + name + '"';
  return "did you mean " + list + "?";
}

} // namespace sartor
