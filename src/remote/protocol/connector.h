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
  /// The server's key, which must have signed its answers; empty where no server is on the way.
  std::optional<base::PublicKey> signer = {};
};

/// The way to one compiler. Thread-safe.
class Connector {
public:
  virtual ~Connector() = default;

  /// An authenticated connection. Fails with no_compiler, compiler_lost, server_refused.
  virtual Result<Connection> connect(const Channel::GoOn &go_on) = 0;
  /// Why a stream came to its end, as far as that is known.
  virtual Failure why_lost() = 0;
  /// It does not come back from what it is at, though it was told to.
  virtual void give_up() = 0;
  /// It will be asked for such code.
  virtual Result<void> prepare(const Pipeline &pipeline) = 0;
  /// A server signs its answers (remote/protocol/transcript.h), and keeps nothing between two
  /// questions of one program: a draft is made at once.
  [[nodiscard]] virtual bool is_server() const = 0;
  /// Another number since streams of before lead to what is not prepared for all.
  virtual unsigned era() = 0;
};

} // namespace sartor::remote

#endif
