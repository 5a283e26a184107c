// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_SESSION_H
#define SARTOR_REMOTE_PROTOCOL_SESSION_H

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/compiler/compiler.h"
#include "remote/protocol/channel.h"
#include "remote/protocol/connector.h"
#include "remote/protocol/transcript.h"

namespace sartor::remote {

/// A program's conversation with a compiler. For use by one thread at a time.
class Session {
public:
  using GoOn = Channel::GoOn;
  using OnCall = std::function<std::optional<std::uint64_t>(const CallOrder &)>;

  /// Fails as Connector::connect() does, and with server_refused.
  static Result<std::unique_ptr<Session>> open(Connector &connector, const GoOn &go_on);

  /// Returns the answering frame, of kind `wanted` or, if it is given, `otherwise`. `on_call` makes
  /// calls meanwhile. Fails with the compiler's failure, compiler_lost, compile_timeout,
  /// server_refused; after the last three, nothing more may be asked.
  Result<Frame> ask(Kind question, std::string_view body, Kind wanted, const GoOn &go_on,
                    Kind otherwise = Kind::failed, const OnCall &on_call = {});

  /// Identifies the last question, and those that it depends on.
  [[nodiscard]] const base::ContentKey &asked() const { return asked_; }
  [[nodiscard]] const core::Toolchain &toolchain() const { return toolchain_; }
  /// True if it belongs to another process, from which this one was forked.
  [[nodiscard]] bool is_inherited() const;
  [[nodiscard]] bool is_broken() const { return broken_; }
  [[nodiscard]] bool is_outdated() const { return era_ != connector_.era(); }

private:
  static Result<std::unique_ptr<Session>> greet(Connector &connector, const GoOn &go_on);
  Session(Connector &connector, Connection connection, unsigned era);

  std::unexpected<Failure> broken(Failure why);
  void abandon();

  Result<Frame> take(Frame answer, const Transcript &transcript);

  Connector &connector_;
  Connection connection_;
  Transcript transcript_;    ///< The transcript on which all questions are based.
  base::ContentKey asked_{}; ///< The state of the transcript after the last question.
  core::Toolchain toolchain_;
  unsigned generation_;
  unsigned era_;
  bool broken_ = false;
};

/// Returns the message in an answer. Fails with server_refused.
template <class T> Result<T> read_answer(const Frame &frame) {
  if (auto message = from_bytes<T>(frame.body))
    return std::move(*message);
  return std::unexpected(Failure{ErrorCode::server_refused, "an answer", "cannot be read",
                                 "use the same version of Sartor on both sides"});
}

} // namespace sartor::remote

#endif
