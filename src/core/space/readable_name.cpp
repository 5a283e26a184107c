// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/readable_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <cxxabi.h>

namespace sartor::core {

namespace {

/// Empty if it is no C++ symbol.
std::string demangled(const std::string &symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : "";
}

// The qualifiers of a member function's object come after its parameters.
std::string without_qualifiers(std::string name) {
  constexpr std::array<std::string_view, 4> kQualifiers{" const", " volatile", " &", " &&"};
  while (std::ranges::any_of(kQualifiers, [&](std::string_view qualifier) {
    if (!name.ends_with(qualifier))
      return false;
    name.resize(name.size() - qualifier.size());
    return true;
  })) {
  }
  return name;
}

// Converts to modern notation: the C++ library's demangler writes `> >`, and puts parentheses
// around functions that are arguments of templates.
std::string as_written(std::string name) {
  for (auto at = name.find("> >"); at != std::string::npos; at = name.find("> >", at))
    name.erase(at + 1, 1);
  for (auto at = name.find("&("); at != std::string::npos; at = name.find("&(", at + 1)) {
    std::size_t depth = 0;
    for (std::size_t end = at + 1; end < name.size(); ++end) {
      depth += name[end] == '(';
      if (name[end] != ')' || --depth != 0)
        continue;
      name.erase(end, 1).erase(at + 1, 1);
      break;
    }
  }
  return name;
}

/// True if `whole` is a function of that name: only a result may precede it, and parameters follow
/// it.
bool is_function_of(std::string_view whole, std::string_view name) {
  const auto place = whole.find(std::string(name) + "(");
  return place != std::string_view::npos &&
         (place == 0 || std::string_view(" *&").contains(whole[place - 1]));
}

/// Replaces rustc's escapes of characters that C++ names cannot have.
std::string without_escapes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEscapes{{{"$LT$", "<"},
                                                                                   {"$GT$", ">"},
                                                                                   {"$u20$", " "},
                                                                                   {"$u7b$", "{"},
                                                                                   {"$u7d$", "}"},
                                                                                   {"$C$", ","},
                                                                                   {"$RF$", "&"},
                                                                                   {"..", "::"}}};
  std::string name;
  while (!text.empty()) {
    const auto *escape = std::ranges::find_if(
        kEscapes, [&](const auto &each) { return text.starts_with(each.first); });
    const bool found = escape != kEscapes.end();
    // An underscore precedes an escape at the beginning of a part.
    if (!found && text.starts_with("_$") && (name.empty() || name.ends_with("::"))) {
      text.remove_prefix(1);
      continue;
    }
    name += found ? escape->second : text.substr(0, 1);
    text.remove_prefix(found ? escape->first.size() : 1);
  }
  return name;
}

/// The name of a Rust function: a path and a hash, without parameters. Empty if it is none.
std::string name_in_rust(std::string_view whole) {
  constexpr std::size_t kHash = 16;
  const auto at = whole.rfind("::h");
  if (at == std::string_view::npos || whole.size() - at - 3 != kHash ||
      whole.find_first_not_of("0123456789abcdef", at + 3) != std::string_view::npos)
    return "";
  return without_escapes(whole.substr(0, at));
}

} // namespace

// A symbol is a name and, for a function, its parameters' types. The end of the name is not marked,
// but the prefix that ends there is a valid symbol itself.
std::string readable_name(const std::string &symbol) {
  const auto added = std::min(symbol.find(".sartor."), symbol.find(".specialized"));
  const std::string written = symbol.substr(0, added);
  if (!written.starts_with("_Z"))
    return written;
  const std::string whole = demangled(written);
  if (std::string name = name_in_rust(whole); !name.empty())
    return name;
  for (std::size_t end = written.size() - 1; !whole.empty() && end > 2; --end)
    if (std::string name = without_qualifiers(demangled(written.substr(0, end)));
        !name.empty() && is_function_of(whole, name))
      return as_written(std::move(name));
  return written;
}

std::string name_in_file(const std::string &symbol) {
  constexpr std::size_t kMost = 40;
  std::string name = readable_name(symbol);
  for (char &each : name)
    if (std::isalnum(static_cast<unsigned char>(each)) == 0)
      each = '_';
  return name.substr(0, kMost);
}

} // namespace sartor::core
