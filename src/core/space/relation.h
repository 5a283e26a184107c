// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_RELATION_H
#define SARTOR_CORE_SPACE_RELATION_H

#include "core/space/rules.h"

namespace sartor::detail {

/// Parses a relation in the syntax of Expression, whose variables are labels. Fails with
/// bad_constraint, which names the relation and the position in it, counted from 1.
Result<std::unique_ptr<const Rule>> read_relation(const std::string &text,
                                                  const Rules::Labels &labels);

} // namespace sartor::detail

#endif
