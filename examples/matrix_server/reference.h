// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_REFERENCE_H
#define MATMUL_REFERENCE_H

#include <cstdint>
#include <vector>

namespace matmul {

/// n × n numbers, row by row.
using Matrix = std::vector<std::uint64_t>;

/// a · b by the plain triple loop, which every product is checked against.
Matrix reference_product(const Matrix &a, const Matrix &b, std::uint64_t n);

} // namespace matmul

#endif
