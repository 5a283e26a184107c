// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_TO_SERVER_H
#define SARTOR_REMOTE_TO_SERVER_H

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <sartor/options.hpp>

#include "compiler/compiler.h"
#include "engine/mutex.h"
#include "keys/keys.h"
#include "remote/connector.h"
#include "remote/server_address.h"

namespace sartor::remote {

/// The way to a server. What cannot be reached is left alone for a while.
class ToServer final : public Connector {
public:
  explicit ToServer(CompilerServer server) : server_(std::move(server)) {}

  /// Fails with no_compiler where what was said of the server makes no sense, compiler_lost where
  /// it cannot be reached, and server_refused where one of the two does not know the other's key.
  Result<std::unique_ptr<Stream>> connect(const Channel::GoOn &go_on) override;
  Failure why_lost() override;
  void give_up() override {} // it has its own limits
  /// Fails with bad_pipeline where there are plugins, which are files of this machine.
  Result<void> prepare(const Pipeline &pipeline) override;
  [[nodiscard]] bool is_server() const override { return true; }
  [[nodiscard]] std::optional<keys::PublicKey> signer() override;
  unsigned era() override { return 0; }

private:
  using Clock = std::chrono::steady_clock;

  /// What was said of it, read.
  struct Read {
    ServerAddress address;
    std::optional<keys::PublicKey> server_key;
    std::optional<keys::SecretKey> key;
  };

  Result<const Read *> read();
  Result<std::unique_ptr<Stream>> reach(const Read &read, const Channel::GoOn &go_on);
  [[nodiscard]] Failure failure(ErrorCode code, std::string why, std::string remedy) const;
  void note(const Result<std::unique_ptr<Stream>> &reached);

  const CompilerServer server_;
  engine::Mutex mutex_; ///< Guards what follows.
  std::optional<Read> read_;
  std::optional<Failure> lost_; ///< Why it could not be reached the last time.
  Clock::time_point retry_at_{};
  std::chrono::milliseconds retry_after_{};
};

/// The server's. There is one for all who mean the same. Never destroyed.
jit::Compiler &compiler_of(const CompilerServer &server);

} // namespace sartor::remote

#endif
