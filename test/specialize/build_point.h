// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_BUILD_POINT_H
#define SARTOR_TEST_SPECIALIZE_BUILD_POINT_H

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <sartor/generator.hpp>

#include "base/result.h"
#include "runtime/codemem/code.h"

namespace sartor::testing_custom {

/// A custom point's machine code.
struct BuiltPoint {
  std::unique_ptr<runtime::Code> code;
  std::vector<std::uint64_t> invariants;
};

/// The type of a C++ scalar.
template <class T> constexpr PointType type_of() {
  if constexpr (std::is_same_v<T, bool>)
    return {PointType::Class::boolean, 8, false};
  else if constexpr (std::is_pointer_v<T>)
    return {PointType::Class::pointer, 64, false};
  else
    return {std::is_floating_point_v<T> ? PointType::Class::floating : PointType::Class::integer,
            8 * sizeof(T), std::is_integral_v<T> && std::is_signed_v<T>};
}

/// Makes a custom point labelled "point", of kind "kind", in handler "handler", without the plugin:
/// a wrapper that calls `generic`, and a function that calls the wrapper. Builds, compiles and
/// links it.
Result<BuiltPoint> build_point(const PointType &result, const std::vector<PointType> &arguments,
                               const void *generic, const Generator &generator,
                               const Setting &setting);

/// The same, with a function's type; the generated code is called like that function.
template <class R, class... A> class Built {
public:
  Built(R (*generic)(A...), const Generator &generator, const Setting &setting = 1)
      : built_(build_point(type_of<R>(), {type_of<A>()...}, reinterpret_cast<const void *>(generic),
                           generator, setting)) {}

  explicit operator bool() const { return built_.has_value(); }
  [[nodiscard]] Failure failure() const { return built_ ? Failure{} : built_.error(); }
  [[nodiscard]] const BuiltPoint &point() const { return *built_; }

  R operator()(A... arguments) const {
    return reinterpret_cast<R (*)(A...)>(or_throw_code()->entry())(arguments...);
  }

private:
  [[nodiscard]] const runtime::Code *or_throw_code() const {
    if (!built_)
      throw Error(built_.error());
    return built_->code.get();
  }

  Result<BuiltPoint> built_;
};

} // namespace sartor::testing_custom

#endif
