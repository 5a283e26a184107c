// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/settings/pass_name.h"

#include <algorithm>

namespace sartor::loader {

bool is_pass_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::vector<std::string_view> names_of(const char *const *list) {
  std::vector<std::string_view> names;
  for (; list && *list; ++list)
    names.emplace_back(*list);
  return names;
}

} // namespace sartor::loader
