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

/// By what a map is known in all objects made of one source: its name or, of a map of variables,
/// their section.
std::string_view shared_name(const bpf_map &map);
/// Of a map of variables: whether nothing writes to it.
bool is_constants(std::string_view section);
/// Whether it is of one program alone, or of the kernel's configuration.
bool is_own(std::string_view section);

/// Where a variable lies in the map of its section.
struct VariablePlace {
  std::uint32_t offset;
  std::uint32_t bytes;
};
using Variables = std::map<std::string, VariablePlace, std::less<>>; ///< By name.
/// The variables of a section, as far as an object tells of their types.
Variables variables_in(const bpf_object &object, std::string_view section);

/// What a map of variables holds.
Result<std::string> variables_of(int map);

/// The maps and variables that all objects made of one source share: by name, descriptors of
/// somebody else's. A value.
class SharedMaps {
public:
  SharedMaps() = default;
  /// Those of a loaded object.
  explicit SharedMaps(const bpf_object &generic);

  /// Has an object that is not loaded yet use them, where it has maps of these names, and begin
  /// with the constants that the first one has been given. Fails with bad_bpf_object where its
  /// variables would lie elsewhere.
  Result<void> share_with(bpf_object &object) const;
  void add(const std::string &name, int map) { maps_[name] = map; }

private:
  const bpf_object *generic_ = nullptr;
  std::map<std::string, int, std::less<>> maps_;
};

} // namespace sartor::bpf

#endif
