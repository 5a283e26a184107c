// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_TABLES_H
#define READ_TABLES_H

#include <ostream>

namespace files {

/// Ticks of reads of several sizes, generic and specialized along all facts, with blocks of 1 and 4
/// KiB. Tables to `tables`, numbers for a plot to `data`. Throws what Stand throws.
void write_sizes(std::ostream &tables, std::ostream &data);

/// The same while some facts do not hold.
void write_facts(std::ostream &tables, std::ostream &data);

} // namespace files

#endif
