// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/shared_cache.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>

#include <unistd.h>

#include "base/text/json.h"
#include "core/cache/secret_file.h"

namespace sartor::core {

namespace {

// Keys in the server: the entries; the time of the last use and the size of each; total bytes. The
// braces keep them together in a cluster that distributes keys.
constexpr std::string_view kEntry = "{sartor}:code:";
constexpr std::string_view kUsed = "{sartor}:used";
constexpr std::string_view kSizes = "{sartor}:sizes";
constexpr std::string_view kBytes = "{sartor}:bytes";

// KEYS: entry, used, sizes, bytes. ARGV: key. Bookkeeping of an entry that the server itself has
// dropped is removed.
constexpr std::string_view kFindScript = R"(
local code = redis.call('GET', KEYS[1])
if code then
  local now = redis.call('TIME')
  redis.call('ZADD', KEYS[2], now[1] * 1000000 + now[2], ARGV[1])
  return code
end
local size = redis.call('HGET', KEYS[3], ARGV[1])
if size then
  redis.call('HDEL', KEYS[3], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('DECRBY', KEYS[4], size)
end
return false
)";

// The same KEYS. ARGV: key, entry, limit, prefix of entries' names.
constexpr std::string_view kInsertScript = R"(
local now = redis.call('TIME')
local before = redis.call('HGET', KEYS[3], ARGV[1]) or 0
redis.call('SET', KEYS[1], ARGV[2])
redis.call('HSET', KEYS[3], ARGV[1], #ARGV[2])
redis.call('ZADD', KEYS[2], now[1] * 1000000 + now[2], ARGV[1])
local bytes = redis.call('INCRBY', KEYS[4], #ARGV[2] - before)
while bytes > tonumber(ARGV[3]) do
  local oldest = redis.call('ZPOPMIN', KEYS[2])[1]
  if not oldest then
    redis.call('SET', KEYS[4], 0)
    break
  end
  local size = redis.call('HGET', KEYS[3], oldest) or 0
  redis.call('DEL', ARGV[4] .. oldest)
  redis.call('HDEL', KEYS[3], oldest)
  bytes = redis.call('DECRBY', KEYS[4], size)
end
return 'OK'
)";

// The same KEYS. ARGV: key.
constexpr std::string_view kEraseScript = R"(
local size = redis.call('HGET', KEYS[3], ARGV[1])
if not size then
  return false
end
redis.call('DEL', KEYS[1])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('DECRBY', KEYS[4], size)
return 'OK'
)";

// KEYS: sizes. ARGV: cursor, prefix of entries' names, text, largest size of an entry. Returns the
// next cursor and the names of entries with the text among some; each after a space.
constexpr std::string_view kSearchScript = R"(
local step = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 100)
local found = step[1]
for i = 1, #step[2], 2 do
  if tonumber(step[2][i + 1]) <= tonumber(ARGV[4]) then
    local entry = redis.call('GET', ARGV[2] .. step[2][i])
    if entry and string.find(entry, ARGV[3], 1, true) then
      found = found .. ' ' .. step[2][i]
    end
  end
end
return found
)";

// KEYS: used, sizes, bytes. ARGV: prefix of entries' names.
constexpr std::string_view kEraseAllScript = R"(
local erased = 0
while true do
  local oldest = redis.call('ZPOPMIN', KEYS[1])[1]
  if not oldest then
    break
  end
  erased = erased + redis.call('DEL', ARGV[1] .. oldest)
end
redis.call('DEL', KEYS[2])
redis.call('DEL', KEYS[3])
return tostring(erased)
)";

// Larger entries are not searched.
constexpr std::string_view kMostSearchedBytes = "131072";
// A search of a server that sends cursors without end is given up.
constexpr std::size_t kMostSearches = 100'000;
/// The largest number of names that a search keeps.
constexpr std::size_t kMostFound = 100'000;

constexpr std::size_t kMostAnswerBytes = kMostStoredBytes + SigningKey::kTagBytes;

Result<RedisServer> server_of(const SharedCacheOptions &options) {
  auto address = parse_redis_address(options.address);
  if (!address)
    return std::unexpected(std::move(address.error()));
  if (!address->user.empty() && options.password_file.empty())
    return std::unexpected(Failure{
        ErrorCode::file_error, address->text(), "names a user, and no password file is given",
        "name a file with the password: --shared-cache-password-file, "
        "Options::shared_cache_password_file or SARTOR_SHARED_CACHE_PASSWORD_FILE"});
  if (!options.password_file.empty())
    if (const auto password = read_password(options.password_file); !password)
      return std::unexpected(password.error());
  return RedisServer{.address = std::move(*address),
                     .password_file = options.password_file,
                     .ca_file = options.ca_file};
}

} // namespace

std::unique_ptr<SharedCache> SharedCache::open(SharedCacheOptions options, Report report) {
  auto server = server_of(options);
  if (!server) {
    report("shared_cache_unusable", server.error());
    return nullptr;
  }
  if (options.key_file.empty()) {
    report("shared_cache_unusable",
           {ErrorCode::file_error, server->address.text(),
            "no key is given to authenticate the code of other replicas with",
            "name a file with 32 random bytes in Options::shared_cache_key"});
    return nullptr;
  }
  auto key = SigningKey::read(options.key_file);
  if (!key) {
    report("shared_cache_unusable", key.error());
    return nullptr;
  }
  return std::unique_ptr<SharedCache>(
      new SharedCache(std::move(options), std::move(*server), std::move(*key), std::move(report)));
}

// A hung server costs one timeout, and then nothing until the next try.
std::optional<std::string> SharedCache::ask(std::span<const std::string_view> words) {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(process_, getpid()) != getpid())
    link_.reset(); // belongs to the parent process, which continues to use it
  if (link_ && !link_->is_still_ours()) {
    report_("descriptor_lost", {ErrorCode::store_unreachable, server_.address.text(),
                                "the program has closed the descriptor, and the connection is lost",
                                "close only what the program has opened itself"});
    link_.reset();
  }
  if (lost_ && Clock::now() < retry_at_)
    return std::nullopt;
  Failure why{};
  // The server may have closed an idle link without notice.
  for (int tries = link_ ? 2 : 1; tries > 0; --tries) {
    if (!link_) {
      auto link = connect_redis(server_, {options_.timeout, kMostAnswerBytes});
      if (!link) {
        why = std::move(link.error());
        continue;
      }
      link_ = std::move(*link);
    }
    const auto begin = Clock::now();
    auto answer = link_->command(words);
    if (answer) {
      if (std::exchange(lost_, false))
        report_("shared_cache_back",
                {ErrorCode::store_unreachable, server_.address.text(), "can be reached again", ""});
      return std::move(*answer);
    }
    link_.reset();
    why = std::move(answer.error());
    if (Clock::now() - begin >= options_.timeout)
      break;
  }
  retry_after_ = lost_ ? std::min(retry_after_ * 2, options_.last_retry) : options_.first_retry;
  retry_at_ = Clock::now() + retry_after_;
  if (!std::exchange(lost_, true))
    report_("shared_cache_lost", why);
  return std::nullopt;
}

std::optional<std::string> SharedCache::find(const base::ContentKey &key) {
  const std::string name = base::to_text(key);
  const std::string entry = std::string(kEntry) + name;
  const std::array<std::string_view, 2> get{"GET", entry};
  const std::array<std::string_view, 8> use{"EVAL", kFindScript, "4",    entry,
                                            kUsed,  kSizes,      kBytes, name};
  const auto bytes = options_.read_only ? ask(get) : ask(use);
  const auto stored = bytes ? authenticate(name, *bytes) : std::nullopt;
  return stored ? std::optional<std::string>(stored->image) : std::nullopt;
}

std::optional<StoredImage> SharedCache::authenticate(const std::string &name,
                                                     std::string_view bytes) {
  const auto refuse = [&](std::string why) {
    if (is_new_reason(why))
      report_("shared_cache_refused", {ErrorCode::store_unreachable, name, std::move(why),
                                       "the code is compiled here; see who writes to the store"});
    return std::nullopt;
  };
  if (bytes.size() < SigningKey::kTagBytes ||
      !key_.verify(bytes.substr(0, SigningKey::kTagBytes), bytes.substr(SigningKey::kTagBytes)))
    return refuse("is not signed with our key");
  const auto stored = unpack_stored(bytes.substr(SigningKey::kTagBytes));
  if (!stored)
    return refuse(stored.error().message);
  if (base::to_text(stored->key) != name)
    return refuse("holds the code of another key");
  return *stored;
}

std::optional<std::vector<std::string>> SharedCache::search(std::string_view text) {
  std::vector<std::string> names;
  std::string cursor = "0";
  for (std::size_t i = 0; i < kMostSearches; ++i) {
    const std::array<std::string_view, 8> words{"EVAL", kSearchScript, "1",  kSizes,
                                                cursor, kEntry,        text, kMostSearchedBytes};
    const auto answer = ask(words);
    if (!answer)
      return std::nullopt;
    std::istringstream found(*answer);
    found >> cursor;
    for (std::string name; names.size() < kMostFound && found >> name;)
      if (name.size() == 2 * sizeof(base::ContentKey)) // as of base::to_text()
        names.push_back(std::move(name));
    if (cursor == "0" || names.size() == kMostFound)
      break;
  }
  return names;
}

std::optional<std::vector<std::string>> SharedCache::images_of(std::string_view tier) {
  const std::string object = dump({{"tier", tier}});
  const auto names = search(std::string_view(object).substr(1, object.size() - 2));
  if (!names)
    return std::nullopt;
  std::vector<std::string> images;
  for (const std::string &name : std::set<std::string>(names->begin(), names->end())) {
    const std::string entry = std::string(kEntry) + name;
    const std::array<std::string_view, 2> get{"GET", entry};
    const auto bytes = ask(get);
    const auto stored = bytes ? authenticate(name, *bytes) : std::nullopt;
    const auto info =
        stored ? read_info(stored->info) : Result<StoredInfo>(std::unexpected(Failure()));
    if (info && info->tier == tier)
      images.emplace_back(stored->image);
  }
  return images;
}

bool SharedCache::is_new_reason(const std::string &why) {
  const std::scoped_lock lock(mutex_);
  return reported_refused_.insert(why).second;
}

void SharedCache::insert(const base::ContentKey &key, const StoredInfo &info,
                         std::string_view image) {
  if (options_.read_only)
    return;
  const std::string packed = pack_stored(key, info, image);
  const std::string bytes = key_.tag(packed) + packed;
  if (bytes.size() > std::min<std::uint64_t>(options_.limit, kMostAnswerBytes))
    return;
  const std::string name = base::to_text(key);
  const std::string entry = std::string(kEntry) + name;
  const std::string limit = std::to_string(options_.limit);
  const std::array<std::string_view, 11> words{"EVAL", kInsertScript, "4",   entry, kUsed, kSizes,
                                               kBytes, name,          bytes, limit, kEntry};
  ask(words);
}

bool SharedCache::erase(const base::ContentKey &key) {
  if (options_.read_only)
    return false;
  const std::string name = base::to_text(key);
  const std::string entry = std::string(kEntry) + name;
  const std::array<std::string_view, 8> words{"EVAL", kEraseScript, "4",    entry,
                                              kUsed,  kSizes,       kBytes, name};
  return ask(words).has_value();
}

std::uint64_t SharedCache::erase_all() {
  if (options_.read_only)
    return 0;
  const std::array<std::string_view, 7> words{"EVAL", kEraseAllScript, "3",   kUsed,
                                              kSizes, kBytes,          kEntry};
  return std::strtoull(ask(words).value_or("0").c_str(), nullptr, 10);
}

Result<SharedCacheUse> shared_cache_use(const SharedCacheOptions &options) {
  const auto server = server_of(options);
  if (!server)
    return std::unexpected(server.error());
  auto link = connect_redis(*server, {options.timeout, kMostAnswerBytes});
  if (!link)
    return std::unexpected(std::move(link.error()));
  const std::array<std::string_view, 2> count{"ZCARD", kUsed};
  const std::array<std::string_view, 2> sum{"GET", kBytes};
  SharedCacheUse use;
  for (const auto &[words, into] : {std::pair(std::span(count), &use.entries), {sum, &use.bytes}}) {
    auto answer = (*link)->command(words);
    if (!answer)
      return std::unexpected(std::move(answer.error()));
    *into = std::strtoull(answer->value_or("0").c_str(), nullptr, 10);
  }
  return use;
}

} // namespace sartor::core
