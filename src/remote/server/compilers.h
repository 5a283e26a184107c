// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_H
#define SARTOR_REMOTE_SERVER_COMPILERS_H

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "remote/protocol/child.h"

namespace sartor::server {

/// Something that an operator wants to know of a compiler.
struct CompilerEvent {
  enum class Kind : unsigned char {
    started,
    crashed,    ///< `text`: how it ended, with the signal.
    late,       ///< Was ended after --compile-timeout.
    slow,       ///< Has answered, after long.
    over_share, ///< Was ended because its client's question kept others waiting.
  };
  Kind kind;
  std::string client;
  std::string text;
  double seconds = 0; ///< Of the question at hand.
};
using OnCompilerEvent = std::function<void(const CompilerEvent &)>;

/// Starts compilers' processes, by a sartor-compiler that has LLVM loaded: the way to each new
/// process, which no two clients share. On the loop's thread.
class Compilers {
public:
  /// `program`: sartor-compiler.
  Compilers(std::string program, bool may_be_weak);

  /// Loads LLVM before the first client comes. Errors are reported by start().
  void warm_up();
  /// Fails with no_compiler, and with compiler_lost.
  Result<std::unique_ptr<remote::Child>> start();
  /// How the process that forks compilers has ended, if it has: they have then, too.
  std::optional<std::string> why_ended();
  [[nodiscard]] unsigned starts() const { return starts_; }

private:
  std::string program_;
  std::vector<std::string> arguments_;
  std::unique_ptr<remote::WarmParent> parent_;
  unsigned starts_ = 0;
};

} // namespace sartor::server

#endif
