// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/settings/settings.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "loader/lib/settings/pass_name.h"

namespace sartor::loader {

namespace {

namespace fs = std::filesystem;

/// Resolves links in the directory. The file name is kept, since a program may behave differently
/// by name (busybox), but /bin/ls becomes /usr/bin/ls where /bin is a link.
fs::path in_real_directory(const fs::path &path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const fs::path directory = fs::weakly_canonical(absolute.parent_path(), error);
  return error ? absolute : directory / absolute.filename();
}

void apply(SettingsTable &to, const SettingsTable &stronger) {
  if (stronger.passes)
    to.passes = stronger.passes;
  if (stronger.enforce)
    to.enforce = stronger.enforce;
  if (stronger.strict)
    to.strict = stronger.strict;
  if (stronger.observable)
    to.observable = stronger.observable;
  if (stronger.directories)
    to.directories = stronger.directories;
  for (const auto &[pass, options] : stronger.options)
    for (const auto &[option, text] : options)
      to.options[pass][option] = text;
}

void apply(SettingsTable &to, const std::vector<SettingsFile> &files, const fs::path &application) {
  for (const SettingsFile &file : files)
    apply(to, file.general);
  for (const SettingsFile &file : files)
    if (const auto named = file.applications.find(application.filename().string());
        named != file.applications.end())
      apply(to, named->second);
  for (const SettingsFile &file : files)
    for (const auto &[name, table] : file.applications)
      if (name.starts_with('/') && in_real_directory(name) == application)
        apply(to, table);
}

Result<std::vector<std::string>> names_in(std::string_view list) {
  std::vector<std::string> names;
  const auto failure = [](std::string what, std::string remedy) {
    return std::unexpected(
        Failure{ErrorCode::bad_settings, "--passes", std::move(what), std::move(remedy)});
  };
  while (!list.empty()) {
    const std::size_t size = list.find(',');
    std::string name(list.substr(0, size));
    if (!is_pass_name(name))
      return failure("\"" + name + "\" is no name of a pass", pass_name_remedy);
    if (std::ranges::find(names, name) != names.end())
      return failure("\"" + name + "\" is there twice", "leave one of both out");
    names.push_back(std::move(name));
    if (size == std::string_view::npos)
      break;
    list.remove_prefix(size + 1);
    if (list.empty())
      return failure("there is no name after the last comma", "leave the comma out");
  }
  return names;
}

bool enforces(const SettingsFile &file) {
  return file.general.enforce || std::ranges::any_of(file.applications, [](const auto &each) {
           return each.second.enforce.has_value();
         });
}

std::unexpected<Failure> only_the_machine(const fs::path &file) {
  return std::unexpected(Failure{ErrorCode::bad_settings, file.string(),
                                 "only the machine's configuration enforces passes",
                                 "list them in passes = [...]"});
}

} // namespace

std::vector<fs::path> standard_settings_files() {
  constexpr const char *below = "sartor/ld.toml";
  std::vector<fs::path> files{fs::path("/etc") / below};
  const char *configuration = secure_getenv("XDG_CONFIG_HOME");
  const char *home = secure_getenv("HOME");
  // The XDG specification requires relative paths to be ignored.
  if (configuration && *configuration == '/')
    files.push_back(fs::path(configuration) / below);
  else if (home && *home == '/')
    files.push_back(fs::path(home) / ".config" / below);
  return files;
}

Result<Settings> read_settings(const SettingsSources &sources) {
  const fs::path application = in_real_directory(sources.application);
  SettingsTable all{.passes = {{"bind", "concat", "settle"}},
                    .enforce = std::vector<std::string>{},
                    .strict = false,
                    .observable = false,
                    .directories = std::vector<fs::path>{},
                    .options = {}};
  SettingsTable machine = all;
  std::vector<SettingsFile> files;
  for (const fs::path &path : sources.files) {
    auto file = read_settings_file(path);
    if (!file)
      return std::unexpected(std::move(file.error()));
    files.push_back(std::move(*file).value_or(SettingsFile{}));
    if (files.size() == 1)
      apply(machine, files, application);
    else if (enforces(files.back()))
      return only_the_machine(path);
  }
  apply(all, files, application);

  Settings settings{.passes = {}, .directories = {}, .strict = false, .files = sources.files};
  if (sources.config) {
    auto file = read_settings_file(*sources.config);
    if (!file)
      return std::unexpected(std::move(file.error()));
    if (!*file)
      return std::unexpected(Failure{ErrorCode::file_error, sources.config->string(),
                                     "there is no such file", "pass an existing file to --config"});
    if (enforces(**file))
      return only_the_machine(*sources.config);
    apply(all, {std::move(**file)}, application);
    settings.files.push_back(fs::absolute(*sources.config));
  }

  if (sources.passes) {
    auto names = names_in(*sources.passes);
    if (!names)
      return std::unexpected(std::move(names.error()));
    all.passes = std::move(*names);
  }
  for (const std::string &name : *machine.enforce)
    settings.passes.push_back(
        {.name = name, .options = machine.options[name], .is_enforced = true});
  for (const std::string &name : *all.passes)
    if (std::ranges::find(*machine.enforce, name) == machine.enforce->end())
      settings.passes.push_back({.name = name, .options = all.options[name]});
  settings.directories = std::move(*all.directories);
  settings.machine_directories = std::move(*machine.directories);
  settings.observable = sources.observable || *all.observable;
  settings.strict = sources.strict || *all.strict || !machine.enforce->empty();
  return settings;
}

} // namespace sartor::loader
