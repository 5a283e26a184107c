// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/recorded_request.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"

namespace sartor::bytes {

template <class Io, Of<remote::RecordedRequest::Call> T> void fields_of(Io &io, T &call) {
  std::string asked;
  if constexpr (!Io::reads)
    asked = remote::to_bytes(remote::CallOrder{{}, call.call});
  io(asked, call.result);
  if constexpr (Io::reads) {
    auto read = remote::from_bytes<remote::CallOrder>(asked);
    io.require(read.has_value());
    if (read)
      call.call = std::move(read->call);
  }
}

template <class Io, Of<remote::RecordedRequest::InvariantData> T>
void fields_of(Io &io, T &invariant) {
  io(invariant.number, invariant.quasi_invariant);
}

template <class Io, Of<remote::RecordedRequest> T> void fields_of(Io &io, T &request) {
  std::string order;
  if constexpr (!Io::reads)
    order = remote::to_bytes(request.order);
  io(request.identity, order, request.invariants, request.calls);
  if constexpr (Io::reads) {
    auto read = remote::from_bytes<remote::DraftOrder>(order);
    io.require(read.has_value());
    if (read)
      request.order = std::move(*read);
  }
}

} // namespace sartor::bytes

namespace sartor::remote {

namespace {

// Orders have the format of their protocol.
constexpr std::string_view kMagic("SARTREQ\2", 8);

std::unexpected<Failure> damaged(const std::string &file, const char *why) {
  return std::unexpected(Failure{ErrorCode::file_error, file, why,
                                 "record it anew, with this version of Sartor "
                                 "(Options::record_requests, SARTOR_RECORD_REQUESTS)"});
}

// False if the request contains positions of invariants that do not exist.
bool is_sound(const RecordedRequest &request) {
  const auto is_known = [&](std::uint64_t place) { return place < request.invariants.size(); };
  const auto are_known = [&](const auto &each) {
    return std::ranges::all_of(each.second.invariants, is_known);
  };
  const auto &memory = request.order.memory;
  return (!memory ||
          std::ranges::all_of(memory->regions, is_known, &DraftOrder::Memory::Region::invariant)) &&
         std::ranges::all_of(request.order.answers, are_known) &&
         std::ranges::all_of(request.order.generated, are_known);
}

} // namespace

std::string pack(const RecordedRequest &request) {
  return std::string(kMagic) + to_bytes(Hello{kProtocol, {}, {}, {}}) + bytes::pack(request);
}

Result<RecordedRequest> unpack_request(const std::string &file, std::string_view text) {
  const std::string hello = to_bytes(Hello{kProtocol, {}, {}, {}});
  if (!text.starts_with(kMagic))
    return damaged(file, "is no recorded request");
  text.remove_prefix(kMagic.size());
  if (!text.starts_with(hello))
    return damaged(file, "was recorded by another version of Sartor");
  auto request = bytes::unpack<RecordedRequest>(text.substr(hello.size()));
  if (!request || !is_sound(*request))
    return damaged(file, "is not as it was written");
  return std::move(*request);
}

} // namespace sartor::remote
