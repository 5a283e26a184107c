// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/control_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <sartor/metrics.hpp>

#include "base/control/socket_path.h"
#include "base/environment.h"
#include "base/reports.h"
#include "base/thread/thread.h"
#include "runtime/control/control.h"

namespace sartor {

namespace {

using namespace std::chrono_literals;

/// The interval at which a socket that was closed or removed is noticed.
constexpr auto kLook = 5s;
constexpr std::size_t kMostClients = 16;
constexpr std::size_t kMostRequestBytes = 64U << 10;
/// Longest time for which an answer waits for a client that does not read.
constexpr timeval kSendPatience{.tv_sec = 1, .tv_usec = 0};

Failure failure_of(const std::filesystem::path &path, int error) {
  return {ErrorCode::file_error, path.string(), std::generic_category().message(error),
          "set XDG_RUNTIME_DIR to a directory of yours, or do without the control socket"};
}

/// The socket's directory keeps others away; this holds where a directory was opened to them later.
bool is_allowed(int client) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == geteuid() || peer.uid == 0);
}

bool send_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = send(to, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void report(const Failure &failure) {
  base::complain(failure.text());
  base::report("control_unusable", failure);
}

} // namespace

ControlSocket &ControlSocket::instance() {
  static auto *socket = new ControlSocket; // never destroyed: its thread ends with the process
  return *socket;
}

ControlSocket::ControlSocket() { base::add(*this); }

void ControlSocket::open() {
  if (base::are_raised()) {
    report({ErrorCode::not_permitted, "control socket",
            "is not opened by a program that runs with raised rights", "start it without them"});
    return;
  }
  Result<void> done;
  {
    const base::MutexLock lock(mutex_);
    if (std::exchange(wants_socket_, true))
      return;
    done = start();
  }
  if (!done)
    report(done.error());
}

void ControlSocket::write_metrics(const std::filesystem::path &file) {
  Result<void> done;
  {
    const base::MutexLock lock(mutex_);
    std::error_code error;
    metrics_file_.name(std::filesystem::absolute(file, error));
    done = start();
  }
  if (!done)
    report(done.error());
}

// The thread listens, so that its state needs no lock; open() returns before.
Result<void> ControlSocket::start() {
  if (!wake_ || !wake_->is_still_ours())
    wake_.emplace(base::above_standard_streams(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)));
  if (running_) {
    const std::uint64_t one = 1;
    (void)write(wake_->get(), &one, sizeof one);
    return {};
  }
  auto thread = base::Thread::start("sartor-control", [this] { run(); });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  running_ = true;
  thread->detach();
  return {};
}

Result<void> ControlSocket::listen() {
  const auto directory = base::make_control_directory();
  if (!directory)
    return std::unexpected(directory.error());
  const auto path = *directory / base::control_socket_name(getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path)
    return std::unexpected(failure_of(path, ENAMETOOLONG));
  std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
  base::FileHandle made(
      base::above_standard_streams(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
  if (made.get() < 0)
    return std::unexpected(failure_of(path, errno));
  (void)unlink(path.c_str()); // of an earlier process with this number
  if (bind(made.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 ||
      ::listen(made.get(), static_cast<int>(kMostClients)) != 0)
    return std::unexpected(failure_of(path, errno));
  const base::MutexLock lock(mutex_);
  listener_.emplace(std::move(made));
  path_ = path;
  return {};
}

void ControlSocket::look_after() {
  next_look_ = Clock::now() + kLook;
  std::filesystem::path path;
  {
    const base::MutexLock lock(mutex_);
    if (!wants_socket_)
      return;
    path = path_;
  }
  if (listener_ && listener_->is_still_ours() && access(path.c_str(), F_OK) == 0)
    return;
  {
    const base::MutexLock lock(mutex_);
    listener_.reset();
  }
  if (auto done = listen(); !done) {
    report(done.error());
    const base::MutexLock lock(mutex_);
    wants_socket_ = false;
  }
}

void ControlSocket::run() {
  for (;;) {
    int wake = -1;
    {
      const base::MutexLock lock(mutex_);
      if (exiting_ || (!wants_socket_ && !metrics_file_.is_named()))
        break;
      wake = wake_->is_still_ours() ? wake_->get() : -1;
    }
    if (Clock::now() >= next_look_)
      look_after();
    const auto next = std::min(next_look_, write_metrics_file());
    std::vector<pollfd> watched{
        {wake, POLLIN, 0},
        {listener_ && listener_->is_still_ours() ? listener_->get() : -1, POLLIN, 0}};
    for (const Client &client : clients_)
      watched.push_back({client.handle.is_still_ours() ? client.handle.get() : -1, POLLIN, 0});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    set_waits(true);
    const int ready =
        poll(watched.data(), watched.size(), std::max<int>(0, static_cast<int>(left.count())));
    if (!set_waits(false))
      break;
    if (ready <= 0)
      continue;
    std::uint64_t woken = 0;
    if (watched[0].revents != 0)
      (void)read(wake, &woken, sizeof woken);
    auto client = clients_.begin();
    for (std::size_t i = 2; i < watched.size(); ++i) {
      const auto here = client++;
      if (watched[i].fd < 0 || (watched[i].revents != 0 && !serve(*here))) {
        const base::MutexLock lock(mutex_);
        clients_.erase(here);
      }
    }
    if (watched[1].revents != 0)
      accept_client();
    if (woken != 0)
      next_look_ = {};
  }
  const base::MutexLock lock(mutex_);
  clients_.clear();
  listener_.reset();
  if (!path_.empty())
    (void)unlink(path_.c_str());
  path_.clear();
  running_ = false;
}

bool ControlSocket::set_waits(bool waits) {
  const base::MutexLock lock(mutex_);
  waits_ = waits;
  return !exiting_;
}

void ControlSocket::accept_client() {
  base::FileHandle client(
      base::above_standard_streams(accept4(listener_->get(), nullptr, nullptr, SOCK_CLOEXEC)));
  if (client.get() < 0 || clients_.size() >= kMostClients || !is_allowed(client.get()))
    return;
  setsockopt(client.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendPatience, sizeof kSendPatience);
  const base::MutexLock lock(mutex_);
  clients_.push_back({std::move(client), {}});
}

bool ControlSocket::serve(Client &client) {
  std::array<char, 4096> buffer;
  const ssize_t count = recv(client.handle.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0)
    return errno == EAGAIN || errno == EINTR;
  if (count == 0)
    return false;
  {
    const base::MutexLock lock(mutex_);
    client.request.append(buffer.data(), static_cast<std::size_t>(count));
  }
  for (std::size_t end; (end = client.request.find('\n')) != std::string::npos;) {
    const std::string answer =
        Control::instance().answer(std::string_view(client.request).substr(0, end)) + '\n';
    {
      const base::MutexLock lock(mutex_);
      client.request.erase(0, end + 1);
    }
    if (!send_all(client.handle.get(), answer))
      return false;
  }
  return client.request.size() < kMostRequestBytes;
}

ControlSocket::Clock::time_point ControlSocket::write_metrics_file() {
  std::optional<std::filesystem::path> path;
  {
    const base::MutexLock lock(mutex_);
    if (!metrics_file_.is_named())
      return Clock::time_point::max();
    path = metrics_file_.due(Clock::now());
    if (!path)
      return metrics_file_.next();
  }
  const auto written = MetricsFile::replace(*path, metrics());
  if (!written && !metrics_failed_)
    report(written.error());
  metrics_failed_ = !written;
  const base::MutexLock lock(mutex_);
  if (written)
    metrics_file_.set_written(*written);
  return metrics_file_.next();
}

void ControlSocket::after_fork_in_child() {
  const base::MutexLock lock(mutex_);
  clients_.clear();
  listener_.reset();
  next_look_ = {};
  metrics_file_.forked(Clock::now());
  wake_.reset();
  path_.clear(); // the parent's
  running_ = false;
  waits_ = false;
}

void ControlSocket::resume_in_child() {
  Result<void> done;
  {
    const base::MutexLock lock(mutex_);
    if (wants_socket_ || metrics_file_.is_named())
      done = start();
  }
  if (!done)
    report(done.error());
}

void ControlSocket::exit_begins() {
  const base::MutexLock lock(mutex_);
  exiting_ = true;
  if (wake_ && wake_->is_still_ours()) {
    const std::uint64_t one = 1;
    (void)write(wake_->get(), &one, sizeof one);
  } else if (!path_.empty()) {
    (void)unlink(path_.c_str());
  }
}

// If the program has closed the descriptor that wakes the thread, it goes on waiting.
bool ControlSocket::has_ended() {
  const base::MutexLock lock(mutex_);
  return !running_ || (waits_ && !(wake_ && wake_->is_still_ours()));
}

void ControlSocket::is_left() {
  const base::MutexLock lock(mutex_);
  if (!path_.empty())
    (void)unlink(path_.c_str());
}

} // namespace sartor
