// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/shared_maps.h"

#include <cerrno>
#include <cstring>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "bpf/errors.h"
#include "core/request/kernel_names.h"

namespace sartor::bpf {

namespace {

Result<void> check_places(const bpf_object &generic, const bpf_object &object,
                          std::string_view section) {
  const Variables before = variables_in(generic, section);
  for (const auto &[name, place] : variables_in(object, section)) {
    const auto known = before.find(name);
    if (known == before.end() || known->second.offset != place.offset ||
        known->second.bytes != place.bytes)
      return std::unexpected(Failure{ErrorCode::bad_bpf_object, name,
                                     "would lie elsewhere in the variant than in the object",
                                     "compile the object by the same version of Sartor's plugin"});
  }
  return {};
}

// Copies constants (`const volatile`) that a program has set before it loaded the object to
// variants.
Result<void> copy_constants(const bpf_object &generic, int from, const bpf_object &object,
                            bpf_map &to) {
  const std::string_view section = shared_name(to);
  const auto given = variables_of(from);
  if (!given)
    return std::unexpected(given.error());
  std::size_t size = 0;
  const auto *initial = static_cast<const char *>(bpf_map__initial_value(&to, &size));
  if (!initial)
    return {};
  std::string bytes(initial, size);
  const Variables before = variables_in(generic, section);
  for (const auto &[name, place] : variables_in(object, section))
    if (const auto known = before.find(name);
        known != before.end() && known->second.bytes == place.bytes &&
        known->second.offset + place.bytes <= given->size() && place.offset + place.bytes <= size)
      std::memcpy(bytes.data() + place.offset, given->data() + known->second.offset, place.bytes);
  bpf_map__set_initial_value(&to, bytes.data(), size);
  return {};
}

} // namespace

bool is_constants(std::string_view section) { return section.starts_with(".rodata"); }

bool is_own(std::string_view section) {
  return section == core::kKernelSection || section == ".kconfig";
}

// libbpf's names of maps of variables begin with the object's name.
std::string_view shared_name(const bpf_map &map) {
  const std::string_view name = bpf_map__name(&map);
  if (bpf_map__is_internal(&map))
    for (const char *section : {".rodata", ".data", ".bss", ".kconfig"})
      if (const std::size_t at = name.find(section); at != std::string_view::npos)
        return name.substr(at);
  return name;
}

Variables variables_in(const bpf_object &object, std::string_view section) {
  Variables found;
  const btf *types = bpf_object__btf(&object);
  const int id =
      types ? btf__find_by_name_kind(types, std::string(section).c_str(), BTF_KIND_DATASEC) : -1;
  if (id < 0)
    return found;
  const btf_type *list = btf__type_by_id(types, static_cast<std::uint32_t>(id));
  const btf_var_secinfo *each = btf_var_secinfos(list);
  for (int i = 0; i < btf_vlen(list); ++i, ++each) {
    const btf_type *variable = btf__type_by_id(types, each->type);
    found[btf__name_by_offset(types, variable->name_off)] = {each->offset, each->size};
  }
  return found;
}

Result<std::string> variables_of(int map) {
  bpf_map_info reported{};
  std::uint32_t size = sizeof reported;
  const std::uint32_t first = 0;
  if (bpf_obj_get_info_by_fd(map, &reported, &size) != 0)
    return std::unexpected(from_kernel("a map", errno, "cannot be asked about"));
  std::string bytes(reported.value_size, '\0');
  if (bpf_map_lookup_elem(map, &first, bytes.data()) != 0)
    return std::unexpected(from_kernel(reported.name, errno, "cannot be read"));
  return bytes;
}

SharedMaps::SharedMaps(const bpf_object &generic) : generic_(&generic) {
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &generic) if (bpf_map__fd(map) >= 0)
      maps_.emplace(shared_name(*map), bpf_map__fd(map));
}

SharedMaps SharedMaps::constants_of(const bpf_object &generic) {
  SharedMaps made(generic);
  std::erase_if(made.maps_, [](const auto &map) { return !is_constants(map.first); });
  return made;
}

Result<void> SharedMaps::share_with(bpf_object &object) const {
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) {
    const std::string_view section = shared_name(*map);
    const auto known = maps_.find(section);
    if (known == maps_.end() || is_own(section))
      continue;
    if (is_constants(section)) {
      if (auto copied = copy_constants(*generic_, known->second, object, *map); !copied)
        return copied;
      continue;
    }
    if (bpf_map__is_internal(map))
      if (auto checked = check_places(*generic_, object, section); !checked)
        return checked;
    if (const int error = bpf_map__reuse_fd(map, known->second); error != 0)
      return std::unexpected(
          from_kernel(std::string(section), -error, "the map cannot be shared with a variant"));
  }
  return {};
}

} // namespace sartor::bpf
