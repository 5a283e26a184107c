// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_REPLAY_H
#define SARTOR_REMOTE_SERVER_REPLAY_H

#include "base/result.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "remote/protocol/recorded_request.h"

namespace sartor::remote {

/// Returns the context of the recorded request. `module`, from which it was recorded, gets the
/// addresses that its names had then. Fails with file_error if it was recorded from another
/// program, or another build of it.
Result<core::Context> to_context(const RecordedRequest &request, core::HandlerModule &module);

} // namespace sartor::remote

#endif
