// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/source_files.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <expected>
#include <numeric>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_handle.h"

namespace sartor::view {

namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kLinesAround = 30;
constexpr std::size_t kMostRead = std::size_t{4} << 20; ///< Lines after these bytes are not read.
constexpr std::size_t kMostLine = 1000;

/// The beginning of a regular file, or the reason why it cannot be read.
std::expected<std::string, std::string> beginning_of(const std::string &path) {
  // Does not wait for the writer of a pipe.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0)
    return std::unexpected(errno == ENOENT ? std::string("is not on this machine")
                                           : "cannot be read: " + std::string(strerror(errno)));
  const base::FileHandle file(descriptor);
  struct stat status;
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::unexpected(std::string("is not a file"));
  std::string text(std::min(kMostRead, static_cast<std::size_t>(status.st_size)), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string shortened(std::string_view line) {
  return line.size() <= kMostLine ? std::string(line)
                                  : std::string(line.substr(0, kMostLine)) + " …";
}

/// True if the path ends with the whole name.
bool is_named(std::string_view path, std::string_view name) {
  return path == name || (path.size() > name.size() && path.ends_with(name) &&
                          path[path.size() - name.size() - 1] == '/');
}

} // namespace

std::size_t SourceFiles::add(const std::string &path) {
  const auto [known, is_new] = known_.try_emplace(path, paths_.size());
  if (is_new) {
    paths_.push_back(path);
    used_.emplace_back();
  }
  return known->second;
}

std::size_t SourceFiles::add_named(const std::string &name) {
  const std::string normal = std::filesystem::path(name).lexically_normal().string();
  const auto found =
      std::ranges::find_if(paths_, [&](const std::string &path) { return is_named(path, normal); });
  return found != paths_.end() ? static_cast<std::size_t>(found - paths_.begin()) : add(normal);
}

void SourceFiles::use(std::size_t file, unsigned line) { used_[file].insert(line); }

Json SourceFiles::json_of(std::size_t file, std::size_t &room) const {
  const std::string &path = paths_[file];
  Json json{{"file", path}};
  const auto text = beginning_of(path);
  if (!text) {
    json["error"] = text.error();
    return json;
  }
  std::error_code no_program, no_source;
  const auto built = std::filesystem::last_write_time(program_, no_program);
  const auto changed = std::filesystem::last_write_time(path, no_source);
  if (!no_program && !no_source && changed > built)
    json["newer"] = true;
  const auto lines = lines_of(*text);
  json["parts"] = Json::array();
  std::size_t next = 1; // the first line that is in no part
  for (const unsigned used : used_[file]) {
    if (used > lines.size() || used + kLinesAround < next)
      continue;
    const std::size_t first =
        std::max<std::size_t>(next, used > kLinesAround ? used - kLinesAround : 1);
    const std::size_t last = std::min<std::size_t>(lines.size(), used + kLinesAround);
    std::string part;
    for (std::size_t number = first; number <= last; ++number)
      part += (number == first ? "" : "\n") + shortened(lines[number - 1]);
    if (first > last)
      continue;
    if (part.size() > room) {
      json["cut"] = true;
      break;
    }
    room -= part.size();
    Json &parts = json["parts"];
    if (first == next && !parts.empty())
      parts.back()["text"] = parts.back()["text"].get<std::string>() + "\n" + part;
    else
      parts.push_back({{"first", first}, {"text", std::move(part)}});
    next = last + 1;
  }
  if (json["parts"].empty() && !json.contains("cut"))
    json["error"] = "has no such lines: it is another version";
  return json;
}

Json SourceFiles::json() const {
  // Files with most code come first, should there be no room for all.
  std::vector<std::size_t> order(paths_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t file) {
    return std::pair(-static_cast<std::ptrdiff_t>(used_[file].size()), file);
  });
  std::vector<Json> files(paths_.size());
  std::size_t room = most_text, read = 0;
  for (const std::size_t file : order)
    files[file] = read++ < most_files
                      ? json_of(file, room)
                      : Json{{"file", paths_[file]},
                             {"error", "left out: the page has the source of " +
                                           std::to_string(most_files) + " files at most"}};
  return files;
}

} // namespace sartor::view
