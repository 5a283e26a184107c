// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/watch_table.h"

#include <algorithm>

namespace sartor::compiler {

WatchTable &WatchTable::of_this_file() {
  static WatchTable table;
  return table;
}

unsigned WatchTable::index_of(const WatchedField &field) {
  const auto found = std::ranges::find(fields, field);
  if (found != fields.end())
    return static_cast<unsigned>(found - fields.begin());
  fields.push_back(field);
  return static_cast<unsigned>(fields.size() - 1);
}

} // namespace sartor::compiler
