// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_map.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

namespace xdp {

namespace {

[[noreturn]] void refuse(const std::string &what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

std::vector<std::uint64_t> words_of(const std::string &bytes) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint64_t));
  return words;
}

} // namespace

KernelMap::KernelMap(int descriptor) : descriptor_(descriptor) {
  bpf_map_info reported{};
  std::uint32_t size = sizeof reported;
  if (bpf_obj_get_info_by_fd(descriptor, &reported, &size) != 0)
    refuse("a map cannot be asked about");
  type_ = reported.type;
  key_bytes_ = reported.key_size;
  value_bytes_ = reported.value_size;
}

std::vector<std::uint64_t> KernelMap::sums(std::uint32_t key) const {
  check_key(sizeof key);
  const auto processors = static_cast<std::size_t>(libbpf_num_possible_cpus());
  std::string bytes(processors * value_bytes_, '\0');
  if (!look_up(&key, bytes.data()))
    refuse("an element cannot be read");
  const std::vector<std::uint64_t> words = words_of(bytes);
  std::vector<std::uint64_t> sums(value_bytes_ / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < words.size(); ++i)
    sums[i % sums.size()] += words[i];
  return sums;
}

KernelMap::Content KernelMap::content() const {
  Content content;
  std::string key(key_bytes_, '\0');
  for (bool more = next(nullptr, key.data()); more;
       more = next(content.back().first.data(), key.data())) {
    std::string value(value_bytes_, '\0');
    if (is_of_each_processor()) {
      std::uint32_t number = 0;
      std::memcpy(&number, key.data(), sizeof number);
      std::memcpy(value.data(), sums(number).data(), value.size());
    } else if (!look_up(key.data(), value.data())) {
      continue;
    }
    content.emplace_back(key, value);
  }
  return content;
}

void KernelMap::set_bytes(const std::string &key, const std::string &value) const {
  check_key(key.size());
  check_value(value.size());
  update(key.data(), value.data());
}

void KernelMap::clear_sums() const {
  const auto processors = static_cast<std::size_t>(libbpf_num_possible_cpus());
  const std::string zeros(processors * value_bytes_, '\0');
  for (const auto &[key, value] : content())
    update(key.data(), zeros.data());
}

void KernelMap::check_key(std::size_t bytes) const {
  if (bytes != key_bytes_)
    throw std::runtime_error("a map has other keys than expected");
}

void KernelMap::check_value(std::size_t bytes) const {
  if (bytes != value_bytes_)
    throw std::runtime_error("a map has other values than expected");
}

bool KernelMap::look_up(const void *key, void *value) const {
  if (bpf_map_lookup_elem(descriptor_, key, value) == 0)
    return true;
  if (errno != ENOENT)
    refuse("a map cannot be read");
  return false;
}

void KernelMap::update(const void *key, const void *value) const {
  if (bpf_map_update_elem(descriptor_, key, value, BPF_ANY) != 0)
    refuse("a map cannot be written");
}

void KernelMap::erase_key(const void *key) const {
  if (bpf_map_delete_elem(descriptor_, key) != 0 && errno != ENOENT)
    refuse("an element of a map cannot be taken out");
}

bool KernelMap::next(const void *key, void *after) const {
  if (bpf_map_get_next_key(descriptor_, key, after) == 0)
    return true;
  if (errno != ENOENT)
    refuse("a map cannot be read");
  return false;
}

bool KernelMap::is_of_each_processor() const { return type_ == BPF_MAP_TYPE_PERCPU_ARRAY; }

} // namespace xdp
