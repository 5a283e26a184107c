// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "variables.h"

#include <cerrno>
#include <memory>
#include <stdexcept>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace xdp {

Variables::Variables(int map) {
  bpf_map_info reported{};
  std::uint32_t size = sizeof reported;
  if (bpf_obj_get_info_by_fd(map, &reported, &size) != 0)
    throw std::runtime_error(std::string("no map of variables: ") + std::strerror(errno));
  const std::unique_ptr<btf, decltype(&btf__free)> types(
      btf__load_from_kernel_by_id(reported.btf_id), btf__free);
  const btf_type *list = types ? btf__type_by_id(types.get(), reported.btf_value_type_id) : nullptr;
  if (!list || !btf_is_datasec(list))
    throw std::runtime_error(std::string(reported.name) + " is no map of variables");
  const btf_var_secinfo *each = btf_var_secinfos(list);
  for (int i = 0; i < btf_vlen(list); ++i, ++each) {
    const btf_type *variable = btf__type_by_id(types.get(), each->type);
    places_[btf__name_by_offset(types.get(), variable->name_off)] = {each->offset, each->size};
  }
  bytes_ = reported.value_size;
  void *memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error(std::string(reported.name) +
                             " cannot be mapped: " + std::strerror(errno));
  memory_ = static_cast<char *>(memory);
}

Variables::~Variables() { munmap(memory_, bytes_); }

void *Variables::place(const std::string &name, std::size_t bytes) const {
  const auto found = places_.find(name);
  if (found == places_.end())
    throw std::runtime_error("there is no variable " + name);
  if (found->second.bytes != bytes)
    throw std::runtime_error("the variable " + name + " has another size");
  return memory_ + found->second.offset;
}

Change::Change(const Variables &variables, bool is_all_new)
    : version_(variables.get<std::uint64_t>("version")) {
  const bool is_half_written = __atomic_load_n(&version_, __ATOMIC_SEQ_CST) % 2 != 0;
  if (is_half_written && !is_all_new)
    throw std::runtime_error("whoever wrote the tables before has not come to its end; load them "
                             "anew");
  __atomic_fetch_add(&version_, is_half_written ? 2 : 1, __ATOMIC_SEQ_CST);
}

Change::~Change() { __atomic_fetch_add(&version_, 1, __ATOMIC_SEQ_CST); }

} // namespace xdp
