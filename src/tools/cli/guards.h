// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_GUARDS_H
#define SARTOR_TOOLS_CLI_GUARDS_H

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// The compiler plugin's report on the watched fields of a program (core/space/guard_section.h),
/// over all its files; each field once.
struct GuardReport {
  struct Field {
    std::string name; ///< `record::field`
    std::uint64_t record_size = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool operator==(const Field &) const = default;
  };
  struct Place {
    std::string file;
    unsigned line = 0;
    std::string field;
    std::string what; ///< The kind of store, or the reason why it is not proven.
    auto operator<=>(const Place &) const = default;
  };
  std::vector<Field> fields;
  std::vector<Place> guarded;
  std::vector<Place> unproven;

  /// Fails with file_error, or with bad_elf, also for a damaged section.
  static Result<GuardReport> read(const std::string &path);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;
};

/// `sartor guards`: lists the watched fields of a program.
class GuardsCommand {
public:
  explicit GuardsCommand(CLI::App &app);

  Result<void> run() const;

private:
  std::string program_;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
