// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_ENVIRONMENT_H
#define SARTOR_BASE_ENVIRONMENT_H

#include <optional>
#include <string>

namespace sartor::base {

/// Whether this program may do more than whoever started it: set-user-ID, set-group-ID, or with
/// capabilities of its file. What that person says, by whatever way, is then not to be believed.
bool are_raised();

/// What the environment says of Sartor. All variables that the library reads are these; a program
/// whose rights are raised sees none of them.
struct Environment {
  std::optional<std::string> sartor;                     ///< SARTOR
  std::optional<std::string> event_log;                  ///< SARTOR_EVENT_LOG
  std::optional<std::string> record_requests;            ///< SARTOR_RECORD_REQUESTS
  std::optional<std::string> perf;                       ///< SARTOR_PERF
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
  std::optional<std::string> dump_directory; ///< JITDUMPDIR, as other JITs have it, or HOME
};
Environment read_environment();

/// What a variable says that switches something; `otherwise` where it says nothing, or what means
/// nothing, which is complained of.
bool is_on(const char *variable, const std::optional<std::string> &said, bool otherwise);

/// What programs are started with: this program's environment, or next to nothing where rights are
/// raised, as variables tell compilers to load and to write what they like. Terminated by null.
char **environment_for_children();

/// Tells whoever started the program, on standard error and once for each text, that something in
/// the environment is not as it should be.
void complain(const std::string &text) noexcept;

} // namespace sartor::base

#endif
