// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/control_socket.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json.h"

namespace sartor::view {

namespace {

using Json = nlohmann::ordered_json;

constexpr timeval kPatience{.tv_sec = 5, .tv_usec = 0};
constexpr std::size_t kMostAnswer = std::size_t{64} << 20;

std::unexpected<Failure> fail(pid_t process, std::string why, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::file_error, std::to_string(process), std::move(why), std::move(remedy)});
}

std::string text_of(const Json &from, const char *field) {
  const auto found = from.find(field);
  return found != from.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Codes are those of this library, or newer ones.
Failure failure_of(const Json &error) {
  Failure failure{ErrorCode::server_refused, text_of(error, "subject"), text_of(error, "message"),
                  text_of(error, "remedy")};
  const std::string code = text_of(error, "code");
  for (int each = 1; each <= static_cast<int>(ErrorCode::kLast); ++each)
    if (to_string(static_cast<ErrorCode>(each)) == code)
      failure.code = static_cast<ErrorCode>(each);
  return failure;
}

} // namespace

std::filesystem::path control_socket_of(pid_t process) {
  const std::string name = std::to_string(process) + ".sock";
  if (const char *runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime)
    return std::filesystem::path(runtime) / "sartor" / name;
  return std::filesystem::path("/tmp") / ("sartor-" + std::to_string(geteuid())) / name;
}

Result<ControlSocket> ControlSocket::connect(pid_t process) {
  if (kill(process, 0) != 0 && errno == ESRCH)
    return fail(process, "no such process", "give the PID of a running program, or an event log");
  const std::filesystem::path path = control_socket_of(process);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.native().size() >= sizeof(address.sun_path))
    return fail(process, path.string() + " is too long for a socket",
                "set XDG_RUNTIME_DIR to a shorter path, for the program, too");
  path.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
  base::FileHandle socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0)
    return fail(process, path.string() + " cannot be connected to: " + std::strerror(errno),
                "start the program with its control socket enabled, as the same user and with the "
                "same XDG_RUNTIME_DIR, or give its event log");
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      (peer.uid != geteuid() && peer.uid != 0))
    return fail(process, path.string() + " belongs to another user", "remove it");
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  return ControlSocket(process, std::move(socket));
}

bool ControlSocket::send_line(std::string_view line) {
  while (!line.empty()) {
    const ssize_t count = send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    line.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Result<std::string> ControlSocket::receive_line() {
  std::array<char, 65536> piece;
  std::size_t searched = 0;
  for (;;) {
    if (const std::size_t end = received_.find('\n', searched); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    searched = received_.size();
    const ssize_t count = recv(socket_.get(), piece.data(), piece.size(), 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(process_, "does not answer: " + std::string(std::strerror(errno)),
                  "see whether the program is stopped");
    if (count == 0)
      return fail(process_, "has ended, or closed its control socket", "start the program again");
    received_.append(piece.data(), static_cast<std::size_t>(count));
    if (received_.size() > kMostAnswer)
      return fail(process_, "answers with more than 64 MiB", "give its event log instead");
  }
}

Result<Json> ControlSocket::ask(const Json &request) {
  if (!send_line(dump(request) + "\n"))
    return fail(process_, "has ended, or closed its control socket", "start the program again");
  const auto line = receive_line();
  if (!line)
    return std::unexpected(line.error());
  auto answer = parse_json(*line);
  if (!answer || !answer->is_object())
    return std::unexpected(Failure{ErrorCode::bad_json, std::to_string(process_),
                                   "its control socket answers no JSON object",
                                   "use the `sartor` of the program's release"});
  if (const auto ok = answer->find("ok"); ok == answer->end() || *ok != true)
    return std::unexpected(failure_of(answer->value("error", Json::object())));
  return answer;
}

} // namespace sartor::view
