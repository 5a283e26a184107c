// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Values that are returned to Python: they can be pickled, copied and printed, so that a
/// worker process may return them.
#ifndef SARTOR_PYTHON_VALUE_TYPE_H
#define SARTOR_PYTHON_VALUE_TYPE_H

#include <chrono>
#include <concepts>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "convert.h"

namespace sartor {

// The members of a type that several files return.
inline auto python_members(PointType &it) { return std::tie(it.kind, it.bits, it.is_signed); }
inline auto python_members(Remark &it) { return std::tie(it.code, it.message); }

} // namespace sartor

namespace sartor::python {

// Overloads for the members of structures, which call one another.
template <class T> nb::object to_state(const T &value);
template <class T> nb::object to_state(const std::optional<T> &value);
template <class T> nb::object to_state(const std::vector<T> &values);
template <class T> nb::object to_state(const std::map<std::string, T> &values);
nb::object to_state(const std::chrono::nanoseconds &time);
template <class T> void from_state(nb::handle state, T &value);
template <class T> void from_state(nb::handle state, std::optional<T> &value);
template <class T> void from_state(nb::handle state, std::vector<T> &values);
template <class T> void from_state(nb::handle state, std::map<std::string, T> &values);
void from_state(nb::handle state, std::chrono::nanoseconds &time);

/// Converts a value to Python's own types, for pickling. A structure becomes a tuple of its
/// python_members(), an overload next to the type that returns std::tie() of them.
template <class T> nb::object to_state(const T &value) {
  if constexpr (std::is_enum_v<T>)
    return nb::cast(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (requires { python_members(std::declval<T &>()); })
    return std::apply(
        [](const auto &...each) { return nb::object(nb::make_tuple(to_state(each)...)); },
        python_members(const_cast<T &>(value)));
  else
    return nb::cast(value);
}
template <class T> nb::object to_state(const std::optional<T> &value) {
  // A tuple, because None may be the state of the value itself.
  return value ? nb::object(nb::make_tuple(to_state(*value))) : nb::none();
}
template <class T> nb::object to_state(const std::vector<T> &values) {
  nb::list states;
  for (const T &value : values)
    states.append(to_state(value));
  return std::move(states);
}
template <class T> nb::object to_state(const std::map<std::string, T> &values) {
  nb::dict states;
  for (const auto &[key, value] : values)
    states[key.c_str()] = to_state(value);
  return std::move(states);
}
inline nb::object to_state(const std::chrono::nanoseconds &time) { return nb::cast(time.count()); }

/// The inverse of to_state(). Throws nb::cast_error for an object that is not the state of such a
/// value.
template <class T> void from_state(nb::handle state, T &value) {
  if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(nb::cast<std::underlying_type_t<T>>(state));
  } else if constexpr (requires { python_members(value); }) {
    const auto states = nb::cast<nb::tuple>(state);
    const auto into = python_members(value);
    if (states.size() != std::tuple_size_v<decltype(python_members(value))>)
      throw nb::value_error("pickled by another version of Sartor");
    std::size_t index = 0;
    std::apply([&](auto &...each) { (from_state(states[index++], each), ...); }, into);
  } else {
    value = nb::cast<T>(state);
  }
}
template <class T> void from_state(nb::handle state, std::optional<T> &value) {
  if (!state.is_none())
    from_state(nb::cast<nb::tuple>(state)[0], value.emplace());
}
template <class T> void from_state(nb::handle state, std::vector<T> &values) {
  for (const nb::handle each : nb::cast<nb::list>(state)) {
    if constexpr (std::default_initializable<T>)
      from_state(each, values.emplace_back());
    else
      values.push_back(nb::cast<T>(each));
  }
}
template <class T> void from_state(nb::handle state, std::map<std::string, T> &values) {
  for (const auto &[key, each] : nb::cast<nb::dict>(state))
    from_state(each, values[nb::cast<std::string>(key)]);
}
inline void from_state(nb::handle state, std::chrono::nanoseconds &time) {
  time = std::chrono::nanoseconds(nb::cast<std::int64_t>(state));
}

/// Adds the methods that pickle and copy need, for a type that has python_members().
template <class T> void add_state(nb::class_<T> &type) {
  type.def("__getstate__", [](const T &self) { return to_state(self); });
  type.def("__setstate__", [](T &self, const nb::object &state) {
    T value{};
    from_state(state, value);
    new (&self) T(std::move(value));
  });
}

/// Adds `Name(attribute=value, ...)` as the representation.
template <class T>
void add_repr(nb::class_<T> &type, std::initializer_list<const char *> attributes) {
  const std::vector<std::string> names(attributes.begin(), attributes.end());
  type.def("__repr__", [names](const nb::handle self) {
    std::string text = nb::cast<std::string>(self.type().attr("__name__"));
    const char *separator = "(";
    for (const std::string &name : names) {
      text +=
          std::exchange(separator, ", ") + name + "=" + nb::repr(self.attr(name.c_str())).c_str();
    }
    return text + ")";
  });
}

} // namespace sartor::python

#endif
