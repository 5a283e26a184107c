// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_PLACE_H
#define SARTOR_LOADER_FRONT_PLACE_H

#include "front/hook.h"
#include "front/plan.h"

namespace sartor::front {

/// Maps a program, its libraries and the stock loader as planned, and tells the stock loader so.
/// What the kernel has mapped of them, if it has, is taken away; passes' variables come into the
/// environment. `image` is the image file. Returns where to go on: the stock loader's entry. 0 if
/// the image finds no room; then nothing has changed.
uint64_t place(const Plan &plan, int image, Stack &stack, const Start &start);

} // namespace sartor::front

#endif
