// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_CHILD_H
#define SARTOR_REMOTE_CHILD_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observe/result.h"

namespace sartor::remote {

/// What is open in a compiler's process when it starts.
constexpr int kLifeSocket = 3;     ///< Its end of `life`: told on it how the compiler ended.
constexpr int kSessionsSocket = 4; ///< Sockets are passed on it, one for each conversation.

/// A compiler's process. It is nobody's child: the program that it belongs to does not meet it in
/// wait(), and gets no SIGCHLD. It ends when this does. One thread at a time.
class Child {
public:
  /// Fails with no_compiler.
  static Result<std::unique_ptr<Child>> start(const std::string &path,
                                              const std::vector<std::string> &arguments);
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// A socket that leads to it; nothing if it has gone, or ends.
  std::optional<int> connect();
  /// How it has ended, waiting a little where that is not known yet; nothing if it has not.
  std::optional<std::string> end();
  /// No conversation is begun any more; those that there are go on.
  void retire();
  void kill();

private:
  Child(int life, int sessions) : life_(life), sessions_(sessions) {}

  int life_;
  int sessions_;
};

} // namespace sartor::remote

#endif
