// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/quarantine/redis_quarantine.h"

#include <string_view>
#include <utility>

#include "core/quarantine/shared_quarantine.h"

namespace sartor::cli {

namespace {

// Of a command of Redis; a person waits for it.
constexpr std::chrono::seconds kTimeout{10};

} // namespace

Result<std::unique_ptr<RedisQuarantine>> RedisQuarantine::open(core::SharedCacheOptions options) {
  std::unique_ptr<RedisQuarantine> made(new RedisQuarantine);
  options.timeout = kTimeout;
  made->cache_ = core::SharedCache::open(
      std::move(options), [made = made.get()](std::string_view event, const Failure &failure) {
        if (event == "shared_cache_refused")
          made->refused_ = failure.message;
        else if (event != "shared_cache_back")
          made->failure_ = failure;
      });
  if (!made->cache_)
    return std::unexpected(*std::move(made->failure_));
  return made;
}

Result<void> RedisQuarantine::problem() {
  if (auto failure = std::exchange(failure_, std::nullopt)) {
    failure->remedy = "see that it runs, and that the user may list and remove entries";
    return std::unexpected(std::move(*failure));
  }
  return {};
}

Result<std::vector<core::QuarantineEntry>> RedisQuarantine::list() {
  auto entries = core::list_shared(*cache_);
  if (auto reached = problem(); !reached)
    return std::unexpected(std::move(reached.error()));
  return std::move(entries).value_or(std::vector<core::QuarantineEntry>());
}

Result<bool> RedisQuarantine::remove(const std::string &key) {
  const bool was_there = core::remove_shared(*cache_, key);
  if (auto reached = problem(); !reached)
    return std::unexpected(std::move(reached.error()));
  return was_there;
}

} // namespace sartor::cli
