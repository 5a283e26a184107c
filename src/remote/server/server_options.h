// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_SERVER_OPTIONS_H
#define SARTOR_REMOTE_SERVER_SERVER_OPTIONS_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "remote/server/clients/clients.h"
#include "remote/server/log.h"

namespace sartor::server {

/// The options on the command line.
struct ServerOptions {
  std::vector<std::string> listen;
  std::vector<std::string> listen_devices;
  std::vector<std::filesystem::path> keys; ///< At least one; the first is preferred.
  KeyDirectories known;
  std::filesystem::path modules; ///< The modules of devices; empty if there are none.
  std::string compiler;          ///< The path of the program sartor-compiler.
  unsigned workers = 1;
  std::size_t largest_request = 64U << 20;
  std::size_t largest_answer = 64U << 20;
  std::size_t memory = 1U << 30;    ///< The limit for the process.
  std::size_t memory_of_client = 0; ///< 0 means a quarter, but no less than a request takes.
  std::size_t connections = 4096;   ///< The limit for known clients.
  std::size_t connections_of_client = 256;
  std::size_t unknown_connections = 256;
  std::vector<std::string> groups; ///< In the format of Groups::parse().
  std::string listen_group;        ///< The owner group of Unix sockets; empty for this process's.
  LogFormat log_format = LogFormat::text;
  std::chrono::seconds slow_compile{5}; ///< Longer compilations are logged.
  /// Less than queue_timeout: a client waits longer than one question of others can take.
  std::chrono::seconds compile_timeout{30};
  std::chrono::seconds queue_timeout{60};
  /// Permits compilers to run if the kernel has no Landlock.
  bool allow_weak_confinement = false;
  std::size_t cache_memory = 256U << 20;
  std::filesystem::path cache_directory;
  std::uint64_t cache_bytes = 4ULL << 30;
  std::string shared_cache;
  std::filesystem::path shared_cache_key;
  std::filesystem::path shared_cache_password_file;
  std::filesystem::path shared_cache_ca_file;
  /// An answer is withheld once so many of the clients that share it report it; 0: never.
  unsigned quarantine_after = 0;
  std::string metrics; ///< PORT or HOST:PORT; empty for none.
};

} // namespace sartor::server

#endif
