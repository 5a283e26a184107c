// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPACE_HPP
#define SARTOR_SPACE_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/constraints.hpp>
#include <sartor/error.hpp>

namespace sartor {

enum class PointKind : std::uint8_t {
  enumeration = 1,
  range = 2,
  generic = 3,
  assume = 4,
  fast_path = 5,
  custom = 6,
  kLast = custom,
};

/// "enum", "range", "generic", "assume", "fast_path", "custom".
std::string_view to_string(PointKind kind);

/// The type of a point's value.
struct PointType {
  enum class Class : std::uint8_t { integer, boolean, floating, pointer, kLast = pointer };
  Class kind = Class::integer;
  unsigned bits = 64;
  bool is_signed = false;

  /// `u64`, `i8`, `bool`, `f32`, `ptr`.
  [[nodiscard]] std::string text() const;
  bool operator==(const PointType &) const = default;
};

/// Position of a point in the source.
struct Site {
  std::string function = {}; ///< Demangled.
  std::string file = {};
  unsigned line = 0;
  /// The reason why this point cannot be specialized and stays generic; empty if it can.
  std::string problem = {};
  /// The reason why no handler reaches this point; empty if one does.
  std::string unreached = {};
  bool operator==(const Site &) const = default;
};

/// Summary of the profile of a point; Runtime::profile() has all of it.
struct Seen {
  /// One value, or the arguments of a call.
  struct Input {
    std::vector<Value> values = {};
    double share = 0; ///< Lower bound of the share of all executions: 0 to 1.
    bool operator==(const Input &) const = default;
  };
  std::uint64_t count = 0;       ///< Number of executions; an estimate if the point is sampled.
  std::uint64_t error_bound = 0; ///< Maximum amount by which a count is too low.
  std::vector<Input> top = {};   ///< The most frequent inputs first, at most 16.
  bool operator==(const Seen &) const = default;
};

/// A label and all points of the source that carry it.
struct Point {
  std::string label = {};
  PointKind kind = PointKind::generic;
  PointType type = {};
  std::vector<Value> choices = {}; ///< Of an enum or custom point; a range's bounds; else empty.
  std::vector<Site> sites = {};
  std::vector<std::string> handlers = {}; ///< Names of the handlers that can reach it, sorted.
  /// For a call point: the function that it calls (demangled) and the types of its arguments;
  /// `type` is the result's. A fast path is set to the number of inputs that it answers, a custom
  /// point to any value that its generator understands.
  std::string function = {};
  std::vector<PointType> arguments = {};
  std::string custom_kind = {}; ///< For a custom point: the kind of generator.
  bool is_versioned = false;    ///< For a fast path: remembered results are valid for one version.
  bool reads_memory = false;    ///< For a fast path: results may depend on memory that can change.
  /// True if its value is only an operand in the code: code for another value differs only in that
  /// number, and takes microseconds to make (a *template*).
  bool is_operand = false;

  /// Empty if instrumentation has seen nothing here.
  std::optional<Seen> seen = {};

  /// Every value that an exploration may set it to: an enum's choices, all of a range, true for an
  /// assume, powers of two up to 1024 for a fast path, the choices given to Runtime::add_custom()
  /// for a custom point, nothing for a generic point.
  [[nodiscard]] std::vector<Value> values() const;
};

namespace detail {
class Rules;
}

/// All points of a handler module, by label, and the constraints between them.
class Space {
public:
  Space() = default;
  explicit Space(std::vector<Point> points);

  [[nodiscard]] const std::vector<Point> &points() const & noexcept { return points_; }
  [[nodiscard]] std::vector<Point> points() && { return std::move(points_); }
  /// Replaces the constraints. Throws unknown_label (with the nearest labels), bad_constraint for a
  /// relation that cannot be parsed or names a point that has no numbers (with the position), and
  /// the errors of check() for the values that they name.
  void constrain(Constraints constraints);
  [[nodiscard]] const Constraints &constraints() const & noexcept;
  [[nodiscard]] Constraints constraints() && { return std::as_const(*this).constraints(); }
  /// Null if there is no such label.
  [[nodiscard]] const Point *find(std::string_view label) const &;
  [[nodiscard]] std::optional<Point> find(std::string_view label) &&;
  /// Nothing, or the reason why this configuration is impossible: unknown_label (with the nearest
  /// labels), value_outside_choices, bad_value_type, point_not_specializable,
  /// forbidden_configuration.
  [[nodiscard]] std::optional<Failure> check(const Configuration &configuration) const;
  /// The settings that concern one handler.
  [[nodiscard]] Configuration restrict(const Configuration &configuration,
                                       std::string_view handler) const;
  [[nodiscard]] std::string json() const;

private:
  friend class Runtime;                        // fills in the profile of the points
  std::vector<Point> points_;                  ///< Sorted by label.
  std::shared_ptr<const detail::Rules> rules_; ///< Null if there are no constraints.
};

} // namespace sartor

#endif
