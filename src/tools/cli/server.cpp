// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/server.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "base/text/json.h"
#include "base/text/printable.h"
#include "remote/protocol/to_server.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;
using remote::AdminRequest;
using remote::Kind;

constexpr auto kPatience = 60s;

// The defaults of the installed unit.
constexpr const char *kUnitsSocket = "unix:/run/sartor-server/socket";
constexpr const char *kUnitsKey = "/etc/sartor/server.pub";

std::unexpected<Failure> unreadable() {
  return std::unexpected(Failure{ErrorCode::server_refused, "the server's answer", "cannot be read",
                                 "use the same version of Sartor on both sides"});
}

Json json_of(const remote::ServerStatus &status) {
  return {
      {"version", status.version},
      {"build", status.build},
      {"uptime_seconds", status.uptime},
      {"draining", status.is_draining},
      {"addresses", status.addresses},
      {"keys", status.keys},
      {"known",
       {{"clients", status.clients}, {"devices", status.devices}, {"operators", status.operators}}},
      {"connections", status.connections},
      {"workers", status.workers},
      {"working", status.working},
      {"waiting", status.waiting},
      {"cached_bytes", status.cached_bytes},
      {"resident_bytes", status.resident_bytes}};
}

Json json_of(const remote::ClientTable &table) {
  Json rows = Json::array();
  for (const remote::ClientRow &row : table)
    rows.push_back({{"client", row.name},
                    {"role", row.role},
                    {"connections", row.connections},
                    {"requests", row.requests},
                    {"refused", row.refused},
                    {"held_bytes", row.held_bytes},
                    {"compile_seconds", row.compile_seconds},
                    {"peers", row.peers}});
  return rows;
}

Json json_of(const remote::Purged &purged) {
  return {{"memory", purged.memory}, {"disk", purged.disk}, {"shared", purged.shared}};
}

Json json_of(const remote::Draining &draining) { return {{"requests", draining.requests}}; }

/// Prints one line for each member of the server's answer, which may be of any form.
void show_members(const Json &object) {
  for (const auto &[name, value] : object.items())
    std::cout << name << ": "
              << base::printable(value.is_string() ? value.get<std::string>() : dump(value))
              << '\n';
}

void show(const Json &answer, bool as_json) {
  if (as_json) {
    std::cout << dump(answer) << '\n';
  } else if (answer.is_object()) {
    show_members(answer);
  } else {
    for (const Json &row : answer) {
      std::cout << base::printable(row.at("client").get<std::string>()) << '\n';
      for (const auto &[name, value] : row.items())
        if (name != "client")
          std::cout << "  " << name << ": "
                    << base::printable(value.is_string() ? value.get<std::string>() : dump(value))
                    << '\n';
    }
  }
}

template <class T> Result<void> show_answer(const Result<std::string> &body, bool as_json) {
  if (!body)
    return std::unexpected(body.error());
  const auto message = remote::admin_from_bytes<T>(*body);
  if (!message)
    return unreadable();
  show(json_of(*message), as_json);
  return {};
}

} // namespace

void ServerCommand::add_action(CLI::App &command, const char *name, const char *help,
                               const char *example) {
  CLI::App *action = command.add_subcommand(name, help);
  action->add_option("--server", address_, "The server's address: unix:/PATH or tcp://HOST:PORT")
      ->capture_default_str();
  action->add_option("--server-key", server_key_,
                     "The server's public key (.pub); not needed for a Unix socket of this user or "
                     "root. Default for the installed unit: /etc/sartor/server.pub");
  action->add_option("--key", key_, "An operator's secret key (.key), for tcp://");
  action->add_flag("--json", json_, "Write JSON");
  add_example(*action, std::string("sartor server ") + name + example);
}

ServerCommand::ServerCommand(CLI::App &app)
    : command_(app.add_subcommand("server", "Show and control a running sartor-server.")),
      address_(kUnitsSocket) {
  command_->require_subcommand(1);
  add_action(*command_, "status", "Show the version, keys, connections, compilers and memory.", "");
  add_action(*command_, "clients", "Show the connected clients, and the resources of each.",
             " --json");
  add_action(*command_, "drain", "Accept no more connections, answer pending requests, and exit.",
             "");
  add_action(*command_, "purge", "Remove cached answers from memory, disk and the shared cache.",
             " --client builder");
  auto *selection =
      command_->get_subcommand("purge")->add_option_group("selection")->require_option(1);
  selection->add_option("--client", client_, "Answers that this client was the first to request");
  selection->add_option("--answer", answer_, "The answer with this hash, 64 hexadecimal digits");
  selection->add_flag("--all", all_, "All answers");
  add_example(*command_, "sartor server status --server unix:/run/sartor-server/socket");
}

Result<std::string> ServerCommand::ask(AdminRequest request) const {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  const auto go_on = [&] { return std::chrono::steady_clock::now() < until; };
  const bool has_units_key =
      server_key_.empty() && address_ == kUnitsSocket && std::filesystem::exists(kUnitsKey);
  if (address_.starts_with("tcp://") && (server_key_.empty() || key_.empty()))
    return std::unexpected(Failure{ErrorCode::bad_argument, address_,
                                   "needs the server's key and an operator's key",
                                   "name them with --server-key and --key"});
  remote::ToServer server({address_, has_units_key ? kUnitsKey : server_key_, key_});
  auto connection = server.connect(go_on);
  if (!connection)
    return std::unexpected(std::move(connection.error()));
  remote::Channel &channel = *connection->channel;
  if (auto sent = channel.send(Kind::admin, remote::admin_bytes(request), go_on); !sent)
    return std::unexpected(std::move(sent.error()));
  auto answer = channel.receive(go_on);
  if (!answer)
    return std::unexpected(std::move(answer.error()));
  if (*answer && (*answer)->kind == Kind::administered)
    return std::move((*answer)->body);
  const auto failure = *answer && (*answer)->kind == Kind::failed
                           ? remote::from_bytes<Failure>((*answer)->body)
                           : std::nullopt;
  return failure ? std::unexpected(*failure) : unreadable();
}

Result<void> ServerCommand::run() const {
  AdminRequest request;
  if (command_->got_subcommand("status"))
    return show_answer<remote::ServerStatus>(ask(request), json_);
  request.action = AdminRequest::Action::clients;
  if (command_->got_subcommand("clients"))
    return show_answer<remote::ClientTable>(ask(request), json_);
  request.action = AdminRequest::Action::drain;
  if (command_->got_subcommand("drain"))
    return show_answer<remote::Draining>(ask(request), json_);
  request.action = AdminRequest::Action::purge;
  request.client = client_;
  request.answer = answer_;
  return show_answer<remote::Purged>(ask(request), json_);
}

} // namespace sartor::cli
