// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/wary.h"

#include <linux/fcntl.h>

#include "front/system.h"
#include "front/text.h"

namespace sartor::front {

namespace {

constexpr size_t longest_word = 11;

/// Passes of other directories may judge, as `verify` does.
bool has_word(const char *text) {
  return after(text, "strict") != nullptr || after(text, "enforce") != nullptr ||
         after(text, "verify") != nullptr || after(text, "directories") != nullptr;
}

/// True if a file may contain the word; false if the file does not exist.
bool mentions_it(const char *path) {
  const long file = call(__NR_open, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
  constexpr long no_entry = -2;      // ENOENT
  constexpr long no_directory = -20; // ENOTDIR
  if (is_error(file))
    return file != no_entry && file != no_directory;
  char text[longest_word + 4096];
  size_t kept = 0; // bytes kept for a word that spans two reads
  bool found = false;
  for (long size; !found && (size = call(__NR_read, file, text + kept, 4096 - 1)) > 0;) {
    const size_t end = kept + static_cast<size_t>(size);
    text[end] = 0;
    for (size_t at = 0; at < end && !found; ++at)
      found = has_word(text + at);
    kept = end < longest_word ? end : longest_word;
    for (size_t i = 0; i < kept; ++i)
      text[i] = text[end - kept + i];
  }
  close_file(file);
  return found;
}

bool mentions_it(const char *directory, const char *below) {
  Line path;
  path.add(directory).add(below);
  return mentions_it(path.text());
}

} // namespace

bool may_be_required(const Stack &stack, const char *settings) {
  if (mentions_it("/etc/sartor/ld.toml"))
    return true;
  const char *configuration = stack.variable("XDG_CONFIG_HOME");
  const char *home = stack.variable("HOME");
  if (configuration != nullptr && *configuration == '/') {
    if (mentions_it(configuration, "/sartor/ld.toml"))
      return true;
  } else if (home != nullptr && mentions_it(home, "/.config/sartor/ld.toml")) {
    return true;
  }
  bool found = false;
  Line lines;
  lines.add(settings);
  lines.cut_lines([&](const char *line) {
    const char *file = after(line, "--config=");
    const char *passes = after(line, "--passes=");
    found |= equal(line, "--strict") || (file != nullptr && mentions_it(file));
    for (; passes != nullptr && *passes != 0; ++passes)
      found |= has_word(passes);
  });
  return found;
}

} // namespace sartor::front
