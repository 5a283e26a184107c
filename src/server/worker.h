// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_WORKER_H
#define SARTOR_SERVER_WORKER_H

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "observe/result.h"
#include "remote/channel.h"
#include "remote/child.h"
#include "server/frames.h"

namespace sartor::server {

/// What is asked of a compiler, with all that it hangs on.
struct Question {
  remote::Kind greeting = remote::Kind::hello;
  std::string hello;       ///< The client's, of that kind.
  std::string module_hash; ///< Of the handler module that is used; empty if none is.
  std::shared_ptr<const std::string> module;
  remote::Kind kind = remote::Kind::hello; ///< The greeting: nothing but that is asked.
  std::shared_ptr<const std::string> body; ///< Null for a greeting.
  const Means *means = nullptr;            ///< For answers as they arrive.
  std::size_t most_answer = 0;             ///< Bytes of the answer.
};

/// Asks the program that asks, for a call or a page: what it is, to its result; nothing if the
/// program has gone.
using OnCall =
    std::function<asio::awaitable<std::optional<std::string>>(remote::Kind, std::string_view)>;

/// A compiler in a process of its own, which is started when it is needed, and again after it was
/// lost. It answers one question at a time, and keeps the modules of the latest parsed.
class Worker {
public:
  /// `program`: sartor-compiler.
  Worker(std::string program, std::chrono::milliseconds patience)
      : program_(std::move(program)), patience_(patience) {}

  /// Fails with no_compiler, and with compiler_lost where the process has ended, or has not
  /// answered in time and was killed. What the compiler itself says to be wrong is a frame.
  asio::awaitable<Result<remote::Frame>> ask(Question question, OnCall on_call);
  /// Whether it has parsed the module that the question is about.
  [[nodiscard]] bool knows(const Question &question) const;
  [[nodiscard]] unsigned starts() const { return starts_; }

private:
  /// A conversation about one module, for one kind of processor.
  struct Talk {
    remote::Kind greeting;
    std::string hello;
    std::string module_hash;
    std::shared_ptr<Wire> wire;
    std::string welcome; ///< What answered the greeting.
  };

  [[nodiscard]] static bool is_about(const Talk &talk, const Question &question);
  asio::awaitable<Result<Talk *>> talk(const Question &question);
  /// `about`: what it is said for.
  asio::awaitable<Result<remote::Frame>> say(Wire &wire, remote::Kind kind, std::string_view body,
                                             const Question &about, const OnCall &on_call);
  void recycle();
  Failure lose();

  std::string program_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<remote::Child> child_;
  std::list<Talk> talks_; ///< The latest first.
  unsigned answered_ = 0; ///< By this process.
  unsigned starts_ = 0;
  bool was_late_ = false;
};

} // namespace sartor::server

#endif
