// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_READ_OPTIONS_H
#define SARTOR_TUNER_READ_OPTIONS_H

#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/json_options.h"

namespace sartor {

/// Reads options from the text of a JSON object. Fails with bad_json, which names the option.
Result<void> read_all(std::string_view text, const std::vector<core::JsonOption> &options);

} // namespace sartor

#endif
