// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CLIENTS_CLIENTS_H
#define SARTOR_REMOTE_SERVER_CLIENTS_CLIENTS_H

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "base/keys.h"

namespace sartor::server {

/// The rights of the owner of a key.
enum class Role : unsigned char {
  client, ///< Ask for variants.
  device, ///< Ask for variants of modules that the server has; without TLS.
  admin   ///< Ask for variants, and control the server.
};
const char *name_of(Role role);

/// The owner of a key.
struct Identity {
  std::string name;
  Role role = Role::client;

  bool operator==(const Identity &) const = default;
};

/// The directories of public keys; an empty path if no key has that role.
struct KeyDirectories {
  std::filesystem::path clients;
  std::filesystem::path devices;
  std::filesystem::path operators;
};

/// The known public keys: files NAME.pub of one directory for each role. NAME@ANYTHING.pub is
/// another key of NAME's, so that an old and a new key are valid at the same time. A value.
class Clients {
public:
  Clients() = default;
  /// A missing directory has no keys. Fails with file_error: a file that cannot be read or trusted,
  /// a key or a name that has two roles, or an invalid name.
  static Result<Clients> read(const KeyDirectories &directories);

  /// Returns null if the key is unknown.
  [[nodiscard]] const Identity *find(const base::PublicKey &key) const {
    const auto known = by_key_.find(key);
    return known == by_key_.end() ? nullptr : &known->second;
  }
  /// Returns the number of names with that role.
  [[nodiscard]] std::size_t count(Role role) const;

private:
  Result<void> add(const std::filesystem::path &file, Role role);
  Result<void> add_all(const std::filesystem::path &directory, Role role);

  std::map<base::PublicKey, Identity> by_key_;
  std::map<std::string, Role> roles_; ///< Keyed by name.
};

} // namespace sartor::server

#endif
