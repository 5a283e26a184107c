// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_RECORDED_REQUEST_H
#define SARTOR_REMOTE_PROTOCOL_RECORDED_REQUEST_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/request/native_call.h"
#include "remote/protocol/message.h"

namespace sartor::remote {

/// A compiled request with all data needed to make it again elsewhere, later: the data sent to a
/// compiler in another process, and the answers to its questions.
struct RecordedRequest {
  struct Call {
    core::NativeCall call;
    std::optional<std::uint64_t> result;
  };
  struct InvariantData {
    std::uint64_t number = 0;
    std::string quasi_invariant; ///< The name, if it is a quasi-invariant.
  };

  std::string identity; ///< HandlerModule::identity.
  DraftOrder order;
  std::vector<InvariantData> invariants; ///< Indexed by their positions in the order.
  std::vector<Call> calls;
};

std::string pack(const RecordedRequest &request);
/// Fails with file_error, which names `file`.
Result<RecordedRequest> unpack_request(const std::string &file, std::string_view bytes);

} // namespace sartor::remote

#endif
