// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/difference_input.h"

#include <algorithm>

#include "core/difference/difference.h"
#include "fuzz/require.h"

namespace sartor::core {

using fuzz::require;

bool look_at_difference(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  const auto read =
      from_files("it", bytes.substr(0, end), bytes.substr(std::min(end + 1, bytes.size())));
  if (!read) {
    require(!read.error().text().empty());
    return false;
  }
  require(read->result_offset <= read->frame.size() &&
          read->result_bytes <= read->frame.size() - read->result_offset);
  const DifferenceFiles files = files_of(*read);
  const auto again = from_files("it", files.description, files.memory);
  require(again && again->memory == read->memory && again->frame == read->frame &&
          again->changed.written == read->changed.written);
  return true;
}

} // namespace sartor::core
