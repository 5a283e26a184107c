// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_CANDIDATES_H
#define SARTOR_EXPLORE_CANDIDATES_H

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <sartor/space.hpp>

#include "observe/result.h"

namespace sartor {

/// More than this are not explored exhaustively.
inline constexpr std::size_t most_candidates = 4096;

/// The cartesian product of what each point may be set to: its own values or, if named in
/// `choices`, those instead (none: the point is left alone), and generic. The generic code comes
/// first. Points that stand only at places that cannot be specialized are left out. Labels in
/// `without_guard` get unguarded settings.
/// Fails with what Space::check() finds in `choices`, and with bad_objective for more than
/// most_candidates.
Result<std::vector<Configuration>>
make_candidates(const Space &space, const std::map<std::string, std::vector<Value>> &choices,
                const std::set<std::string> &without_guard = {});

} // namespace sartor

#endif
