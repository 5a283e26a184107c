// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/plan_input.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sartor::front {

using namespace loader::format;

std::size_t look_at(const Plan &plan) {
  const Header &header = plan.header();
  std::size_t sum = 0;
  for (std::uint64_t i = 0; i < header.files.count; ++i)
    sum += std::strlen(plan.string(plan.table<File>(header.files)[i].path));
  for (std::uint64_t i = 0; i < header.environment.count; ++i)
    sum += std::strlen(plan.string(plan.table<std::uint64_t>(header.environment)[i]));
  for (std::uint64_t i = 0; i < header.mappings.count; ++i)
    sum += plan.table<Mapping>(header.mappings)[i].size;
  for (std::uint64_t i = 0; i < header.libraries.count; ++i) {
    const loader::format::Library &library =
        plan.table<loader::format::Library>(header.libraries)[i];
    sum += std::strlen(plan.string(plan.table<File>(header.files)[library.file].path));
  }
  if (const char *changed = plan.changed_file())
    sum += std::strlen(changed);
  return sum;
}

void seal(std::span<std::byte> plan) {
  if (plan.size() < sizeof(Header))
    return;
  Header header;
  std::memcpy(&header, plan.data(), sizeof header);
  header.magic = magic;
  header.size = plan.size() / 8 * 8;
  std::memcpy(plan.data(), &header, sizeof header);
  constexpr std::size_t unchecked = offsetof(Header, checksum) + sizeof header.checksum;
  std::vector<std::uint64_t> words((header.size - unchecked) / 8);
  std::memcpy(words.data(), plan.data() + unchecked, words.size() * 8);
  header.checksum = checksum(words.data(), words.size());
  std::memcpy(plan.data(), &header, sizeof header);
}

bool look_at_plan(std::span<const std::byte> plan) {
  if (plan.size() < sizeof(Header))
    return false;
  std::vector<std::byte> bytes(plan.begin(), plan.end());
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  // The mapping consists of zeros, which take no memory.
  constexpr std::uint64_t largest = std::uint64_t{1} << 30;
  const std::uint64_t size =
      std::max(plan_offset + bytes.size(), std::min(header.image_size, largest));
  header.image_size = size;
  std::memcpy(bytes.data(), &header, sizeof header);
  seal(bytes);
  const int file = memfd_create("plan", MFD_CLOEXEC);
  bool accepted = false;
  if (file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) == 0 &&
      ftruncate(file, static_cast<off_t>(size)) == 0 &&
      pwrite(file, bytes.data(), bytes.size(), plan_offset) == static_cast<ssize_t>(bytes.size())) {
    Plan read;
    accepted = read.read(file, 0);
    if (accepted)
      look_at(read);
    read.forget();
  }
  close(file);
  return accepted;
}

} // namespace sartor::front
