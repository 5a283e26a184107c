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
  std::uint64_t tables; ///< Offset of its tables of jumps from the begin of all tables.
  std::uint64_t size_of_tables;
};

/// The copies of functions, in one place of the image: their code, then, in whole pages of their
/// own, tables of jumps and unwind information. Unwinders find it as a part of one packed
/// library's, the owner.
class Copies {
public:
  /// Plans the copies that an image's passes want; there may be none. Fails with bad_plan.
  static Result<Copies> of(const PrelinkImage &image);

  [[nodiscard]] const std::vector<Copy> &all() const { return all_; }
  [[nodiscard]] CopyRoom room() const { return {code_size_ + constants_size_, owner_}; }
  /// Returns the size of the code, in whole pages.
  [[nodiscard]] std::uint64_t code_size() const { return code_size_; }

  /// Lets direct calls and jumps in all libraries' memory lead to the copies, makes the copies of
  /// the code as it is then, and adds their unwind information to the owner's. There must
  /// be some, and everything else in the libraries' memory must be complete. Returns the content of
  /// the room. Fails with bad_plan.
  Result<std::vector<std::byte>> make(PrelinkImage &image, const Layout &layout) const;

private:
  std::vector<Copy> all_;
  std::size_t owner_ = 0;
  std::uint64_t code_size_ = 0;
  std::uint64_t tables_size_ = 0;
  std::uint64_t constants_size_ = 0; ///< Size of tables and unwind information, in whole pages.
};

} // namespace sartor::loader

#endif
