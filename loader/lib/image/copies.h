// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_COPIES_H
#define SARTOR_LOADER_LIB_IMAGE_COPIES_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loader/lib/file/code_range.h"
#include "loader/lib/file/unwind_frames.h"
#include "loader/lib/image/layout.h"
#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// A copy of a function.
struct Copy {
  std::size_t library;
  CodeRange function;  ///< The original.
  unwind::Frame frame; ///< Its unwind information.
  unwind::Common common;
  std::uint64_t offset; ///< Offset of the copy from the begin of all copies.
  std::uint64_t size;   ///< Size of the copy: it may end with a jump behind the original.
};

/// The copies of functions, in one place of the image: their code, then their unwind information in
/// whole pages of its own. Unwinders find it as a part of one packed library's, the owner.
class Copies {
public:
  /// Plans the copies that an image's passes want; there may be none. Fails with bad_plan.
  static Result<Copies> of(const PrelinkImage &image);

  [[nodiscard]] const std::vector<Copy> &all() const { return all_; }
  [[nodiscard]] CopyRoom room() const { return {code_size_ + frames_size_, owner_}; }
  /// Returns the size of the code, in whole pages.
  [[nodiscard]] std::uint64_t code_size() const { return code_size_; }

  /// Lets direct calls and jumps in all libraries' memory lead to the copies, makes the copies of
  /// the code as it is then, and adds their unwind information to the owner's. Everything else in
  /// the libraries' memory must be complete. Returns the content of the room. Fails with bad_plan.
  Result<std::vector<std::byte>> make(PrelinkImage &image, const Layout &layout) const;

private:
  std::vector<Copy> all_;
  std::size_t owner_ = 0;
  std::uint64_t code_size_ = 0, frames_size_ = 0;
};

} // namespace sartor::loader

#endif
