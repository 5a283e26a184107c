// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/notify.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sartor::server {

void notify(std::string_view state) {
  const char *named = std::getenv("NOTIFY_SOCKET");
  const std::string path = named ? named : "";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() < 2 || path.size() >= sizeof address.sun_path)
    return;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@')
    address.sun_path[0] = '\0'; // an abstract name
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (made < 0)
    return;
  (void)sendto(made, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
               reinterpret_cast<const sockaddr *>(&address), size);
  close(made);
}

} // namespace sartor::server
