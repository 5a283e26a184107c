// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/quarantine/quarantine_command.h"

#include <ctime>
#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

#include "base/build_stamp.h"
#include "base/environment.h"
#include "base/text/printable.h"
#include "core/image/processor.h"
#include "core/quarantine/compile_failures.h"
#include "core/quarantine/quarantine.h"
#include "tools/cli/layout.h"
#include "tools/cli/redis_options.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

using core::QuarantineEntry;
using Json = nlohmann::ordered_json;

constexpr std::size_t kShortKey = 12;

std::string time_text(std::int64_t time) {
  const std::time_t seconds = time;
  std::tm parts;
  char text[32];
  return localtime_r(&seconds, &parts)
             ? std::string(text, std::strftime(text, sizeof text, "%F %T", &parts))
             : std::to_string(time);
}

/// False for entries of another build of Sartor, or of another processor. The build of LLVM, which
/// counts as well, is not compared here.
bool applies(const QuarantineEntry &entry) {
  return !entry.damage.empty() ||
         (entry.processor == core::this_processor() && entry.build.starts_with(base::kBuildStamp));
}

Json json_of(const QuarantineEntry &entry) {
  if (!entry.damage.empty())
    return {{"key", entry.key}, {"applies", true}, {"damage", base::printable(entry.damage)}};
  Json json = to_json(entry);
  json["applies"] = applies(entry);
  return json;
}

void list(const std::vector<QuarantineEntry> &entries, bool json) {
  if (json) {
    Json all = Json::array();
    for (const QuarantineEntry &entry : entries)
      all.push_back(json_of(entry));
    std::cout << dump(Json{{"entries", std::move(all)}}) << '\n';
    return;
  }
  std::vector<std::vector<std::string>> rows{{"KEY", "LAST SEEN", "BUILD", "VARIANT", "WHY"}};
  for (const QuarantineEntry &entry : entries)
    rows.push_back({entry.key.substr(0, kShortKey),
                    entry.damage.empty() ? time_text(entry.last) : "-",
                    applies(entry) ? "this" : "another", base::printable(entry.variant),
                    base::printable(text_of(entry))});
  std::cout << (entries.empty() ? "Nothing is quarantined.\n" : table(rows));
}

void show(const QuarantineEntry &entry, bool json) {
  if (json) {
    std::cout << dump(json_of(entry)) << '\n';
    return;
  }
  std::vector<std::vector<std::string>> rows{{"key", entry.key}, {"why", text_of(entry)}};
  if (entry.damage.empty())
    rows.insert(rows.end(), {{"variant", entry.variant},
                             {"handler", entry.handler},
                             {"configuration", entry.configuration},
                             {"first seen", time_text(entry.first)},
                             {"last seen", time_text(entry.last)},
                             {"build", entry.build + (applies(entry) ? "" : " (another)")},
                             {"processor", entry.processor},
                             {"reproducer", entry.reproducer.empty() ? "-" : entry.reproducer}});
  for (std::vector<std::string> &row : rows)
    row[1] = base::printable(row[1]);
  std::cout << table(rows);
}

/// Finds the one entry whose key begins with `key`.
Result<QuarantineEntry> entry_with(const std::vector<QuarantineEntry> &entries,
                                   const std::string &key) {
  std::vector<QuarantineEntry> found;
  for (const QuarantineEntry &entry : entries)
    if (entry.key.starts_with(key))
      found.push_back(entry);
  if (found.size() == 1)
    return found.front();
  return std::unexpected(Failure{ErrorCode::bad_argument, key,
                                 found.empty() ? "is the beginning of no key in the quarantine"
                                               : "is the beginning of several keys",
                                 "list the keys with `sartor quarantine list`"});
}

std::filesystem::path users_state_directory() {
  return core::state_directory(base::read_environment().state_directory.value_or(""));
}

/// Removes all entries of this machine, and those of failed compiles. Returns their number.
Result<std::size_t> clear_machine() {
  auto removed = users_quarantine().clear();
  const auto failures = core::Quarantine(users_state_directory(), core::kCompileFailures).clear();
  if (removed && !failures)
    return failures;
  if (removed)
    *removed += *failures;
  return removed;
}

/// Removes these entries of a Redis server. Returns their number.
Result<std::size_t> clear(RedisQuarantine &shared, const std::vector<QuarantineEntry> &entries) {
  std::size_t count = 0;
  for (const QuarantineEntry &entry : entries) {
    const auto removed = shared.remove(entry.key);
    if (!removed)
      return std::unexpected(removed.error());
    count += *removed ? 1 : 0;
  }
  return count;
}

} // namespace

core::Quarantine &users_quarantine() {
  static core::Quarantine quarantine(users_state_directory());
  return quarantine;
}

Result<std::vector<QuarantineEntry>> quarantined_for_user() {
  if (auto taken = users_quarantine().take_crashes(); !taken)
    return taken;
  return users_quarantine().list();
}

QuarantineCommand::QuarantineCommand(CLI::App &app)
    : command_(app.add_subcommand("quarantine", "List or allow again variants that differed from "
                                                "the native code, or crashed, on this machine or "
                                                "on others that share a Redis server.")) {
  command_->require_subcommand(1);
  add_example(*command_, "sartor quarantine list");
  CLI::App *const listing =
      command_->add_subcommand("list", "List the quarantined requests, most recently seen first.");
  add_example(*listing, "sartor quarantine list --json");
  show_ = command_->add_subcommand("show", "Show all that is known about a request.");
  add_example(*show_, "sartor quarantine show 5f2a91c3");
  remove_ = command_->add_subcommand(
      "remove", "Allow a request again in programs that are started from now on.");
  add_example(*remove_, "sartor quarantine remove 5f2a91c3");
  clear_ = command_->add_subcommand(
      "clear", "Allow all requests again, also those that exceeded a limit of compiles.");
  add_example(*clear_, "sartor quarantine clear");
  const char *const about_key = "The beginning of a key, as `sartor quarantine list` shows it";
  for (CLI::App *command : {show_, remove_})
    command->add_option("KEY", key_, about_key)->required();
  clear_->add_option("KEY", key_, std::string(about_key) + " (default: all)");
  for (CLI::App *command : {listing, show_, remove_, clear_}) {
    command->add_flag("--json", json_, "Write JSON");
    command->add_option("--redis", redis_.address,
                        "Address of the Redis server of Options::shared_cache, whose entries are "
                        "meant instead of this machine's");
    command
        ->add_option("--key-file", redis_.key_file,
                     "File with the key that signs its entries (default: $SARTOR_SHARED_CACHE_KEY)")
        ->envname("SARTOR_SHARED_CACHE_KEY");
    add_redis_credentials(*command, redis_);
    command->callback([this] {
      if (!redis_.address.empty() && redis_.key_file.empty())
        throw CLI::RequiredError("--key-file");
    });
  }
}

Result<std::unique_ptr<RedisQuarantine>> QuarantineCommand::redis() const {
  return redis_.address.empty() ? nullptr : RedisQuarantine::open(redis_);
}

Result<void> QuarantineCommand::run() const {
  const auto shared = redis();
  if (!shared)
    return std::unexpected(shared.error());
  const bool clears_all = clear_->parsed() && key_.empty();
  if (clears_all && !*shared) // which works where entries cannot be read, too
    return say_removed(clear_machine());
  const auto entries = *shared ? (*shared)->list() : quarantined_for_user();
  if (!entries)
    return std::unexpected(entries.error());
  if (*shared && !(*shared)->refused().empty())
    std::cerr << "entries are left out, of which one " << (*shared)->refused() << '\n';
  if (clears_all)
    return say_removed(clear(**shared, *entries));
  return remove_->parsed() || clear_->parsed() ? remove_one(*entries, shared->get())
                                               : list_or_show(*entries);
}

Result<void> QuarantineCommand::list_or_show(const Entries &entries) const {
  if (!show_->parsed()) {
    list(entries, json_);
    return {};
  }
  const auto entry = entry_with(entries, key_);
  if (!entry)
    return std::unexpected(entry.error());
  show(*entry, json_);
  return {};
}

Result<void> QuarantineCommand::remove_one(const Entries &entries, RedisQuarantine *shared) const {
  const auto entry = entry_with(entries, key_);
  if (!entry)
    return std::unexpected(entry.error());
  const auto removed = shared ? shared->remove(entry->key) : users_quarantine().remove(entry->key);
  if (!removed)
    return std::unexpected(removed.error());
  if (json_)
    std::cout << dump(Json{{"removed", 1}}) << '\n';
  else
    std::cout << entry->key.substr(0, kShortKey) << " is allowed again\n";
  return {};
}

Result<void> QuarantineCommand::say_removed(const Result<std::size_t> &removed) const {
  if (!removed)
    return std::unexpected(removed.error());
  if (json_)
    std::cout << dump(Json{{"removed", *removed}}) << '\n';
  else
    std::cout << *removed << (*removed == 1 ? " request is" : " requests are")
              << " allowed again\n";
  return {};
}

} // namespace sartor::cli
