// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <system_error>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/cache/cache_files.h"
#include "core/cache/shared_cache.h"
#include "core/cache/stored_image.h"
#include "core/space/readable_name.h"
#include "tools/cli/layout.h"
#include "tools/cli/redis_options.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShortKey = 12;

struct Entry {
  core::CacheFile file;
  core::StoredInfo info;
  std::string problem; ///< The reason why its code would not be used; empty if it would.

  [[nodiscard]] std::string key() const { return file.name.substr(0, file.name.find('.')); }
};

Failure failure(std::string subject, std::string message, std::string remedy) {
  return {ErrorCode::file_error, std::move(subject), std::move(message), std::move(remedy)};
}

Entry look_at(const core::FileHandle &directory, const core::CacheFile &file) {
  Entry entry{file, {}, {}};
  const auto found =
      core::read_file(directory, file.name, /*mark_used=*/false, core::kMostStoredBytes);
  if (!found) {
    entry.problem = "cannot be read: " + std::generic_category().message(found.error());
    return entry;
  }
  entry.problem = core::why_not_trusted(found->status);
  const auto stored = core::unpack_stored(found->bytes);
  if (!stored) {
    entry.problem = stored.error().message;
    return entry;
  }
  if (core::file_name(stored->key) != file.name)
    entry.problem = "holds the code of another key";
  if (auto info = core::read_info(stored->info))
    entry.info = std::move(*info);
  return entry;
}

/// Returns the entries, the most recently used first.
std::vector<Entry> entries_of(const core::FileHandle &directory) {
  std::vector<core::CacheFile> files = core::list_files(directory);
  std::ranges::sort(files, std::ranges::greater(), &core::CacheFile::used);
  std::vector<Entry> entries;
  for (const core::CacheFile &file : files)
    if (!file.temporary)
      entries.push_back(look_at(directory, file));
  return entries;
}

std::string time_text(std::int64_t nanoseconds) {
  const std::time_t seconds = nanoseconds / 1'000'000'000;
  std::tm parts;
  char text[32];
  localtime_r(&seconds, &parts);
  return {text, std::strftime(text, sizeof text, "%F %T", &parts)};
}

void list(const std::vector<Entry> &entries, bool json) {
  if (json) {
    Json all = Json::array();
    for (const Entry &entry : entries)
      all.push_back({{"key", entry.key()},
                     {"variant", entry.info.variant},
                     {"handler", entry.info.handler},
                     {"source", entry.info.source},
                     {"tier", entry.info.tier},
                     {"cpu", entry.info.cpu},
                     {"llvm", entry.info.llvm},
                     {"sartor", entry.info.sartor},
                     {"made", entry.info.made},
                     {"used", entry.file.used / 1'000'000'000},
                     {"bytes", entry.file.bytes},
                     {"problem", entry.problem}});
    std::cout << Json{{"entries", std::move(all)}}.dump(2) << '\n';
    return;
  }
  std::vector<std::vector<std::string>> rows{{"KEY", "BYTES", "USED", "CPU", "LLVM", "VARIANT"}};
  for (const Entry &entry : entries)
    rows.push_back({entry.key().substr(0, kShortKey), std::to_string(entry.file.bytes),
                    time_text(entry.file.used), entry.info.cpu, entry.info.llvm,
                    entry.problem.empty() ? entry.info.variant : "(" + entry.problem + ")"});
  std::cout << (entries.empty() ? "nothing is stored\n" : table(rows));
}

/// The machines that can use an entry, or why it has none.
std::string use_of(const Entry &entry) {
  if (!entry.problem.empty())
    return "unusable";
  if (entry.info.tier == core::kDecisionTier)
    return "decisions";
  return entry.info.cpu + ", LLVM " + entry.info.llvm;
}

void summarise(const std::vector<Entry> &entries, bool json) {
  std::uint64_t bytes = 0;
  std::map<std::string, std::size_t> machines;
  for (const Entry &entry : entries) {
    bytes += entry.file.bytes;
    ++machines[use_of(entry)];
  }
  if (json) {
    Json summary{{"files", entries.size()}, {"bytes", bytes}, {"machines", machines}};
    if (!entries.empty()) {
      summary["oldest_use"] = entries.back().file.used / 1'000'000'000;
      summary["newest_use"] = entries.front().file.used / 1'000'000'000;
    }
    std::cout << summary.dump(2) << '\n';
    return;
  }
  std::vector<std::vector<std::string>> rows{{"files", std::to_string(entries.size())},
                                             {"bytes", std::to_string(bytes)}};
  if (!entries.empty()) {
    rows.push_back({"oldest use", time_text(entries.back().file.used)});
    rows.push_back({"newest use", time_text(entries.front().file.used)});
  }
  for (const auto &[machine, count] : machines)
    rows.push_back({machine, std::to_string(count)});
  std::cout << table(rows);
}

Result<void> remove_file(const core::FileHandle &directory, const std::string &path,
                         const Entry &entry) {
  if (unlinkat(directory.get(), entry.file.name.c_str(), 0) != 0 && errno != ENOENT)
    return std::unexpected(failure(path + "/" + entry.file.name,
                                   "cannot be removed: " + std::generic_category().message(errno),
                                   "run this as the directory's owner"));
  return {};
}

/// The files to remove.
struct Choice {
  std::string directory;
  std::string key; ///< The beginning of a key.
  std::string handler;
  bool all;

  [[nodiscard]] bool has(const Entry &entry) const {
    if (!handler.empty())
      return entry.info.handler == handler || core::readable_name(entry.info.handler) == handler;
    return all || entry.key().starts_with(key);
  }
};

Result<bool> remove(const core::FileHandle &directory, const std::vector<Entry> &entries,
                    const Choice &choice) {
  std::size_t removed = 0;
  for (const Entry &entry : entries) {
    if (!choice.has(entry))
      continue;
    if (auto gone = remove_file(directory, choice.directory, entry); !gone)
      return std::unexpected(gone.error());
    ++removed;
  }
  if (removed == 0 && !choice.all)
    return std::unexpected(failure(choice.directory,
                                   choice.handler.empty()
                                       ? "holds no code whose key begins with " + choice.key
                                       : "holds no code of the handler " + choice.handler,
                                   "see sartor cache ls"));
  std::cout << removed << (removed == 1 ? " file removed\n" : " files removed\n");
  return true;
}

Result<bool> verify(const core::FileHandle &directory, const std::string &path,
                    const std::vector<Entry> &entries, bool remove_damaged) {
  std::size_t damaged = 0;
  for (const Entry &entry : entries) {
    if (entry.problem.empty())
      continue;
    ++damaged;
    std::cout << path << "/" << entry.file.name << ": " << entry.problem
              << (remove_damaged ? "; removed\n" : "\n");
    if (remove_damaged)
      if (auto gone = remove_file(directory, path, entry); !gone)
        return std::unexpected(gone.error());
  }
  std::cout << entries.size() << " files, " << damaged << " damaged\n";
  return damaged == 0;
}

Result<bool> summarise_shared(const core::SharedCacheOptions &options, bool json) {
  const auto use = core::shared_cache_use(options);
  if (!use)
    return std::unexpected(use.error());
  if (json)
    std::cout << Json{{"entries", use->entries}, {"bytes", use->bytes}}.dump() << '\n';
  else
    std::cout << use->entries << " entries, " << use->bytes << " bytes\n";
  return true;
}

} // namespace

CacheCommand::CacheCommand(CLI::App &app)
    : command_(app.add_subcommand("cache", "Inspect and clean caches of compiled code.")),
      list_(command_->add_subcommand("ls", "List stored code, most recently used first.")),
      remove_(command_->add_subcommand("rm", "Remove stored code.")),
      stats_(command_->add_subcommand("stats", "Show how much is stored, and for which machines.")),
      verify_(command_->add_subcommand("verify",
                                       "Check every file; exit with status 1 if any is damaged.")),
      shared_(command_->add_subcommand("shared", "Show how much a shared cache holds.")) {
  command_->require_subcommand(1);
  for (CLI::App *command : {command_, list_, remove_, stats_, verify_})
    command->add_option("--directory", directory_,
                        "The cache's directory (default: $SARTOR_CACHE_DIR)");
  command_->callback([this] {
    if (const char *named = std::getenv("SARTOR_CACHE_DIR"); named && directory_.empty())
      directory_ = named;
    if (directory_.empty() && !shared_->parsed())
      throw CLI::RequiredError("--directory");
  });
  shared_
      ->add_option("ADDRESS", shared_options_.address,
                   "Address of the Redis server (default: $SARTOR_SHARED_CACHE)")
      ->envname("SARTOR_SHARED_CACHE")
      ->required();
  add_redis_credentials(*shared_, shared_options_);
  for (CLI::App *command : {list_, stats_, shared_})
    command->add_flag("--json", json_, "Write JSON");
  auto *selection = remove_->add_option_group("selection");
  selection->add_option("KEY", key_, "The beginning of a key, as `sartor cache ls` shows it")
      ->check(CLI::Validator(
          [](const std::string &text) {
            return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos
                       ? std::string()
                       : "not the beginning of a key: " + text;
          },
          "HEX"));
  selection->add_option("--handler", handler_, "All code of this handler");
  selection->add_flag("--all", all_, "Everything");
  selection->require_option(1);
  verify_->add_flag("--delete", delete_, "Remove damaged files");
  add_example(*command_, "sartor cache ls --directory ~/.cache/program");
  add_example(*list_, "sartor cache ls --directory ~/.cache/program");
  add_example(*remove_, "sartor cache rm --handler blend --directory ~/.cache/program");
  add_example(*stats_, "sartor cache stats --directory ~/.cache/program");
  add_example(*verify_, "sartor cache verify --delete --directory ~/.cache/program");
  add_example(*shared_, "sartor cache shared redis://cache.example:6379");
}

Result<bool> CacheCommand::run() const {
  if (shared_->parsed())
    return summarise_shared(shared_options_, json_);
  const auto directory = core::open_directory(directory_, /*make=*/false);
  if (!directory)
    return std::unexpected(directory.error());
  const std::vector<Entry> entries = entries_of(*directory);
  if (list_->parsed())
    list(entries, json_);
  if (stats_->parsed())
    summarise(entries, json_);
  if (remove_->parsed())
    return remove(*directory, entries, {directory_, key_, handler_, all_});
  if (verify_->parsed())
    return verify(*directory, directory_, entries, delete_);
  return true;
}

} // namespace sartor::cli
