// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include <bpf/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf/descriptor.h"
#include "bpf/errors.h"
#include "bpf/log.h"

// The objects that clang makes of watch.bpf.c and watch_calls.bpf.c.
extern "C" const char sartor_watch_code[];
extern "C" const char sartor_watch_code_end[];
extern "C" const char sartor_watch_calls_code[];
extern "C" const char sartor_watch_calls_code_end[];

namespace sartor::bpf {

namespace {

constexpr const char *kName = "sartor_watch";
constexpr const char *kCall = "call";
constexpr const char *kTypes = "/sys/kernel/btf/vmlinux";

/// Returns the kernel functions that change a map.
std::vector<std::string> functions_for(const bpf_map &map) {
  switch (bpf_map__type(&map)) {
  case BPF_MAP_TYPE_HASH:
    return {"htab_map_update_elem", "htab_map_delete_elem", "htab_map_lookup_and_delete_elem",
            "htab_map_lookup_and_delete_batch"};
  case BPF_MAP_TYPE_LPM_TRIE:
    return {"trie_update_elem", "trie_delete_elem"};
  default:
    return {"array_map_update_elem"};
  }
}

// A kernel without such a function cannot change a map in this way, either.
bool may_be_missing(std::string_view function) { return function.contains("_lookup_and_delete_"); }

Failure cannot_watch(const std::string &subject, const std::string &why) {
  return {ErrorCode::kernel_lacks, subject, "other writers would not be seen: " + why,
          "declare it with BpfWriters::ours if only this process and this object write to it; "
          "else with BpfWriters::polled"};
}

Result<std::uint32_t> number_of(const bpf_map &map) {
  bpf_map_info reported{};
  std::uint32_t size = sizeof reported;
  if (bpf_obj_get_info_by_fd(bpf_map__fd(&map), &reported, &size) != 0)
    return std::unexpected(from_kernel(bpf_map__name(&map), errno, "cannot be asked about"));
  return reported.id;
}

// Must be called before the object is loaded.
void set_constants(bpf_object &opened, bpf_map &map, const Versions &versions) {
  std::size_t size = 0;
  const auto *initial = static_cast<const char *>(bpf_map__initial_value(&map, &size));
  std::string bytes(initial, size);
  for (const auto &[name, place] : variables_in(opened, ".rodata")) {
    const std::uint64_t value = name == "versions_bytes" ? versions.bytes() : SYS_bpf;
    std::memcpy(bytes.data() + place.offset, &value, sizeof value);
  }
  bpf_map__set_initial_value(&map, bytes.data(), size);
}

// A kernel of another version may have other functions.
void leave_out_missing(bpf_object &opened) {
  bpf_program *program = nullptr;
  bpf_object__for_each_program(program, &opened) {
    const std::string_view section = bpf_program__section_name(program);
    const std::string function(section.substr(section.find('/') + 1));
    if (section.starts_with("f"))
      bpf_program__set_autoload(program,
                                libbpf_find_vmlinux_btf_id(function.c_str(), BPF_TRACE_FENTRY) > 0);
  }
}

Result<Object> load(std::string_view code, const Versions &versions) {
  return Object::load(code, kName, kName, [&](bpf_object &opened) -> Result<void> {
    leave_out_missing(opened);
    bpf_map *map = nullptr;
    bpf_object__for_each_map(map, &opened) {
      const std::string_view name = shared_name(*map);
      if (name == ".rodata")
        set_constants(opened, *map, versions);
      if (name != "versions")
        continue;
      if (const int error = bpf_map__reuse_fd(map, versions.descriptor()); error != 0)
        return std::unexpected(from_kernel(kName, -error, "the versions cannot be shared"));
    }
    return {};
  });
}

/// False if this process may not see the programs of others.
bool can_list_programs() {
  std::uint32_t first = 0;
  return bpf_prog_get_next_id(first, &first) == 0 || errno == ENOENT;
}

std::string_view code_between(const char *begin, const char *end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

} // namespace

Result<Watch> Watch::begin(const Versions &versions) {
  auto at_functions = load(code_between(sartor_watch_code, sartor_watch_code_end), versions);
  if (at_functions)
    return Watch(std::move(*at_functions), true);
  auto at_calls =
      load(code_between(sartor_watch_calls_code, sartor_watch_calls_code_end), versions);
  if (at_calls) // a process that may load other programs may still not be allowed to trace
                // functions
    return Watch(std::move(*at_calls), false);
  if (access(kTypes, R_OK) != 0)
    return std::unexpected(
        cannot_watch(kName, std::string("there is no ") + kTypes +
                                ", where the kernel describes its types (CONFIG_DEBUG_INFO_BTF)"));
  return std::unexpected(cannot_watch(kName, at_calls.error().message));
}

Result<void> Watch::attach(const std::string &what, const std::filesystem::path &pins) {
  const Listener heard;
  for (const char *when : {"before_", "after_"}) {
    const std::string name = when + what;
    bpf_program *program = object_.program(name);
    bpf_link *link =
        program && bpf_program__fd(program) >= 0 ? bpf_program__attach(program) : nullptr;
    if (!link)
      return std::unexpected(cannot_watch(what, "the kernel does not let it be looked at"));
    links_.emplace_back(link);
    if (pins.empty())
      continue;
    const auto pin = pins / name;
    std::error_code removed; // the pin of an earlier process
    std::filesystem::remove(pin, removed);
    if (const int error = bpf_link__pin(link, pin.c_str()); error != 0)
      return std::unexpected(from_kernel(pin.string(), -error, "the watch cannot be pinned"));
  }
  attached_.insert(what);
  return {};
}

bool Watch::is_loaded(const std::string &name) const {
  const bpf_program *program = object_.program(name);
  return program && bpf_program__fd(program) >= 0;
}

Result<void> Watch::add(const bpf_map &map, const Versions &versions,
                        const std::filesystem::path &pins, const std::vector<std::string> &others) {
  const std::string name = bpf_map__name(&map);
  if ((bpf_map__map_flags(&map) & BPF_F_MMAPABLE) != 0)
    return std::unexpected(cannot_watch(name, "it may be memory of other processes"));
  if (!sees_programs_ && !can_list_programs())
    return std::unexpected(cannot_watch(name,
                                        "only system calls can be watched on this kernel, and "
                                        "this process may not see which programs use it"));
  if (!sees_programs_ && !others.empty())
    return std::unexpected(
        cannot_watch(name, "only system calls can be watched on this kernel, and "
                           "this program uses it, too: " +
                               others.front()));
  if (auto counted = count(map, versions); !counted)
    return counted;
  for (const std::string &what :
       sees_programs_ ? functions_for(map) : std::vector<std::string>{kCall})
    if (!attached_.contains(what) && !(may_be_missing(what) && !is_loaded("before_" + what)))
      if (auto attached = attach(what, pins); !attached)
        return attached;
  return {};
}

Result<void> Watch::count(const bpf_map &map, const Versions &versions) {
  const std::string name = bpf_map__name(&map);
  const auto number = number_of(map);
  if (!number)
    return std::unexpected(number.error());
  const std::uint32_t place = versions.offset(name);
  if (bpf_map_update_elem(bpf_map__fd(object_.map("watched")), &*number, &place, BPF_ANY) != 0)
    return std::unexpected(from_kernel(name, errno, "cannot be watched"));
  return {};
}

std::vector<std::string> other_users_of(const bpf_map &map, const std::set<std::uint32_t> &ours) {
  const auto number = number_of(map);
  std::vector<std::string> users;
  std::uint32_t program = 0;
  while (number && bpf_prog_get_next_id(program, &program) == 0) {
    const Descriptor descriptor(bpf_prog_get_fd_by_id(program));
    std::vector<std::uint32_t> maps(64);
    bpf_prog_info reported{};
    reported.map_ids = reinterpret_cast<std::uint64_t>(maps.data());
    reported.nr_map_ids = static_cast<std::uint32_t>(maps.size());
    std::uint32_t size = sizeof reported;
    if (!descriptor || ours.contains(program) ||
        bpf_obj_get_info_by_fd(descriptor.number(), &reported, &size) != 0)
      continue;
    maps.resize(std::min<std::size_t>(maps.size(), reported.nr_map_ids));
    if (std::ranges::count(maps, *number) > 0)
      users.push_back(std::string(reported.name) + " (" + std::to_string(program) + ")");
  }
  return users;
}

} // namespace sartor::bpf
