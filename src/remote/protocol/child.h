// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_CHILD_H
#define SARTOR_REMOTE_PROTOCOL_CHILD_H

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file/file_handle.h"
#include "base/result.h"

namespace sartor::remote {

/// The descriptors that are open in a compiler's process when it starts.
/// The compiler's end of `life`, on which the end of its process is reported.
constexpr int kLifeSocket = 3;
constexpr int kSessionsSocket = 4; ///< Receives one socket for each conversation.
/// The exit status of a compiler that could not be confined.
constexpr int kNotConfined = 4;
/// The exit status of a compiler that has answered a request with compile_memory.
constexpr int kTookTooMuch = 5;

/// A compiler's process. It is not a child of the program, which therefore does not see it in
/// wait(), and gets no SIGCHLD. It ends with this object. For use by one thread at a time.
class Child {
public:
  /// The longest time that a killed process takes to end after its sockets are closed, on a busy
  /// machine, too.
  static constexpr std::chrono::milliseconds kEndPatience{2000};

  /// Fails with no_compiler.
  static Result<std::unique_ptr<Child>> start(const std::string &path,
                                              const std::vector<std::string> &arguments);

  /// Returns a socket connected to it; nullopt if it has ended, or is ending.
  std::optional<int> connect();
  /// Returns how it has ended, and waits this long if that is not known yet; nullopt if it has not
  /// ended.
  std::optional<std::string> end(std::chrono::milliseconds patience = kEndPatience);
  /// True if kill() has ended it, or a request that took too much memory.
  [[nodiscard]] bool was_limited() const;
  /// True if the program has closed one of its descriptors, so that it ends.
  [[nodiscard]] bool is_lost() const;
  /// Begins no further conversations; the existing ones continue.
  void retire();
  void kill();

private:
  friend class WarmParent;

  Child(int life, int sessions) : life_(life), sessions_(sessions) {}

  /// The status that was reported; nullopt if there is none yet, or never.
  [[nodiscard]] std::optional<int> status() const;

  bool was_killed_ = false;
  base::FileHandle life_;
  base::FileHandle sessions_;
};

/// A sartor-compiler that has loaded LLVM, and forks compilers: each is ready in milliseconds and
/// serves one client. They end with this object. For use by one thread at a time.
class WarmParent {
public:
  /// Fails with no_compiler.
  static Result<std::unique_ptr<WarmParent>> start(const std::string &path,
                                                   std::vector<std::string> arguments);

  /// Does not wait for the new process, which exists once it answers. Returns null if the parent
  /// has gone.
  std::unique_ptr<Child> fork();
  /// See Child::end().
  std::optional<std::string> end(std::chrono::milliseconds patience) {
    return process_->end(patience);
  }

private:
  explicit WarmParent(std::unique_ptr<Child> process) : process_(std::move(process)) {}

  std::unique_ptr<Child> process_;
};

} // namespace sartor::remote

#endif
