// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/clients.h"

namespace sartor::server {

Result<Clients> Clients::read(const std::filesystem::path &directory) {
  const auto files = keys::public_keys_in(directory);
  if (!files)
    return std::unexpected(files.error());
  Clients clients;
  for (const auto &file : *files) {
    const auto key = keys::read_public_key(file);
    if (!key)
      return std::unexpected(key.error());
    clients.names_.emplace(*key, file.stem().string());
  }
  return clients;
}

} // namespace sartor::server
