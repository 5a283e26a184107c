// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDY_RUST_TABLES_H
#define STUDY_RUST_TABLES_H

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forward.h"

namespace sartor::rust_study {

/// A table whose rules are declared invariant, with code specialized to them. Throws
/// std::runtime_error if the table cannot be opened. The rules must stay at their address while it
/// exists.
class Table {
public:
  virtual ~Table() = default;
  virtual void forward(std::span<const std::uint32_t> addresses, std::uint16_t *ports) const = 0;
};

std::unique_ptr<Table> table_in_rust(const std::vector<Rule> &rules);
std::unique_ptr<Table> table_in_c(const std::vector<Rule> &rules);

} // namespace sartor::rust_study

#endif
