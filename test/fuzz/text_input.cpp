// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/text_input.h"

#include "fuzz/require.h"

#include <functional>

#include <sartor/configuration.hpp>
#include <sartor/constraints.hpp>
#include <sartor/error.hpp>
#include <sartor/profile.hpp>

namespace sartor {

using fuzz::require;

namespace {

/// True if `T` accepts the text; an exception other than Error ends the program.
template <class T> bool reads(std::string_view text, const std::function<void(const T &)> &look) {
  try {
    const T read = T::from_json(text);
    look(read);
    const std::string written = read.json();
    require(T::from_json(written).json() == written);
    return true;
  } catch (const Error &error) {
    require(!error.failure().text().empty());
    return false;
  }
}

} // namespace

bool look_at_configuration(std::string_view text) {
  const bool constraints =
      reads<Constraints>(text, [](const Constraints &read) { (void)read.empty(); });
  return reads<Configuration>(text,
                              [](const Configuration &read) {
                                require(Configuration(read) == read);
                                (void)std::hash<Configuration>{}(read);
                                (void)read.text();
                              }) ||
         constraints;
}

bool look_at_profile(std::string_view text) {
  return reads<Profile>(text, [](const Profile &read) {
    Profile twice = read;
    twice.merge(read);
    require(twice.points().size() == read.points().size());
    for (const auto &[label, point] : read.points())
      (void)point.share(1);
  });
}

} // namespace sartor
