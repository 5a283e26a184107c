// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/read_options.h"

#include <string>
#include <utility>

namespace sartor {

Result<void> read_all(std::string_view text, const std::vector<core::JsonOption> &options) {
  const auto bad = [](std::string message) {
    return std::unexpected(
        Failure{ErrorCode::bad_json, "", std::move(message), R"(write e.g. {"most_trials":20})"});
  };
  const auto json = parse_json(text);
  if (!json)
    return bad(json.error().message);
  if (!json->is_object())
    return bad("the options are no JSON object");
  return core::read_options(*json, options, "there is no such option");
}

} // namespace sartor
