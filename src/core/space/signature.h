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

/// An argument of the IR's that holds some bytes of a source parameter's object.
struct Piece {
  unsigned argument = 0; ///< Of the IR's function, from 0.
  unsigned offset = 0;   ///< In the object.
  unsigned bytes = 0;

  bool operator==(const Piece &) const = default;
};

/// A parameter, or the result, of a function as its source has it.
struct Parameter {
  enum class Kind : unsigned char {
    nothing,
    scalar,
    object,
    unknown, ///< Of a result, where only the code tells.
    kLast = unknown,
  };
  /// How it reaches the function.
  enum class Passing : unsigned char {
    direct,  ///< Its pieces are its bytes. Without pieces, it is dropped: it is empty.
    copy,    ///< A pointer to a copy of its own, which the call makes (LLVM: byval).
    address, ///< A pointer to an object of the caller's. For the result: where to put it.
    kLast = address,
  };

  Kind kind = Kind::nothing;
  PointType type; ///< Of a scalar.
  /// False where a module does not tell; `type` says unsigned then.
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

/// How the parameters of a function in the source became arguments of the IR's. LLVM does not know
/// it: structures are split or passed in memory, empty ones dropped, signs forgotten. The front end
/// writes it down (src/compiler/plugin/signatures.cpp).
struct Signature {
  unsigned arguments = 0; ///< How many the IR's function has.
  Parameter result;
  std::vector<Parameter> parameters; ///< A member function's object is the first.

  bool operator==(const Signature &) const = default;
};

/// One line without quotes, for an annotation; and back: nothing if it is none.
std::string to_text(const Signature &signature);
std::optional<Signature> to_signature(std::string_view text);

/// How `forms`, a result and parameters as a C++ program declares them, differ from what a handler
/// has; empty if they do not.
std::string difference(const Signature &signature, std::span<const detail::TypeForm> forms);

} // namespace sartor::core

#endif
