// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages between an operator and a server: AdminRequest in a frame `admin`, answered by one
// of the other messages in a frame `administered`.
#ifndef SARTOR_REMOTE_PROTOCOL_ADMIN_MESSAGE_H
#define SARTOR_REMOTE_PROTOCOL_ADMIN_MESSAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sartor::remote {

/// To be incremented when the format or meaning of anything here changes.
constexpr std::uint32_t kAdminProtocol = 1;

struct AdminRequest {
  enum class Action : std::uint8_t {
    status,  ///< → ServerStatus.
    clients, ///< → ClientTable.
    purge,   ///< → Purged. Removes the answers that `client` or `answer` names, and the client's
             ///< reports of quarantined ones; all if both are empty.
    drain,   ///< → Draining.
    kLast = drain
  };
  std::uint32_t protocol = kAdminProtocol;
  Action action = Action::status;
  std::string client;
  std::string answer; ///< A hash (text), as in the log and the cache.
};

struct ServerStatus {
  std::string version;
  std::string build;
  std::uint64_t uptime = 0; ///< In seconds.
  bool is_draining = false;
  std::vector<std::string> addresses;
  std::vector<std::string> keys; ///< Fingerprints; the first is preferred.
  std::uint64_t clients = 0;     ///< The number of clients known by a key.
  std::uint64_t devices = 0;
  std::uint64_t operators = 0;
  std::uint64_t connections = 0;
  std::uint64_t workers = 0;
  std::uint64_t working = 0; ///< The number of busy compilers.
  std::uint64_t waiting = 0; ///< The number of requests that wait for a compiler.
  std::uint64_t cached_bytes = 0;
  std::uint64_t resident_bytes = 0;
};

struct ClientRow {
  std::string name;
  std::string role;
  std::uint64_t connections = 0;
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;
  std::uint64_t held_bytes = 0;
  double compile_seconds = 0;
  std::vector<std::string> peers; ///< The addresses of open connections.
};
using ClientTable = std::vector<ClientRow>;

struct Purged {
  std::uint64_t memory = 0; ///< The number of answers removed from memory.
  std::uint64_t disk = 0;
  std::uint64_t shared = 0; ///< From Redis.
};

struct Draining {
  std::uint64_t requests = 0; ///< The number of requests that are still being answered.
};

/// Converts messages to the bytes of a frame and back. The result is empty if the bytes are
/// malformed.
template <class T> std::string admin_bytes(const T &message);
template <class T> std::optional<T> admin_from_bytes(std::string_view bytes);

} // namespace sartor::remote

#endif
