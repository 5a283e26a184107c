// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DISPATCH_ROTATED_HANDLERS_H
#define SARTOR_TEST_DISPATCH_ROTATED_HANDLERS_H

#include <cstdint>

using CountDown = int (*)(int n, int by, void *self);

/// How many steps it takes to count n down to 0, by calls of `self`, a CountDown. Point: "by".
int count_down(int n, int by, void *self);

/// Does `work` times as much as it must, and returns key * 3. Point: "work".
std::uint64_t toil(std::uint64_t key, int work);

/// The sum of the weights times scale. Point: "scale" (1, 2, 3).
std::int64_t weigh_all(int scale);
/// May be promised not to change.
extern std::int64_t weights[4];

#endif
