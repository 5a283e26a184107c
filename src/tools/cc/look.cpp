// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/look.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cc/listed.h"
#include "tools/cc/text_of.h"

namespace sartor::cc {

namespace {

struct Inclusion {
  std::string name;
  bool is_quoted = false;
  bool is_next = false; ///< #include_next
};

/// The files that a text may include.
struct Directives {
  std::vector<Inclusion> inclusions; ///< Includes the values of macros that stand for a file.
  std::vector<std::string> macros;   ///< Macros by which a file is included: #include NAME
  std::vector<std::string> defined;  ///< Macros that stand for a file.
};

bool is_of_word(char character) {
  return character == '_' || (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z') || (character >= '0' && character <= '9');
}

// Skips blanks, comments and continued lines.
std::string_view skip_blanks(std::string_view text) {
  for (;;) {
    if (text.starts_with(' ') || text.starts_with('\t'))
      text.remove_prefix(1);
    else if (text.starts_with("\\\n"))
      text.remove_prefix(2);
    else if (text.starts_with("\\\r\n"))
      text.remove_prefix(3);
    else if (text.starts_with("/*"))
      text.remove_prefix(std::min(text.size(), text.find("*/", 2) + 2));
    else
      return text;
  }
}

std::string_view take_word(std::string_view &text) {
  const auto *end = std::ranges::find_if_not(text, is_of_word);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

std::optional<Inclusion> inclusion_of(std::string_view text) {
  if (!text.starts_with('"') && !text.starts_with('<'))
    return std::nullopt;
  const std::size_t end = text.find_first_of(text.front() == '"' ? "\"\n" : ">\n", 1);
  if (end == std::string_view::npos || text[end] == '\n')
    return std::nullopt;
  return Inclusion{.name = std::string(text.substr(1, end - 1)), .is_quoted = text[0] == '"'};
}

void read_line(std::string_view text, Directives &directives) {
  text = skip_blanks(text);
  const std::string_view word = take_word(text);
  text = skip_blanks(text);
  if (word == "include" || word == "import" || word == "include_next") {
    if (auto inclusion = inclusion_of(text)) {
      inclusion->is_next = word == "include_next";
      directives.inclusions.push_back(std::move(*inclusion));
    } else if (const std::string_view macro = take_word(text); !macro.empty()) {
      directives.macros.emplace_back(macro);
    }
  } else if (word == "define") {
    const std::string_view name = take_word(text);
    if (auto inclusion = inclusion_of(skip_blanks(text))) {
      directives.inclusions.push_back(std::move(*inclusion));
      directives.defined.emplace_back(name);
    }
  }
}

/// Comments, strings and conditions are not recognized, so that nothing is missed.
Directives directives_of(std::string_view text) {
  Directives directives;
  for (std::size_t at = 0; (at = text.find('#', at)) != std::string_view::npos; ++at)
    read_line(text.substr(at + 1), directives);
  // The digraph of #.
  for (std::size_t at = 0; (at = text.find("%:", at)) != std::string_view::npos; at += 2)
    read_line(text.substr(at + 2), directives);
  return directives;
}

/// True if a text defines a macro.
bool defines(std::string_view text, std::string_view macro) {
  constexpr std::string_view kDefine = "define";
  for (std::size_t at = 0; (at = text.find(kDefine, at)) != std::string_view::npos; ++at) {
    std::string_view rest = skip_blanks(text.substr(at + kDefine.size()));
    if (take_word(rest) == macro)
      return true;
  }
  return false;
}

/// Reads `name="file"` or `name=<file>`, as in -D; adds the file to `directives`.
void add_definition(std::string_view definition, Directives &directives) {
  const std::size_t end = definition.find('=');
  if (end == std::string_view::npos)
    return;
  if (auto inclusion = inclusion_of(definition.substr(end + 1))) {
    directives.inclusions.push_back(std::move(*inclusion));
    directives.defined.emplace_back(definition.substr(0, end));
  }
}

/// Examines files, each once, and the files that they include.
class Look {
public:
  Look(const Command &command, const std::string &headers) : command_(command), headers_(headers) {
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
    else if (!visit(name))
      is_unknown_ = is_stream(name);
    while (!waiting_.empty() && !(seen_.points && seen_.watched && seen_.header)) {
      const std::string next = std::move(waiting_.back());
      waiting_.pop_back();
      if (const auto content = text_of(next))
        take(*content, std::filesystem::path(next).parent_path());
    }
    if (is_unknown_ || has_doubts())
      seen_ = {.header = seen_.header, .points = true, .watched = true};
    return seen_;
  }

private:
  static void add(Words &places, const Words &more) {
    places.insert(places.end(), more.begin(), more.end());
  }

  /// True for a pipe and the like, whose text only one process can read. Not for /dev/null.
  static bool is_stream(const std::string &path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    return std::filesystem::is_fifo(status) || std::filesystem::is_socket(status);
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

  /// True for one of Sartor's headers. A program's header may also be in a directory `sartor`.
  [[nodiscard]] bool is_own(std::string_view name) const {
    const std::size_t at = name.rfind("sartor/");
    if (at == std::string_view::npos || (at > 0 && name[at - 1] != '/'))
      return false;
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(headers_) / name.substr(at), error);
  }

  void follow(const Inclusion &inclusion, const std::string &directory) {
    const std::string &name = inclusion.name;
    // Sartor's own headers are not searched, because they mention handlers themselves. A source
    // with a handler or a watched field mentions it, or includes one of these two headers.
    if (is_own(name)) {
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
  const std::string &headers_;
  Words quoted_, searched_;
  Seen seen_;
  bool is_unknown_ = false; ///< The text of the input.
  std::set<std::string> visited_, computed_, defined_;
  Words waiting_;
};

} // namespace

Seen look_at(const Command &command, const std::string &headers, const Command::Input &input,
             const std::string &text) {
  return Look(command, headers).at(input, text);
}

} // namespace sartor::cc
