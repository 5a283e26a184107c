// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "core/cache/cache_files.h"
#include "core/difference/difference.h"
#include "core/space/readable_name.h"

namespace sartor::core {

namespace {

namespace fs = std::filesystem;

constexpr const char *kDescription = "difference.json";
constexpr const char *kMemory = "memory";
constexpr const char *kRequest = "request";
constexpr std::uint64_t kLargestDescription = std::uint64_t{16} << 20U;
constexpr std::uint64_t kLargestFile = std::uint64_t{256} << 20U;

Failure failed(const fs::path &where, std::string why, std::string remedy) {
  return {ErrorCode::file_error, where.string(), std::move(why), std::move(remedy)};
}

std::string reason(int error) { return std::generic_category().message(error); }

std::size_t count_in(const fs::path &directory) {
  std::error_code error;
  std::size_t count = 0;
  for (const auto &each : fs::directory_iterator(directory, error))
    count += each.path().filename().string().starts_with(".") ? 0 : 1;
  return count;
}

std::expected<void, int> write_all(const fs::path &into, const Difference &difference,
                                   const DifferenceFiles &files) {
  const auto directory = open_directory(into, /*make=*/false);
  if (!directory)
    return std::unexpected(ENOENT);
  const std::pair<const char *, std::string_view> all[] = {
      {kRequest, difference.request}, {kMemory, files.memory}, {kDescription, files.description}};
  for (const auto &[name, bytes] : all)
    if (auto written = write_file(*directory, name, "." + std::string(name), bytes); !written)
      return written;
  return {};
}

} // namespace

Result<fs::path> write_difference(const fs::path &directory, const Difference &difference,
                                  const DifferenceLimits &limits) {
  const DifferenceFiles files = files_of(difference);
  const std::uint64_t bytes =
      files.description.size() + files.memory.size() + difference.request.size();
  if (bytes > limits.bytes)
    return std::unexpected(failed(directory,
                                  "cannot keep a difference of " + difference.variant + " of " +
                                      std::to_string(bytes) + " bytes",
                                  "the limit is " + std::to_string(limits.bytes) + " bytes"));
  if (const auto opened = open_directory(directory, /*make=*/true); !opened)
    return std::unexpected(opened.error());
  if (count_in(directory) >= limits.count)
    return std::unexpected(failed(directory,
                                  "has " + std::to_string(limits.count) +
                                      " differences already, and the first ones are kept",
                                  "look at them (`sartor replay`), and remove those that are "
                                  "understood"));
  static std::atomic<unsigned> last = 0;
  const std::string name = name_in_file(difference.handler) + "-" +
                           std::to_string(difference.time) + "-" + std::to_string(getpid()) + "-" +
                           std::to_string(++last);
  const fs::path temporary = directory / ("." + name);
  if (mkdir(temporary.c_str(), 0700) != 0)
    return std::unexpected(failed(temporary, "cannot be made: " + reason(errno),
                                  "name a directory that this user can write to"));
  int error = 0;
  if (const auto written = write_all(temporary, difference, files); !written)
    error = written.error();
  else if (rename(temporary.c_str(), (directory / name).c_str()) != 0)
    error = errno;
  if (error == 0)
    return directory / name;
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  return std::unexpected(failed(directory / name, "cannot be written: " + reason(error),
                                "make room, or name another directory"));
}

Result<Difference> read_difference(const fs::path &path) {
  const auto directory = open_directory(path, /*make=*/false);
  if (!directory)
    return std::unexpected(directory.error());
  std::string contents[3];
  const std::pair<const char *, std::uint64_t> all[] = {
      {kDescription, kLargestDescription}, {kMemory, kLargestFile}, {kRequest, kLargestFile}};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    auto read = read_file(*directory, all[i].first, /*mark_used=*/false, all[i].second);
    if (!read)
      return std::unexpected(failed(path / all[i].first, "cannot be read: " + reason(read.error()),
                                    "name a directory that Sartor has written, unchanged"));
    contents[i] = std::move(read->bytes);
  }
  auto difference = from_files(path.string(), contents[0], contents[1]);
  if (difference)
    difference->request = std::move(contents[2]);
  return difference;
}

} // namespace sartor::core
