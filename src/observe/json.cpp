// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const Failure &failure) {
  return {
      {"code", to_string(failure.code)}, {"subject", failure.subject}, {"message", failure.text()}};
}

} // namespace sartor
