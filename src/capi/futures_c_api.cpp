// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: waiting for variants that are being made.
#include <sartor/c/sartor.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <vector>

#include "base/readers.h"
#include "capi/c_api.h"
#include "core/report_json.h"
#include "runtime/jit/helper.h"

using sartor::Configuration;
using sartor::guarded;
using sartor::need;

using Made = std::vector<sartor::VariantInfo>;

struct sartor_future {
  std::shared_future<Made> made;
};

namespace {

sartor_status begin(sartor_runtime *runtime, const char *configuration, sartor_future **out,
                    std::future<Made> (sartor::Runtime::*how)(const Configuration &)) {
  return guarded([&] {
    need(runtime, "runtime", configuration, "configuration", out, "out");
    *out = new sartor_future{(runtime->runtime.*how)(Configuration::from_json(configuration))};
  });
}

} // namespace

extern "C" {

sartor_status sartor_specialize_later(sartor_runtime *runtime, const char *configuration,
                                      sartor_future **out) {
  return begin(runtime, configuration, out, &sartor::Runtime::specialize_async);
}

sartor_status sartor_prepare(sartor_runtime *runtime, const char *configuration,
                             sartor_future **out) {
  return begin(runtime, configuration, out, &sartor::Runtime::prepare);
}

int sartor_future_wait(const sartor_future *future, double seconds) {
  if (!future)
    return 0;
  const auto wait = std::max(sartor::c_duration(seconds), std::chrono::nanoseconds(0));
  return future->made.wait_for(wait) == std::future_status::ready ? 1 : 0;
}

sartor_status sartor_future_get(const sartor_future *future, char **json) {
  (void)sartor::base::inside_handler(
      sartor::base::frame_of_caller()); // ends sections left by longjmp()
  return guarded([&] {
    need(future, "future");
    const Made &made = sartor::runtime::get_helping(future->made);
    if (json)
      *json = sartor::copy_for_c(sartor::text_of(made));
  });
}

void sartor_future_free(sartor_future *future) { delete future; }
}
