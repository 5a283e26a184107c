// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_WINDOW_H
#define HYDRO_WINDOW_H

#include <cstddef>

#include "pass.h"

namespace hydro {

/// Fields of which only kWindow rows exist: rows j and j + kWindow are the same memory, mapped
/// repeatedly, so loops need no special code. All start as zeros.
class WindowFields {
public:
  /// Throws std::system_error if memory or address space is short.
  explicit WindowFields(const Grid &grid);
  ~WindowFields();
  WindowFields(const WindowFields &) = delete;
  WindowFields &operator=(const WindowFields &) = delete;

  [[nodiscard]] const Between &at_origin() const { return fields_; }

private:
  void map(int memory, const Grid &grid);

  std::size_t bytes_; ///< Size of one field's mapping.
  char *mapped_;
  Between fields_{};
};

} // namespace hydro

#endif
