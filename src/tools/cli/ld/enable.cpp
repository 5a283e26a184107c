// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/commands.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

/// The start of a service, as its unit file of systemd and its drop-in files describe it.
struct ServiceUnit {
  std::vector<std::string> commands; ///< Values of ExecStart=.
  bool is_of_root = true;            ///< Neither User= nor DynamicUser= is set.
  bool is_var_readonly = false;      ///< ProtectSystem=strict is set.

  /// Reads a service below a root directory. `name` ends with `.service`. `own` is the name of a
  /// drop-in file that does not count and that is to set ExecStart=. Fails with file_error, and
  /// with bad_settings if systemd applies another drop-in file with ExecStart= after it.
  static Result<ServiceUnit> read(const std::filesystem::path &root, const std::string &name,
                                  const std::string &own);
};

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

namespace fs = std::filesystem;

/// systemd applies drop-in files in the order of their names, and the last ExecStart= counts.
constexpr const char *file_name = "zzz-sartor-ld.conf";

Result<std::string> service_name(const std::string &unit) {
  const std::string name = fs::path(unit).has_extension() ? unit : unit + ".service";
  if (!name.ends_with(".service") || name.contains('/'))
    return std::unexpected(Failure{ErrorCode::bad_settings, unit, "is no service",
                                   "name a unit such as nginx.service"});
  return name;
}

/// Quotes a path for ExecStart=, where % begins a specifier.
std::string quoted(const std::string &path) {
  std::string text;
  for (const char each : path) {
    if (each == '%' || each == '$')
      text += each;
    if (each == '"' || each == '\\')
      text += '\\';
    text += each;
  }
  return text.find(' ') == std::string::npos && text == path ? text : '"' + text + '"';
}

/// True if a line has several commands, which a word `;` separates.
bool has_several(const std::string &line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char each = line[i];
    if (each == '\\')
      ++i;
    else if (quote != 0)
      quote = each == quote ? 0 : quote;
    else if (each == '"' || each == '\'')
      quote = each;
    else if (each == ';' && (i == 0 || line[i - 1] == ' ') &&
             (i + 1 == line.size() || line[i + 1] == ' '))
      return true;
  }
  return false;
}

/// Puts the front before a command, behind its prefixes. Fails if the command's first argument is
/// not its program.
Result<std::string> by_loader(const std::string &unit, const std::string &command,
                              const fs::path &loader) {
  const std::size_t begin = command.find_first_not_of("-:+!@|");
  const std::string prefix = command.substr(0, begin);
  if (begin == std::string::npos || prefix.contains('@') || prefix.contains('|'))
    return std::unexpected(Failure{ErrorCode::bad_settings, unit,
                                   "has a command that gives its program another name, or a shell: "
                                   "ExecStart=" +
                                       command,
                                   "write ExecStart= with sartor-ld yourself"});
  if (has_several(command))
    return std::unexpected(Failure{ErrorCode::bad_settings, unit,
                                   "has several commands in one line: ExecStart=" + command,
                                   "write one ExecStart= for each"});
  return prefix + quoted(loader) + " -- " + command.substr(begin);
}

Result<void> enable(const fs::path &root, const std::string &unit, const fs::path &file,
                    const fs::path &loader) {
  const auto service = ServiceUnit::read(root, unit, file_name);
  if (!service)
    return std::unexpected(service.error());
  if (service->commands.empty())
    return std::unexpected(Failure{ErrorCode::bad_settings, unit, "starts no program",
                                   "name a service with ExecStart="});
  std::string text = "# Written by sartor ld enable. sartor ld disable removes it.\n[Service]\n"
                     "ExecStart=\n";
  for (const std::string &command : service->commands) {
    const auto changed = by_loader(unit, command, loader);
    if (!changed)
      return std::unexpected(changed.error());
    text += "ExecStart=" + *changed + '\n';
  }
  std::error_code error;
  // Images of root's services are there. Where nothing is read-only, a permission to write would
  // give the service a namespace of mounts. CacheDirectory= would change its environment.
  if (service->is_of_root && service->is_var_readonly) {
    constexpr const char *images = "var/cache/sartor/ld";
    fs::create_directories(root / images, error);
    text += std::string("ReadWritePaths=-/") + images + '\n';
  }
  fs::create_directories(file.parent_path(), error);
  std::ofstream to(file);
  if (!(to << text << std::flush))
    return std::unexpected(Failure{ErrorCode::file_error, file.string(), "cannot be written",
                                   "run the command as root"});
  std::cout << file.string() << ": written\n";
  return {};
}

Result<void> disable(const fs::path &file) {
  std::error_code error;
  const bool was_there = fs::remove(file, error);
  if (error)
    return std::unexpected(
        Failure{ErrorCode::file_error, file.string(), error.message(), "run the command as root"});
  fs::remove(file.parent_path(), error); // unless it has other files
  std::cout << file.string() << (was_there ? ": removed\n" : ": is not there\n");
  return {};
}

} // namespace

LdEnableCommand::LdEnableCommand(CLI::App &ld)
    : enable_(ld.add_subcommand("enable", "Have systemd start a service by sartor-ld.")),
      disable_(ld.add_subcommand("disable", "Have systemd start a service as before.")) {
  for (CLI::App *command : {enable_, disable_}) {
    command->add_option("UNIT", unit_, "A service, such as nginx.service")->required();
    command->add_option("--root", root_, "The root directory of the system")->capture_default_str();
    add_example(*command,
                "sartor ld " + command->get_name() + " nginx.service\nsystemctl daemon-reload");
  }
}

Result<void> LdEnableCommand::run() const {
  const auto unit = service_name(unit_);
  if (!unit)
    return std::unexpected(unit.error());
  const fs::path root(root_);
  const fs::path file = root / "etc/systemd/system" / (*unit + ".d") / file_name;
  if (disable_->parsed())
    return disable(file);
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return std::unexpected(Failure{ErrorCode::file_error, "/proc/self/exe", error.message(),
                                   "see whether /proc is mounted"});
  return enable(root, *unit, file, self.parent_path() / "sartor-ld");
}

} // namespace sartor::cli
