// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_PROFILING_H
#define SARTOR_RUNTIME_PROFILING_H

#include <sartor/profile.hpp>

#include "core/profile/store.h"
#include "core/request/context.h"
#include "core/space/module.h"

namespace sartor {

/// What was seen at a point, as values of its types; most frequent first.
PointProfile to_profile(const Point &point, const core::Seen &seen,
                        const core::HandlerModule &module);

/// The `most` most frequent inputs of a fast path with known results; of a versioned one, those of
/// its newest version.
void add_answers(core::Answers &answers, const PointProfile &seen, std::size_t most,
                 const core::HandlerModule &module);

/// Whether answers that were given before hold as the best of today do, and would have answered
/// nearly as many of the calls that were seen.
bool are_about_as_good(const core::Answers &given, const core::Answers &best,
                       const PointProfile &seen, const core::HandlerModule &module);

/// Fails with no_profile where a fast path is set that has nothing to answer.
Result<void> check_answers(const core::Context &context);

/// What Space tells of it.
Seen summary(const PointProfile &seen);

} // namespace sartor

#endif
