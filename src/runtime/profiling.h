// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_PROFILING_H
#define SARTOR_RUNTIME_PROFILING_H

#include <sartor/profile.hpp>

#include "core/profile/store.h"
#include "core/request/context.h"
#include "core/space/module.h"

namespace sartor {

/// Returns the values seen at a point, converted to its types; the most frequent first.
PointProfile to_profile(const Point &point, const core::Seen &seen,
                        const core::HandlerModule &module);

/// Appends the `most` most frequent inputs of a fast path that have known results; for a versioned
/// one, those of its newest version.
void add_answers(core::Answers &answers, const PointProfile &seen, std::size_t most,
                 const core::HandlerModule &module);

/// True if earlier answers are as valid as the best current ones, and would have answered nearly as
/// many of the recorded calls.
bool are_about_as_good(const core::Answers &given, const core::Answers &best,
                       const PointProfile &seen, const core::HandlerModule &module);

/// True for a fast path whose results are those of the memory of this process, and of its versions:
/// a loaded profile has none for it.
bool depends_on_memory(const Point &point);

/// Fails with no_profile if a fast path of the space is set that has no answers.
Result<void> check_answers(const core::Context &context, const Space &space);

/// Returns the summary that Space shows.
Seen summary(const PointProfile &seen);

} // namespace sartor

#endif
