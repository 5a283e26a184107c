// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/clients/clients.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace sartor::server {

namespace {

std::unexpected<Failure> fail(const std::filesystem::path &file, std::string why,
                              std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::file_error, file.string(), std::move(why), std::move(remedy)});
}

// Users of a Unix socket are named "uid 1000": the name of a key has no space.
bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char each) {
    return each > ' ' && each < '\x7f' && each != '"' && each != '\\';
  });
}

} // namespace

const char *name_of(Role role) {
  switch (role) {
  case Role::client:
    return "client";
  case Role::device:
    return "device";
  case Role::admin:
    return "operator";
  }
  return "";
}

Result<Clients> Clients::read(const KeyDirectories &directories) {
  Clients clients;
  for (const auto &[directory, role] : {std::pair(&directories.clients, Role::client),
                                        std::pair(&directories.devices, Role::device),
                                        std::pair(&directories.operators, Role::admin)})
    if (auto added = clients.add_all(*directory, role); !added)
      return std::unexpected(std::move(added.error()));
  return clients;
}

Result<void> Clients::add_all(const std::filesystem::path &directory, Role role) {
  std::error_code error;
  if (directory.empty() || std::filesystem::symlink_status(directory, error).type() ==
                               std::filesystem::file_type::not_found)
    return {};
  const auto files = base::key_files_in(directory);
  if (!files)
    return std::unexpected(files.error());
  for (const auto &file : *files)
    if (auto added = add(file, role); !added)
      return added;
  return {};
}

Result<void> Clients::add(const std::filesystem::path &file, Role role) {
  const auto key = base::read_public_key(file);
  if (!key)
    return std::unexpected(key.error());
  const std::string stem = file.stem().string();
  const std::string name = stem.substr(0, stem.find('@'));
  if (!is_name(name))
    return fail(file, "has a name that cannot be a client's",
                "name it NAME.pub or NAME@ANYTHING.pub, without spaces or control characters");
  const auto in_two_roles = [&](const char *what, Role other) {
    return fail(file, std::string("has a ") + what + " that is a " + name_of(other) + "'s already",
                "give each role a key and a name of its own");
  };
  if (const auto [known, is_new] = roles_.emplace(name, role); !is_new && known->second != role)
    return in_two_roles("name", known->second);
  const auto [known, is_new] = by_key_.emplace(*key, Identity{name, role});
  if (is_new || (known->second.name == name && known->second.role == role))
    return {};
  if (known->second.role != role)
    return in_two_roles("key", known->second.role);
  return fail(file, "has the same key as " + known->second.name, "make a key for each: sartor key");
}

std::size_t Clients::count(Role role) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(roles_, [role](const auto &each) { return each.second == role; }));
}

} // namespace sartor::server
