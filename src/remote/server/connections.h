// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CONNECTIONS_H
#define SARTOR_REMOTE_SERVER_CONNECTIONS_H

#include <cstdint>
#include <ctime>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/keys.h"
#include "remote/server/clients/clients.h"
#include "remote/server/wire.h"

namespace sartor::server {

/// The other side of a connection, as far as it is known.
struct Peer {
  std::string address;                ///< HOST:PORT, or "unix".
  std::optional<base::PublicKey> key; ///< Empty over a Unix socket.
  Identity identity;                  ///< The name is empty until the peer has proved it.
};

/// The server's key with which a connection began; it does not change when keys are read again.
using ServerKey = std::shared_ptr<const base::SecretKey>;

/// An open connection whose peer is known.
struct Connection {
  std::uint64_t id = 0;
  Peer peer;
  ServerKey server_key; ///< Signs the answers.
  Wire *wire = nullptr;
  std::time_t since = 0;
  std::uint64_t requests = 0;
  bool is_busy = false; ///< A request is being answered.
};

/// All open connections. Used on the loop's thread.
class Connections {
public:
  /// Keeps a connection in the list while it exists.
  class Entry {
  public:
    Entry(Connections &all, Peer peer, ServerKey key, Wire &wire);
    ~Entry() { all_.list_.erase(here_); }
    Entry(const Entry &) = delete;
    Entry &operator=(const Entry &) = delete;

    Connection &operator*() const { return *here_; }

  private:
    Connections &all_;
    std::list<Connection>::iterator here_;
  };

  [[nodiscard]] const std::list<Connection> &all() const { return list_; }
  [[nodiscard]] std::size_t busy() const;

  /// Closes the connections of keys that `clients` does not have, or has with another owner, and of
  /// server keys that are not among `keys`. Returns the number of closed connections.
  std::size_t close_unknown(const Clients &clients, std::span<const base::SecretKey> keys);
  /// Closes the connections on which no request is being answered.
  void close_idle();

private:
  std::list<Connection> list_;
  std::uint64_t last_id_ = 0;
};

} // namespace sartor::server

#endif
