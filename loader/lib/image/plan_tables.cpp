// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/plan_tables.h"

#include <cstring>

namespace sartor::loader {

std::uint64_t PlanTables::string(std::string_view text) {
  const std::uint64_t offset = strings_.size();
  strings_.insert(strings_.end(), text.begin(), text.end());
  strings_.push_back('\0');
  return offset;
}
void PlanTables::add_files(std::span<const KnownFile> known) {
  for (const KnownFile &file : known)
    files.push_back({file.identity, string(file.path.string())});
}
void PlanTables::add_files(std::span<const std::filesystem::path> paths) {
  for (const std::filesystem::path &path : paths)
    files.push_back({identity_of(path), string(path.string())});
}
std::vector<std::byte> PlanTables::bytes(format::Header header) const {
  std::vector<std::byte> result(sizeof header);
  const auto add = [&](const auto &table) {
    const std::uint64_t offset = result.size();
    const auto *from = reinterpret_cast<const std::byte *>(table.data());
    result.insert(result.end(), from, from + table.size() * sizeof table[0]);
    result.resize((result.size() + 7) / 8 * 8);
    return format::Table{offset, table.size()};
  };
  header.files = add(files);
  header.mappings = add(mappings);
  header.libraries = add(libraries);
  header.environment = add(environment);
  header.preloaded = add(preloaded);
  header.again = add(again);
  header.admitted = add(admitted);
  header.strings = add(strings_);
  header.size = result.size();
  std::memcpy(result.data(), &header, sizeof header);
  constexpr std::size_t unchecked = offsetof(format::Header, checksum) + sizeof header.checksum;
  std::vector<std::uint64_t> words((result.size() - unchecked) / 8);
  std::memcpy(words.data(), result.data() + unchecked, words.size() * 8);
  header.checksum = format::checksum(words.data(), words.size());
  std::memcpy(result.data(), &header, sizeof header);
  return result;
}

} // namespace sartor::loader
