// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/settings/settings_file.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/toml.h"
#include "base/trust.h"
#include "loader/lib/settings/pass_name.h"

namespace sartor::loader {

namespace {

constexpr std::size_t largest_file = 1 << 20;

std::string joined(std::span<const std::string> key) {
  std::string text = key.front();
  for (const std::string &part : key.subspan(1))
    text += "." + part;
  return text;
}

/// Stores the items of a file in the settings. Throws a Failure.
class SettingsReader {
public:
  explicit SettingsReader(const std::string &source) : source_(source) {}

  SettingsFile read(const std::vector<base::TomlItem> &items) {
    SettingsFile file;
    for (const base::TomlItem &item : items) {
      const std::span<const std::string> key = item.key;
      if (key.front() != "application") {
        read(file.general, item, key);
      } else if (key.size() == 1) {
        expect(item, base::TomlItem::Kind::table);
      } else {
        check_application(key[1], item.line);
        read(file.applications[key[1]], item, key.subspan(2));
      }
    }
    return file;
  }

private:
  [[noreturn]] void fail(std::size_t line, std::string message, std::string remedy) const {
    throw Failure{ErrorCode::bad_settings, source_ + ":" + std::to_string(line), std::move(message),
                  std::move(remedy)};
  }

  void expect(const base::TomlItem &item, base::TomlItem::Kind kind) const {
    if (item.kind == kind)
      return;
    const std::string &name = item.key.back();
    switch (kind) {
    case base::TomlItem::Kind::value:
      fail(item.line, "\"" + name + "\" is a single value", "write: " + name + " = value");
    case base::TomlItem::Kind::array:
      fail(item.line, "\"" + name + "\" is an array of strings", "write: " + name + " = [\"...\"]");
    case base::TomlItem::Kind::table:
      fail(item.line, "\"" + name + "\" is a table", "write keys = values below its name in [ ]");
    }
  }

  void check_application(const std::string &name, std::size_t line) const {
    if (name.empty() || (name.contains('/') && !name.starts_with('/')))
      fail(line, "\"" + name + "\" is no application",
           "give an absolute path in quotes, or the name of the program's file");
  }

  /// `key` is the rest of the item's key within the table.
  void read(SettingsTable &table, const base::TomlItem &item,
            std::span<const std::string> key) const {
    if (key.empty())
      expect(item, base::TomlItem::Kind::table);
    else if (key.front() == "pass")
      read_option(table, item, key.subspan(1));
    else if (key.size() == 1 && key.front() == "passes")
      table.passes = passes(item);
    else if (key.size() == 1 && key.front() == "enforce")
      table.enforce = passes(item);
    else if (key.size() == 1 && key.front() == "strict")
      table.strict = boolean(item);
    else if (key.size() == 1 && key.front() == "observable")
      table.observable = boolean(item);
    else if (key.size() == 1 && key.front() == "directories")
      table.directories = directories(item);
    else
      fail(item.line, "there is no key \"" + joined(key) + "\"",
           "the keys are passes, enforce, strict, observable, directories, [pass.NAME] and "
           "[application.NAME]");
  }

  void read_option(SettingsTable &table, const base::TomlItem &item,
                   std::span<const std::string> key) const {
    if (key.size() < 2)
      expect(item, base::TomlItem::Kind::table);
    if (key.empty())
      return;
    check_pass(key.front(), item.line);
    if (key.size() < 2)
      return;
    if (key.size() > 2)
      fail(item.line, "options of passes have no parts", "put the key in quotes if it has a dot");
    expect(item, base::TomlItem::Kind::value);
    table.options[key.front()][key.back()] = item.values.front().text;
  }

  void check_pass(const std::string &name, std::size_t line) const {
    if (!is_pass_name(name))
      fail(line, "\"" + name + "\" is no name of a pass", pass_name_remedy);
  }

  [[nodiscard]] std::vector<std::string> passes(const base::TomlItem &item) const {
    std::vector<std::string> names;
    for (const base::TomlValue &value : strings(item)) {
      check_pass(value.text, value.line);
      if (std::ranges::find(names, value.text) != names.end())
        fail(value.line, "\"" + value.text + "\" is there twice", "leave one of both out");
      names.push_back(value.text);
    }
    return names;
  }

  [[nodiscard]] bool boolean(const base::TomlItem &item) const {
    expect(item, base::TomlItem::Kind::value);
    if (item.values.front().kind != base::TomlValue::Kind::boolean)
      fail(item.line, "\"" + item.key.back() + "\" is true or false", "write one of these");
    return item.values.front().text == "true";
  }

  [[nodiscard]] std::vector<std::filesystem::path> directories(const base::TomlItem &item) const {
    std::vector<std::filesystem::path> paths;
    for (const base::TomlValue &value : strings(item)) {
      if (!value.text.starts_with('/'))
        fail(value.line, "\"" + value.text + "\" is not absolute", "begin it with /");
      paths.emplace_back(value.text);
    }
    return paths;
  }

  [[nodiscard]] const std::vector<base::TomlValue> &strings(const base::TomlItem &item) const {
    expect(item, base::TomlItem::Kind::array);
    for (const base::TomlValue &value : item.values)
      if (value.kind != base::TomlValue::Kind::string)
        fail(value.line, value.text + " is no string", "put it in quotes");
    return item.values;
  }

  const std::string &source_;
};

} // namespace

Result<SettingsFile> parse_settings(std::string_view text, const std::string &source) {
  const auto items = base::read_toml(text, source);
  if (!items)
    return std::unexpected(items.error());
  try {
    return SettingsReader(source).read(*items);
  } catch (Failure &failure) {
    return std::unexpected(std::move(failure));
  }
}

Result<std::optional<SettingsFile>> read_settings_file(const std::filesystem::path &path) {
  const auto failure = [&](std::string what, std::string remedy) {
    return std::unexpected(
        Failure{ErrorCode::file_error, path.string(), std::move(what), std::move(remedy)});
  };
  constexpr const char *readable = "see whether it is a file and may be read";
  // Opening must not block on a pipe without a writer.
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
    return std::nullopt;
  if (file < 0)
    return failure(std::generic_category().message(errno), readable);
  const auto closed = [file](const auto &result) {
    close(file);
    return result;
  };
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return closed(failure("is no file", readable));
  if (auto objection = base::distrust(path, status, S_IWOTH))
    return closed(failure(std::move(objection->what), std::move(objection->remedy)));
  std::string text(largest_file + 1, '\0');
  std::size_t size = 0;
  for (ssize_t part = 1; part > 0 && size < text.size(); size += static_cast<std::size_t>(part)) {
    part = read(file, &text[size], text.size() - size);
    if (part < 0)
      return closed(failure("cannot be read", readable));
  }
  close(file);
  if (size > largest_file)
    return failure("is larger than 1 MiB", readable);
  text.resize(size);
  return parse_settings(text, path.string());
}

} // namespace sartor::loader
