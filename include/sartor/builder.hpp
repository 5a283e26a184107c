// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BUILDER_HPP
#define SARTOR_BUILDER_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <sartor/space.hpp>

namespace sartor {

class Invariant;

namespace detail {
/// A Builder's parts, of LLVM's types; see builder_llvm.hpp.
struct LlvmParts {
  void *function = nullptr;
  void *generic = nullptr;
  void *ir = nullptr;
};
} // namespace detail

/// Names for the types that a Builder deals with.
namespace types {
inline constexpr PointType boolean{PointType::Class::boolean, 8, false};
inline constexpr PointType u8{PointType::Class::integer, 8, false};
inline constexpr PointType u16{PointType::Class::integer, 16, false};
inline constexpr PointType u32{PointType::Class::integer, 32, false};
inline constexpr PointType u64{PointType::Class::integer, 64, false};
inline constexpr PointType i8{PointType::Class::integer, 8, true};
inline constexpr PointType i16{PointType::Class::integer, 16, true};
inline constexpr PointType i32{PointType::Class::integer, 32, true};
inline constexpr PointType i64{PointType::Class::integer, 64, true};
inline constexpr PointType f32{PointType::Class::floating, 32, false};
inline constexpr PointType f64{PointType::Class::floating, 64, false};
inline constexpr PointType pointer{PointType::Class::pointer, 64, false};

/// The type of a C++ scalar.
template <class T>
  requires(std::is_scalar_v<T> && !std::is_member_pointer_v<T>)
constexpr PointType of() {
  if constexpr (std::is_same_v<std::remove_cv_t<T>, bool>)
    return boolean;
  else if constexpr (std::is_pointer_v<T>)
    return pointer;
  else if constexpr (std::is_enum_v<T>)
    return of<std::underlying_type_t<T>>();
  else
    return {std::is_floating_point_v<T> ? PointType::Class::floating : PointType::Class::integer,
            8 * sizeof(T), std::is_integral_v<T> && std::is_signed_v<T>};
}
} // namespace types

/// What a generator writes the code of a custom point with. The code stands for a function with the
/// point's arguments and result: it begins in an open block, and every block must end: with
/// result(), jump(), branch() or switch_on().
///
/// Lives while the generator runs, on the compiling thread; do not keep it, nor what it gave. Every
/// member throws Error (bad_generator, with the label and what was wrong) where it is misused; the
/// variant is then refused even if the generator catches that.
class Builder {
public:
  /// A value that the code computes. Copy freely; good for one Builder only.
  class Operand {
  public:
    Operand() = default;
    [[nodiscard]] const PointType &type() const noexcept { return type_; }

  private:
    friend class Builder;
    Operand(void *value, std::uint64_t owner, const PointType &type)
        : value_(value), owner_(owner), type_(type) {}
    void *value_ = nullptr;
    std::uint64_t owner_ = 0;
    PointType type_;
  };

  /// A place that code can jump to.
  class Block {
    friend class Builder;
    void *block_ = nullptr;
    std::uint64_t owner_ = 0;
  };

  /// A variable of the code's own, for values that are computed in several places. Costs nothing:
  /// it becomes registers.
  class Variable {
    friend class Builder;
    Operand place_;
    PointType type_;
  };

  /// Of integers as unsigned numbers, of pointers and floating-point numbers (false if one is not a
  /// number); the signed ones of integers only.
  enum class Predicate : std::uint8_t {
    equal,
    not_equal,
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    signed_less,
    signed_less_or_equal,
    signed_greater,
    signed_greater_or_equal,
  };

  struct Case {
    Value value;
    Block block;
  };

  /// C source text with a function that has the point's signature.
  struct CSource {
    std::string text;
    std::string function = "specialized";
    /// More of clang's flags, e.g. "-I/usr/include/program".
    std::vector<std::string> flags = {};
  };

  // The point.

  [[nodiscard]] const std::string &label() const noexcept;
  [[nodiscard]] const std::string &kind() const noexcept;
  /// The name of the handler that the variant is of.
  [[nodiscard]] const std::string &handler() const noexcept;
  /// What the configuration sets the point to.
  [[nodiscard]] const Value &setting() const noexcept;
  [[nodiscard]] const PointType &result_type() const noexcept;
  /// The sign of an argument of 32 bits or more is not known; it counts as unsigned.
  [[nodiscard]] const std::vector<PointType> &argument_types() const noexcept;
  /// The value of an argument, where it is known: bound, or a constant at every call.
  [[nodiscard]] std::optional<Value> argument_value(unsigned index) const;

  // Values. Integers wrap around; both sides have the same type, but for the sign.

  [[nodiscard]] Operand argument(unsigned index);
  /// A pointer is given as an address or as the name of a symbol.
  [[nodiscard]] Operand constant(const PointType &type, const Value &value);
  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] Operand constant(T value) {
    return constant(types::of<T>(), Value(value));
  }
  [[nodiscard]] Operand address(const volatile void *memory);

  Operand add(Operand a, Operand b);
  Operand subtract(Operand a, Operand b);
  Operand multiply(Operand a, Operand b);
  Operand and_(Operand a, Operand b);
  Operand or_(Operand a, Operand b);
  Operand xor_(Operand a, Operand b);
  /// Shifts go by the count modulo the number of bits.
  Operand shift_left(Operand a, Operand count);
  Operand shift_right_logical(Operand a, Operand count);
  Operand shift_right_arithmetic(Operand a, Operand count);

  /// To integers with more bits, or as many; booleans are 0 and 1.
  Operand zero_extend(Operand a, const PointType &type);
  Operand sign_extend(Operand a, const PointType &type);
  /// To integers with fewer bits, or as many; to a boolean, the lowest bit.
  Operand truncate(Operand a, const PointType &type);
  /// The same bits, taken as signed or unsigned, or as a pointer rather than an integer of 64 bits
  /// and the other way.
  Operand as(Operand a, const PointType &type);

  Operand compare(Predicate predicate, Operand a, Operand b);
  /// Both are computed; one is taken.
  Operand select(Operand condition, Operand then, Operand otherwise);

  /// The same integer (of 8 bits or more) or pointer, but one that LLVM knows nothing about. LLVM
  /// holds each comparison of a value against all others: in a tree of thousands, hide the value at
  /// the root of each part of a hundred comparisons or so, to keep compile time in proportion.
  Operand hide(Operand a);

  [[nodiscard]] Variable variable(Operand initial);
  Operand get(Variable variable);
  void set(Variable variable, Operand value);

  // Control.

  [[nodiscard]] Block block();
  /// What follows goes into `block`, which must be empty; the block before must have ended.
  void enter(Block block);
  void jump(Block target);
  void branch(Operand condition, Block then, Block otherwise);
  /// An integer against different constants, of either sign.
  void switch_on(Operand value, const std::vector<Case> &cases, Block otherwise);
  /// Ends: this is the value of the point.
  void result(Operand value);
  /// The value of calling the point's own function with the point's arguments.
  Operand generic();

  // Data and calls.

  /// Constants in the variant; the bytes are copied. Returns a pointer to the first.
  [[nodiscard]] Operand table(const PointType &type, const void *values, std::size_t count);
  template <std::ranges::contiguous_range R>
    requires std::is_arithmetic_v<std::ranges::range_value_t<R>>
  [[nodiscard]] Operand table(const R &values) {
    return table(types::of<std::ranges::range_value_t<R>>(), std::ranges::data(values),
                 std::ranges::size(values));
  }
  /// `((type *)base)[index]`, read each time the code runs; it need not be aligned. `index` is
  /// taken as unsigned. Nobody checks that the memory is there.
  Operand load(const PointType &type, Operand base, Operand index);
  /// A pointer so many bytes further; `bytes` is taken as unsigned.
  Operand offset(Operand pointer, Operand bytes);

  /// Calls a function of the program by its symbol (which handlers use, or which is exported), or
  /// by its address. Without a result type the function returns nothing, and so does this.
  Operand call(const std::string &symbol, const std::optional<PointType> &result,
               const std::vector<Operand> &arguments);
  Operand call(Operand function, const std::optional<PointType> &result,
               const std::vector<Operand> &arguments);
  template <class R, class... A, std::same_as<Operand>... O>
    requires(sizeof...(A) == sizeof...(O))
  Operand call(R (*function)(A...), O... arguments) {
    std::optional<PointType> result;
    if constexpr (!std::is_void_v<R>)
      result = types::of<R>();
    return call(address(reinterpret_cast<const void *>(function)), result,
                {as(arguments, types::of<A>())...});
  }

  /// The code is good only as long as this promise holds: the variant goes out of force with it.
  void depends_on(const Invariant &invariant);

  /// The value of calling, with the point's arguments, a function that is compiled from C source
  /// text by clang now. clang is `$SARTOR_CLANG`, or the one that Sartor was built with, or the one
  /// on the path. Throws Error: no_clang, or bad_generator with clang's messages.
  Operand source(const CSource &source);

  /// Refuses the variant: throws Error (bad_generator).
  [[noreturn]] void fail(const std::string &why) const;

  struct Impl;
  explicit Builder(Impl &impl) : impl_(&impl) {}
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;

private:
  friend struct Impl;
  Impl *impl_;
};

namespace detail {
LlvmParts llvm_parts(Builder &builder);
void *llvm_value(Builder &builder, const Builder::Operand &operand);
Builder::Operand operand_of(Builder &builder, void *llvm_value, const PointType &type);
} // namespace detail

/// Builds the code of custom points of one kind. Called on a compiling thread, never by two at
/// once; must not call the Runtime. An exception that it throws refuses the variant.
using Generator = std::function<void(Builder &)>;

} // namespace sartor

#endif
