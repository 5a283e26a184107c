// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_COPYABLE_H
#define SARTOR_LOADER_LIB_IMAGE_COPYABLE_H

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "loader/lib/decode/function_code.h"
#include "loader/lib/file/unwind_frames.h"
#include "loader/lib/image/loader_callers.h"
#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// The unwind information of a library's functions, by their addresses.
class FunctionFrames {
public:
  /// `bytes` must provide the library's file.
  FunctionFrames(const unwind::Bytes &bytes, std::uint64_t table);

  /// Returns the entry that describes exactly this function; nullptr if there is none, or several.
  [[nodiscard]] const unwind::Frame *of(const CodeRange &function) const;
  [[nodiscard]] const unwind::Common &common_of(const unwind::Frame &frame) const {
    return commons_.at(frame.common);
  }

private:
  std::multimap<std::uint64_t, unwind::Frame> frames_;
  std::map<std::uint64_t, unwind::Common> commons_;
};

/// Returns the bytes of a library's file: exception tables are not changed by other passes.
unwind::Bytes bytes_of(const ElfFile &file);

/// Returns the addresses of the landing pads in a copied function, as offsets in it, or the reason
/// why its exception table does not fit a copy.
std::expected<std::vector<std::uint64_t>, const char *> landing_pads_of(const unwind::Bytes &bytes,
                                                                        const unwind::Frame &frame);

/// Reads the tables of jumps of a function in a file.
TableReader tables_in(const ElfFile &file, std::uint64_t function);

/// True if unwinders can be shown more functions as if they were this library's: if its search
/// table is of the usual kind.
bool can_own_copies(const Library &library);

/// Decides which functions of an image can have a copy elsewhere that does the same. The image must
/// outlive it.
class Copyable {
public:
  explicit Copyable(const PrelinkImage &image);
  Copyable(const Copyable &) = delete;
  Copyable &operator=(const Copyable &) = delete;
  ~Copyable();

  /// Returns the reason why a function has no copy; nullptr if it can have one. The reasons are few
  /// words, the same for all similar functions: "that ...", "with ...".
  const char *why_not(Target function);

private:
  struct Known;

  Known &known(std::size_t library);

  const PrelinkImage &image_;
  LoaderCallers callers_;
  std::map<std::size_t, std::unique_ptr<Known>> known_; ///< By library.
};

} // namespace sartor::loader

#endif
