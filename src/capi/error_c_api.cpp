// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: errors.
#include <sartor/c/error.h>

#include <utility>

#include "capi/c_api.h"

namespace {

/// A pointer, since it is used after the destruction of the thread's objects: functions that the
/// program has registered by atexit() may fail, and ask why.
thread_local sartor::LastError *last_error = nullptr;

struct FreesLastError {
  ~FreesLastError() { delete std::exchange(last_error, nullptr); }
};

} // namespace

sartor::LastError &sartor::last_c_error() {
  thread_local const FreesLastError at_the_end;
  if (!last_error)
    last_error = new LastError;
  return *last_error;
}

void sartor::note_exhausted() noexcept {
  if (!last_error)
    return;
  last_error->status = SARTOR_INTERNAL_ERROR;
  last_error->failure = {};
  last_error->failure.message = last_error->text = "out of memory"; // short: needs no memory
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

const char *sartor_last_error(void) { return last_error ? last_error->text.c_str() : ""; }

sartor_status sartor_last_error_code(void) { return last_error ? last_error->status : SARTOR_OK; }

const char *sartor_last_error_subject(void) {
  return last_error ? last_error->failure.subject.c_str() : "";
}

const char *sartor_last_error_message(void) {
  return last_error ? last_error->failure.message.c_str() : "";
}

const char *sartor_last_error_remedy(void) {
  return last_error ? last_error->failure.remedy.c_str() : "";
}
}
