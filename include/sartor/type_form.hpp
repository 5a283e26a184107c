// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TYPE_FORM_HPP
#define SARTOR_TYPE_FORM_HPP

#include <array>
#include <cstddef>
#include <type_traits>

namespace sartor::detail {

/// The properties of a type that decide how it is passed, as far as a program's declaration is
/// compared with the handler's.
struct TypeForm {
  enum class Kind : unsigned char {
    nothing,
    integer, ///< Includes bool and enumerations.
    floating,
    pointer, ///< Includes references.
    object,  ///< Classes and unions.
    other,   ///< Types without a C++ category: __int128, vectors, _Float16, long double, _BitInt.
  };
  Kind kind = Kind::nothing;
  std::size_t bytes = 0;
};

template <class T> constexpr TypeForm form_of() {
  using Kind = TypeForm::Kind;
  if constexpr (std::is_void_v<T>)
    return {};
  else if constexpr (std::is_reference_v<T>)
    return {Kind::pointer, sizeof(void *)};
  else if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>)
    return {Kind::pointer, sizeof(T)};
  else if constexpr ((std::is_integral_v<T> || std::is_enum_v<T>) && sizeof(T) <= 8)
    return {Kind::integer, sizeof(T)};
  else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return {Kind::floating, sizeof(T)};
  else if constexpr (std::is_class_v<T> || std::is_union_v<T>)
    return {Kind::object, sizeof(T)};
  else
    return {Kind::other, sizeof(T)};
}

template <class Signature> struct FunctionForms;
/// The form of the result, then of the parameters.
template <class R, class... A> struct FunctionForms<R(A...)> {
  static constexpr std::array<TypeForm, sizeof...(A) + 1> forms{form_of<std::remove_cv_t<R>>(),
                                                                form_of<std::remove_cv_t<A>>()...};
};

} // namespace sartor::detail

#endif
