// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The server's reactions to signals: it reads its files again, or ends.
#include <algorithm>
#include <csignal>
#include <utility>

#include "remote/server/process.h"
#include "remote/server/server.h"

namespace sartor::server {

namespace {

using namespace std::chrono_literals;

constexpr auto kStopPatience = 10s;
constexpr auto kTick = 20ms;

Result<std::shared_ptr<const std::vector<base::SecretKey>>>
read_keys(const std::vector<std::filesystem::path> &files) {
  std::vector<base::SecretKey> keys;
  for (const auto &file : files) {
    auto key = base::SecretKey::read(file);
    if (!key)
      return std::unexpected(std::move(key.error()));
    keys.push_back(*key);
  }
  return std::make_shared<const std::vector<base::SecretKey>>(std::move(keys));
}

} // namespace

Result<void> Server::read_files() {
  const ServerOptions &options = shared_->options;
  auto keys = read_keys(options.keys);
  if (!keys)
    return std::unexpected(std::move(keys.error()));
  auto clients = Clients::read(options.known);
  if (!clients)
    return std::unexpected(std::move(clients.error()));
  Result<DeviceModules> modules;
  if (!options.modules.empty())
    modules = DeviceModules::read(options.modules, options.largest_request);
  if (!modules)
    return std::unexpected(std::move(modules.error()));
  auto context = tls::make_context(tls::Side::server, **keys, knows_);
  if (!context)
    return std::unexpected(Failure{ErrorCode::file_error, "OpenSSL",
                                   "cannot do TLS 1.3 with Ed25519 keys here",
                                   "install OpenSSL 3.0 or later"});
  context_ = asio::ssl::context(context.release());
  shared_->keys = std::move(*keys);
  shared_->clients = std::move(*clients);
  for (const std::string &each : modules->skipped)
    shared_->log->write(Level::warning, "module_skipped", each, {{"file", each}});
  shared_->modules.take(std::move(*modules));
  warn_of_missing_keys();
  return {};
}

void Server::warn_of_missing_keys() const {
  const KeyDirectories &known = shared_->options.known;
  for (const auto &[directory, role] :
       {std::pair(&known.clients, Role::client), std::pair(&known.devices, Role::device),
        std::pair(&known.operators, Role::admin)})
    if (!directory->empty() && shared_->clients.count(role) == 0)
      shared_->log->write(Level::warning, "no_keys",
                          directory->string() + " has no public key: no " + name_of(role) +
                              " is let in over TCP",
                          {{"directory", directory->string()}, {"role", name_of(role)}});
}

void Server::read_files_again() {
  if (auto read = read_files(); !read)
    return shared_->log->failure(Level::error, "files_not_read", read.error());
  const std::size_t closed = shared_->open.close_unknown(shared_->clients, *shared_->keys);
  const auto count = [&](Role role) { return shared_->clients.count(role); };
  const std::size_t clients = count(Role::client);
  const std::size_t devices = count(Role::device);
  const std::size_t operators = count(Role::admin);
  shared_->log->write(
      Level::info, "files_read",
      "has read its keys and modules again: " + std::to_string(clients) + " clients, " +
          std::to_string(devices) + " devices, " + std::to_string(operators) + " operators; " +
          std::to_string(closed) + " connections of removed keys are closed",
      {{"clients", clients}, {"devices", devices}, {"operators", operators}, {"closed", closed}});
}

asio::awaitable<void> Server::handle_signals(std::unique_ptr<asio::signal_set> signals) {
  while (co_await signals->async_wait(asio::use_awaitable) == SIGHUP)
    read_files_again();
  asio::co_spawn(loop_, drain(kStopPatience), asio::detached);
  while (co_await signals->async_wait(asio::use_awaitable) == SIGHUP)
    ;
  loop_.stop(); // the second signal stops the server at once
}

asio::awaitable<void> Server::drain(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  if (std::exchange(shared_->stopping, true)) {
    drained_at_ = std::min(drained_at_, until);
    co_return;
  }
  drained_at_ = until;
  notify("STOPPING=1");
  shared_->log->write(Level::info, "draining",
                      "listens no more, and ends when " + std::to_string(shared_->open.busy()) +
                          " requests are answered",
                      {{"requests", shared_->open.busy()}});
  for (const auto &close : closers_)
    close();
  sockets_.clear();
  shared_->open.close_idle();
  asio::steady_timer pause(loop_);
  while (shared_->open.busy() + shared_->pool.working() > 0 &&
         std::chrono::steady_clock::now() < drained_at_) {
    pause.expires_after(kTick);
    co_await pause.async_wait(asio::use_awaitable);
  }
  shared_->log->write(Level::info, "stopped", "ends");
  loop_.stop();
}

} // namespace sartor::server
