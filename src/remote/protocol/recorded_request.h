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

/// A request that was compiled, with all that it takes to make it again elsewhere, later: what is
/// sent to a compiler in another process, and what that would have asked.
struct RecordedRequest {
  struct Call {
    core::NativeCall call;
    std::optional<std::uint64_t> result;
  };
  struct Promise {
    std::uint64_t number = 0;
    std::string fact; ///< Its name, if it is a fact.
  };

  std::string identity; ///< HandlerModule::identity.
  DraftOrder order;
  std::vector<Promise> promises; ///< By their places in the order.
  /// Labels that generators of the program's build, which nobody else has: they are left out.
  std::vector<std::string> generated;
  std::vector<Call> calls;
};

std::string pack(const RecordedRequest &request);
/// Fails with file_error, which names `file`.
Result<RecordedRequest> unpack_request(const std::string &file, std::string_view bytes);

} // namespace sartor::remote

#endif
