// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_COMPILERS_H
#define SARTOR_REMOTE_SERVER_COMPILERS_COMPILERS_H

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "remote/protocol/child.h"

namespace sartor::server {

/// An event of a compiler that is reported to operators.
struct CompilerEvent {
  enum class Kind : unsigned char {
    started,
    crashed,    ///< `text` is how it ended, with the signal.
    late,       ///< It was ended after --compile-timeout.
    slow,       ///< It has answered, after a long time.
    over_share, ///< It was ended because its client's question kept others waiting.
  };
  Kind kind;
  std::string client;
  std::string text;
  double seconds = 0; ///< The time for the current question.
};
using OnCompilerEvent = std::function<void(const CompilerEvent &)>;

/// Starts compilers' processes, by a sartor-compiler that has LLVM loaded, and connects to each; no
/// two clients share one. Used on the loop's thread.
class Compilers {
public:
  /// `program` is the path of sartor-compiler.
  Compilers(std::string program, bool may_be_weak);

  /// Loads LLVM before the first client comes. Errors are reported by start().
  void warm_up();
  /// Fails with no_compiler, and with compiler_lost.
  Result<std::unique_ptr<remote::Child>> start();
  /// Returns how the process that forks compilers has ended, if it has: then they have ended, too.
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
