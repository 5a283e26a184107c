// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/command.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace sartor::cc {

namespace {

constexpr std::array kTakeNextWord = std::to_array<std::string_view>({
    "--include",
    "--output",
    "--param",
    "--sysroot",
    "-A",
    "-B",
    "-D",
    "-F",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-cxx-isystem",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-e",
    "-framework",
    "-h",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-imultiarch",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-mllvm",
    "-o",
    "-resource-dir",
    "-rpath",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-working-directory",
    "-wrapper",
    "-x",
    "-z",
});

bool is_source_name(std::string_view name) {
  constexpr std::array<std::string_view, 11> kEndings = {
      ".c", ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".i", ".ii", ".c++m"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

bool is_source(const std::string &name, const std::string &language) {
  constexpr std::array<std::string_view, 4> kLanguages = {"c", "c++", "cpp-output",
                                                          "c++-cpp-output"};
  return language.empty() ? is_source_name(name) : std::ranges::count(kLanguages, language) > 0;
}

bool is_header(std::string_view name, std::string_view language) {
  constexpr std::array<std::string_view, 9> kEndings = {".h",   ".hh",  ".hp",  ".hxx", ".hpp",
                                                        ".HPP", ".h++", ".tcc", ".H"};
  return language.empty() ? std::ranges::any_of(
                                kEndings, [&](std::string_view end) { return name.ends_with(end); })
                          : language.ends_with("-header");
}

class Reader {
public:
  explicit Reader(Words words) { command_.words = std::move(words); }

  Command read() {
    const Words &words = command_.words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!words[i].starts_with('-') || words[i] == "-")
        take_input(i);
      else if (takes_next_word(words[i]) && i + 1 < words.size())
        take(words[i], words[i + 1], i + 1), ++i;
      else
        take_alone(words[i]);
    }
    command_.writes_dependencies = wants_dependencies_ && !is_file_named_;
    command_.has_unnamed_target = wants_dependencies_ && !is_target_named_;
    return std::move(command_);
  }

private:
  void take_input(std::size_t index) {
    const std::string &name = command_.words[index];
    command_.inputs.push_back({index, language_, is_source(name, language_)});
    command_.has_linked_input |= !is_header(name, language_);
  }

  void take(std::string_view option, const std::string &value, std::size_t index) {
    if (option == "-o" || option == "--output")
      command_.output = value;
    else if (option == "-x")
      language_ = value == "none" ? "" : value;
    else if (option == "-iquote")
      command_.quoted.push_back(value);
    else if (option == "-I" || option == "-isystem" || option == "-cxx-isystem")
      command_.searched.push_back(value);
    else if (option == "-idirafter")
      command_.afterwards.push_back(value);
    else if (option == "-include" || option == "-imacros" || option == "--include")
      command_.included.push_back(value);
    else if (option == "-isysroot" || option == "--sysroot")
      command_.system_root = value;
    else if (option == "-MF")
      is_file_named_ = true;
    else if (option == "-MT" || option == "-MQ")
      is_target_named_ = true;
    else if (option == "-l") { // an input at any position
      command_.inputs.push_back({index, "", false});
      command_.has_linked_input = true;
    }
  }

  void take_alone(const std::string &word) {
    using Result = Command::Result;
    constexpr std::array<std::pair<std::string_view, Result>, 6> kResults = {{
        {"-c", Result::object},
        {"-S", Result::assembly},
        {"-E", Result::preprocessed},
        {"-M", Result::dependencies},
        {"-MM", Result::dependencies},
        {"-fsyntax-only", Result::nothing},
    }};
    for (const auto &[option, result] : kResults)
      if (word == option)
        command_.result = std::max(command_.result, result);
    if (word == "-MD" || word == "-MMD")
      wants_dependencies_ = true;
    else if (word == "-nostdinc")
      command_.has_no_standard_places = true;
    else if (word == "-static" || word == "-static-pie" || word == "-r" || word == "-nostdlib" ||
             word == "-nodefaultlibs")
      command_.links_runtime = false;
    else if (word == "-P" || word.starts_with("-d"))
      command_.has_line_markers = false;
    else
      take_joined(word);
  }

  void take_joined(const std::string &word) {
    constexpr std::array<std::string_view, 13> kJoined = {
        "--sysroot=", "-idirafter", "-imacros", "-include", "-iquote", "-isysroot", "-isystem",
        "-I",         "-MF",        "-MQ",      "-MT",      "-o",      "-x"};
    for (const std::string_view option : kJoined)
      if (word.starts_with(option)) {
        const std::string_view name =
            option.ends_with('=') ? option.substr(0, option.size() - 1) : option;
        return take(name, word.substr(option.size()), 0);
      }
  }

  Command command_;
  std::string language_;
  bool wants_dependencies_ = false;
  bool is_file_named_ = false;
  bool is_target_named_ = false;
};

} // namespace

bool takes_next_word(const std::string &option) {
  return std::ranges::count(kTakeNextWord, option) > 0;
}

Command read_command(Words words) { return Reader(std::move(words)).read(); }

} // namespace sartor::cc
