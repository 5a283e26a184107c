// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_RECORD_DIFFERENCE_H
#define SARTOR_RUNTIME_VERIFY_RECORD_DIFFERENCE_H

#include <filesystem>

#include "base/result.h"
#include "core/space/module.h"
#include "runtime/verify/capture_call.h"

namespace sartor::runtime {

/// The folder of differences in a state directory.
constexpr const char *kDifferencesFolder = "differences";

/// Writes a captured call to a new directory in the folder of differences, for `sartor replay`;
/// returns its path. `state` as of core::state_directory(); `module` has the handler. To be called
/// without a lock. Fails with the reason why the call could not be captured, with
/// unreadable_memory, and as core::write_difference() does.
Result<std::filesystem::path> record_difference(const CapturedCall &captured,
                                                const core::HandlerModule &module,
                                                const std::filesystem::path &state);

} // namespace sartor::runtime

#endif
