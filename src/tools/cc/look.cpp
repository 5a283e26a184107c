// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/look.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cc/directives.h"
#include "tools/cc/listed.h"
#include "tools/cc/text_of.h"

namespace sartor::cc {

namespace {

/// Examines files, each once, and the files that they include.
class Look {
public:
  explicit Look(const Command &command) : command_(command) {
    add(quoted_, command.quoted);
    add(searched_, command.searched);
    for (const char *variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
      if (const char *places = std::getenv(variable))
        add(searched_, listed(places));
    // The compiler's own headers, in other directories, contain nothing of Sartor.
    if (!command.has_no_standard_places)
      for (const char *place :
           {"/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"})
        searched_.push_back(command.system_root + place);
    add(searched_, command.afterwards);
  }

  Seen at(const Command::Input &input, const std::string &text) {
    Directives given;
    for (std::size_t i = 0; i < command_.words.size(); ++i) {
      const std::string &word = command_.words[i];
      if (word == "-D" && i + 1 < command_.words.size())
        add_definition(command_.words[i + 1], given);
      else if (word.starts_with("-D"))
        add_definition(std::string_view(word).substr(2), given);
      look_for_words(word);
    }
    for (const std::string &name : command_.included)
      given.inclusions.push_back({.name = name, .is_quoted = true});
    follow(given, ".");
    const std::string &name = command_.name(input);
    if (name == "-")
      take(text, ".");
    else
      visit(name);
    while (!waiting_.empty() && !(seen_.points && seen_.watched && seen_.header)) {
      const std::string next = std::move(waiting_.back());
      waiting_.pop_back();
      if (const auto content = text_of(next))
        take(*content, std::filesystem::path(next).parent_path());
    }
    if (has_doubts())
      seen_ = {.header = seen_.header, .points = true, .watched = true};
    return seen_;
  }

private:
  static void add(Words &places, const Words &more) {
    places.insert(places.end(), more.begin(), more.end());
  }

  void look_for_words(std::string_view text) {
    constexpr std::array<std::string_view, 15> kPoints = {
        "SARTOR_HANDLER", "SARTOR_FOLD",     "\"sartor.handler\"",  "sartor_enum",
        "sartor_range",   "sartor_generic",  "sartor_assume",       "sartor_fast_path",
        "sartor_custom",  "sartor_blocking", "sartor_assert_const", "\"sartor.fold\"",
        "sartor_local",   "sartor_publish",  "sartor_one_of"};
    constexpr std::array<std::string_view, 2> kWatched = {"SARTOR_WATCHED", "\"sartor.watched\""};
    // Most texts contain none of these.
    if (!text.contains("SARTOR_") && !text.contains("sartor"))
      return;
    const auto is_in = [&](std::string_view word) { return text.contains(word); };
    seen_.points |= std::ranges::any_of(kPoints, is_in);
    seen_.watched |= std::ranges::any_of(kWatched, is_in);
  }

  /// True if a file is included by the name of a macro that is composed from others. A macro that
  /// is not defined does not count.
  [[nodiscard]] bool has_doubts() const {
    Words macros;
    std::ranges::set_difference(computed_, defined_, std::back_inserter(macros));
    const auto is_defined_in = [&](std::string_view text) {
      return std::ranges::any_of(macros, [&](const auto &macro) { return defines(text, macro); });
    };
    const auto is_defined_by = [&](const std::string &word) {
      return word.contains('=') && std::ranges::any_of(macros, [&](const std::string &macro) {
               return word.starts_with(macro + "=") || word.starts_with("-D" + macro + "=");
             });
    };
    return !macros.empty() && (std::ranges::any_of(command_.words, is_defined_by) ||
                               std::ranges::any_of(visited_, [&](const std::string &path) {
                                 return is_defined_in(text_of(path).value_or(""));
                               }));
  }

  void take(std::string_view text, const std::string &directory) {
    look_for_words(text);
    const Directives directives = directives_of(text);
    if (!is_system(directory))
      computed_.insert(directives.macros.begin(), directives.macros.end());
    follow(directives, directory);
  }

  static bool is_system(const std::string &directory) {
    return directory.starts_with("/usr/include") || directory.starts_with("/usr/local/include");
  }

  void follow(const Directives &directives, const std::string &directory) {
    defined_.insert(directives.defined.begin(), directives.defined.end());
    for (const Inclusion &inclusion : directives.inclusions)
      follow(inclusion, directory);
  }

  void follow(const Inclusion &inclusion, const std::string &directory) {
    const std::string &name = inclusion.name;
    // Sartor's own headers are not searched, because they mention handlers themselves. A source
    // with a handler or a watched field mentions it, or includes one of these two headers.
    if (name.starts_with("sartor/") || name.contains("/sartor/")) {
      seen_.header = true;
      seen_.points |= name.ends_with("sartor/points.h");
      seen_.watched |= name.ends_with("sartor/watch.h");
      return;
    }
    if (name.starts_with('/')) {
      visit(name);
      return;
    }
    if (inclusion.is_quoted && !inclusion.is_next) {
      if (visit(directory.empty() ? name : directory + "/" + name))
        return;
      for (const std::string &place : quoted_)
        if (visit(std::filesystem::path(place) / name))
          return;
    }
    for (const std::string &place : searched_)
      if (visit(std::filesystem::path(place) / name) && !inclusion.is_next)
        return;
  }

  /// Returns false if there is no such file.
  bool visit(const std::string &path) {
    if (visited_.contains(path))
      return true;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
      return false;
    visited_.insert(path);
    waiting_.push_back(path);
    return true;
  }

  const Command &command_;
  Words quoted_, searched_;
  Seen seen_;
  std::set<std::string> visited_, computed_, defined_;
  Words waiting_;
};

} // namespace

Seen look_at(const Command &command, const Command::Input &input, const std::string &text) {
  return Look(command).at(input, text);
}

} // namespace sartor::cc
