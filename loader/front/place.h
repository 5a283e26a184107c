// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_PLACE_H
#define SARTOR_LOADER_FRONT_PLACE_H

#include "front/hook.h"
#include "front/plan.h"

namespace sartor::front {

/// Maps a program, its libraries and the stock loader as planned, and updates the auxiliary vector
/// for the stock loader. Mappings of the program by the kernel, if any, are removed; variables of
/// passes are added to the environment. `image` is the image file. Returns the stock loader's
/// entry, at which to continue. Returns 0 if there is no room for the image; then nothing has
/// changed.
uint64_t place(const Plan &plan, int image, Stack &stack, const Start &start);

} // namespace sartor::front

#endif
