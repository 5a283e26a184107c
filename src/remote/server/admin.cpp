// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/admin.h"

#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "base/build_stamp.h"
#include "remote/protocol/admin_message.h"
#include "remote/server/clients/admission.h"

namespace sartor::server {

namespace {

using remote::AdminRequest;
using remote::Frame;
using remote::Kind;

template <class T> Frame answer(const T &message) {
  return {Kind::administered, remote::admin_bytes(message)};
}

std::uint64_t resident_pages() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident;
}

remote::ServerStatus status_of(const Shared &shared) {
  remote::ServerStatus status;
  status.version = SARTOR_VERSION;
  status.build = base::kBuildStamp;
  const auto up = std::chrono::steady_clock::now() - shared.started;
  status.uptime =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(up).count());
  status.is_draining = shared.stopping;
  status.addresses = shared.addresses;
  for (const base::SecretKey &key : *shared.keys)
    status.keys.push_back(base::fingerprint(key.public_key()));
  status.clients = shared.clients.count(Role::client);
  status.devices = shared.clients.count(Role::device);
  status.operators = shared.clients.count(Role::admin);
  status.connections = shared.open.all().size();
  status.workers = shared.options.workers;
  status.working = shared.pool.working();
  status.waiting = shared.pool.waiting();
  status.cached_bytes = shared.answers.bytes();
  status.resident_bytes = resident_pages() * static_cast<std::uint64_t>(getpagesize());
  return status;
}

remote::ClientTable clients_of(const Shared &shared) {
  std::map<std::string, remote::ClientRow> rows;
  for (const auto &[name, account] : shared.ledger.accounts()) {
    remote::ClientRow &row = rows[name];
    row.name = name;
    row.refused = account.refused();
    row.held_bytes = account.bytes();
    row.compile_seconds = account.compiled().count();
  }
  for (const Connection &each : shared.open.all()) {
    const Identity &identity = each.peer.identity;
    remote::ClientRow &row = rows[identity.name];
    row.name = identity.name;
    row.role = name_of(identity.role);
    ++row.connections;
    row.requests += each.requests;
    row.peers.push_back(each.peer.address);
  }
  remote::ClientTable table;
  for (auto &[name, row] : rows)
    table.push_back(std::move(row));
  return table;
}

/// The result is empty if the text is not a key.
std::optional<Answers::Key> key_of(std::string_view text) {
  Answers::Key key;
  std::size_t size = 0;
  if (sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, nullptr) !=
          0 ||
      size != key.size())
    return std::nullopt;
  return key;
}

} // namespace

asio::awaitable<Result<Frame>> administer(Shared &shared, const Peer &peer,
                                          const std::string &request) {
  const auto refuse = [&](const char *reason, std::string why, std::string remedy) {
    note_refusal(shared, peer, reason, why);
    return std::unexpected(Failure{ErrorCode::server_refused, "an operator's request",
                                   std::move(why), std::move(remedy)});
  };
  if (peer.identity.role != Role::admin)
    co_return refuse("not_permitted", "comes from a " + std::string(name_of(peer.identity.role)),
                     "use a key of --operators or, over a Unix socket, the server's user or root");
  const auto asked = remote::admin_from_bytes<AdminRequest>(request);
  if (!asked)
    co_return refuse("bad_message", "cannot be read", "use the same version of Sartor");
  switch (asked->action) {
  case AdminRequest::Action::status:
    co_return answer(status_of(shared));
  case AdminRequest::Action::clients:
    co_return answer(clients_of(shared));
  case AdminRequest::Action::purge: {
    Answers::Choice choice{asked->client, key_of(asked->answer)};
    if (!choice.key && !asked->answer.empty())
      co_return refuse("bad_message", "names no answer: " + asked->answer,
                       "name 64 hexadecimal digits, as the files of --cache-dir");
    if (asked->answer.empty())
      shared.welcomes.erase_if([&](const Answers::Key &, const Account &account) {
        return asked->client.empty() || account.client() == asked->client;
      });
    const remote::Purged purged = co_await shared.answers.purge(std::move(choice));
    const std::size_t reports =
        asked->answer.empty() ? shared.reports.erase(asked->client) : std::size_t{0};
    shared.log->write(Level::info, "purged", "",
                      {{"operator", peer.identity.name},
                       {"client", asked->client},
                       {"answer", asked->answer},
                       {"memory", purged.memory},
                       {"disk", purged.disk},
                       {"shared", purged.shared},
                       {"reports", reports}});
    co_return answer(purged);
  }
  case AdminRequest::Action::drain:
    break;
  }
  shared.log->write(Level::info, "drain_asked", "", {{"operator", peer.identity.name}});
  shared.drain();
  co_return answer(remote::Draining{shared.open.busy() - 1}); // without this one
}

} // namespace sartor::server
