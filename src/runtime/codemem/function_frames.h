// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_FUNCTION_FRAMES_H
#define SARTOR_RUNTIME_CODEMEM_FUNCTION_FRAMES_H

#include <cstddef>
#include <string>

#include "core/image/code_image.h"

namespace sartor::runtime {

/// The unwind information of one function for perf, as it follows the function's code in an object
/// file, at the next multiple of 8 bytes.
struct FunctionFrames {
  std::string bytes;            ///< .eh_frame, then .eh_frame_hdr. Empty if there is none.
  std::size_t header_bytes = 0; ///< Size of .eh_frame_hdr.
};

/// Takes it from an image's unwind table.
FunctionFrames function_frames(const core::CodeImage &image, const core::Function &function);

} // namespace sartor::runtime

#endif
