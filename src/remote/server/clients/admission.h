// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CLIENTS_ADMISSION_H
#define SARTOR_REMOTE_SERVER_CLIENTS_ADMISSION_H

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "remote/server/connections.h"
#include "remote/server/shared.h"

namespace sartor::server {

/// A connection of a known client, counted and charged until this is destroyed.
class Admission {
public:
  Admission(Shared &shared, const std::string &client);
  ~Admission();
  Admission(const Admission &) = delete;
  Admission &operator=(const Admission &) = delete;

  [[nodiscard]] Account &account() const { return account_; }
  /// The reason why the client gets no further connection; empty if it does.
  [[nodiscard]] const std::optional<Failure> &refusal() const { return refusal_; }
  /// True if so many connections of the client are refused that they are not answered.
  [[nodiscard]] bool is_hopeless() const;

private:
  [[nodiscard]] std::optional<Failure> against();

  Shared &shared_;
  Account &account_;
  const Connected connected_;
  Charge charge_;
  std::optional<Failure> refusal_;
};

/// Counts the refusal of a peer, and logs it with the key and the address of the peer. `reason` is
/// a code, such as "unknown_key"; `detail` is text for people.
void note_refusal(Shared &shared, const Peer &peer, const char *reason,
                  std::string_view detail = {});

} // namespace sartor::server

#endif
