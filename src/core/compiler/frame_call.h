// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_FRAME_CALL_H
#define SARTOR_CORE_COMPILER_FRAME_CALL_H

#include <cstdint>
#include <vector>

#include "core/image/code_image.h"

namespace sartor::core {

/// The places of a call's arguments and its result in a frame (CheckedCall::frame).
struct FrameShape {
  std::vector<std::uint32_t> arguments; ///< Offsets, by argument of the IR function.
  std::uint32_t result_offset = 0;
  std::uint32_t result_bytes = 0; ///< 0: no result.
  std::uint32_t bytes = 0;
};

/// The code of CheckedCall::call for a handler.
struct FrameCall {
  FrameShape shape;
  CodeImage code;
};

} // namespace sartor::core

#endif
