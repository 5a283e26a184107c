// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/clients/refusal.h"

#include <string>
#include <utility>

namespace sartor::server {

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
