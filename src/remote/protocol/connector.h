// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_CONNECTOR_H
#define SARTOR_REMOTE_PROTOCOL_CONNECTOR_H

#include <memory>
#include <optional>
#include <string>

#include <sartor/options.hpp>

#include "base/keys.h"
#include "base/result.h"
#include "remote/protocol/channel.h"

namespace sartor::remote {

/// A connection to a compiler.
struct Connection {
  std::unique_ptr<Channel> channel;
  /// The server's key, which must have signed its answers; empty if there is no server.
  std::optional<base::PublicKey> signer = {};
};

/// Connects to one compiler. Thread-safe.
class Connector {
public:
  virtual ~Connector() = default;

  /// Returns an authenticated connection. Fails with no_compiler, compiler_lost, server_refused.
  virtual Result<Connection> connect(const Channel::GoOn &go_on) = 0;
  /// Returns the reason why a stream has ended, as far as that is known.
  virtual Failure why_lost() = 0;
  /// Called when the compiler does not stop its current work on request.
  virtual void give_up() = 0;
  /// Called before code with this pipeline is requested.
  virtual Result<void> prepare(const Pipeline &pipeline) = 0;
  /// True for a server: it signs its answers (remote/protocol/transcript.h), and keeps nothing
  /// between two questions of one program, so that a draft is made at once.
  [[nodiscard]] virtual bool is_server() const = 0;
  /// Returns a number that changes when earlier streams lead to a compiler that is not prepared for
  /// all pipelines.
  virtual unsigned era() = 0;
  /// Returns a number that grows when a compiler has ended because a request exceeded a limit. All
  /// its streams end then, also those of other requests. why_lost() knows of it.
  [[nodiscard]] virtual unsigned ends_by_limits() const { return 0; }
};

} // namespace sartor::remote

#endif
