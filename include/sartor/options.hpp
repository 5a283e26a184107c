// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_OPTIONS_HPP
#define SARTOR_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sartor {

/// How handlers are optimised, where the default (LLVM's O3 for this machine) will not do.
struct Pipeline {
  /// LLVM's textual form, e.g. "default<O2>,function(instcombine)". Empty: the default.
  std::string passes = {};
  /// Shared libraries with LLVM pass plugins whose passes `passes` may name.
  std::vector<std::filesystem::path> plugins = {};

  bool operator==(const Pipeline &) const = default;
};

/// How JIT code is named for perf.
enum class PerfNames : unsigned char {
  none,
  map,  ///< Lines of /tmp/perf-PID.map.
  dump, ///< A jitdump for `perf inject`. Not in programs whose rights are raised.
};

/// Where code is made that no store has.
enum class CompilerPlace : unsigned char {
  inside, ///< In this process, by libsartor-compiler, which is loaded when it is first needed.
  /// In a process of its own, which may crash, hang or be killed, and is started again.
  beside,
  server, ///< By Options::compiler_server.
  /// Nowhere: variants are those that were made beforehand, or are in a cache. Another one is
  /// refused with no_compiler.
  none,
};

/// A compiler that several programs and machines use: `sartor-server`. Key files are as `sartor
/// key` makes them.
struct CompilerServer {
  /// "tcp://HOST:PORT", which is spoken to by TLS 1.3, or "unix:/PATH", for one machine; or several
  /// of them, separated by commas: the first that can be reached is used.
  std::string address = {};
  /// The server's public key, or a directory of keys (*.pub), one of which the server must have.
  /// Needed with tcp.
  std::filesystem::path server_key = {};
  /// This program's secret key, by which the server knows it. Needed with tcp.
  std::filesystem::path key = {};
  /// Whether requests that no server answers are compiled in this process, where libsartor-compiler
  /// is installed. Pass plugins and custom points stay with `compiler`.
  bool fallback = false;

  auto operator<=>(const CompilerServer &) const = default;
};

/// Settings of a Runtime. The environment comes first: SARTOR=off makes every runtime inert (the
/// generic native code runs), SARTOR_EVENT_LOG, SARTOR_RECORD_REQUESTS, SARTOR_PERF (map or dump),
/// SARTOR_COMPILER (inside, beside, none, or a server's address), SARTOR_COMPILER_SERVER_KEY,
/// SARTOR_COMPILER_KEY, SARTOR_COMPILER_FALLBACK (on), SARTOR_CACHE_DIR, SARTOR_SHARED_CACHE,
/// SARTOR_SHARED_CACHE_KEY, SARTOR_SHARED_CACHE_PASSWORD_FILE and SARTOR_SHARED_CACHE_CA_FILE
/// override the fields `event_log`, `record_requests`, `perf`, `compiler` and `compiler_server`,
/// `cache_directory`, `shared_cache` and those whose names begin with it. What is wrong with it is
/// told on standard error, and the field counts. A program that runs with raised rights
/// (set-user-ID) does not look at it.
struct Options {
  /// Where events go, as JSON lines, appended; made for this user alone. Empty: nowhere.
  std::filesystem::path event_log = {};
  /// A directory for requests that are compiled, a file each, which `sartor explain --request`
  /// makes again and tells of: made if missing, for this user alone, as promised memory is in them.
  /// Empty: nowhere.
  std::filesystem::path record_requests = {};
  PerfNames perf = PerfNames::none;
  CompilerPlace compiler = CompilerPlace::inside;
  CompilerServer compiler_server = {}; ///< Where `compiler` says so.
  /// A compile that takes longer fails with compile_timeout. What counts is the time that its
  /// thread has run, or waited while the process ran. None if it is not positive, or longer than a
  /// year.
  std::chrono::milliseconds compile_timeout{30'000};
  /// Memory for variants that are kept, in force or not, least recently used dropped first (from
  /// what is kept: what is in force stays so). Counts what variants really take, as
  /// VariantInfo::resident_bytes tells: under 2 KiB for the smallest. Besides, up to a quarter of
  /// it for images that are placed again for promised memory with the same in it.
  std::size_t code_cache_bytes = 64U << 20;
  /// Where the code of fully optimised variants is kept for other runs and processes of this user;
  /// made if missing. Empty: nowhere. Where it cannot be used, the event log says why and Sartor
  /// does without.
  std::filesystem::path cache_directory = {};
  /// Bytes of files there, least recently used dropped first.
  std::uint64_t disk_cache_bytes = 256U << 20;
  /// A Redis server through which the replicas of a program share the code of fully optimised
  /// variants: "redis://[USER@]HOST:PORT/DATABASE", "rediss://..." with TLS, or "unix:/PATH".
  /// Empty: none. A password in it is refused. Where the server cannot be reached, the event log
  /// says so once, and Sartor continues without it and tries again later.
  std::string shared_cache = {};
  /// A file with the password for it, which no other user may read. Empty: no password.
  std::filesystem::path shared_cache_password_file = {};
  /// A file of PEM certificates of the CAs that may sign the certificate of a "rediss://" server.
  /// Empty: those of the system.
  std::filesystem::path shared_cache_ca_file = {};
  /// A file of at least 32 random bytes, the same for all replicas, which nobody but this user (or
  /// root) may read: code that was not signed with it is not loaded. Without it the shared cache is
  /// not used.
  std::filesystem::path shared_cache_key = {};
  /// Bytes of entries there, least recently used dropped first.
  std::uint64_t shared_cache_bytes = 256U << 20;
  /// Take code from there, but put none there.
  bool shared_cache_read_only = false;
  /// Give a quickly compiled variant first, while the fully optimised one is being made.
  bool quick_tier = true;
  /// Leave handlers to their native code that are compiled with -ffast-math or the like: what they
  /// compute may differ in its last bits from variant to variant. Their points cannot be set then.
  bool exact_floats = false;
};

} // namespace sartor

#endif
