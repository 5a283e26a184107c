// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CLIENTS_GROUPS_H
#define SARTOR_REMOTE_SERVER_CLIENTS_GROUPS_H

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::server {

/// Clients that share cached answers and modules. A value.
class Groups {
public:
  Groups() = default;
  /// Each text is NAME=CLIENT,CLIENT... Fails with file_error if one is malformed, or a client is
  /// in two groups.
  static Result<Groups> parse(const std::vector<std::string> &texts);

  /// Returns different names for any two clients that are not in one group.
  [[nodiscard]] std::string tenant_of(const std::string &client) const;

private:
  std::map<std::string, std::string> group_of_;
};

} // namespace sartor::server

#endif
