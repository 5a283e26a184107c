// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_WINDOW_H
#define HYDRO_WINDOW_H

#include <cstddef>

#include "pass.h"

namespace hydro {

/// Fields of which only kWindow rows exist: row j and row j + kWindow are the same memory, mapped
/// again and again, so that loops need not know. All begin as zeros.
class WindowFields {
public:
  /// Throws std::system_error if there is no memory, or no room for so many mappings.
  explicit WindowFields(const Grid &grid);
  ~WindowFields();
  WindowFields(const WindowFields &) = delete;
  WindowFields &operator=(const WindowFields &) = delete;

  [[nodiscard]] const Between &at_origin() const { return fields_; }

private:
  void map(int memory, const Grid &grid);

  std::size_t bytes_; ///< Of one field, as mapped.
  char *mapped_;
  Between fields_{};
};

} // namespace hydro

#endif
