// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_SHARED_MAPS_H
#define SARTOR_BPF_SHARED_MAPS_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <bpf/libbpf.h>

#include "base/result.h"

namespace sartor::bpf {

/// The name of a map that is the same in all objects made of one source: its own or, for a map of
/// variables, their section's.
std::string_view shared_name(const bpf_map &map);
/// True for a section of variables that are not written.
bool is_constants(std::string_view section);
/// True for a section that belongs to one program alone, or to the kernel's configuration.
bool is_own(std::string_view section);

/// The position of a variable in the map of its section.
struct VariablePlace {
  std::uint32_t offset;
  std::uint32_t bytes;
};
using Variables = std::map<std::string, VariablePlace, std::less<>>; ///< Keyed by name.
/// Returns the variables of a section, as far as the object has their types.
Variables variables_in(const bpf_object &object, std::string_view section);

/// Returns the content of a map of variables.
Result<std::string> variables_of(int map);

/// The maps and variables that all objects made of one source share, as descriptors by name; the
/// descriptors are not owned. A value.
class SharedMaps {
public:
  SharedMaps() = default;
  /// The maps of a loaded object.
  explicit SharedMaps(const bpf_object &generic);
  /// No maps, but the constants that a loaded object was given.
  static SharedMaps constants_of(const bpf_object &generic);

  /// Makes an object that is not loaded yet use the maps of these names, and begin with the
  /// constants that the first object was given. Fails with bad_bpf_object if its variables have
  /// other positions.
  Result<void> share_with(bpf_object &object) const;
  void add(const std::string &name, int map) { maps_[name] = map; }

private:
  const bpf_object *generic_ = nullptr;
  std::map<std::string, int, std::less<>> maps_;
};

} // namespace sartor::bpf

#endif
