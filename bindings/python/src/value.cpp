// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert.h"

namespace sartor::python {

namespace {

std::optional<Value> to_integer(nb::handle from) {
  const auto number = nb::steal(PyNumber_Index(from.ptr()));
  if (number.is_valid()) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow == 0 && !PyErr_Occurred())
      return Value(value);
    if (overflow > 0) {
      const unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
      if (!PyErr_Occurred())
        return Value(large);
    }
  }
  PyErr_Clear();
  return std::nullopt;
}

} // namespace

std::optional<Value> to_value(nb::handle from) {
  if (PyFloat_Check(from.ptr()))
    return Value(PyFloat_AsDouble(from.ptr()));
  if (PyUnicode_Check(from.ptr())) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(from.ptr(), &size);
    if (text)
      return Value(std::string(text, static_cast<std::size_t>(size)));
    PyErr_Clear();
    return std::nullopt;
  }
  return PyIndex_Check(from.ptr()) ? to_integer(from) : std::nullopt;
}

nb::object from_value(const Value &value) {
  if (value.is_symbol())
    return nb::cast(value.symbol());
  if (value.is_floating())
    return nb::float_(value.floating());
  return value.is_large() ? nb::int_(value.bits()) : nb::int_(value.integer());
}

} // namespace sartor::python
