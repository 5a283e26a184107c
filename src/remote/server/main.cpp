// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sartor-server: makes variants for programs that have no compiler, on this machine and others.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/space/nearest.h"
#include "remote/server/process.h"
#include "remote/server/server.h"

namespace sartor::server {
namespace {

namespace fs = std::filesystem;

/// The exit status after a command line that cannot be understood.
constexpr int kWrongUsage = 2;
constexpr int kMostSeconds = 24 * 3600;
constexpr int kMostConnections = 1'000'000;

/// Returns the path of sartor-compiler: next to this program, or in the library directory.
std::string find_compiler() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char *place : {".", "../lib", "../" SARTOR_LIBRARY_DIRECTORY}) {
    const fs::path program = (here / place / "sartor-compiler").lexically_normal();
    if (fs::exists(program, error))
      return program.string();
  }
  return "sartor-compiler";
}

void add_options(CLI::App &app, ServerOptions &options) {
  app.set_version_flag("--version", "sartor-server " SARTOR_VERSION);
  app.set_config("--config", "", "A file with any of these options, as lines NAME = VALUE");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.add_option("--listen", options.listen,
                 "An address for clients: tcp://HOST:PORT (TLS 1.3; clients prove their keys) or "
                 "unix:/PATH (for this machine's users who may write to it). May be repeated");
  app.add_option(
      "--listen-devices", options.listen_devices,
      "An address for devices, which cannot use TLS: tcp://HOST:PORT. They prove their keys; "
      "the connection is encrypted, and answers are signed");
  app.add_option("--listen-group", options.listen_group,
                 "The group that may connect to Unix sockets; default: this process's");
  app.add_option(
         "--key", options.keys,
         "The server's secret key, made by `sartor key`; clients get the .pub file next to it. "
         "Repeat it while a new key replaces an old one: the first is preferred. SIGHUP "
         "reads keys again and ends connections of keys that were removed")
      ->required();
  app.add_option(
      "--clients", options.known.clients,
      "A directory of the public keys of programs that may connect by TCP: NAME.pub, and "
      "NAME@ANYTHING.pub for further keys of the same client");
  app.add_option("--devices", options.known.devices,
                 "A directory of the public keys of devices that may connect to --listen-devices");
  app.add_option(
      "--operators", options.known.operators,
      "A directory of the public keys of those who may control the server: `sartor server`");
  app.add_option("--modules", options.modules,
                 "A directory of devices' handler modules, NAME.module, which `sartor device` "
                 "writes. Read again at SIGHUP");
  app.add_option(
         "--workers", options.workers,
         "Compiler processes that work at a time; one more is kept for clients that have none")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--compile-timeout", options.compile_timeout,
                 "Seconds after which a compiler is ended; less than --queue-timeout")
      ->default_str("30")
      ->check(CLI::Range(1, kMostSeconds));
  app.add_option("--queue-timeout", options.queue_timeout,
                 "Seconds after which a request that waits for a compiler is refused; the client "
                 "asks again later")
      ->default_str("60")
      ->check(CLI::Range(1, kMostSeconds));
  app.add_flag("--allow-weak-confinement", options.allow_weak_confinement,
               "Compile where the kernel has no Landlock: compilers are confined by seccomp alone");
  app.add_option("--largest-request", options.largest_request, "Bytes of one request")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("64 MiB");
  app.add_option("--largest-answer", options.largest_answer, "Bytes of one answer of a compiler")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("64 MiB");
  app.add_option("--memory", options.memory,
                 "Bytes of memory of this process, --cache-memory included; compilers are not")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("1 GiB");
  app.add_option(
         "--memory-of-client", options.memory_of_client,
         "Bytes of --memory for one client; default: a quarter, or what its largest request "
         "takes")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--connections", options.connections,
                 "Connections at a time of all clients whose keys are known")
      ->capture_default_str()
      ->check(CLI::Range(1, kMostConnections));
  app.add_option("--connections-of-client", options.connections_of_client,
                 "Connections at a time of one client")
      ->capture_default_str()
      ->check(CLI::Range(1, kMostConnections));
  app.add_option(
         "--unknown-connections", options.unknown_connections,
         "Connections at a time of peers that have not proved their keys; more close the oldest")
      ->capture_default_str()
      ->check(CLI::Range(1, kMostConnections));
  app.add_option("--group", options.groups,
                 "NAME=CLIENT,CLIENT: clients that share cached answers and modules; others share "
                 "nothing. More than once");
  app.add_option("--cache-memory", options.cache_memory, "Bytes of answers kept in memory")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("256 MiB");
  app.add_option("--cache-dir", options.cache_directory,
                 "A directory for answers that are kept on disk; default: none");
  app.add_option("--cache-bytes", options.cache_bytes,
                 "Bytes of answers in --cache-dir, and of those in --shared-cache")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("4 GiB");
  app.add_option(
      "--shared-cache", options.shared_cache,
      "A Redis server for the answers of several servers: redis://USER@HOST:PORT/DATABASE, "
      "rediss://... with TLS, or unix:/PATH");
  app.add_option("--shared-cache-key", options.shared_cache_key,
                 "A file of 32 random bytes, the same for these servers");
  app.add_option("--shared-cache-password-file", options.shared_cache_password_file,
                 "A file with the password for that Redis server");
  app.add_option("--shared-cache-ca-file", options.shared_cache_ca_file,
                 "PEM certificates of the CAs for rediss://; default: the system's");
  app.add_option("--quarantine-after", options.quarantine_after,
                 "Clients of a group whose reports of a wrong variant are needed to withhold it "
                 "from all of the group; default: reports are not accepted")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option(
      "--metrics", options.metrics,
      "PORT of 127.0.0.1, or HOST:PORT, at which HTTP serves /metrics for Prometheus, /livez "
      "and /readyz; default: none");
  app.add_option_function<std::string>(
         "--log-format",
         [&options](const std::string &name) {
           options.log_format = name == "json" ? LogFormat::json : LogFormat::text;
         },
         "How the log is written to standard error")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  app.add_option("--slow-compile", options.slow_compile,
                 "Seconds from which on a compilation is logged")
      ->default_str("5")
      ->check(CLI::Range(0, kMostSeconds));
  app.add_option("--compiler", options.compiler, "The program sartor-compiler")
      ->capture_default_str();
}

int report_usage(const std::string &message) {
  std::fprintf(stderr, "sartor-server: %s\nRun `sartor-server --help` for its options.\n",
               message.c_str());
  return kWrongUsage;
}

/// Reports a command line that was not parsed, or prints the help or the version.
int report_usage(const CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return app.exit(error);
  // The parser reports options that are missing before those that are unknown.
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty())
    return report_usage(error.what());
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  const std::string &first = unknown.front();
  if (!first.starts_with('-'))
    return report_usage("\"" + first + "\" is not expected");
  return report_usage("unknown option \"" + first + "\"; " + nearest_names(first, names));
}

int run(int count, char **words) {
  std::signal(SIGPIPE, SIG_IGN);
  set_process_limits();
  CLI::App app("Makes variants for programs that say SARTOR_COMPILER=tcp://HOST:PORT.\n\n"
               "  sartor key --output server            # server.key, server.pub\n"
               "  sartor key --output clients/device    # one for each client\n"
               "  sartor-server --listen tcp://0.0.0.0:7433 --key server.key --clients clients",
               "sartor-server");
  ServerOptions options;
  options.workers = std::max(1U, std::thread::hardware_concurrency());
  options.compiler = find_compiler();
  add_options(app, options);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError &error) {
    return report_usage(app, error);
  }
  if (options.listen.empty() && options.listen_devices.empty())
    return report_usage("--listen or --listen-devices is required");
  const auto fail = [](const std::string &why) {
    std::fprintf(stderr, "sartor-server: %s\n", why.c_str());
    return EXIT_FAILURE;
  };
  if (options.compile_timeout >= options.queue_timeout)
    return report_usage("--compile-timeout is not less than --queue-timeout: a client would be "
                        "asked to come again because of one long compile of another");
  try {
    auto server = Server::open(std::move(options));
    if (!server)
      return fail(server.error().text());
    const auto ended = (*server)->run();
    std::fflush(nullptr);
    if (!ended)
      return fail(ended.error().text());
    std::_Exit(EXIT_SUCCESS); // remaining conversations are not destroyed
  } catch (const std::exception &error) {
    return fail(error.what());
  }
}

} // namespace
} // namespace sartor::server

int main(int count, char **words) { return sartor::server::run(count, words); }
