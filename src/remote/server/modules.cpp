// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/modules.h"

#include <utility>

namespace sartor::server {

std::shared_ptr<const std::string> Modules::find(const Account &account, std::string_view hash) {
  if (const auto known = of_devices_.find(hash); known != of_devices_.end())
    return known->second;
  return given_.find(base::hash_of({account.tenant(), hash}));
}

Result<std::shared_ptr<const std::string>> Modules::insert(Account &account, std::string_view hash,
                                                           std::string bytes, Charge charge) {
  if (auto known = find(account, hash))
    return known;
  if (auto admitted = charge.add(account, kEntryBytes); !admitted)
    return std::unexpected(std::move(admitted.error()));
  const std::size_t size = bytes.size() + kEntryBytes;
  auto inserted = charged(std::move(charge), std::move(bytes));
  given_.insert(base::hash_of({account.tenant(), hash}), account, inserted, size);
  return inserted;
}

} // namespace sartor::server
