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

/// Optimization of handlers, if the default (LLVM's O3 for this machine) does not suffice.
struct Pipeline {
  /// In LLVM's textual form, e.g. "default<O2>,function(instcombine)". Empty: the default.
  std::string passes = {};
  /// Shared libraries with LLVM pass plugins whose passes `passes` may name.
  std::vector<std::filesystem::path> plugins = {};

  bool operator==(const Pipeline &) const = default;
};

/// Format in which the names of JIT code are given to perf.
enum class PerfNames : unsigned char {
  none,
  map,  ///< Lines of /tmp/perf-PID.map.
  dump, ///< A jitdump for `perf inject`. Not in programs that run with raised rights.
};

/// Location of the compiler for code that no cache has.
enum class CompilerLocation : unsigned char {
  in_process, ///< In this process, by libsartor-compiler, which is loaded when it is first needed.
  /// In a separate process, which may crash, hang or be killed, and is restarted.
  out_of_process,
  server, ///< Options::compiler_server.
  /// None: only variants that were compiled ahead of time or are in a cache are available. Others
  /// are refused with no_compiler.
  none,
};

/// A compiler that several programs and machines use: `sartor-server`. Key files are made by
/// `sartor key`.
struct CompilerServer {
  /// "tcp://HOST:PORT", which uses TLS 1.3, or "unix:/PATH", for one machine; or several of them,
  /// separated by commas: the first that can be reached is used.
  std::string address = {};
  /// The server's public key, or a directory of keys (*.pub), one of which the server must have.
  /// Required with tcp.
  std::filesystem::path server_key = {};
  /// This program's secret key, which authenticates it to the server. Required with tcp.
  std::filesystem::path key = {};
  /// True if requests that no server answers are compiled in this process, if libsartor-compiler is
  /// installed. Pass plugins and custom points stay with `compiler`.
  bool fallback = false;

  auto operator<=>(const CompilerServer &) const = default;
};

/// Comparison of variants with the native code while the program runs: some calls run both codes on
/// the same input. If they differ, the caller gets the native code's result, and the variant is
/// deactivated and quarantined.
struct Verification {
  /// Calls of each new variant that are compared first. Handlers that can be compared in child
  /// processes only are compared for a few of them. 0: none.
  unsigned first_calls = 100;
  /// Largest share of the time of the process that comparisons may take after those; 0 to 1. 0:
  /// none.
  double budget = 0.001;
  /// Compare one call in so many, whatever it costs; 1 is every call. 0: none.
  unsigned every = 0;
  /// Largest relative difference between floating-point numbers that is none, for handlers that are
  /// compiled with -ffast-math or the like. Other handlers are compared bit by bit.
  double tolerance = 1e-6;

  /// The default: the first 100 calls of each variant, then 0.1 % of the time.
  static Verification on() { return {}; }
  /// No comparison at all.
  static Verification off() { return {.first_calls = 0, .budget = 0}; }

  bool operator==(const Verification &) const = default;
};

/// Settings of a Runtime. The environment has precedence: SARTOR=off makes every runtime inactive
/// (the generic native code runs), SARTOR_EVENT_LOG, SARTOR_RECORD_REQUESTS, SARTOR_PERF (map or
/// dump), SARTOR_CONTROL (on), SARTOR_METRICS_FILE, SARTOR_COMPILER (in-process, out-of-process,
/// none, or a server's address), SARTOR_COMPILER_SERVER_KEY, SARTOR_COMPILER_KEY,
/// SARTOR_COMPILER_FALLBACK (on), SARTOR_CACHE_DIR, SARTOR_OPENING (lazy or at-once),
/// SARTOR_VERIFY (on, off, all, or e.g. first=100,budget=0.001,every=0), SARTOR_STATE_DIR,
/// SARTOR_SHARE_QUARANTINE (on), SARTOR_SHARED_CACHE, SARTOR_SHARED_CACHE_KEY,
/// SARTOR_SHARED_CACHE_PASSWORD_FILE and SARTOR_SHARED_CACHE_CA_FILE override the fields
/// `event_log`, `record_requests`, `perf`, `control`, `metrics_file`, `compiler` and
/// `compiler_server`, `cache_directory`, `lazy_opening`, `verify`, `state_directory`,
/// `share_quarantine`, `shared_cache` and those whose names begin with it. A wrong variable is
/// reported on standard error, and the field is used instead. A program that runs with
/// raised rights (set-user-ID) ignores these variables.
struct Options {
  /// File to which events are appended as JSON lines; created for this user alone. Empty: none.
  std::filesystem::path event_log = {};
  /// A directory for requests that are compiled, a file each, from which `sartor explain --request`
  /// repeats and describes the compilation. Created if missing, for this user alone, because the
  /// files contain invariant memory. Empty: none.
  std::filesystem::path record_requests = {};
  PerfNames perf = PerfNames::none;
  /// Open the process's control socket, through which `sartor ps`, `top`, `off` and others inspect
  /// and control all runtimes of the process. Only this user (and root) can connect. Not in
  /// programs that run with raised rights. If it cannot be opened, the event log and standard error
  /// have the reason.
  bool control = false;
  /// A file to which the process's metrics (metrics.hpp) are written every ten seconds, for
  /// node_exporter's textfile collector; replaced at once, so that readers never see part of it.
  /// Empty: none. All runtimes of a process that name a file must name the same.
  std::filesystem::path metrics_file = {};
  CompilerLocation compiler = CompilerLocation::in_process;
  CompilerServer compiler_server = {}; ///< Used if `compiler` is `server`.
  /// A compilation that takes longer fails with compile_timeout. Counts the time in which its
  /// thread ran, or waited while the process ran. No limit if it is not positive, or longer than a
  /// year.
  std::chrono::milliseconds compile_timeout{30'000};
  /// A compilation that allocates more bytes of memory fails with compile_memory, and its compiler
  /// process ends. Applies out of process and on a server; compilers there have 8 GiB of address
  /// space at most. The memory of a compilation in the process is not limited. 0: no further
  /// limit.
  std::size_t compile_memory_bytes = std::size_t{2} << 30;
  /// Memory for cached variants, active or not; the least recently used are dropped first (from the
  /// cache: active ones stay active). Counts the memory that variants really take, see
  /// VariantInfo::resident_bytes: under 2 KiB for the smallest. In addition, up to a quarter of it
  /// is used for images that can be placed again for invariant memory with the same content.
  std::size_t code_cache_bytes = 64U << 20;
  /// Directory in which the code of fully optimized variants is cached for other runs and processes
  /// of this user; created if missing. Empty: none. If it cannot be used, the event log has the
  /// reason and Sartor works without it.
  std::filesystem::path cache_directory = {};
  /// Limit of the size of its files in bytes; the least recently used are deleted first.
  std::uint64_t disk_cache_bytes = 256U << 20;
  /// A Redis server through which the replicas of a program share the code of fully optimized
  /// variants: "redis://[USER@]HOST:PORT/DATABASE", "rediss://..." with TLS, or "unix:/PATH".
  /// Empty: none. A password in it is refused. If the server cannot be reached, the event log
  /// reports it once, and Sartor continues without it and tries again later.
  std::string shared_cache = {};
  /// A file with the password for it, which no other user may read. Empty: no password.
  std::filesystem::path shared_cache_password_file = {};
  /// A file of PEM certificates of the CAs that may sign the certificate of a "rediss://" server.
  /// Empty: those of the system.
  std::filesystem::path shared_cache_ca_file = {};
  /// A file of at least 32 random bytes, the same for all replicas, which only this user (or root)
  /// may read: code that was not signed with it is not loaded. Without it the shared cache is not
  /// used.
  std::filesystem::path shared_cache_key = {};
  /// Limit of the size of its entries in bytes; the least recently used are deleted first.
  std::uint64_t shared_cache_bytes = 256U << 20;
  /// Read code from the shared cache, but do not store any.
  bool shared_cache_read_only = false;
  /// Activate a quickly compiled variant first, while the fully optimized one is being compiled.
  bool quick_tier = true;
  /// Keep handlers that are compiled with -ffast-math or the like in native code, because the last
  /// bits of their results may differ between variants. Their points cannot be set then.
  bool exact_floats = false;
  /// Open the handlers when they are first needed, on a thread of Sartor's, rather than in the
  /// constructor: it returns at once, and neither loads LLVM nor reads bitcode. bind(),
  /// specialize_async() and prepare() begin to open them and do not wait; functions that need their
  /// description, such as space(), wait. An error of opening them is thrown there.
  bool lazy_opening = false;
  Verification verify = {};
  /// Directory of this machine's quarantined requests and of recorded differences; created if
  /// missing, for this user alone. Empty: $XDG_STATE_HOME/sartor, or ~/.local/state/sartor.
  std::filesystem::path state_directory = {};
  /// Quarantine variants that differ or crash for others, too: in the shared cache, for all
  /// programs that have its key, and at the compile server, if its owner permits it. Variants that
  /// others have quarantined there are not activated.
  bool share_quarantine = false;
};

} // namespace sartor

#endif
