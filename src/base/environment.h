// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_ENVIRONMENT_H
#define SARTOR_BASE_ENVIRONMENT_H

#include <optional>
#include <string>

namespace sartor::base {

/// True if this program has more rights than the user who started it: set-user-ID, set-group-ID, or
/// file capabilities. Input of that user, by whatever way, must not be trusted then.
bool are_raised();

/// The environment variables that the library reads; a program whose rights are raised sees none of
/// them.
struct Environment {
  std::optional<std::string> sartor;                     ///< SARTOR
  std::optional<std::string> event_log;                  ///< SARTOR_EVENT_LOG
  std::optional<std::string> record_requests;            ///< SARTOR_RECORD_REQUESTS
  std::optional<std::string> perf;                       ///< SARTOR_PERF
  std::optional<std::string> control;                    ///< SARTOR_CONTROL
  std::optional<std::string> metrics_file;               ///< SARTOR_METRICS_FILE
  std::optional<std::string> policy;                     ///< SARTOR_POLICY
  std::optional<std::string> opening;                    ///< SARTOR_OPENING
  std::optional<std::string> verify;                     ///< SARTOR_VERIFY
  std::optional<std::string> abort_on_difference;        ///< SARTOR_ABORT_ON_DIFFERENCE
  std::optional<std::string> state_directory;            ///< SARTOR_STATE_DIR
  std::optional<std::string> share_quarantine;           ///< SARTOR_SHARE_QUARANTINE
  std::optional<std::string> cache_directory;            ///< SARTOR_CACHE_DIR
  std::optional<std::string> shared_cache;               ///< SARTOR_SHARED_CACHE
  std::optional<std::string> shared_cache_key;           ///< SARTOR_SHARED_CACHE_KEY
  std::optional<std::string> shared_cache_password_file; ///< SARTOR_SHARED_CACHE_PASSWORD_FILE
  std::optional<std::string> shared_cache_ca_file;       ///< SARTOR_SHARED_CACHE_CA_FILE
  std::optional<std::string> compiler;                   ///< SARTOR_COMPILER
  std::optional<std::string> compiler_fallback;          ///< SARTOR_COMPILER_FALLBACK
  std::optional<std::string> compiler_server_key;        ///< SARTOR_COMPILER_SERVER_KEY
  std::optional<std::string> compiler_key;               ///< SARTOR_COMPILER_KEY
  std::optional<std::string> compiler_library;           ///< SARTOR_COMPILER_LIBRARY
  std::optional<std::string> compiler_program;           ///< SARTOR_COMPILER_PROGRAM
  std::optional<std::string> clang;                      ///< SARTOR_CLANG
  std::optional<std::string> check_calls;                ///< SARTOR_CHECK_CALLS
  std::optional<std::string> dump_directory;             ///< JITDUMPDIR, as for other JITs, or HOME
};
Environment read_environment();

/// Value of a variable that is a switch; `otherwise` if it is unset or invalid. An invalid value is
/// reported.
bool is_on(const char *variable, const std::optional<std::string> &said, bool otherwise);

/// The environment for child processes: this program's, or a minimal one if rights are raised,
/// because variables can make compilers load and write any file. Terminated by null.
char **environment_for_children();

/// Reports a problem in the environment to the user on standard error, once for each text.
void complain(const std::string &text) noexcept;

} // namespace sartor::base

#endif
