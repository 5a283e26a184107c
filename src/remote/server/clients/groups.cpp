// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/clients/groups.h"

#include <ranges>
#include <string_view>
#include <utility>

namespace sartor::server {

Result<Groups> Groups::parse(const std::vector<std::string> &texts) {
  Groups groups;
  const auto fail = [](const std::string &text, std::string why) {
    return std::unexpected(
        Failure{ErrorCode::file_error, text, std::move(why), "write --group NAME=CLIENT,CLIENT"});
  };
  for (const std::string &text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return fail(text, "is not a group");
    const std::string name = text.substr(0, equals);
    for (const auto part : std::views::split(std::string_view(text).substr(equals + 1), ',')) {
      const std::string client{std::string_view(part)};
      if (client.empty())
        return fail(text, "has a client without a name");
      if (const auto [known, is_new] = groups.group_of_.emplace(client, name);
          !is_new && known->second != name)
        return fail(text, "has the client " + client + ", which is in the group " + known->second);
    }
  }
  return groups;
}

std::string Groups::tenant_of(const std::string &client) const {
  const auto known = group_of_.find(client);
  return known == group_of_.end() ? "client " + client : "group " + known->second;
}

} // namespace sartor::server
