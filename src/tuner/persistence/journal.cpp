// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/persistence/journal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/value_json.h"
#include "tuner/persistence/trial_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

constexpr int format = 1;
/// First bytes of every journal.
constexpr std::string_view beginning = R"({"sartor_journal":)";

std::unexpected<Failure> journal_error(const std::filesystem::path &path, std::string message) {
  return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(message),
                                 "give a file that can be written in ExplorerOptions::journal"});
}

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): the same on every machine.
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3U;
  return std::to_string(hash);
}

Json header_of(const Journal::Subject &subject) {
  return {{"sartor_journal", format},
          {"space", hash_of(subject.space.json())},
          {"objective", subject.objective},
          {"strategy", subject.strategy}};
}

/// Describes how the subject of the journal differs from the current one: `its objective is "a",
/// not "b"`.
std::string difference(const Json &expected, const Json &found) {
  for (const auto &[key, value] : expected.items()) {
    if (found.contains(key) && found[key] == value)
      continue;
    if (key == "space")
      return "the points that were explored, their settings or constraints were others";
    return "its " + (key == "sartor_journal" ? "format" : key) + " is " +
           (found.contains(key) ? dump(found[key]) : "missing") + ", not " + dump(value);
  }
  return {};
}

} // namespace

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path &path,
                                               const Subject &subject, Run fresh, Log log) {
  constexpr int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK;
  base::FileHandle opened(base::above_standard_streams(::open(path.c_str(), flags, 0666)));
  if (opened.get() < 0)
    return journal_error(path, std::strerror(errno));
  const int file = opened.get();
  std::error_code error; // if the current directory has been removed
  auto absolute = std::filesystem::absolute(path, error);
  std::unique_ptr<Journal> journal(
      new Journal(error ? path : absolute, std::move(opened), std::move(log)));
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return journal_error(path, "is not a regular file");
  if (flock(file, LOCK_EX | LOCK_NB) != 0)
    return journal_error(path, "is being written by another exploration");
  Json header = header_of(subject);
  if (auto read = journal->read(header); !read)
    return std::unexpected(std::move(read.error()));
  if (!journal->open_) {
    journal->run_ = std::move(fresh);
    header["seed"] = journal->run_.seed;
    header["incumbent"] = Json::parse(journal->run_.incumbent.json());
    if (!journal->run_.compared.empty())
      header["compared"] = journal->run_.compared;
    journal->write(header);
  } else {
    journal->leave_others(subject, fresh.compared);
    journal->log_("journal_resumed",
                  dump({{"path", path.string()}, {"trials", journal->kept_.size()}}));
  }
  return journal;
}

Journal::Journal(std::filesystem::path path, base::FileHandle file, Log log)
    : path_(std::move(path)), file_(std::move(file)), log_(std::move(log)) {
  base::add(*this);
}

// Closing the file does not release the lock while a child process has the descriptor, too: one
// that was not made by fork().
Journal::~Journal() {
  base::remove(*this);
  if (file_.is_still_ours())
    flock(file_.get(), LOCK_UN);
}

// The child would keep the file locked for as long as it lives.
void Journal::after_fork_in_child() {
  failed_ = true;
  file_.close();
}

Result<void> Journal::read(const Json &header) {
  std::string text;
  std::array<char, 65'536> buffer;
  ssize_t count = 0;
  while ((count = pread(file_.get(), buffer.data(), buffer.size(),
                        static_cast<off_t>(text.size()))) != 0) {
    if (count < 0 && errno != EINTR)
      return journal_error(path_, std::strerror(errno));
    if (count > 0)
      text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  size_ = static_cast<off_t>(text.size());
  std::size_t offset = 0;
  for (std::size_t number = 1; offset < text.size(); ++number) {
    const std::size_t end = text.find('\n', offset);
    const bool is_torn = end == std::string::npos;
    const auto read = is_torn ? Result<bool>(false)
                              : read_line(text.substr(offset, end - offset), offset, header);
    if (!read)
      return std::unexpected(read.error());
    if (!*read) {
      // A file that is not a journal must not be truncated or written to.
      if (offset == 0 && !text.starts_with(beginning) && !beginning.starts_with(text))
        return wrong("is no journal of explorations");
      if (!is_torn && end + 1 != text.size())
        return wrong("line " + std::to_string(number) + " is damaged");
      log_message("journal_damaged", "the last line was damaged, and was cut off");
      cut_off(offset);
      return {};
    }
    offset = end + 1;
  }
  return {};
}

Result<bool> Journal::read_line(const std::string &line, std::uint64_t offset, const Json &header) {
  try {
    const Json json = or_throw(parse_json(line));
    if (json.contains("sartor_journal")) {
      if (auto other = difference(header, json); !other.empty())
        return wrong(std::move(other));
      run_ = {json.at("seed").get<std::uint64_t>(),
              Configuration::from_json(dump(json.at("incumbent"))),
              json.value("compared", std::string())};
      kept_.clear();
      open_ = true;
      return true;
    }
    if (open_ && json.contains("trial"))
      kept_.push_back({or_throw(trial_from_json(json["trial"])), offset});
    else if (open_ && json.contains("anew"))
      kept_.clear(), run_.compared = json.value("compared", std::string());
    else if (open_ && json.contains("decision"))
      open_ = false, kept_.clear();
    else
      return false;
    return true;
  } catch (const std::exception &) { // The line has not the format of this class.
    return false;
  }
}

std::optional<Trial> Journal::recall(const Configuration &configuration) {
  if (kept_.empty())
    return std::nullopt;
  if (kept_.front().trial.configuration != configuration) {
    log_message("journal_left", "the strategy asks for " + configuration.text() + " instead of " +
                                    kept_.front().trial.configuration.text() + "; the last " +
                                    std::to_string(kept_.size()) + " trials were cut off");
    forget_the_rest();
    return std::nullopt;
  }
  Trial trial = std::move(kept_.front().trial);
  kept_.pop_front();
  return trial;
}

void Journal::save(const Trial &trial) { write({{"trial", trial_to_json(trial)}}); }

void Journal::start_anew() {
  forget_the_rest();
  Json line{{"anew", true}};
  if (!run_.compared.empty())
    line["compared"] = run_.compared;
  write(line);
}

void Journal::leave_others(const Subject &subject, const std::string &compared) {
  const bool is_other = run_.compared != compared;
  if (!is_other && (!subject.is_ours || std::ranges::all_of(kept_, subject.is_ours, &Kept::trial)))
    return;
  log_message("journal_left",
              (is_other ? "its trials compare \"" + run_.compared + "\", not \"" + compared + "\""
                        : std::string("its trials lack what the objective measures")) +
                  "; " + std::to_string(kept_.size()) + " trials are not used");
  kept_.clear(); // they stay in the file
  run_.compared = compared;
  start_anew();
}

void Journal::decide(const Decision &decision) {
  write({{"decision", decision_to_json(decision)}});
}

// Another exploration may have locked the file and written to it meanwhile.
bool Journal::is_open() {
  if (file_.is_still_ours())
    return true;
  const base::FileIdentity before = file_.identity();
  file_.forget();
  base::FileHandle again(base::above_standard_streams(
      ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK)));
  struct stat status{};
  failed_ = again.get() < 0 || again.identity() != before ||
            flock(again.get(), LOCK_EX | LOCK_NB) != 0 || fstat(again.get(), &status) != 0 ||
            status.st_size != size_;
  log_("descriptor_lost",
       dump(to_json({ErrorCode::file_error, path_.string(),
                     std::string("the program has closed the journal's descriptor, ") +
                         (failed_ ? "and the file is another one or locked: nothing more is kept"
                                  : "and the file is opened again"),
                     "close only what the program has opened itself"})));
  if (!failed_)
    file_ = std::move(again);
  return !failed_;
}

void Journal::write(const Json &line) {
  if (failed_ || !is_open())
    return;
  const std::string text = dump(line) + '\n';
  const off_t before = lseek(file_.get(), 0, SEEK_END);
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t count = ::write(file_.get(), left.data(), left.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      failed_ = true;
      log_message("journal_failed", std::string(std::strerror(errno)) + "; nothing more is kept");
      if (before >= 0)
        cut_off(static_cast<std::uint64_t>(before));
      return;
    }
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  size_ = before + static_cast<off_t>(text.size());
}

void Journal::cut_off(std::uint64_t size) {
  if (failed_ ? !file_.is_still_ours() : !is_open())
    return;
  size_ = static_cast<off_t>(size);
  if (ftruncate(file_.get(), size_) != 0)
    failed_ = true; // Anything written after an incomplete line would be lost too.
}

void Journal::forget_the_rest() {
  if (!kept_.empty())
    cut_off(kept_.front().offset);
  kept_.clear();
}

void Journal::log_message(std::string_view event, const std::string &message) const {
  log_(event, dump({{"path", path_.string()}, {"message", message}}));
}

std::unexpected<Failure> Journal::wrong(std::string message) const {
  return std::unexpected(Failure{ErrorCode::wrong_journal, path_.string(), std::move(message),
                                 "move the file away, or give another in "
                                 "ExplorerOptions::journal"});
}

} // namespace sartor
