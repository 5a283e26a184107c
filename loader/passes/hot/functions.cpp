// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/functions.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "read_all.h"

namespace sartor::hot {

namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

} // namespace

std::optional<std::size_t> Library::function_at(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(functions, address, {}, &sartor_function::address);
  if (next == functions.begin() || address - std::prev(next)->address >= std::prev(next)->size)
    return std::nullopt;
  return static_cast<std::size_t>(std::prev(next) - functions.begin());
}

ProfiledFunctions::ProfiledFunctions(const sartor_prelink_image *image,
                                     const sartor_prelink_operations &operations,
                                     const loader::Profile &profile) {
  for (std::size_t i = 0; i < operations.libraries(image); ++i) {
    Library library;
    operations.library(image, i, &library.about);
    library.functions = passes::read_all(image, i, library.about.functions, operations.function);
    libraries_.push_back(std::move(library));
  }
  for (const auto &[place, count] : profile.functions())
    if (const auto function = find(place))
      loader::add_count(counts_[*function], count);
    else if (const auto library = library_of(place.build_id))
      ++elsewhere_[*library];
  for (const auto &[call, count] : profile.calls()) {
    const auto caller = find(call.first), callee = find(call.second);
    if (caller && callee)
      loader::add_count(calls_[{*caller, *callee}], count);
  }
  find_other_versions(profile);
}

std::optional<std::size_t> ProfiledFunctions::library_of(const std::string &build_id) const {
  const auto found = std::ranges::find_if(
      libraries_, [&](const Library &library) { return build_id == library.about.build_id; });
  return found != libraries_.end()
             ? std::optional(static_cast<std::size_t>(std::distance(libraries_.begin(), found)))
             : std::nullopt;
}

std::optional<Function> ProfiledFunctions::find(const loader::ProfiledPlace &place) const {
  const auto library = library_of(place.build_id);
  const auto index =
      library ? libraries_[*library].function_at(place.address) : std::optional<std::size_t>();
  return index ? std::optional(Function{*library, *index}) : std::nullopt;
}

void ProfiledFunctions::find_other_versions(const loader::Profile &profile) {
  std::set<std::string> known;
  std::set<std::string_view> names;
  for (const auto &[build_id, name] : profile.names()) {
    known.insert(build_id);
    names.insert(base_name(name));
  }
  for (const auto &[place, count] : profile.functions())
    known.insert(place.build_id);
  for (std::size_t i = 0; i < libraries_.size(); ++i) {
    const sartor_library &about = libraries_[i].about;
    if (!known.contains(about.build_id) &&
        (names.contains(base_name(about.path)) || names.contains(about.name)))
      other_versions_.push_back(i);
  }
}

} // namespace sartor::hot
