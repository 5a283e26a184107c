// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/persistence/best_known_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_handle.h"
#include "base/text/value_json.h"
#include "tuner/limits.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

std::unexpected<Failure> file_error(const std::filesystem::path &path, std::string message) {
  return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(message),
                                 "name a writable file in ExplorerOptions::best_known"});
}

Json to_json(const Shape &shape) {
  Json points = Json::object();
  for (const auto &[label, point] : shape.points()) {
    Json shares = Json::array();
    for (const auto &[inputs, share] : point.shares) {
      Json values = Json::array();
      for (const Value &value : inputs)
        values.push_back(value_to_json(value));
      shares.push_back({std::move(values), share});
    }
    points[label] = {{"count", point.count}, {"shares", std::move(shares)}};
  }
  return points;
}

/// Nothing if the text has not the format of to_json().
std::optional<Shape> shape_of(const Json &points) {
  Shape shape;
  if (!points.is_object())
    return std::nullopt;
  for (const auto &[label, json] : points.items()) {
    if (!json.is_object() || !json.contains("count") || !json["count"].is_number() ||
        !json.contains("shares") || !json["shares"].is_array())
      return std::nullopt;
    Shape::Point &point = shape.points()[label];
    point.count = json["count"].get<double>();
    for (const Json &pair : json["shares"]) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_array() || !pair[1].is_number())
        return std::nullopt;
      std::vector<Value> inputs;
      for (const Json &one : pair[0]) {
        auto value = value_from_json(one);
        if (!value)
          return std::nullopt;
        inputs.push_back(std::move(*value));
      }
      point.shares[std::move(inputs)] = pair[1].get<double>();
    }
  }
  return shape;
}

Json to_json(const BestKnown &best, const std::string &objective) {
  return {{"best_known", Json::parse(best.configuration.json())},
          {"objective", objective},
          {"workload", best.signature.name},
          {"points", to_json(best.signature.shape)}};
}

std::optional<BestKnown> best_known_of(std::string_view line, const std::string &objective) {
  const auto json = parse_json(line);
  if (!json || !json->is_object() || !json->contains("best_known") || !json->contains("workload") ||
      !(*json)["workload"].is_string() || !json->contains("points") ||
      json->value("objective", Json()) != Json(objective))
    return std::nullopt;
  auto shape = shape_of((*json)["points"]);
  if (!shape)
    return std::nullopt;
  try {
    return BestKnown{{(*json)["workload"].get<std::string>(), std::move(*shape)},
                     Configuration::from_json(dump((*json)["best_known"]))};
  } catch (const Error &) {
    return std::nullopt;
  }
}

/// True if a later line has the same configuration for the same workload.
bool is_outdated(const BestKnown &best, const BestKnown &later) {
  return best.configuration == later.configuration && best.signature.name == later.signature.name &&
         (!best.signature.is_known() || distance(best.signature, later.signature));
}

/// The file, locked against other writers.
class Locked {
public:
  explicit Locked(const std::filesystem::path &path) {
    // Compaction replaces the file by another, so the path is checked again after locking.
    for (bool is_the_one = false; !is_the_one; is_the_one = is(path)) {
      if (file_ >= 0)
        close(file_);
      file_ = base::above_standard_streams(
          open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666));
      if (file_ < 0)
        return;
      is_locked_ = lock();
      if (!is_locked_)
        return;
    }
  }
  ~Locked() {
    if (file_ < 0)
      return;
    flock(file_, LOCK_UN); // a child process that was forked meanwhile has the descriptor, too
    close(file_);
  }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

  /// False if another process has kept it locked for some seconds.
  [[nodiscard]] bool is_locked() const { return is_locked_; }
  [[nodiscard]] bool is_regular() const {
    struct stat status{};
    return file_ >= 0 && fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  }
  [[nodiscard]] std::uintmax_t size() const {
    struct stat status{};
    return fstat(file_, &status) == 0 ? static_cast<std::uintmax_t>(status.st_size) : 0;
  }
  /// True if the file ends with an incomplete line.
  [[nodiscard]] bool is_torn() const {
    char last = '\n';
    return size() > 0 && pread(file_, &last, 1, static_cast<off_t>(size() - 1)) == 1 &&
           last != '\n';
  }
  /// Appends a text as a whole: if it cannot be written completely, the written part is removed.
  [[nodiscard]] bool append(const std::string &text) const {
    const auto before = static_cast<off_t>(size());
    const ssize_t written = write(file_, text.data(), text.size());
    if (written == static_cast<ssize_t>(text.size()))
      return true;
    const int why = written < 0 ? errno : ENOSPC;
    if (written > 0 && ftruncate(file_, before) != 0)
      return errno = why, false; // add() begins the next line anew
    return errno = why, false;
  }

private:
  /// Does not wait forever: the explorer could not be stopped meanwhile. File systems that have no
  /// locks are used without.
  [[nodiscard]] bool lock() const {
    for (const auto end = std::chrono::steady_clock::now() + kPatience;
         flock(file_, LOCK_EX | LOCK_NB) != 0;) {
      if (errno == EINTR)
        continue;
      if (errno != EWOULDBLOCK)
        return true;
      if (std::chrono::steady_clock::now() >= end)
        return false;
      std::this_thread::sleep_for(kNap);
    }
    return true;
  }
  [[nodiscard]] bool is(const std::filesystem::path &path) const {
    struct stat ours{}, there{};
    return fstat(file_, &ours) == 0 && stat(path.c_str(), &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  }

  static constexpr std::chrono::seconds kPatience{5};
  static constexpr std::chrono::milliseconds kNap{1};

  int file_ = -1;
  bool is_locked_ = false;
};

} // namespace

Result<BestKnownFile::Contents> BestKnownFile::read() const {
  Contents contents;
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (!std::filesystem::exists(status))
    return contents;
  if (!std::filesystem::is_regular_file(status))
    return file_error(path_, "is not a regular file");
  std::ifstream file(path_, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    auto best = best_known_of(line, objective_);
    if (!best) {
      ++contents.left_out;
      continue;
    }
    std::erase_if(contents.best_known,
                  [&](const BestKnown &earlier) { return is_outdated(earlier, *best); });
    contents.best_known.insert(contents.best_known.begin(), std::move(*best));
  }
  if (!file.is_open() || file.bad())
    return file_error(path_, std::strerror(errno));
  return contents;
}

Result<void> BestKnownFile::add(const BestKnown &best) const {
  const Locked file(path_);
  if (!file.is_regular())
    return file_error(path_, errno != 0 ? std::strerror(errno) : "is not a regular file");
  if (!file.is_locked())
    return file_error(path_, "is locked by another process");
  const std::string line = dump(to_json(best, objective_)) + '\n';
  if (!file.append(file.is_torn() ? '\n' + line : line))
    return file_error(path_, std::strerror(errno));
  if (file.size() < limits::best_known_file_is_long)
    return {};
  std::ifstream in(path_, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string each; std::getline(in, each);)
    lines.push_back(std::move(each));
  // Keeps the latest line of each configuration, objective and workload, as far as there is room.
  std::map<std::string, std::vector<BestKnown>> known; // by objective
  std::set<std::string> others;                        // lines of other programs or versions
  std::size_t size = 0;
  const auto is_kept = [&](const std::string &each) {
    const auto json = parse_json(each);
    if (!json || !json->is_object() || size + each.size() > limits::best_known_file_is_long / 2)
      return false;
    const Json objective = json->value("objective", Json());
    if (auto parsed = objective.is_string() ? best_known_of(each, objective.get<std::string>())
                                            : std::optional<BestKnown>()) {
      auto &later = known[objective.get<std::string>()];
      if (std::ranges::any_of(later,
                              [&](const BestKnown &one) { return is_outdated(*parsed, one); }))
        return false;
      later.push_back(std::move(*parsed));
    } else if (!others.insert(each).second) {
      return false;
    }
    size += each.size() + 1;
    return true;
  };
  const auto dropped = std::remove_if(lines.rbegin(), lines.rend(),
                                      [&](const auto &each) { return !is_kept(each); });
  lines.erase(lines.begin(), dropped.base());
  std::error_code error;
  // A link stays one, and the file keeps its permissions.
  const std::filesystem::path target = std::filesystem::canonical(path_, error);
  if (error)
    return file_error(path_, error.message());
  const std::filesystem::path shorter = target.string() + ".new";
  std::ofstream out(shorter, std::ios::binary | std::ios::trunc);
  const auto status = std::filesystem::status(target, error);
  if (!error)
    std::filesystem::permissions(shorter, status.permissions(), error);
  for (const std::string &each : lines)
    out << each << '\n';
  if (!out.flush())
    return file_error(shorter, std::strerror(errno));
  if (!error)
    std::filesystem::rename(shorter, target, error);
  return error ? Result<void>(file_error(path_, error.message())) : Result<void>();
}

} // namespace sartor
