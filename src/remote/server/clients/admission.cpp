// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/clients/admission.h"

#include <utility>

namespace sartor::server {

Admission::Admission(Shared &shared, const std::string &client)
    : shared_(shared), account_(shared.ledger.of(client)), connected_(account_) {
  refusal_ = against();
  if (refusal_)
    account_.refuse();
  else
    ++shared_.all_connections;
}

Admission::~Admission() {
  if (!refusal_)
    --shared_.all_connections;
}

std::optional<Failure> Admission::against() {
  if (shared_.all_connections >= shared_.options.connections)
    return Failure{ErrorCode::server_refused, "the server", "has too many connections already",
                   "close some, or raise the server's --connections"};
  if (account_.connections() > shared_.options.connections_of_client)
    return Failure{ErrorCode::server_refused, account_.client(), "has too many connections already",
                   "use fewer runtimes, or raise the server's --connections-of-client"};
  if (auto admitted = charge_.add(account_, kConnectionBytes); !admitted)
    return std::move(admitted.error());
  return std::nullopt;
}

bool Admission::is_hopeless() const {
  return refusal_ && account_.connections() > 2 * shared_.options.connections_of_client;
}

void note_refusal(Shared &shared, const Peer &peer, const char *reason, std::string_view detail) {
  shared.metrics.refused(reason, peer.identity.name).Increment();
  Log::Fields fields{{"reason", reason}, {"peer", peer.address}};
  std::string whom = peer.address.substr(0, peer.address.rfind(':')); // ports differ each time
  if (peer.key)
    fields["key"] = whom = base::fingerprint(*peer.key);
  if (!peer.identity.name.empty()) {
    fields["client"] = whom = peer.identity.name;
    fields["role"] = name_of(peer.identity.role);
  }
  if (!detail.empty())
    fields["detail"] = detail;
  shared.log->write_some(Level::warning, "refused", std::string(reason) + " " + whom,
                         std::move(fields));
}

} // namespace sartor::server
