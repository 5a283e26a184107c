// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/profile/perf_script.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/lib/file/code_range.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/unwind_info.h"

namespace sartor::loader {

namespace {

constexpr std::string_view spaces = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(spaces);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(spaces) + 1 - begin);
}

/// Takes the next word off a text.
std::string_view take_word(std::string_view &text) {
  text = trimmed(text);
  const auto end = std::min(text.find_first_of(spaces), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// Takes a number off the begin of a text.
std::optional<std::uint64_t> take_number(std::string_view &text, int base) {
  if (base == 16 && text.starts_with("0x"))
    text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{})
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view &text, std::string_view what) {
  if (!text.starts_with(what))
    return false;
  text.remove_prefix(what.size());
  return true;
}

/// True for a time in seconds, such as `66660.891414:`.
bool is_time(std::string_view word) {
  return take_number(word, 10) && take(word, ".") && take_number(word, 10) && word == ":";
}

/// A file that samples are in.
struct SampledFile {
  ElfFile file;
  std::vector<CodeRange> functions;

  static std::optional<SampledFile> open(const std::string &path) {
    if (!path.starts_with('/'))
      return std::nullopt;
    auto file = ElfFile::open(path);
    if (!file || file->build_id().empty())
      return std::nullopt;
    auto unwinding = unwinding_of(*file);
    if (!unwinding)
      return std::nullopt;
    return SampledFile{std::move(*file), std::move(unwinding->functions)};
  }
  /// Returns the function that has an offset in the file, or else the address.
  [[nodiscard]] std::optional<std::uint64_t> function_at(std::uint64_t offset) const {
    for (const Segment &segment : file.segments()) {
      if (!segment.protection.execute || offset < segment.offset ||
          offset - segment.offset >= segment.file_size)
        continue;
      const std::uint64_t address = segment.address + (offset - segment.offset);
      const CodeRange *function = range_at(functions, address);
      return function != nullptr ? function->begin : address;
    }
    return std::nullopt;
  }
};

/// Reads the output line by line.
class Reader {
public:
  void read(std::string_view line);
  PerfSamples finish() {
    end_sample();
    return std::move(result_);
  }

private:
  /// A mapping of a file in a process.
  struct Mapping {
    std::uint64_t end;
    std::uint64_t offset; ///< Offset in the file.
    std::string path;
  };
  using Mappings = std::map<std::uint64_t, Mapping>; ///< By begin.

  void add_mapping(std::string_view event);
  void add_fork(std::string_view event);
  void begin_sample(std::string_view before_time, std::string_view after_time);
  void add_frame(std::string_view frame, bool is_in_chain);
  void end_sample();
  [[nodiscard]] const Mapping *mapping_at(std::uint64_t address, std::uint64_t &offset) const;
  std::optional<ProfiledPlace> place_of(const std::string &path, std::uint64_t offset);
  SampledFile *file_of(const std::string &path);

  PerfSamples result_;
  std::map<std::uint64_t, Mappings> mappings_; ///< By process.
  std::map<std::uint64_t, std::uint64_t> process_of_thread_;
  std::map<std::string, std::optional<SampledFile>> files_;
  bool is_in_sample_ = false;
  std::uint64_t thread_ = 0;
  std::vector<std::optional<ProfiledPlace>> chain_; ///< Functions, from the innermost one.
  std::string first_file_;
};

void Reader::read(std::string_view line) {
  if (trimmed(line).empty()) {
    end_sample();
    return;
  }
  if (is_in_sample_ && spaces.contains(line.front())) {
    std::string_view rest = line;
    std::string_view word = take_word(rest);
    if (take_number(word, 16) && word.empty()) {
      add_frame(line, true);
      return;
    }
  }
  end_sample();
  for (const std::string_view event : {"PERF_RECORD_MMAP2 ", "PERF_RECORD_MMAP "})
    if (const auto at = line.find(event); at != std::string_view::npos) {
      add_mapping(line.substr(at + event.size()));
      return;
    }
  constexpr std::string_view fork = "PERF_RECORD_FORK";
  if (const auto at = line.find(fork); at != std::string_view::npos) {
    add_fork(line.substr(at + fork.size()));
    return;
  }
  std::string_view rest = line;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
    if (is_time(word)) {
      begin_sample(line.substr(0, static_cast<std::size_t>(word.data() - line.data())), rest);
      return;
    }
}

/// Adds `PID/TID: [0xBEGIN(0xSIZE) @ OFFSET ...]: PROTECTION PATH`.
void Reader::add_mapping(std::string_view event) {
  const auto process = take_number(event, 10);
  if (!process || !take(event, "/"))
    return;
  const auto thread = take_number(event, 10);
  if (!thread || !take(event, ": ["))
    return;
  const auto begin = take_number(event, 16);
  if (!begin || !take(event, "("))
    return;
  const auto size = take_number(event, 16);
  if (!size || !take(event, ") @ "))
    return;
  const auto offset = take_number(event, 16);
  const auto rest = event.find("]: ");
  if (!offset || rest == std::string_view::npos)
    return;
  event.remove_prefix(rest + 3);
  take_word(event); // protection
  process_of_thread_[*thread] = *process;
  Mappings &mappings = mappings_[*process];
  // A later mapping replaces earlier ones.
  const std::uint64_t end = *begin + *size;
  auto other = mappings.lower_bound(*begin);
  if (other != mappings.begin() && std::prev(other)->second.end > *begin)
    --other;
  while (other != mappings.end() && other->first < end)
    other = mappings.erase(other);
  mappings[*begin] = {end, *offset, std::string(trimmed(event))};
}

/// Adds `(PID:TID):(PARENT'S PID:TID)`, for a new process or thread.
void Reader::add_fork(std::string_view event) {
  if (!take(event, "("))
    return;
  const auto process = take_number(event, 10);
  if (!process || !take(event, ":"))
    return;
  const auto thread = take_number(event, 10);
  if (!thread || !take(event, "):("))
    return;
  const auto parent = take_number(event, 10);
  if (!parent)
    return;
  process_of_thread_[*thread] = *process;
  if (*parent != *process)
    mappings_[*process] = mappings_[*parent];
}

/// Begins a sample: `COMMAND PID or TID [CPU] TIME: PERIOD EVENT: ADDRESS ...`, without the address
/// if a chain follows.
void Reader::begin_sample(std::string_view before_time, std::string_view after_time) {
  std::string_view id;
  for (std::string_view rest = before_time; !trimmed(rest).empty();)
    if (const std::string_view word = take_word(rest); !word.starts_with('['))
      id = word;
  const auto thread = take_number(id, 10);
  if (!thread)
    return;
  if (take(id, "/")) // PID/TID
    if (const auto after = take_number(id, 10))
      process_of_thread_[*after] = *thread;
  thread_ = *thread;
  std::string_view rest = after_time;
  std::string_view event = take_word(rest);
  if (std::string_view number = event; take_number(number, 10) && number.empty())
    event = take_word(rest);
  if (!event.ends_with(':'))
    return;
  is_in_sample_ = true;
  if (!trimmed(rest).empty()) {
    add_frame(rest, false);
    end_sample();
  }
}

/// Adds `ADDRESS SYMBOL (FILE)`. In a chain, the address is an offset in the file.
void Reader::add_frame(std::string_view frame, bool is_in_chain) {
  const std::string_view whole = trimmed(frame);
  std::string_view rest = whole;
  const auto address = take_number(rest, 16);
  const auto begin = whole.rfind(" (");
  if (!address || begin == std::string_view::npos || !whole.ends_with(')'))
    return;
  std::string path(whole.substr(begin + 2, whole.size() - begin - 3));
  std::uint64_t offset = *address;
  // Callers are known by the addresses that calls return to.
  const std::uint64_t back = chain_.empty() ? 0 : 1;
  const SampledFile *file = file_of(path);
  const bool is_offset = is_in_chain && file != nullptr && offset < file->file.bytes().size();
  if (!is_offset) {
    offset = ~std::uint64_t{0};
    if (const Mapping *mapping = mapping_at(*address, offset))
      path = mapping->path;
  }
  if (chain_.empty())
    first_file_ = path;
  chain_.push_back(offset >= back ? place_of(path, offset - back) : std::nullopt);
}

const Reader::Mapping *Reader::mapping_at(std::uint64_t address, std::uint64_t &offset) const {
  const auto process = process_of_thread_.find(thread_);
  const auto found =
      mappings_.find(process != process_of_thread_.end() ? process->second : thread_);
  if (found == mappings_.end())
    return nullptr;
  const auto next = found->second.upper_bound(address);
  if (next == found->second.begin() || address >= std::prev(next)->second.end)
    return nullptr;
  const auto &[begin, mapping] = *std::prev(next);
  offset = address - begin + mapping.offset;
  return &mapping;
}

void Reader::end_sample() {
  if (is_in_sample_ && !chain_.empty()) {
    ++result_.samples;
    if (chain_.front())
      result_.profile.count(*chain_.front(), 1);
    else
      ++result_.left_out[first_file_];
    for (std::size_t i = 0; i + 1 < chain_.size(); ++i)
      if (chain_[i] && chain_[i + 1])
        result_.profile.count(*chain_[i + 1], *chain_[i], 1);
  }
  is_in_sample_ = false;
  chain_.clear();
}

SampledFile *Reader::file_of(const std::string &path) {
  const auto [entry, is_new] = files_.try_emplace(path);
  if (is_new) {
    entry->second = SampledFile::open(path);
    if (entry->second)
      result_.profile.name(entry->second->file.build_id(), path);
  }
  return entry->second ? &*entry->second : nullptr;
}

std::optional<ProfiledPlace> Reader::place_of(const std::string &path, std::uint64_t offset) {
  const SampledFile *file = file_of(path);
  const auto address = file != nullptr ? file->function_at(offset) : std::nullopt;
  if (!address)
    return std::nullopt;
  return ProfiledPlace{file->file.build_id(), *address};
}

} // namespace

PerfSamples samples_of(std::istream &text, std::string_view first_line) {
  Reader reader;
  reader.read(first_line);
  for (std::string line; std::getline(text, line);)
    reader.read(line);
  return reader.finish();
}

} // namespace sartor::loader
