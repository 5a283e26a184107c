// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_CLIENTS_H
#define SARTOR_SERVER_CLIENTS_H

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "keys/keys.h"

namespace sartor::server {

/// Who may ask over TCP: whose public keys are files of a directory, NAME.pub. A value.
class Clients {
public:
  Clients() = default;
  /// Fails with file_error.
  static Result<Clients> read(const std::filesystem::path &directory);

  [[nodiscard]] std::optional<std::string> name_of(const keys::PublicKey &key) const {
    const auto known = names_.find(key);
    return known == names_.end() ? std::nullopt : std::optional(known->second);
  }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

private:
  std::map<keys::PublicKey, std::string> names_;
};

} // namespace sartor::server

#endif
