// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

namespace hydro {

namespace {

constexpr std::size_t kFields = 12;
/// Rows below and above the range from (0, 0) to (nx, ny), and one for the halo of neighbouring
/// rows.
constexpr Index kBelow = kHalo + 1;
constexpr Index kAbove = kHalo + 2;

std::size_t row_bytes(const Grid &grid) {
  return static_cast<std::size_t>(grid.stride) * sizeof(double);
}

[[noreturn]] void fail(const char *what) {
  throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

static_assert(kWindow * 64 % 4096 == 0, "rows of whole cache lines fill whole pages");

WindowFields::WindowFields(const Grid &grid) {
  const std::size_t window = kWindow * row_bytes(grid);
  const auto rows = static_cast<std::size_t>(kBelow + grid.ny + kAbove);
  bytes_ = (rows + kWindow - 1) / kWindow * window;
  void *const room = mmap(nullptr, kFields * bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    fail("no room for windows");
  mapped_ = static_cast<char *>(room);
  const int memory = memfd_create("hydro", MFD_CLOEXEC);
  try {
    if (memory < 0 || ftruncate(memory, static_cast<off_t>(kFields * window)) != 0)
      fail("no memory for windows");
    map(memory, grid);
  } catch (...) {
    if (memory >= 0)
      close(memory);
    munmap(mapped_, kFields * bytes_);
    throw;
  }
  close(memory);
}

WindowFields::~WindowFields() { munmap(mapped_, kFields * bytes_); }

void WindowFields::map(int memory, const Grid &grid) {
  const std::size_t window = kWindow * row_bytes(grid);
  std::array<double *, kFields> origins{};
  for (std::size_t field = 0; field < kFields; ++field) {
    char *const first = mapped_ + field * bytes_;
    for (std::size_t at = 0; at < bytes_; at += window)
      if (mmap(first + at, window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
               memory, static_cast<off_t>(field * window)) == MAP_FAILED)
        fail("no room for windows");
    origins[field] = reinterpret_cast<double *>(first) + kBelow * grid.stride;
  }
  const auto &f = origins;
  fields_ = {.moved = {f[0], f[1], f[2], f[3]},
             .half_mapped = {f[4], f[5], f[6], f[7]},
             .fluxes = {f[8], f[9], f[10], f[11]}};
}

} // namespace hydro
