// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/modules.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/acl.h"
#include "base/file/digits_file.h"
#include "base/file/private_file.h"
#include "base/hash.h"
#include "base/trust.h"

namespace sartor::server {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 18;

std::unexpected<Failure> fail(const fs::path &path, std::string why, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::file_error, path.string(), std::move(why), std::move(remedy)});
}

std::unexpected<Failure> unreadable(const fs::path &path, int error) {
  return fail(path, "cannot be read: " + std::generic_category().message(error),
              "name a directory of what `sartor device` has written");
}

/// The result is empty if it is not a regular file.
Result<std::optional<std::string>> content_of(const fs::path &path, std::size_t most_bytes) {
  // Does not follow a link or wait for the other end of a FIFO.
  const base::FileHandle file(
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.get() < 0 && (errno == ELOOP || errno == ENXIO))
    return std::nullopt;
  struct stat status{};
  if (file.get() < 0 || fstat(file.get(), &status) != 0)
    return unreadable(path, errno);
  if (!S_ISREG(status.st_mode))
    return std::nullopt;
  status.st_mode = base::mode_for_others(file.get(), status, geteuid());
  if (auto objection = base::distrust(path, status, base::kOthersMayWrite))
    return fail(path, std::move(objection->what), std::move(objection->remedy));
  std::string content;
  for (;;) {
    const std::size_t before = content.size();
    if (before > most_bytes)
      return fail(path, "has more than " + std::to_string(most_bytes) + " bytes",
                  "raise --largest-request, or remove it");
    content.resize(before + std::min(kPiece, most_bytes + 1 - before));
    const ssize_t taken = ::read(file.get(), content.data() + before, content.size() - before);
    const int error = errno;
    content.resize(before + static_cast<std::size_t>(std::max<ssize_t>(taken, 0)));
    if (taken == 0)
      return content;
    if (taken < 0 && error != EINTR)
      return unreadable(path, error);
  }
}

} // namespace

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

Result<DeviceModules> DeviceModules::read(const fs::path &directory, std::size_t most_bytes) {
  if (auto checked = base::check_directory(directory); !checked)
    return std::unexpected(std::move(checked.error()));
  DeviceModules modules;
  std::error_code error;
  for (fs::directory_iterator each(directory, error), end; !error && each != end;
       each.increment(error)) {
    if (each->path().extension() != ".module")
      continue;
    auto content = content_of(each->path(), most_bytes);
    if (!content)
      return std::unexpected(std::move(content.error()));
    if (!*content) {
      modules.skipped.push_back(each->path().string() + " is no regular file");
      continue;
    }
    std::string hash = base::to_text(base::hash_of({**content}));
    modules.by_hash.emplace(std::move(hash),
                            std::make_shared<const std::string>(std::move(**content)));
  }
  if (error)
    return unreadable(directory, error.value());
  return modules;
}

} // namespace sartor::server
