// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/modules.h"

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace sartor::server {

Result<std::size_t> Modules::read(const std::filesystem::path &directory) {
  const auto fail = [](const std::filesystem::path &path, std::string why) {
    return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(why),
                                   "name a directory of what `sartor device` has written"});
  };
  decltype(of_devices_) found;
  std::error_code error;
  for (const auto &file : std::filesystem::directory_iterator(directory, error)) {
    if (file.path().extension() != ".module")
      continue;
    std::ifstream stream(file.path(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(stream), {});
    if (!stream)
      return fail(file.path(), "cannot be read");
    std::string hash = store::to_text(store::hash_of({bytes}));
    found.emplace(std::move(hash), std::make_shared<const std::string>(std::move(bytes)));
  }
  if (error)
    return fail(directory, error.message());
  of_devices_ = std::move(found);
  return of_devices_.size();
}

std::shared_ptr<const std::string> Modules::find(const Account &account, std::string_view hash) {
  if (const auto known = of_devices_.find(hash); known != of_devices_.end())
    return known->second;
  return given_.find(store::hash_of({account.tenant(), hash}));
}

Result<std::shared_ptr<const std::string>> Modules::insert(Account &account, std::string_view hash,
                                                           std::string bytes, Charge charge) {
  if (auto known = find(account, hash))
    return known;
  if (auto admitted = charge.add(account, kEntryBytes); !admitted)
    return std::unexpected(std::move(admitted.error()));
  const std::size_t size = bytes.size() + kEntryBytes;
  auto inserted = charged(std::move(charge), std::move(bytes));
  given_.insert(store::hash_of({account.tenant(), hash}), account, inserted, size);
  return inserted;
}

} // namespace sartor::server
