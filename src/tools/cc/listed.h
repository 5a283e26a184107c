// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_LISTED_H
#define SARTOR_TOOLS_CC_LISTED_H

#include <algorithm>
#include <string_view>

#include "tools/cc/command.h"

namespace sartor::cc {

/// Returns the non-empty elements of a list like that of CPATH.
inline Words listed(std::string_view list) {
  Words all;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0)
      all.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(list.size(), end + 1));
  }
  return all;
}

} // namespace sartor::cc

#endif
