// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_BUFFER_H
#define SARTOR_PYTHON_BUFFER_H

#include <memory>

#include <nanobind/nanobind.h>

namespace sartor::python {

/// The memory of an object with the buffer protocol: bytes, a ctypes array, a NumPy array. The
/// memory does not move during the lifetime of this object. Construction, use and destruction
/// require the GIL.
class Buffer {
public:
  /// Throws the exception raised by Python if the object has no contiguous memory.
  explicit Buffer(nanobind::handle object) : view_(new Py_buffer) {
    if (PyObject_GetBuffer(object.ptr(), view_.get(), PyBUF_SIMPLE) != 0) {
      view_->obj = nullptr;
      throw nanobind::python_error();
    }
  }
  [[nodiscard]] const void *memory() const { return view_->buf; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(view_->len); }

private:
  struct Release {
    void operator()(Py_buffer *view) const {
      PyBuffer_Release(view);
      delete view;
    }
  };
  std::unique_ptr<Py_buffer, Release> view_;
};

} // namespace sartor::python

#endif
