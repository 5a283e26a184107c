// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/replay/memory_layout.h"
#include "runtime/assumptions/hex.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <sys/mman.h>

namespace sartor::cli {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMost = std::uint64_t{512} << 20U;

char *at(std::uint64_t address) {
  return reinterpret_cast<char *>(address); // NOLINT(performance-no-int-to-ptr)
}

/// Returns the mapping of this process that overlaps a range.
std::string mapping_in(std::uint64_t begin, std::uint64_t end) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    char *dash = nullptr;
    const std::uint64_t from = std::strtoull(line.c_str(), &dash, 16);
    const std::uint64_t to = *dash == '-' ? std::strtoull(dash + 1, nullptr, 16) : 0;
    if (from < end && begin < to)
      return line;
  }
  return "the kernel refuses the address";
}

} // namespace

Result<MemoryLayout> MemoryLayout::reserve(std::vector<core::MemoryPiece> pieces) {
  MemoryLayout layout;
  std::uint64_t all = 0;
  for (const core::MemoryPiece &piece : pieces) {
    const std::uint64_t begin = piece.address / kPage * kPage;
    const std::uint64_t end = (piece.address + piece.bytes.size() + kPage - 1) / kPage * kPage;
    all += end - begin;
    if (end <= begin || all > kMost)
      return std::unexpected(Failure{ErrorCode::file_error, runtime::as_hex(piece.address),
                                     "is no address of recorded memory, or there is too much of it",
                                     "name a directory that Sartor has written, unchanged"});
    layout.pages_.push_back({begin, end});
  }
  std::ranges::sort(layout.pages_, {}, &Range::begin);
  std::vector<Range> merged;
  for (const Range &range : layout.pages_)
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  layout.pages_ = std::move(merged);
  layout.pieces_ = std::move(pieces);
  for (const Range &range : layout.pages_)
    if (mmap(at(range.begin), range.end - range.begin, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1,
             0) != at(range.begin))
      return std::unexpected(
          Failure{ErrorCode::file_error, "the memory at " + runtime::as_hex(range.begin),
                  "cannot be mapped: " + std::generic_category().message(errno) + ": " +
                      mapping_in(range.begin, range.end),
                  "try again with address space randomization, which moves the mapping"});
  return layout;
}

bool MemoryLayout::fill() const {
  for (const Range &range : pages_)
    if (mprotect(at(range.begin), range.end - range.begin, PROT_READ | PROT_WRITE) != 0)
      return false;
  for (const core::MemoryPiece &piece : pieces_)
    std::memcpy(at(piece.address), piece.bytes.data(), piece.bytes.size());
  return true;
}

std::vector<core::MemoryPiece> MemoryLayout::changes(const Range &locals) const {
  std::vector<core::MemoryPiece> changes;
  for (const Range &range : pages_) {
    std::string before(range.end - range.begin, '\0');
    for (const core::MemoryPiece &piece : pieces_)
      if (piece.address >= range.begin && piece.address < range.end)
        before.replace(piece.address - range.begin, piece.bytes.size(), piece.bytes);
    bool is_of_local = false; // the word
    for (std::uint64_t i = 0; i < before.size(); ++i) {
      std::uint64_t word = 0;
      if (i % sizeof word == 0) {
        std::memcpy(&word, at(range.begin + i), sizeof word);
        is_of_local = locals.begin <= word && word < locals.end &&
                      std::memcmp(&word, &before[i], sizeof word) != 0;
      }
      const char now = is_of_local ? '\0' : *at(range.begin + i);
      if (now == before[i] && !is_of_local)
        continue;
      if (!changes.empty() &&
          changes.back().address + changes.back().bytes.size() == range.begin + i)
        changes.back().bytes += now;
      else
        changes.push_back({range.begin + i, std::string(1, now)});
    }
  }
  return changes;
}

} // namespace sartor::cli
