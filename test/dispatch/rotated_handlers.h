// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DISPATCH_ROTATED_HANDLERS_H
#define SARTOR_TEST_DISPATCH_ROTATED_HANDLERS_H

#include <cstdint>

using CountDown = int (*)(int n, int by, void *self);

/// Returns the number of steps to count n down to 0, with calls of `self`, a CountDown. Point:
/// "by".
int count_down(int n, int by, void *self);

/// Does `work` times the necessary work, and returns key * 3. Point: "work".
std::uint64_t toil(std::uint64_t key, int work);

/// Returns the sum of the weights times scale. Point: "scale" (1, 2, 3).
std::int64_t weigh_all(int scale);
/// Tests may declare this array invariant.
extern std::int64_t weights[4];

#endif
