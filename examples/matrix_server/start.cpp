// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start.h"

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace matmul {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

volatile std::sig_atomic_t interrupted_by = 0;

std::string program(const char *name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

std::vector<std::string> server_command(const std::vector<std::string> &options) {
  std::vector<std::string> command{program("matmul_server")};
  command.insert(command.end(), options.begin(), options.end());
  return command;
}

/// Waits until the server reports its port.
std::string port_of(Process &server, const fs::path &output) {
  for (auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
    std::ifstream file(output);
    std::string line;
    if (std::getline(file, line) && !file.eof()) // eof means that the line is not complete
      return line.substr(line.rfind(':') + 1);
    if (server.status())
      throw std::runtime_error("the server did not start");
    rest(20ms);
  }
  throw std::runtime_error("the server does not say that it listens");
}

} // namespace

void interrupt(int signal) { interrupted_by = signal; }

void rest(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
  if (interrupted_by != 0)
    throw Interrupted{interrupted_by};
}

StartedServer::StartedServer(const std::vector<std::string> &options, const fs::path &output)
    : process(server_command(options), output), port(port_of(process, output)) {}

Process start_load(const std::string &port, double seconds, const std::vector<std::uint64_t> &sizes,
                   bool self_check, const fs::path &output) {
  std::ostringstream list;
  for (const std::uint64_t n : sizes)
    list << (list.tellp() > 0 ? "," : "") << n;
  std::vector<std::string> command{program("matmul_load"),  "--port",  port,      "--seconds",
                                   std::to_string(seconds), "--sizes", list.str()};
  if (self_check)
    command.emplace_back("--self-check");
  return {command, output};
}

} // namespace matmul
