// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/map_dump.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/file/regular_file.h"
#include "base/text/json.h"
#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kRemedy = "write it again: bpftool -j map dump name MAP > FILE";

std::unexpected<Failure> bad_map_dump(const std::string &file, std::string what) {
  return std::unexpected(Failure{ErrorCode::bad_json, file, std::move(what), kRemedy});
}

/// Reads this many bytes in the form `["0x0a","0x00"]`.
std::optional<std::string> bytes_of(const Json &entry, const char *field, std::size_t size) {
  const auto found = entry.find(field);
  if (found == entry.end() || !found->is_array() || found->size() != size)
    return std::nullopt;
  std::string bytes;
  for (const Json &each : *found) {
    const std::string text = each.is_string() ? each.get<std::string>() : "";
    unsigned byte = 0;
    const char *end = text.data() + text.size();
    if (!text.starts_with("0x") || std::from_chars(text.data() + 2, end, byte, 16).ptr != end ||
        byte > 0xff)
      return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

Result<core::KernelMap> read(const std::string &file, core::KernelMap map) {
  const auto text = base::read_regular_file(file);
  if (!text)
    return std::unexpected(Failure{ErrorCode::file_error, file, text.error(), kRemedy});
  const auto parsed = parse_json(*text);
  if (!parsed || !parsed->is_array())
    return bad_map_dump(file, "is not the output of `bpftool -j map dump`");
  for (const Json &entry : *parsed) {
    auto key = entry.is_object() ? bytes_of(entry, "key", map.key_bytes) : std::nullopt;
    auto value = entry.is_object() ? bytes_of(entry, "value", map.value_bytes) : std::nullopt;
    if (!key || !value)
      return bad_map_dump(file, "entry " + std::to_string(map.entries.size()) + " is not of " +
                                    std::to_string(map.key_bytes) + " bytes of key and " +
                                    std::to_string(map.value_bytes) +
                                    " of value, as the object's map is");
    std::uint32_t index = 0;
    if (map.kind == core::KernelMapKind::array) {
      std::memcpy(&index, key->data(), sizeof index);
      if (index != map.entries.size())
        return bad_map_dump(file,
                            "lacks entry " + std::to_string(map.entries.size()) + " of the array");
    }
    map.entries.push_back({std::move(*key), std::move(*value)});
  }
  return map;
}

} // namespace

Result<KernelMaps> read_map_dumps(const std::vector<std::string> &files, const KernelMaps &known) {
  KernelMaps maps;
  std::vector<std::string> names;
  for (const auto &[name, map] : known)
    names.push_back(name);
  for (const std::string &given : files) {
    const std::size_t at = given.find('=');
    const std::string name = given.substr(0, at);
    const auto found = known.find(name);
    if (at == std::string::npos || found == known.end())
      return std::unexpected(Failure{ErrorCode::bad_invariant, name,
                                     "is not a map of this object that can be declared invariant",
                                     names.empty()
                                         ? "it has none: mark one SARTOR_READ_MOSTLY"
                                         : "write NAME=FILE; the object has " + joined(names)});
    auto map = read(given.substr(at + 1), found->second);
    if (!map)
      return std::unexpected(std::move(map.error()));
    maps[name] = std::move(*map);
  }
  return maps;
}

} // namespace sartor::cli
