// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: errors.
#include <sartor/c/error.h>

#include "capi/c_api.h"

sartor::LastError &sartor::last_c_error() {
  thread_local LastError error;
  return error;
}

extern "C" {

const char *sartor_error_name(sartor_status status) {
  if (status == SARTOR_OK)
    return "ok";
  if (status == SARTOR_INTERNAL_ERROR)
    return "internal_error";
  const std::string_view name = sartor::to_string(static_cast<sartor::ErrorCode>(status));
  return name.empty() ? nullptr : name.data(); // a literal
}

const char *sartor_last_error(void) { return sartor::last_c_error().text.c_str(); }

sartor_status sartor_last_error_code(void) { return sartor::last_c_error().status; }

const char *sartor_last_error_subject(void) {
  return sartor::last_c_error().failure.subject.c_str();
}

const char *sartor_last_error_message(void) {
  return sartor::last_c_error().failure.message.c_str();
}

const char *sartor_last_error_remedy(void) { return sartor::last_c_error().failure.remedy.c_str(); }
}
