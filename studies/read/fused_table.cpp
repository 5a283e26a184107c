// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fused_table.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <random>
#include <string>

#include "fused.h"
#include "harness.h"
#include "image.h"
#include "stand.h"

namespace files {

namespace {

constexpr std::size_t kFileBytes = 16 << 20;
constexpr std::size_t kMebibytes = 64;
constexpr std::size_t kRounds = 9;

/// The commands; FILE is the file on the mount, and ORIGINAL the file that it was made from.
constexpr std::array kCommands = {
    "cat FILE >/dev/null",
    "dd if=FILE of=/dev/null bs=1 count=60000 status=none",
    "dd if=FILE of=/dev/null bs=8k status=none",
    "dd if=FILE of=/dev/null bs=64k status=none",
    "cmp FILE ORIGINAL",
    R"sh(test "$(sha256sum <FILE)" = "$(sha256sum <ORIGINAL)")sh",
};

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.replace(at, what.size(), with);
  return text;
}

void write_original(const std::filesystem::path &path) {
  std::mt19937_64 random(1); // NOLINT(*-random-generator-seed): runs can be repeated
  std::ofstream file(path, std::ios::binary);
  for (std::size_t i = 0; i < kFileBytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    file.write(reinterpret_cast<const char *>(&word), sizeof word);
  }
}

} // namespace

void write_fused(std::ostream &tables) {
  if (const std::string why = why_not_fused(); !why.empty()) {
    std::cerr << "Nothing is mounted: " << why << '\n';
    tables << "Nothing was mounted: " << why << ".\n";
    return;
  }
  const ScratchFolder folder;
  const auto content = folder.path() / "content";
  std::filesystem::create_directory(content);
  write_original(content / "file");
  make_image(folder.path() / "image", content, Stand::kBlockBytes, kMebibytes);
  std::filesystem::copy_file(folder.path() / "image", folder.path() / "second");
  const Fused generic(folder.path() / "image", folder.path() / "generic", "generic");
  const Fused specialized(folder.path() / "second", folder.path() / "specialized", "specialized");

  tables
      << "By FUSE, a file of " << (kFileBytes >> 20U)
      << " MiB in the cache: wall time of programs\n\n"
      << "| command | generic, ms | specialized, ms | generic ÷ specialized |\n|---|---|---|---|\n";
  for (const char *command : kCommands) {
    std::array<sartor::bench::Samples, 2> seconds;
    const auto on = [&](const Fused &mount, sartor::bench::Samples &taken) {
      const std::string words =
          replaced(replaced(command, "FILE", (mount.folder() / "file").string()), "ORIGINAL",
                   (content / "file").string());
      return [words, &taken] { taken.push_back(run_command(words)); };
    };
    sartor::bench::interleave(
        {{"generic", on(generic, seconds[0])}, {"specialized", on(specialized, seconds[1])}},
        kRounds);
    const auto ratio = sartor::bench::ratio(seconds[0], seconds[1]);
    tables << "| `" << command << "` | " << std::fixed << std::setprecision(1)
           << sartor::bench::median(seconds[0]).value * 1e3 << " | "
           << sartor::bench::median(seconds[1]).value * 1e3 << " | " << std::setprecision(3)
           << ratio.value << " [" << ratio.low << ", " << ratio.high << "] |\n";
  }
  tables << '\n';
}

} // namespace files
