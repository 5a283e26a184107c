// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/options.h"

#include "front/fallback.h"
#include "front/system.h"

namespace sartor::front {

namespace {

constexpr const char *usage =
    "Usage: sartor-ld [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
    "Starts a program with its libraries packed together and bound.\n"
    "  --passes=LIST  run these passes, and no others (default: as configured)\n"
    "  --config=FILE  an additional configuration file\n"
    "  --strict       start the program as planned, or not at all\n"
    "  --in-place     start it in this process image, without ptrace()\n";

constexpr int wrong = 2;

[[noreturn]] void explain(int output, int status) {
  call(__NR_write, output, usage, length(usage));
  leave(status);
}

/// Appends a path, made absolute by the working directory.
void add_path(const char *path, Line &to) {
  char directory[4096];
  if (*path != '/' && !is_error(call(__NR_getcwd, directory, sizeof directory)))
    to.add(directory).add("/");
  to.add(path);
}

/// Reads an option; returns false if there is no such option.
bool read(const char *argument, Options &options) {
  Line &settings = options.settings;
  if (equal(argument, "--help"))
    explain(1, 0);
  if (equal(argument, "--in-place"))
    options.is_in_place = true;
  else if (equal(argument, "--again"))
    options.is_again = true;
  else if (equal(argument, "--strict")) {
    options.is_strict = true;
    settings.add("--strict\n");
  } else if (equal(argument, "--passes="))
    settings.add("--no-passes\n");
  else if (after(argument, "--passes=") != nullptr)
    settings.add(argument).add("\n");
  else if (const char *file = after(argument, "--config="); file != nullptr) {
    settings.add("--config=");
    add_path(file, settings);
    settings.add("\n");
  } else
    return false;
  return true;
}

} // namespace

Options read_options(const Stack &stack) {
  Options options;
  for (; options.used < stack.argument_count(); ++options.used) {
    const char *argument = stack.arguments()[options.used];
    if (equal(argument, "--")) {
      ++options.used;
      break;
    }
    if (*argument != '-')
      break;
    if (!read(argument, options))
      explain(2, wrong);
  }
  if (options.used >= stack.argument_count())
    explain(2, wrong);
  if (options.settings.is_cut_off()) {
    say("its options", "are longer than 4 KiB: put them into a configuration");
    leave(wrong);
  }
  return options;
}

} // namespace sartor::front
