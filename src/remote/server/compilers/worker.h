// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_WORKER_H
#define SARTOR_REMOTE_SERVER_COMPILERS_WORKER_H

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "remote/protocol/channel.h"
#include "remote/protocol/child.h"
#include "remote/server/compilers/compilers.h"
#include "remote/server/frames.h"

namespace sartor::server {

/// A question to a compiler, with all data that it depends on.
struct Question {
  remote::Kind greeting = remote::Kind::hello;
  std::string hello;       ///< The client's greeting, of that kind.
  std::string module_hash; ///< The hash of the handler module in use; empty if there is none.
  std::shared_ptr<const std::string> module;
  remote::Kind kind = remote::Kind::hello; ///< The greeting's kind if nothing else is asked.
  std::shared_ptr<const std::string> body; ///< Null for a greeting.
  const Means *means = nullptr;            ///< For receiving answers.
  std::size_t most_answer = 0;             ///< The maximum size of the answer in bytes.
};

/// Asks the client's program a question, a call or a page, and returns its answer; nullopt if the
/// program has gone.
using OnCall =
    std::function<asio::awaitable<std::optional<std::string>>(remote::Kind, std::string_view)>;

/// A client's compiler, in a process that works for no other client: it is started when it is
/// needed, and again after it was lost. It answers one question at a time, and keeps the most
/// recently parsed modules.
class Worker {
public:
  /// `patience` is the time limit for one answer.
  Worker(Compilers &compilers, std::string client, std::chrono::milliseconds patience,
         const OnCompilerEvent &on_event)
      : compilers_(compilers), client_(std::move(client)), patience_(patience),
        on_event_(on_event) {}

  /// Fails with no_compiler; with compiler_lost if the process has ended; with compile_timeout if
  /// it has not answered in time and was killed; and with the failure that was passed to stop(). A
  /// failure that the compiler itself reports is a frame.
  asio::awaitable<Result<remote::Frame>> ask(Question question, OnCall on_call);
  /// Ends the process, and so the current question, which fails with `why`.
  void stop(Failure why);
  /// True if it has parsed the module of the question.
  [[nodiscard]] bool knows(const Question &question) const;
  [[nodiscard]] const std::string &client() const { return client_; }

private:
  /// A conversation about one module, for one kind of processor.
  struct Talk {
    remote::Kind greeting;
    std::string hello;
    std::string module_hash;
    std::shared_ptr<Wire> wire;
    std::string welcome; ///< The answer to the greeting.
  };

  [[nodiscard]] static bool is_about(const Talk &talk, const Question &question);
  asio::awaitable<Result<Talk *>> talk(const Question &question);
  /// `about` is the question that it belongs to.
  asio::awaitable<Result<remote::Frame>> say(Wire &wire, remote::Kind kind, std::string_view body,
                                             const Question &about, const OnCall &on_call);
  /// Ends the process; the next question starts another.
  void replace();
  void report(CompilerEvent::Kind kind, std::string text, double seconds = 0) const;
  asio::awaitable<Failure> lose();

  Compilers &compilers_;
  std::string client_;
  std::chrono::milliseconds patience_;
  const OnCompilerEvent &on_event_;
  std::unique_ptr<remote::Child> child_;
  std::list<Talk> talks_; ///< The latest first.
  unsigned answered_ = 0; ///< The number of answers of this process.
  std::optional<Failure> stopped_;
};

} // namespace sartor::server

#endif
