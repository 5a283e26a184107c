// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_LOADER_CALLERS_H
#define SARTOR_LOADER_LIB_IMAGE_LOADER_CALLERS_H

#include <cstdint>
#include <map>
#include <set>

#include "loader/lib/decode/function_code.h"
#include "loader/lib/file/code_range.h"
#include "loader/lib/image/prelink_image.h"

namespace sartor::loader {

/// Finds functions that may call dlsym(), dlopen() and others that identify the calling library by
/// the return address. Copies of such functions would be taken for another library's. The image
/// must outlive it.
class LoaderCallers {
public:
  explicit LoaderCallers(const PrelinkImage &image) : image_(image) {}

  /// `code`: result of follow_function() for `function`.
  [[nodiscard]] bool may_call(std::size_t library, const CodeRange &function,
                              const FunctionCode &code);

private:
  /// Functions of a library that may pass control, and their return address, to dlsym().
  struct PassingOn {
    std::set<std::uint64_t> functions;
    bool has_pointers = false; ///< Their addresses, or dlsym()'s, may be in memory.
  };

  const PassingOn &passing_on(std::size_t library);
  [[nodiscard]] bool is_asked_for(const Library &library, std::uint32_t relocation) const;
  [[nodiscard]] bool passes_on(std::size_t library, std::uint64_t address);

  const PrelinkImage &image_;
  std::map<std::size_t, PassingOn> known_; ///< By library.
};

} // namespace sartor::loader

#endif
