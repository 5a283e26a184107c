// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/admin_message.h"

#include "base/bytes.h"

namespace sartor::bytes {

template <class Io, Of<remote::AdminRequest> T> void fields_of(Io &io, T &request) {
  io(request.protocol);
  io.require(request.protocol == remote::kAdminProtocol);
  io.choice(request.action);
  io(request.client, request.answer);
}

template <class Io, Of<remote::ServerStatus> T> void fields_of(Io &io, T &status) {
  io(status.version, status.build, status.uptime, status.is_draining, status.addresses, status.keys,
     status.clients, status.devices, status.operators, status.connections, status.workers,
     status.working, status.waiting, status.cached_bytes, status.resident_bytes);
}

template <class Io, Of<remote::ClientRow> T> void fields_of(Io &io, T &row) {
  io(row.name, row.role, row.connections, row.requests, row.refused, row.held_bytes,
     row.compile_seconds, row.peers);
}

template <class Io, Of<remote::Purged> T> void fields_of(Io &io, T &purged) {
  io(purged.memory, purged.disk, purged.shared);
}

template <class Io, Of<remote::Draining> T> void fields_of(Io &io, T &draining) {
  io(draining.requests);
}

} // namespace sartor::bytes

namespace sartor::remote {

template <class T> std::string admin_bytes(const T &message) { return bytes::pack(message); }
template <class T> std::optional<T> admin_from_bytes(std::string_view bytes) {
  return bytes::unpack<T>(bytes);
}

#define SARTOR_MESSAGE(T)                                                                          \
  template std::string admin_bytes(const T &);                                                     \
  template std::optional<T> admin_from_bytes(std::string_view);
SARTOR_MESSAGE(AdminRequest)
SARTOR_MESSAGE(ServerStatus)
SARTOR_MESSAGE(ClientTable)
SARTOR_MESSAGE(Purged)
SARTOR_MESSAGE(Draining)
#undef SARTOR_MESSAGE

} // namespace sartor::remote
