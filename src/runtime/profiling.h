// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_PROFILING_H
#define SARTOR_RUNTIME_PROFILING_H

#include <sartor/profile.hpp>

#include "profile/store.h"
#include "request/context.h"
#include "space/module.h"

namespace sartor {

/// What was seen at a point, as values of its types; most frequent first.
PointProfile to_profile(const Point &point, const profile::Seen &seen,
                        const point::HandlerModule &module);

/// The `most` most frequent inputs of a fast path with known results; of a versioned one, those of
/// its newest version.
void add_answers(specialize::Answers &answers, const PointProfile &seen, std::size_t most,
                 const point::HandlerModule &module);

/// Whether answers that were given before hold as the best of today do, and would have answered
/// nearly as many of the calls that were seen.
bool are_about_as_good(const specialize::Answers &given, const specialize::Answers &best,
                       const PointProfile &seen, const point::HandlerModule &module);

/// Fails with no_profile where a fast path is set that has nothing to answer.
Result<void> check_answers(const specialize::Context &context);

/// What Space tells of it.
Seen summary(const PointProfile &seen);

} // namespace sartor

#endif
