// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_TO_SERVER_H
#define SARTOR_REMOTE_PROTOCOL_TO_SERVER_H

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sartor/options.hpp>

#include "base/keys.h"
#include "base/thread/mutex.h"
#include "core/compiler/compiler.h"
#include "remote/protocol/connector.h"
#include "remote/protocol/server_address.h"

namespace sartor::remote {

/// Connects to a server, at the first of its addresses that can be reached, beginning with the last
/// one that could. After a failure, connect() fails for a while without trying. Keys are read again
/// for each connection.
class ToServer final : public Connector {
public:
  explicit ToServer(CompilerServer server) : server_(std::move(server)) {}

  /// Fails with no_compiler if the settings are invalid, compiler_lost if no server can be reached,
  /// and server_refused if one of the two does not know the other's key.
  Result<Connection> connect(const Channel::GoOn &go_on) override;
  Failure why_lost() override;
  void give_up() override {} // a server has its own limits
  /// Fails with bad_pipeline if there are plugins, which are files of this machine.
  Result<void> prepare(const Pipeline &pipeline) override;
  [[nodiscard]] bool is_server() const override { return true; }
  unsigned era() override { return 0; }

private:
  using Clock = std::chrono::steady_clock;

  /// The settings, with the keys that they name.
  struct Read {
    std::vector<ServerAddress> addresses;
    std::vector<base::PublicKey> server_keys;
    std::optional<base::SecretKey> key;
  };

  [[nodiscard]] Result<Read> read() const;
  Result<Connection> reach_any(const Read &read, const Channel::GoOn &go_on);
  [[nodiscard]] Result<Connection> reach(const Read &read, const ServerAddress &address,
                                         const Channel::GoOn &go_on) const;
  [[nodiscard]] Result<Connection> open(int socket, const Read &read,
                                        const Channel::GoOn &go_on) const;
  [[nodiscard]] Failure failure(ErrorCode code, std::string why, std::string remedy) const;
  void note(const Result<Connection> &reached);

  const CompilerServer server_;
  base::Mutex mutex_;           ///< Guards the following members.
  std::size_t last_good_ = 0;   ///< The index of an address.
  std::optional<Failure> lost_; ///< The reason of the last failure.
  Clock::time_point retry_at_{};
  std::chrono::milliseconds retry_after_{};
};

/// Returns the compiler of a server. Equal settings share one. Never destroyed.
core::Compiler &compiler_of(const CompilerServer &server);

} // namespace sartor::remote

#endif
