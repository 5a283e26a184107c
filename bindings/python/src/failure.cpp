// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"

namespace sartor::python {

namespace {

/// Converts sartor::Error to sartor.Error. That class is written in Python, so that readers and
/// type checkers see its attributes.
void raise_error(const Failure &failure) {
  try {
    const nb::object type = nb::module_::import_("sartor.errors").attr("Error");
    const nb::object error = type(std::string(to_string(failure.code)), failure.subject,
                                  failure.message, failure.remedy);
    PyErr_SetObject(type.ptr(), error.ptr());
  } catch (nb::python_error &broken) {
    broken.restore();
  }
}

} // namespace

void bind_failure(nb::module_ &) {
  nb::register_exception_translator([](const std::exception_ptr &thrown, void *) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error &error) {
      raise_error(error.failure());
    } catch (const nb::cast_error &) {
      // Of a part of an argument, or of what a Python function has returned.
      PyErr_SetString(PyExc_TypeError, "a value has a type that is not accepted here");
    }
  });
}

} // namespace sartor::python
