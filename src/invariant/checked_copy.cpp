// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/checked_copy.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/uio.h>
#include <unistd.h>

namespace sartor::invariant {

namespace {

// Read piece by piece, an absurd size fails before memory is asked for it.
constexpr std::size_t kPiece = std::size_t{1} << 20U;

ssize_t read_own(char *to, std::uintptr_t address, std::size_t size) {
  const iovec local{to, size};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const iovec remote{reinterpret_cast<void *>(address), size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

std::string hex(std::uintptr_t address) {
  std::string digits;
  for (; address || digits.empty(); address /= 16)
    digits.insert(digits.begin(), "0123456789abcdef"[address % 16]);
  return "0x" + digits;
}

} // namespace

Result<std::string> checked_copy(std::uintptr_t address, std::size_t size) {
  auto fail = [](std::uintptr_t where, const std::string &why) {
    return std::unexpected(Failure{ErrorCode::unreadable_memory, hex(where),
                                   "cannot be read: " + why,
                                   "invalidate an invariant before its memory is freed"});
  };
  if (size > UINTPTR_MAX - address)
    return fail(address, "the range goes past the end of memory");
  std::string bytes;
  std::size_t done = 0;
  while (done < size) {
    bytes.resize(done + std::min(kPiece, size - done));
    // A read stops at the first page that is not there.
    const ssize_t got = read_own(bytes.data() + done, address + done, bytes.size() - done);
    if (got < 0)
      return fail(address + done, std::strerror(errno));
    if (got == 0)
      return fail(address + done, "no memory there");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

} // namespace sartor::invariant
