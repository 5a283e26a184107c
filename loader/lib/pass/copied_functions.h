// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_COPIED_FUNCTIONS_H
#define SARTOR_LOADER_LIB_PASS_COPIED_FUNCTIONS_H

#include <cstddef>
#include <cstdint>

#include "loader/lib/pass/pass_image.h"

namespace sartor::loader {

/// The operation `copy` of passes.
const char *copy_function(sartor_prelink_image *image, std::size_t library, std::uint64_t function);

/// True if a range of a library overlaps a function that is copied.
bool overlaps_copied(const PrelinkImage &image, std::size_t library, std::uint64_t address,
                     std::uint64_t size);

} // namespace sartor::loader

#endif
