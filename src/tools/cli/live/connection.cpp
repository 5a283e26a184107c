// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/live/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <expected>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/control/socket_path.h"
#include "base/text/json.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr timeval kPatience{.tv_sec = 10, .tv_usec = 0};
constexpr std::size_t kMostAnswerBytes = 256U << 20;

std::unexpected<Failure> unreachable(pid_t process, std::string message) {
  return std::unexpected(Failure{
      ErrorCode::file_error, "process " + std::to_string(process), std::move(message),
      "start it with SARTOR_CONTROL=1; list processes that can be reached with `sartor ps`"});
}

/// Fails with the number of the system's error.
std::expected<base::FileHandle, int> connected(const std::filesystem::path &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path)
    return std::unexpected(ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
  base::FileHandle made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made.get() < 0)
    return std::unexpected(errno);
  // Before connecting, which waits while a stopped process has as many connections as it takes.
  setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  if (connect(made.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
    return std::unexpected(errno);
  return made;
}

std::optional<pid_t> number_of(std::string_view text) {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), process);
  return error == std::errc() && end == text.data() + text.size() && process > 0
             ? std::optional(process)
             : std::nullopt;
}

} // namespace

std::uint64_t variants_mark(const Json &status) {
  std::string text;
  for (const Json &runtime : status.value("runtimes", Json::array())) {
    text += dump(runtime.value("id", Json())) + dump(runtime.value("off", Json()));
    const Json statistics = runtime.value("statistics", Json::object());
    for (const char *field :
         {"variants", "switches", "replugs", "reclaimed", "verified", "differences"})
      text += ' ' + dump(statistics.value(field, Json()));
  }
  return std::hash<std::string>()(text);
}

Result<Connection> Connection::open(pid_t process) {
  for (const auto &directory : base::control_directories())
    if (base::is_private_directory(directory))
      if (auto socket = connected(directory / base::control_socket_name(process)))
        return Connection(process, std::move(*socket));
  const bool is_gone = kill(process, 0) != 0 && errno == ESRCH;
  return unreachable(process, is_gone ? "does not exist" : "has no control socket");
}

std::vector<pid_t> Connection::processes() {
  std::vector<pid_t> found;
  for (const auto &directory : base::control_directories()) {
    if (!base::is_private_directory(directory))
      continue;
    std::error_code error;
    for (const auto &file : std::filesystem::directory_iterator(directory, error)) {
      const auto process = number_of(file.path().stem().native());
      if (!process || file.path().extension() != ".sock")
        continue;
      if (const auto socket = connected(file.path()))
        found.push_back(*process);
      else if (socket.error() == ECONNREFUSED)
        std::filesystem::remove(file.path(), error);
    }
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

Result<pid_t> Connection::find(const std::string &process) {
  if (!process.empty()) {
    if (const auto number = number_of(process))
      return *number;
    return std::unexpected(Failure{ErrorCode::bad_argument, process, "is not a process number",
                                   "list processes that can be reached with `sartor ps`"});
  }
  const auto all = processes();
  if (all.size() == 1)
    return all.front();
  return std::unexpected(Failure{
      all.empty() ? ErrorCode::file_error : ErrorCode::bad_argument, "PID",
      all.empty() ? "no process of yours has a control socket"
                  : std::to_string(all.size()) + " processes have a control socket",
      all.empty() ? "start one with SARTOR_CONTROL=1" : "name one; list them with `sartor ps`"});
}

Result<std::string> Connection::line() {
  for (;;) {
    if (const auto end = received_.find('\n'); end != std::string::npos) {
      std::string first = received_.substr(0, end);
      received_.erase(0, end + 1);
      return first;
    }
    std::array<char, 64U << 10> buffer;
    const ssize_t count = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return unreachable(process_, count == 0 ? "has ended" : "does not answer");
    received_.append(buffer.data(), static_cast<std::size_t>(count));
    if (received_.size() > kMostAnswerBytes)
      return unreachable(process_, "answers without end");
  }
}

Result<Json> Connection::ask(Json request) {
  request["version"] = 1;
  const std::string text = dump(request) + '\n';
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t count = send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return unreachable(process_, "has ended");
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  auto received = line();
  if (!received)
    return std::unexpected(std::move(received.error()));
  auto answer = parse_json(*received);
  if (!answer || !answer->is_object() || !answer->contains("ok"))
    return unreachable(process_, "sends what is no answer");
  if (answer->at("ok") == true)
    return std::move(*answer);
  const Json error = answer->value("error", Json::object());
  const auto text_of = [&](const char *field) { return error.value(field, std::string()); };
  ErrorCode code = ErrorCode::bad_argument;
  for (int number = 1; number <= static_cast<int>(ErrorCode::kLast); ++number)
    if (to_string(static_cast<ErrorCode>(number)) == text_of("code"))
      code = static_cast<ErrorCode>(number);
  return std::unexpected(Failure{code, text_of("subject"), text_of("message"), text_of("remedy")});
}

} // namespace sartor::cli
