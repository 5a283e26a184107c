// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_MAP_COPIES_H
#define SARTOR_BPF_MAP_COPIES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <bpf/libbpf.h>

#include "base/result.h"

namespace sartor::bpf {

/// The content of maps: values by key, by the name of the map.
using MapContents = std::map<std::string, std::map<std::string, std::string>>;

/// The size of a value as system calls read and write it: of a map for each processor, the values
/// of all processors.
std::uint64_t value_bytes(const bpf_map &map);

/// Makes an object that is not loaded yet create maps of the sizes of a loaded one, and none of its
/// pins.
void create_like(bpf_object &object, const bpf_object &live);

/// False if maps of an object are too large, or contain sockets, which a program may redirect to
/// another map.
bool can_be_copied(const bpf_object &object);

/// Returns the content of arrays, hashes and tries of a loaded object, 8,192 entries of each at
/// most, without its constants.
Result<MapContents> read_maps(const bpf_object &object);

/// Gives these maps of a loaded object this content.
Result<void> write_maps(const bpf_object &object, const MapContents &contents);

/// True if the content of a map depends on what it is used for alone: of maps that drop the least
/// recently used entry, it does not.
bool is_determined(const bpf_map &map);

} // namespace sartor::bpf

#endif
