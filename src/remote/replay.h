// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_REPLAY_H
#define SARTOR_REMOTE_REPLAY_H

#include "observe/result.h"
#include "remote/recorded_request.h"
#include "request/context.h"
#include "space/module.h"

namespace sartor::remote {

/// The context that it was made for. `module`, which it was recorded of, gets the addresses that
/// its names had then. Fails with file_error if it was recorded of another program, or build of it.
Result<specialize::Context> to_context(const RecordedRequest &request,
                                       point::HandlerModule &module);

} // namespace sartor::remote

#endif
