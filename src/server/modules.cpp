// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/modules.h"

#include <algorithm>
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

std::shared_ptr<const std::string> Modules::find(std::string_view hash) {
  if (const auto known = of_devices_.find(hash); known != of_devices_.end())
    return known->second;
  const auto known = std::ranges::find(entries_, hash, &Entry::hash);
  if (known == entries_.end())
    return nullptr;
  entries_.splice(entries_.begin(), entries_, known);
  return entries_.front().bytes;
}

std::shared_ptr<const std::string> Modules::insert(const std::string &hash, std::string bytes) {
  if (store::to_text(store::hash_of({bytes})) != hash)
    return nullptr;
  if (auto known = find(hash))
    return known;
  bytes_ += bytes.size();
  entries_.push_front({hash, std::make_shared<const std::string>(std::move(bytes))});
  auto inserted = entries_.front().bytes;
  while (bytes_ > most_bytes_ && entries_.size() > 1) {
    bytes_ -= entries_.back().bytes->size();
    entries_.pop_back();
  }
  return inserted;
}

} // namespace sartor::server
