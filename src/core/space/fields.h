// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serialization of points, configurations and bound arguments (base/bytes.h).
#ifndef SARTOR_CORE_SPACE_FIELDS_H
#define SARTOR_CORE_SPACE_FIELDS_H

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sartor/bound_argument.hpp>
#include <sartor/configuration.hpp>
#include <sartor/space.hpp>

#include "base/bytes.h"
#include "core/space/module.h"

namespace sartor::bytes {

template <class Io, Of<PointType> T> void fields_of(Io &io, T &type) {
  io.choice(type.kind);
  io(type.bits, type.is_signed);
}

template <class Io, Of<Configuration> T> void fields_of(Io &io, T &configuration) {
  std::map<std::string, std::pair<std::vector<Value>, bool>> settings;
  if constexpr (!Io::reads)
    for (const auto &[label, setting] : configuration)
      settings.emplace(label, std::pair(setting.values, setting.guarded));
  io(settings);
  if constexpr (Io::reads)
    for (auto &[label, setting] : settings) {
      io.require(!setting.first.empty());
      configuration.set(label, Setting(std::move(setting.first), setting.second));
    }
}

template <class Io, Of<std::pair<std::vector<Value>, bool>> T> void fields_of(Io &io, T &setting) {
  io(setting.first, setting.second);
}

/// By index of the source's parameters.
template <class Io, Of<std::map<unsigned, BoundArgument>> T>
void bound_arguments(Io &io, T &arguments) {
  std::map<unsigned, Value> scalars;
  std::map<unsigned, std::string> objects;
  if constexpr (!Io::reads)
    for (const auto &[index, argument] : arguments) {
      if (argument.is_object())
        objects.emplace(index, argument.bytes());
      else
        scalars.emplace(index, argument.value());
    }
  io(scalars, objects);
  if constexpr (Io::reads) {
    for (auto &[index, value] : scalars)
      arguments.emplace(index, std::move(value));
    for (const auto &[index, object] : objects)
      arguments.emplace(index, BoundArgument::object(object.data(), object.size()));
  }
}

} // namespace sartor::bytes

#endif
