// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_ISOLATE_LIBRARY_H
#define SARTOR_LOADER_PASSES_ISOLATE_LIBRARY_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <sartor/loader/pass.h>

#include "loader/lib/file/code_range.h"

namespace sartor::isolate {

/// A library as a pass sees it.
class Library {
public:
  Library(const sartor_prelink_image *image, const sartor_prelink_operations &operations,
          std::size_t index);

  [[nodiscard]] const sartor_library &about() const { return about_; }
  /// Compares with the name, the path and the name of the file.
  [[nodiscard]] bool is_called(std::string_view name) const;
  [[nodiscard]] const std::vector<sartor_library_symbol> &symbols() const { return symbols_; }
  [[nodiscard]] const std::vector<sartor_relocation> &relocations() const { return relocations_; }
  [[nodiscard]] const std::vector<sartor_call_site> &call_sites() const { return call_sites_; }

  /// True if the address is writable at run time: in whole pages, without the parts that are
  /// read-only after relocation.
  [[nodiscard]] bool is_data(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t data_size() const;
  [[nodiscard]] bool has_writable_code() const { return has_writable_code_; }
  /// True if the stock loader reads the library's data after loading: the dynamic section, or the
  /// initial values of thread-local variables. They are in writable pages if the library is linked
  /// without `-z relro`.
  [[nodiscard]] bool is_read_by_loader() const;

private:
  sartor_library about_{};
  std::vector<sartor_library_symbol> symbols_;
  std::vector<sartor_relocation> relocations_;
  std::vector<sartor_call_site> call_sites_;
  std::vector<loader::CodeRange> written_;
  bool has_writable_code_ = false;
  std::vector<loader::CodeRange> of_loader_;
};

} // namespace sartor::isolate

#endif
