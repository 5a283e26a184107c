// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_TABLES_H
#define READ_TABLES_H

#include <ostream>

namespace files {

/// Measures ticks of reads of several sizes, generic and specialized to all quasi-invariants, with
/// blocks of 1 and 4 KiB. Writes tables to `tables`, numbers for a plot to `data`. Throws the
/// errors of Stand.
void write_sizes(std::ostream &tables, std::ostream &data);

/// Measures the same while some quasi-invariants are violated.
void write_quasi_invariants(std::ostream &tables, std::ostream &data);

} // namespace files

#endif
