// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operator and a server say to each other: AdminRequest in a frame `admin`, answered by one
// of the other messages in a frame `administered`.
#ifndef SARTOR_REMOTE_PROTOCOL_ADMIN_MESSAGE_H
#define SARTOR_REMOTE_PROTOCOL_ADMIN_MESSAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sartor::remote {

/// To be raised when anything here looks different or means something else.
constexpr std::uint32_t kAdminProtocol = 1;

struct AdminRequest {
  enum class Action : std::uint8_t {
    status,  ///< → ServerStatus.
    clients, ///< → ClientTable.
    purge,   ///< → Purged. Of what `client` or `answer` names; all where both are empty.
    drain,   ///< → Draining.
    kLast = drain
  };
  std::uint32_t protocol = kAdminProtocol;
  Action action = Action::status;
  std::string client;
  std::string answer; ///< A hash (text), as the log and the cache have it.
};

struct ServerStatus {
  std::string version;
  std::string build;
  std::uint64_t uptime = 0; ///< Seconds.
  bool is_draining = false;
  std::vector<std::string> addresses;
  std::vector<std::string> keys; ///< Fingerprints; the first is preferred.
  std::uint64_t clients = 0;     ///< Known by a key.
  std::uint64_t devices = 0;
  std::uint64_t operators = 0;
  std::uint64_t connections = 0;
  std::uint64_t workers = 0;
  std::uint64_t working = 0; ///< Compilers at work.
  std::uint64_t waiting = 0; ///< Requests that wait for one.
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
  std::vector<std::string> peers; ///< Addresses of open connections.
};
using ClientTable = std::vector<ClientRow>;

struct Purged {
  std::uint64_t memory = 0; ///< Answers removed from there.
  std::uint64_t disk = 0;
  std::uint64_t shared = 0; ///< From Redis.
};

struct Draining {
  std::uint64_t requests = 0; ///< That are still being answered.
};

/// To the bytes of a frame and back. Empty where bytes are malformed.
template <class T> std::string admin_bytes(const T &message);
template <class T> std::optional<T> admin_from_bytes(std::string_view bytes);

} // namespace sartor::remote

#endif
