// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/compilers/compiler_process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/thread/thread.h"
#include "core/compiler/compiler.h"
#include "core/compiler/find_compiler.h"
#include "core/image/processor.h"
#include "remote/protocol/child.h"
#include "remote/server/compilers/service.h"

namespace sartor::remote {

namespace {

/// The limit for address space, which includes LLVM's libraries. Sanitizers take more.
[[maybe_unused]] constexpr rlim_t kMostMemory = rlim_t{8} << 30U;
constexpr std::size_t kMostMessage = std::size_t{1} << 30U;
constexpr std::size_t kMostSockets = 2;
/// The exit status after a fatal error of LLVM.
constexpr int kFatal = 3;

/// Makes the system end this process first when memory is exhausted.
void be_ended_first() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    (void)!write(file, "1000", 4);
    close(file);
  }
}

void limit_memory() {
#ifndef SARTOR_SANITIZED // whose shadow takes more
  rlimit memory{};
  getrlimit(RLIMIT_AS, &memory);
  memory.rlim_cur = std::min(memory.rlim_cur, kMostMemory);
  memory.rlim_max = memory.rlim_cur;
  setrlimit(RLIMIT_AS, &memory);
#endif
}

} // namespace

std::optional<std::vector<int>> take_sockets(int over, std::size_t count) {
  char nothing = 0;
  iovec bytes{&nothing, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostSockets * sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  ssize_t taken = 0;
  do
    taken = recvmsg(over, &message, MSG_CMSG_CLOEXEC);
  while (taken < 0 && errno == EINTR);
  const cmsghdr *header = taken > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (!header || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(count * sizeof(int)))
    return std::nullopt;
  std::vector<int> sockets(count);
  std::memcpy(sockets.data(), CMSG_DATA(header), count * sizeof(int));
  return sockets;
}

void leave_to_program(std::initializer_list<int> files) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int file : files)
    dup2(nothing, file);
  close(nothing);
}

bool load_compiler() {
  const auto compiler = core::find_compiler();
  // Which reads the files of this machine that are needed.
  if (!compiler || !(*compiler)->toolchain())
    return false;
  (void)core::this_processor();
  return true;
}

int serve_sessions(const Confinement &how) {
  prctl(PR_SET_NAME, "sartor-compiler");
  be_ended_first();
  limit_memory();
  Service service(**core::find_compiler(), kMostMessage, [](ErrorCode why) {
    _exit(why == ErrorCode::compile_memory ? kTookTooMuch : kFatal);
  });
#ifndef SARTOR_SANITIZED
  if (!confine(how))
    return kNotConfined;
#else
  (void)how;
#endif
  std::atomic<unsigned> conversations = 0;
  while (const auto sockets = take_sockets(kSessionsSocket, 1)) {
    ++conversations;
    auto stream =
        std::make_shared<std::unique_ptr<Stream>>(std::make_unique<SocketStream>(sockets->front()));
    auto thread = base::Thread::start("sartor-serve", [&, stream] {
      service.serve(std::move(*stream));
      --conversations;
      conversations.notify_all();
    });
    if (thread)
      thread->detach();
    else
      --conversations;
  }
  for (unsigned left = conversations; left > 0; left = conversations)
    conversations.wait(left);
  return 0;
}

} // namespace sartor::remote
