// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/checked_copy.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include <sys/uio.h>
#include <unistd.h>

#include "runtime/assumptions/hex.h"

namespace sartor::runtime {

namespace {

// Memory is read in pieces of this size, so that a read of an absurd size fails before that much
// memory is allocated.
constexpr std::size_t kPiece = std::size_t{1} << 20U;

// Pieces up to this size are read together in one system call.
constexpr std::size_t kSmall = 4096;

ssize_t read_own(char *to, std::uintptr_t address, std::size_t size) {
  const iovec local{to, size};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const iovec remote{reinterpret_cast<void *>(address), size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

} // namespace

Result<std::string> checked_copy(std::uintptr_t address, std::size_t size) {
  auto fail = [](std::uintptr_t where, const std::string &why) {
    return std::unexpected(Failure{ErrorCode::unreadable_memory, as_hex(where),
                                   "cannot be read: " + why,
                                   "invalidate an invariant before its memory is freed"});
  };
  if (size > UINTPTR_MAX - address)
    return fail(address, "the range goes past the end of memory");
  std::string bytes;
  std::size_t done = 0;
  while (done < size) {
    bytes.resize(done + std::min(kPiece, size - done));
    // A read stops at the first page that is not mapped.
    const ssize_t got = read_own(bytes.data() + done, address + done, bytes.size() - done);
    if (got < 0)
      return fail(address + done, std::strerror(errno));
    if (got == 0)
      return fail(address + done, "no memory there");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::vector<Result<std::string>>
checked_copies(std::span<const std::pair<std::uintptr_t, std::size_t>> pieces) {
  std::vector<Result<std::string>> copies(pieces.size());
  std::vector<std::size_t> together;
  const auto read_together = [&] {
    std::vector<iovec> local;
    std::vector<iovec> remote;
    std::size_t size = 0;
    for (const std::size_t i : together) {
      copies[i]->resize(pieces[i].second);
      local.push_back({copies[i]->data(), pieces[i].second});
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      remote.push_back({reinterpret_cast<void *>(pieces[i].first), pieces[i].second});
      size += pieces[i].second;
    }
    const ssize_t got =
        process_vm_readv(getpid(), local.data(), local.size(), remote.data(), remote.size(), 0);
    if (got < 0 || static_cast<std::size_t>(got) != size)
      for (const std::size_t i : together) // to find the piece that failed
        copies[i] = checked_copy(pieces[i].first, pieces[i].second);
    together.clear();
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].second > kSmall)
      copies[i] = checked_copy(pieces[i].first, pieces[i].second);
    else
      together.push_back(i);
    if (together.size() == IOV_MAX)
      read_together();
  }
  if (!together.empty())
    read_together();
  return copies;
}

} // namespace sartor::runtime
