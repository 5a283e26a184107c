// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// Sums `size` bytes in 1 to 16 lanes. The result does not depend on `lanes`.
std::uint32_t checksum(const unsigned char *data, std::size_t size, std::size_t lanes);
