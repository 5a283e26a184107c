// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_CHILD_H
#define SARTOR_REMOTE_PROTOCOL_CHILD_H

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_handle.h"
#include "base/result.h"

namespace sartor::remote {

/// What is open in a compiler's process when it starts.
constexpr int kLifeSocket = 3;     ///< Its end of `life`: told on it how the compiler ended.
constexpr int kSessionsSocket = 4; ///< Sockets are passed on it, one for each conversation.
/// The exit status of a compiler that could not be confined.
constexpr int kNotConfined = 4;

/// A compiler's process. It is nobody's child: the program that it belongs to does not meet it in
/// wait(), and gets no SIGCHLD. It ends when this does. One thread at a time.
class Child {
public:
  /// Fails with no_compiler.
  static Result<std::unique_ptr<Child>> start(const std::string &path,
                                              const std::vector<std::string> &arguments);

  /// A socket that leads to it; nothing if it has gone, or ends.
  std::optional<int> connect();
  /// How it has ended, waiting so long where that is not known yet; nothing if it has not.
  std::optional<std::string> end(std::chrono::milliseconds patience = kEndPatience);
  /// Whether the program has closed a descriptor of it, so that it ends.
  [[nodiscard]] bool is_lost() const;
  /// No conversation is begun any more; those that there are go on.
  void retire();
  void kill();

private:
  friend class WarmParent;

  /// How long after its sockets a process ends that is being killed.
  static constexpr std::chrono::milliseconds kEndPatience{200};

  Child(int life, int sessions) : life_(life), sessions_(sessions) {}

  base::FileHandle life_;
  base::FileHandle sessions_;
};

/// A sartor-compiler that has LLVM loaded, and forks compilers: each is ready in milliseconds and
/// serves one client. They end when it does. One thread at a time.
class WarmParent {
public:
  /// Fails with no_compiler.
  static Result<std::unique_ptr<WarmParent>> start(const std::string &path,
                                                   std::vector<std::string> arguments);

  /// Does not wait for it: it is there when it answers. Null if the parent has gone.
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
