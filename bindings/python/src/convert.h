// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Values are converted by value: a sartor::Value is an int, a float or a str in Python, and
/// a std::vector, map, set or optional is the corresponding Python type.
#ifndef SARTOR_PYTHON_CONVERT_H
#define SARTOR_PYTHON_CONVERT_H

#include <filesystem>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <sartor/sartor.hpp>

namespace nb = nanobind;

namespace sartor::python {

/// Declared signature of Python's ==.
inline constexpr const char *kEquals = "def __eq__(self, other: object) -> bool";
/// Type of parameters that take a Configuration or a dict. A macro, because signatures are
/// literals.
#define SARTOR_PYTHON_CONFIGURATION "Configuration | dict[str, typing.Any]"

/// Converts an int (also a bool, or an object with __index__), a float or a str; empty for other
/// types. Python's error state is left clear.
std::optional<Value> to_value(nb::handle from);
/// Returns a new reference.
nb::object from_value(const Value &value);

/// Converts a Setting, a value, or several in a list, tuple, set or range. Throws Error
/// (bad_value_type).
Setting to_setting(std::string_view label, nb::handle from);
/// Converts a Configuration, or a mapping from labels to anything that to_setting() takes.
Configuration to_configuration(nb::handle from);

} // namespace sartor::python

namespace nanobind::detail {

template <> struct type_caster<sartor::Value> {
  NB_TYPE_CASTER(sartor::Value, const_name("int | float | str"))

  bool from_python(handle source, std::uint32_t, cleanup_list *) noexcept {
    auto converted = sartor::python::to_value(source);
    if (!converted)
      return false;
    value = std::move(*converted);
    return true;
  }
  static handle from_cpp(const sartor::Value &from, rv_policy, cleanup_list *) noexcept {
    return sartor::python::from_value(from).release();
  }
};

/// nanobind's own caster does not declare the accepted types of a path.
template <> struct type_caster<std::filesystem::path> {
  NB_TYPE_CASTER(std::filesystem::path, const_name("str | os.PathLike[str]"))

  bool from_python(handle source, std::uint32_t, cleanup_list *) noexcept {
    PyObject *bytes = nullptr;
    if (!PyUnicode_FSConverter(source.ptr(), &bytes)) {
      PyErr_Clear();
      return false;
    }
    value = PyBytes_AsString(bytes);
    Py_DECREF(bytes);
    return true;
  }
  static handle from_cpp(const std::filesystem::path &path, rv_policy, cleanup_list *) noexcept {
    return PyUnicode_DecodeFSDefault(path.c_str());
  }
};

} // namespace nanobind::detail

#endif
