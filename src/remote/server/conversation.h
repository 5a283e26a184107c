// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CONVERSATION_H
#define SARTOR_REMOTE_SERVER_CONVERSATION_H

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/protocol/transcript.h"
#include "remote/server/shared.h"
#include "remote/server/wire.h"

namespace sartor::server {

/// The port on which a client has connected.
enum class Port : unsigned char { programs, devices };

/// A client's questions and their answers, one after the other. Used on the loop's thread.
class Conversation {
public:
  /// The connection's key signs the answers when they are sent.
  Conversation(Shared &shared, Wire &wire, Account &account, Port port, Connection &connection)
      : shared_(shared), wire_(wire), account_(account), means_{account, shared.heavy}, port_(port),
        connection_(connection) {}

  /// Runs until the client goes, or sends an invalid frame.
  asio::awaitable<void> run();

private:
  using Kind = remote::Kind;
  using Body = std::shared_ptr<const std::string>;

  /// The messages for a question so far.
  struct Said {
    remote::Transcript transcript;
    std::vector<Answer::Call> calls;
    Charge charge;                  ///< For the calls.
    std::optional<Failure> refused; ///< The reason why a call was not made.
  };
  struct Reply {
    Kind kind = Kind::failed;
    Body body;
    remote::Transcript said; ///< The transcript that is signed with it.
  };

  asio::awaitable<Result<Received>> hear_greeting();
  asio::awaitable<void> refuse(const Failure &why);
  /// Returns whether the conversation continues.
  asio::awaitable<bool> take(Received question);
  asio::awaitable<Result<Reply>> answer(Received question);
  asio::awaitable<Result<Reply>> welcome(Kind greeting, const std::string &hello);
  Result<Reply> use_module(const std::string &hash);
  asio::awaitable<Result<Reply>> give_module(Received module);
  Result<Reply> report(const std::string &question);
  asio::awaitable<Result<Reply>> administer(const std::string &request);
  asio::awaitable<Result<Reply>> counted(Kind kind, Body question, Said said);
  /// Answers from a cache, or by a compiler.
  asio::awaitable<Result<Reply>> find_or_make(Kind kind, Body question, Said &said);
  asio::awaitable<Result<remote::Frame>> make(Question question, Said &said);
  asio::awaitable<std::optional<Reply>> find(const Answers::Key &key, Said &said);
  [[nodiscard]] Answers::Key key_of(const remote::Transcript &transcript) const;
  /// `state`: of the transcript of a program up to its question.
  [[nodiscard]] Answers::Key key_of(const base::ContentKey &state) const;
  asio::awaitable<Result<remote::Frame>> ask_compiler(Question question, const OnCall &on_call);
  /// Counts a compilation, and logs a long one.
  void note_compilation(Log::Fields fields, std::chrono::duration<double> took,
                        const Result<remote::Frame> &answer);
  asio::awaitable<std::optional<std::string>> call(Kind kind, std::string_view order, Said &said);

  Shared &shared_;
  Wire &wire_;
  Account &account_;
  const Means means_;
  const Port port_;
  Connection &connection_;
  std::optional<Kind> greeting_;
  std::string hello_; ///< The body of that greeting.
  Charge hello_charge_;
  std::string module_hash_;
  Body module_;
  remote::Transcript transcript_;
  Outcome outcome_ = Outcome::made; ///< The outcome of the current question.
};

} // namespace sartor::server

#endif
