// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/clang_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/cc/gcc_flags.h"

namespace sartor::cc {

namespace {

// Options with an argument that only control how gcc works, and where it writes its reports.
constexpr std::array<std::string_view, 6> kDropped = {"--param",       "-aux-info", "-dumpbase",
                                                      "-dumpbase-ext", "-dumpdir",  "-wrapper"};

void add_plugin(Words &words, const Toolchain &tools, const Seen &seen) {
  const auto depend_on = [&](const std::string &file) {
    words.insert(words.end(), {"-Xclang", "-fdepfile-entry=" + file});
  };
  // The user's compiler links the objects, and may not know clang's bitcode.
  words.insert(words.end(), {"-fno-lto", "-Qunused-arguments", "-Wno-unknown-warning-option",
                             "-Wno-ignored-optimization-argument", "-fplugin=" + tools.plugin,
                             "-fpass-plugin=" + tools.plugin, "-idirafter", tools.headers});
  depend_on(tools.plugin);
  for (const std::string &file : tools.declarations) {
    words.push_back("-fplugin-arg-sartor-declarations=" + file);
    depend_on(file);
  }
  // Handlers' code is also placed at addresses that the linker does not choose.
  if (seen.points || !tools.declarations.empty())
    words.insert(words.end(), {"-DSARTOR_POINTS=1", "-fPIC"});
}

} // namespace

Result<Words> clang_words(const Toolchain &tools, const Command &command,
                          const std::vector<Command::Input> &sources, const Seen &seen) {
  Words words = {tools.clang()};
  const auto is = [](const std::vector<Command::Input> &inputs, std::size_t index) {
    return std::ranges::count(inputs, index, &Command::Input::index) > 0;
  };
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string &word = command.words[i];
    if (is(command.inputs, i)) {
      if (is(sources, i))
        words.push_back(word);
    } else if (changes_meaning(word)) {
      return std::unexpected(Failure{
          ErrorCode::bad_argument, word, "cannot be kept in a file with handlers or watched fields",
          "compile it without, or keep them out of " + command.name(sources.front())});
    } else if (std::ranges::count(kDropped, word) > 0) {
      ++i;
    } else if (takes_next_word(word) && i + 1 < command.words.size()) {
      const bool is_input = is(command.inputs, i + 1); // -l NAME
      if (!is_input)
        words.insert(words.end(), {word, command.words[i + 1]});
      ++i;
    } else if (!only_steers_gcc(word)) {
      words.push_back(word);
    }
  }
  add_plugin(words, tools, seen);
  return words;
}

} // namespace sartor::cc
