// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/fleet/line_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/reports.h"

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestLine = 64U << 20;

Failure unreachable(const std::string &path, std::string why) {
  return {ErrorCode::store_unreachable, path, std::move(why),
          "the replica goes on alone, and tries again; see whether the sidecar runs"};
}

/// False when the deadline has passed.
bool wait_for(int handle, short events, Clock::time_point deadline) {
  pollfd poller{handle, events, 0};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int ready = poll(&poller, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready >= 0 || errno != EINTR)
      return ready > 0;
  }
}

} // namespace

Result<LineSocket> LineSocket::connect(const std::filesystem::path &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.empty() || name.size() >= sizeof address.sun_path)
    return std::unexpected(unreachable(name, "is no path for a socket"));
  std::ranges::copy(name, address.sun_path);
  LineSocket made(
      base::above_standard_streams(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      name);
  if (made.handle_.get() < 0 ||
      ::connect(made.handle_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) !=
          0)
    return std::unexpected(
        unreachable(name, "no sidecar answers: " + std::generic_category().message(errno)));
  return made;
}

void LineSocket::hang_up() const {
  if (handle_.is_still_ours())
    shutdown(handle_.get(), SHUT_RDWR);
}

std::unexpected<Failure> LineSocket::lost(std::string why) const {
  return std::unexpected(unreachable(path_, std::move(why)));
}

std::unexpected<Failure> LineSocket::closed_by_program() const {
  base::report_descriptor_lost(ErrorCode::store_unreachable, path_,
                               "and the connection to the sidecar is lost");
  return lost("the program has closed the connection's descriptor");
}

Result<std::string> LineSocket::exchange(std::string_view line,
                                         std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  const std::string text = std::string(line) + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    if (!handle_.is_still_ours())
      return closed_by_program();
    const ssize_t some = send(handle_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (some > 0)
      sent += static_cast<std::size_t>(some);
    else if (errno == EAGAIN || errno == EINTR) {
      if (!wait_for(handle_.get(), POLLOUT, deadline))
        return lost("the sidecar does not listen");
    } else
      return lost("the sidecar is gone: " + std::generic_category().message(errno));
  }
  std::string answer;
  for (;;) {
    if (!wait_for(handle_.get(), POLLIN, deadline))
      return lost("the sidecar does not answer");
    if (!handle_.is_still_ours())
      return closed_by_program();
    std::array<char, 65536> buffer;
    const ssize_t some = recv(handle_.get(), buffer.data(), buffer.size(), 0);
    if (some < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (some <= 0)
      return lost("the sidecar is gone");
    answer.append(buffer.data(), static_cast<std::size_t>(some));
    if (const auto end = answer.find('\n', answer.size() - static_cast<std::size_t>(some));
        end != std::string::npos) {
      answer.resize(end);
      return answer;
    }
    if (answer.size() > kLongestLine)
      return lost("the sidecar answers without end");
  }
}

} // namespace sartor
