// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_CONVERSATION_H
#define SARTOR_SERVER_CONVERSATION_H

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/transcript.h"
#include "server/shared.h"
#include "server/wire.h"

namespace sartor::server {

/// A client's questions and their answers, one after the other. On the loop's thread.
class Conversation {
public:
  /// `key` signs the answers when they are sent, and outlives this.
  Conversation(Shared &shared, Wire &wire, std::string client, const keys::SecretKey &key)
      : shared_(shared), wire_(wire), client_(std::move(client)), key_(key) {}

  /// Until the client goes, or is not understood.
  asio::awaitable<void> run();

private:
  using Frame = remote::Frame;
  using Kind = remote::Kind;

  /// Whether it goes on.
  asio::awaitable<bool> take(Frame question);
  asio::awaitable<Result<Frame>> answer(Frame question);
  asio::awaitable<Result<Frame>> welcome(Kind greeting, const std::string &hello);
  [[nodiscard]] Answers::Key key_of(const remote::Transcript &transcript) const;
  Result<Frame> use_module(const std::string &hash);
  Result<Frame> give_module(std::string bytes);
  asio::awaitable<Result<Frame>> counted(Frame question, remote::Transcript &transcript);
  /// From where answers are kept, or by a compiler. `transcript`: with the question in it; calls
  /// are added.
  asio::awaitable<Result<Frame>> find_or_make(Frame question, remote::Transcript &transcript);
  /// What was said for a question so far.
  struct Said {
    remote::Transcript &transcript;
    std::vector<Answer::Call> calls;
  };

  asio::awaitable<std::optional<Frame>> find(const Answers::Key &key, Said &said);
  asio::awaitable<Result<Frame>> ask_compiler(Question question, const OnCall &on_call);
  asio::awaitable<std::optional<std::string>> call(Kind kind, std::string_view order, Said &said);

  Shared &shared_;
  Wire &wire_;
  std::string client_;
  const keys::SecretKey &key_;
  Kind greeting_ = Kind::hello;
  std::string hello_; ///< Of that kind.
  std::string module_hash_;
  std::shared_ptr<const std::string> module_;
  remote::Transcript transcript_;
  Outcome outcome_ = Outcome::made; ///< Of the question at hand.
};

} // namespace sartor::server

#endif
