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
/// LLVM objects of a Builder; see builder_llvm.hpp.
struct LlvmParts {
  void *function = nullptr;
  void *generic = nullptr;
  void *ir = nullptr;
};
} // namespace detail

/// Names for the types that a Builder uses.
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

/// Generates the code of a custom point. The code stands for a function with the point's arguments
/// and result. It begins in an open block, and every block must end with result(), jump(), branch()
/// or switch_on().
///
/// The builder lives while the generator runs, on the compiling thread; do not keep it or objects
/// obtained from it. Every member throws Error (bad_generator, with the label and the mistake) if
/// it is misused; the variant is then refused even if the generator catches the exception.
class Builder {
public:
  /// A value that the code computes. Can be copied freely; valid for one Builder only.
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

  /// A jump target.
  class Block {
    friend class Builder;
    void *block_ = nullptr;
    std::uint64_t owner_ = 0;
  };

  /// A local variable, for values that are computed in several blocks. It has no cost: it becomes
  /// registers.
  class Variable {
    friend class Builder;
    Operand place_;
    PointType type_;
  };

  /// Compares integers as unsigned numbers, pointers, and floating-point numbers (false if one is
  /// NaN); the signed predicates apply to integers only.
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
    /// More flags for clang, e.g. "-I/usr/include/program".
    std::vector<std::string> flags = {};
  };

  // The point.

  [[nodiscard]] const std::string &label() const noexcept;
  [[nodiscard]] const std::string &kind() const noexcept;
  /// Name of the handler that is being specialized.
  [[nodiscard]] const std::string &handler() const noexcept;
  /// The setting of the point in the configuration.
  [[nodiscard]] const Value &setting() const noexcept;
  [[nodiscard]] const PointType &result_type() const noexcept;
  /// Types of the arguments. The signedness of an argument of 32 bits or more is not known; it
  /// counts as unsigned.
  [[nodiscard]] const std::vector<PointType> &argument_types() const noexcept;
  /// The value of an argument if it is known: bound, or a constant at every call.
  [[nodiscard]] std::optional<Value> argument_value(unsigned index) const;

  // Values. Integers wrap around; both operands have the same type, except for the sign.

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
  /// The shift count is taken modulo the number of bits.
  Operand shift_left(Operand a, Operand count);
  Operand shift_right_logical(Operand a, Operand count);
  Operand shift_right_arithmetic(Operand a, Operand count);

  /// Extends to an integer with at least as many bits; booleans are 0 and 1.
  Operand zero_extend(Operand a, const PointType &type);
  Operand sign_extend(Operand a, const PointType &type);
  /// Truncates to an integer with at most as many bits; to a boolean, the lowest bit is taken.
  Operand truncate(Operand a, const PointType &type);
  /// Reinterprets the same bits as signed or unsigned, or converts between a pointer and an integer
  /// of 64 bits.
  Operand as(Operand a, const PointType &type);

  Operand compare(Predicate predicate, Operand a, Operand b);
  /// Returns `then` or `otherwise`; both are computed.
  Operand select(Operand condition, Operand then, Operand otherwise);

  /// Returns the same integer (of 8 bits or more) or pointer, but hides its value from LLVM. LLVM
  /// checks each comparison of a value against all others: in a tree of thousands of comparisons,
  /// hide the value at the root of each part of about a hundred, so that compile time stays
  /// proportional.
  Operand hide(Operand a);

  [[nodiscard]] Variable variable(Operand initial);
  Operand get(Variable variable);
  void set(Variable variable, Operand value);

  // Control flow.

  [[nodiscard]] Block block();
  /// Continues in `block`, which must be empty; the previous block must have ended.
  void enter(Block block);
  void jump(Block target);
  void branch(Operand condition, Block then, Block otherwise);
  /// Switches on an integer; the cases are different constants of either sign.
  void switch_on(Operand value, const std::vector<Case> &cases, Block otherwise);
  /// Ends the code; `value` is the value of the point.
  void result(Operand value);
  /// The value of calling the point's own function with the point's arguments.
  Operand generic();

  // Data and calls.

  /// Adds constants to the variant; the bytes are copied. Returns a pointer to the first.
  [[nodiscard]] Operand table(const PointType &type, const void *values, std::size_t count);
  template <std::ranges::contiguous_range R>
    requires std::is_arithmetic_v<std::ranges::range_value_t<R>>
  [[nodiscard]] Operand table(const R &values) {
    return table(types::of<std::ranges::range_value_t<R>>(), std::ranges::data(values),
                 std::ranges::size(values));
  }
  /// `((type *)base)[index]`, read each time the code runs; it may be unaligned. `index` is
  /// unsigned. The code does not check that the memory exists.
  Operand load(const PointType &type, Operand base, Operand index);
  /// A pointer advanced by `bytes` bytes; `bytes` is unsigned.
  Operand offset(Operand pointer, Operand bytes);

  /// Calls a function of the program by its symbol (used by handlers, or exported) or by its
  /// address. Without a result type, the called function and this member return nothing.
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

  /// Declares that the code is valid only as long as the invariant is: when it is revoked, the
  /// variant is deactivated.
  void depends_on(const Invariant &invariant);

  /// The value of calling, with the point's arguments, a function that clang compiles now from C
  /// source text. clang is `$SARTOR_CLANG`, or the one that Sartor was built with, or the one on
  /// the path. Throws Error: no_clang, or bad_generator with clang's messages.
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
