// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/environment.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>

#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;

namespace sartor::base {

namespace {

constexpr std::array<std::string_view, 4> kOn{"on", "1", "yes", "true"};
constexpr std::array<std::string_view, 4> kOff{"off", "0", "no", "false"};

std::optional<std::string> variable(const char *name) {
  const char *value = secure_getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

} // namespace

bool are_raised() { return getauxval(AT_SECURE) != 0; }

Environment read_environment() {
  return {.sartor = variable("SARTOR"),
          .event_log = variable("SARTOR_EVENT_LOG"),
          .record_requests = variable("SARTOR_RECORD_REQUESTS"),
          .perf = variable("SARTOR_PERF"),
          .control = variable("SARTOR_CONTROL"),
          .metrics_file = variable("SARTOR_METRICS_FILE"),
          .policy = variable("SARTOR_POLICY"),
          .opening = variable("SARTOR_OPENING"),
          .verify = variable("SARTOR_VERIFY"),
          .abort_on_difference = variable("SARTOR_ABORT_ON_DIFFERENCE"),
          .state_directory = variable("SARTOR_STATE_DIR"),
          .share_quarantine = variable("SARTOR_SHARE_QUARANTINE"),
          .cache_directory = variable("SARTOR_CACHE_DIR"),
          .shared_cache = variable("SARTOR_SHARED_CACHE"),
          .shared_cache_key = variable("SARTOR_SHARED_CACHE_KEY"),
          .shared_cache_password_file = variable("SARTOR_SHARED_CACHE_PASSWORD_FILE"),
          .shared_cache_ca_file = variable("SARTOR_SHARED_CACHE_CA_FILE"),
          .compiler = variable("SARTOR_COMPILER"),
          .compiler_fallback = variable("SARTOR_COMPILER_FALLBACK"),
          .compiler_server_key = variable("SARTOR_COMPILER_SERVER_KEY"),
          .compiler_key = variable("SARTOR_COMPILER_KEY"),
          .compiler_library = variable("SARTOR_COMPILER_LIBRARY"),
          .compiler_program = variable("SARTOR_COMPILER_PROGRAM"),
          .clang = variable("SARTOR_CLANG"),
          .check_calls = variable("SARTOR_CHECK_CALLS"),
          .dump_directory = variable("JITDUMPDIR").or_else([] { return variable("HOME"); })};
}

bool is_on(const char *variable, const std::optional<std::string> &said, bool otherwise) {
  if (!said || said->empty())
    return otherwise;
  const bool on = std::ranges::find(kOn, *said) != kOn.end();
  if (on || std::ranges::find(kOff, *said) != kOff.end())
    return on;
  complain(variable + ("=" + *said) + " is neither on nor off: it stays " +
           (otherwise ? "on" : "off"));
  return otherwise;
}

char **environment_for_children() {
  static char path[] = "PATH=/usr/bin:/bin";
  static char *nothing_else[] = {path, nullptr};
  return are_raised() ? nothing_else : environ;
}

void complain(const std::string &text) noexcept {
  try {
    static std::mutex mutex;
    static auto *reported =
        new std::set<std::string>; // never destroyed: threads may come here while the process exits
    const std::lock_guard lock(mutex);
    if (!reported->insert(text).second)
      return;
    const std::string line = "sartor: " + text + "\n";
    (void)!write(STDERR_FILENO, line.data(), line.size());
  } catch (...) { // out of memory
  }
}

} // namespace sartor::base
