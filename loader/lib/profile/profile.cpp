// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/profile/profile.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <vector>

#include "loader/lib/file/hexadecimal.h"

namespace sartor::loader {

namespace {

constexpr std::string_view title = "sartor-profile 1";
constexpr std::string_view title_of_any = "sartor-profile";
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

/// Returns the words of a line.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view spaces = " \t\r";
  std::vector<std::string_view> words;
  for (auto at = line.find_first_not_of(spaces); at != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(spaces, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(spaces, end);
  }
  return words;
}

std::optional<std::uint64_t> number_of(std::string_view word, int base) {
  if (base == 16 && word.starts_with("0x"))
    word.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc{} || end != word.data() + word.size())
    return std::nullopt;
  return value;
}

std::optional<ProfiledPlace> place_of(std::string_view build_id, std::string_view address) {
  const auto number = number_of(address, 16);
  const bool is_id = !build_id.empty() && std::ranges::all_of(build_id, [](char character) {
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
  });
  if (!number || !is_id)
    return std::nullopt;
  return ProfiledPlace{std::string(build_id), *number};
}

/// Adds a line; returns false if it is wrong.
bool add_line(Profile &profile, std::string_view line) {
  const auto words = words_of(line);
  if (words[0] == "library" && words.size() >= 3) {
    const auto place = place_of(words[1], "0");
    if (place) // a name may contain spaces
      profile.name(
          place->build_id,
          std::string(line.substr(static_cast<std::size_t>(words[2].begin() - line.begin()))));
    return place.has_value();
  }
  if (words[0] == "function" && words.size() == 4) {
    const auto place = place_of(words[1], words[2]);
    const auto count = number_of(words[3], 10);
    if (place && count)
      profile.count(*place, *count);
    return place && count;
  }
  if (words[0] == "call" && words.size() == 6) {
    const auto caller = place_of(words[1], words[2]), callee = place_of(words[3], words[4]);
    const auto count = number_of(words[5], 10);
    if (caller && callee && count)
      profile.count(*caller, *callee, *count);
    return caller && callee && count;
  }
  return false;
}

} // namespace

bool Profile::is_profile(std::string_view text) { return text.starts_with(title_of_any); }

Result<Profile> Profile::parse(std::string_view text, const std::string &source) {
  Profile profile;
  std::size_t number = 0;
  const auto failure = [&](const char *what, const char *remedy) {
    return std::unexpected(
        Failure{ErrorCode::bad_settings, source + ":" + std::to_string(number), what, remedy});
  };
  while (!text.empty()) {
    ++number;
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto words = words_of(line);
    if (number == 1) {
      if (words != words_of(title))
        return failure("is no profile of this version", "write it with `sartor ld profile`");
      continue;
    }
    if (!words.empty() && !words[0].starts_with('#') && !add_line(profile, line))
      return failure("is no line of a profile", "write it with `sartor ld profile`");
  }
  if (number == 0) {
    number = 1;
    return failure("is empty", "write it with `sartor ld profile`");
  }
  return profile;
}

Result<Profile> Profile::read(const std::filesystem::path &path) {
  const auto text = read_text(path, most_bytes);
  if (!text)
    return std::unexpected(text.error());
  return parse(*text, path.string());
}

void add_count(std::uint64_t &to, std::uint64_t count) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  to = count > most - to ? most : to + count;
}

void Profile::count(const ProfiledPlace &function, std::uint64_t count) {
  add_count(functions_[function], count);
}

void Profile::count(const ProfiledPlace &caller, const ProfiledPlace &callee, std::uint64_t count) {
  add_count(calls_[{caller, callee}], count);
}

void Profile::add(const Profile &other) {
  for (const auto &[build_id, name] : other.names_)
    names_.emplace(build_id, name);
  for (const auto &[function, count] : other.functions_)
    this->count(function, count);
  for (const auto &[call, count] : other.calls_)
    this->count(call.first, call.second, count);
}

std::string Profile::text() const {
  std::string text = std::string(title) + '\n';
  const auto place = [](const ProfiledPlace &each) {
    return each.build_id + ' ' + hexadecimal(each.address) + ' ';
  };
  for (const auto &[build_id, name] : names_)
    text.append("library ").append(build_id).append(" ").append(name).append("\n");
  for (const auto &[function, count] : functions_)
    text += "function " + place(function) + std::to_string(count) + '\n';
  for (const auto &[call, count] : calls_)
    text += "call " + place(call.first) + place(call.second) + std::to_string(count) + '\n';
  return text;
}

Result<std::string> read_text(const std::filesystem::path &path, std::uint64_t most) {
  const auto failure = [&](std::string what, const char *remedy) {
    return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(what), remedy});
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return failure(error ? error.message() : "is no file", "name a file that exists");
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error || size > most)
    return failure("is too large", "name a smaller file");
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size)))
    return failure("cannot be read", "see whether it may be read");
  return text;
}

} // namespace sartor::loader
