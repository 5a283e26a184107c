// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_PLAN_TABLES_H
#define SARTOR_LOADER_LIB_IMAGE_PLAN_TABLES_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "loader/lib/file/file_identity.h"
#include "loader/lib/format/image_format.h"

namespace sartor::loader {

/// Collects the tables of a plan.
class PlanTables {
public:
  /// Returns the offset of a text in the strings; it is zero-terminated there.
  std::uint64_t string(std::string_view text);
  void add_files(std::span<const KnownFile> known);
  /// Adds files with their current identities.
  void add_files(std::span<const std::filesystem::path> paths);

  /// Returns the plan: the header, completed with sizes, tables and checksum, followed by the
  /// tables.
  [[nodiscard]] std::vector<std::byte> bytes(format::Header header) const;

  std::vector<format::File> files;
  std::vector<format::Mapping> mappings;
  std::vector<format::Library> libraries;
  std::vector<std::uint64_t> environment;
  std::vector<std::uint64_t> preloaded;
  std::vector<std::uint64_t> again;
  std::vector<std::uint64_t> admitted;

private:
  std::vector<char> strings_;
};

} // namespace sartor::loader

#endif
