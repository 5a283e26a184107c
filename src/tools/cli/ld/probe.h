// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_PROBE_H
#define SARTOR_TOOLS_CLI_LD_PROBE_H

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::cli {

/// Returns the directory in which the loader's front stores images.
std::filesystem::path image_directory();

/// `sartor ld probe`: prints each place, a file and an offset, that the code of a function or the
/// instruction of a static probe comes from.
class LdProbeCommand {
public:
  /// `ld` is the parent command.
  explicit LdProbeCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Fails with file_error, bad_elf.
  Result<void> run() const;

private:
  /// Addresses in one file.
  struct Point {
    std::uint64_t address;
    std::uint64_t semaphore; ///< 0: there is none.
  };
  /// The same as offsets in the file.
  struct Place {
    std::filesystem::path path;
    std::uint64_t offset;
    std::uint64_t semaphore;
    std::uint64_t address;
  };

  [[nodiscard]] bool is_static_probe() const { return symbol_.find(':') != symbol_.npos; }
  [[nodiscard]] Result<std::vector<Point>> points(const loader::ElfFile &library) const;
  [[nodiscard]] std::vector<Point> probe_points(const loader::ElfFile &file) const;
  [[nodiscard]] Result<std::vector<Place>> places_in_images(const loader::ElfFile &library,
                                                            const std::vector<Point> &points) const;
  [[nodiscard]] std::string line_of(const Place &place) const;

  CLI::App *command_;
  std::string library_;
  std::string symbol_;
  std::string program_;
  std::string directory_;
  std::string format_ = "offset";
};

} // namespace sartor::cli

#endif
