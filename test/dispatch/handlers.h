// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DISPATCH_HANDLERS_H
#define SARTOR_TEST_DISPATCH_HANDLERS_H

#include <atomic>
#include <cstdint>

/// Increments *calls; returns (state ^ state >> 7) * key + 1. Point: "key" (generic).
std::uint64_t step(std::uint64_t state, std::uint64_t key, std::uint64_t *calls);

/// Sets *inside, then waits for *leave; returns value. Point: "value" (generic).
int wait_inside(int value, std::atomic<bool> *inside, std::atomic<bool> *leave);

#endif
