// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_READ_ALL_H
#define SARTOR_LOADER_PASSES_READ_ALL_H

#include <cstddef>
#include <vector>

#include <sartor/loader/pass.h>

namespace sartor::passes {

/// Reads all parts of one kind of a library, e.g. its symbols; returns fewer than `count` if some
/// are unavailable.
template <class Part>
std::vector<Part>
read_all(const sartor_prelink_image *image, std::size_t library, std::size_t count,
         int (*get)(const sartor_prelink_image *, std::size_t, std::size_t, Part *)) {
  std::vector<Part> parts;
  parts.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    if (Part part; get(image, library, i, &part) == 0)
      parts.push_back(part);
  return parts;
}

} // namespace sartor::passes

#endif
