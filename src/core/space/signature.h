// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_SIGNATURE_H
#define SARTOR_CORE_SPACE_SIGNATURE_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/space.hpp>
#include <sartor/type_form.hpp>

namespace sartor::core {

/// An argument of the IR function that holds some bytes of a source parameter's object.
struct Piece {
  unsigned argument = 0; ///< Index of the argument of the IR function, from 0.
  unsigned offset = 0;   ///< Offset in the object.
  unsigned bytes = 0;

  bool operator==(const Piece &) const = default;
};

/// A parameter, or the result, of a function in its source.
struct Parameter {
  enum class Kind : unsigned char {
    nothing,
    scalar,
    object,
    unknown, ///< For a result that only the code determines.
    kLast = unknown,
  };
  /// The way it is passed to the function.
  enum class Passing : unsigned char {
    direct,  ///< Its pieces are its bytes. Without pieces, it is empty and not passed.
    copy,    ///< A pointer to its own copy, which the call makes (LLVM: byval).
    address, ///< A pointer to an object of the caller. For the result: its destination.
    kLast = address,
  };

  Kind kind = Kind::nothing;
  PointType type; ///< Type of a scalar.
  /// False if a module does not record it; `type` is unsigned then.
  bool sign_is_known = true;
  unsigned bytes = 0;
  Passing passing = Passing::direct;
  /// With other parameters in front of it, it might be passed in another way: registers run out.
  bool depends_on_others = false;
  std::vector<Piece> pieces;

  /// `i32`, `an object of 16 bytes`.
  [[nodiscard]] std::string text() const;
  bool operator==(const Parameter &) const = default;
};

/// Mapping from the parameters of a function in the source to arguments of the IR function. LLVM
/// does not have it: structures are split or passed in memory, empty ones dropped, signs lost. The
/// frontend records it (src/compiler/plugin/signatures.cpp).
struct Signature {
  unsigned arguments = 0; ///< Number of arguments of the IR function.
  Parameter result;
  std::vector<Parameter> parameters; ///< The first is a member function's object.

  bool operator==(const Signature &) const = default;
};

/// Converts to one line without quotes, for an annotation, and back: nothing if it is invalid.
std::string to_text(const Signature &signature);
std::optional<Signature> to_signature(std::string_view text);

/// Describes how `forms`, a result and parameters as a C++ program declares them, differ from those
/// of a handler; empty if they do not.
std::string difference(const Signature &signature, std::span<const detail::TypeForm> forms);

} // namespace sartor::core

#endif
