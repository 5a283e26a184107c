// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "client.h"

#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "comes_true.h"

std::filesystem::path Client::path_of(pid_t process) {
  return std::filesystem::path(std::getenv("XDG_RUNTIME_DIR")) / "sartor" /
         (std::to_string(process) + ".sock");
}

Client::Client(pid_t process) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_of(process).c_str(), sizeof address.sun_path - 1);
  comes_true([&] {
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(socket_, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
      return true;
    close(socket_);
    socket_ = -1;
    return false;
  });
  const timeval patience{.tv_sec = 60, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

Client::~Client() {
  if (socket_ >= 0)
    close(socket_);
}

void Client::send(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0)
      return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string Client::line() {
  for (;;) {
    if (const auto end = received_.find('\n'); end != std::string::npos) {
      std::string first = received_.substr(0, end);
      received_.erase(0, end + 1);
      return first;
    }
    char buffer[4096];
    const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0)
      return {};
    received_.append(buffer, static_cast<std::size_t>(count));
  }
}

nlohmann::json Client::ask(nlohmann::json request) {
  request["version"] = 1;
  send(request.dump() + '\n');
  return nlohmann::json::parse(line(), nullptr, /*allow_exceptions=*/false);
}
