// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_ORDER_H
#define SARTOR_CORE_PROFILE_ORDER_H

#include <vector>

#include <sartor/profile.hpp>

namespace sartor {

/// An order of inputs in which floating-point numbers with different bits differ (except NaNs).
bool before(const std::vector<Value> &a, const std::vector<Value> &b);

/// Sorts entries in the order of PointProfile.
void most_frequent_first(std::vector<ProfileEntry> &entries);

} // namespace sartor

#endif
