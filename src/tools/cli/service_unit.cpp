// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/service_unit.h"

#include <array>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

/// systemd's directories of units; earlier ones hide files of the same name in later ones.
constexpr std::array directories = {"etc/systemd/system", "run/systemd/system",
                                    "usr/local/lib/systemd/system", "usr/lib/systemd/system",
                                    "lib/systemd/system"};

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

bool is_comment(const std::string &line) { return line.starts_with('#') || line.starts_with(';'); }

/// Reads a line with its continuations, each of which follows a backslash, without comments.
bool read_line(std::istream &file, std::string &line) {
  line.clear();
  bool goes_on = false;
  for (std::string part; std::getline(file, part);) {
    part = trimmed(part);
    if (is_comment(part))
      continue;
    line += (goes_on ? " " : "") + part;
    goes_on = part.ends_with('\\');
    if (!goes_on)
      return true;
    line.pop_back();
  }
  return goes_on;
}

void read(const fs::path &path, ServiceUnit &unit) {
  std::ifstream file(path);
  std::string section;
  for (std::string line; read_line(file, line);) {
    if (line.starts_with('['))
      section = line;
    const std::size_t sign = line.find('=');
    if (section != "[Service]" || sign == std::string::npos)
      continue;
    const std::string key = trimmed(std::string_view(line).substr(0, sign));
    const std::string value = trimmed(std::string_view(line).substr(sign + 1));
    if (key == "ProtectSystem")
      unit.is_var_readonly = value == "strict";
    else if (key == "ExecStart" && value.empty())
      unit.commands.clear();
    else if (key == "ExecStart")
      unit.commands.push_back(value);
    else if (key == "User")
      unit.is_of_root = value.empty() || value == "root" || value == "0";
    else if (key == "DynamicUser" && (value == "yes" || value == "true" || value == "1"))
      unit.is_of_root = false;
  }
}

/// Returns the names that a unit's files may have: `name@.service` for an instance of it.
std::vector<std::string> names_of(const std::string &name) {
  std::vector<std::string> names{name};
  if (const std::size_t at = name.find('@'); at != std::string::npos)
    names.push_back(name.substr(0, at + 1) + ".service");
  return names;
}

} // namespace

Result<ServiceUnit> ServiceUnit::read(const fs::path &root, const std::string &name,
                                      const std::string &own) {
  std::error_code error;
  fs::path main;
  std::map<std::string, fs::path> additions; // systemd applies them in the order of their names
  for (const std::string &each : names_of(name))
    for (const char *directory : directories) {
      const fs::path path = root / directory / each;
      if (main.empty() && fs::is_regular_file(path, error))
        main = path;
      for (const auto &entry : fs::directory_iterator(path.string() + ".d", error))
        if (entry.path().extension() == ".conf" && entry.path().filename() != own)
          additions.try_emplace(entry.path().filename(), entry.path());
    }
  if (main.empty())
    return std::unexpected(Failure{ErrorCode::file_error, name, "there is no such unit",
                                   "see systemctl list-unit-files"});
  ServiceUnit unit;
  cli::read(main, unit);
  for (const auto &[file, path] : additions) {
    const std::vector<std::string> before = unit.commands;
    ServiceUnit alone;
    cli::read(path, alone);
    cli::read(path, unit);
    if (file > own && (!alone.commands.empty() || unit.commands != before))
      return std::unexpected(Failure{ErrorCode::bad_settings, path.string(),
                                     "sets ExecStart= after " + own,
                                     "rename it to an earlier name"});
  }
  return unit;
}

} // namespace sartor::cli
