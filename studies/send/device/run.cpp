// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.h"

#include <array>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace sartor::send {

namespace {

namespace fs = std::filesystem;

fs::path program_of(const std::string &architecture) {
  return fs::path(SEND_DEVICE_PROGRAMS) / ("send_device_" + architecture);
}

/// Parses a line if it is one of the program's own.
bool read_line(const std::string &line, DeviceRun &run) {
  std::istringstream words(line);
  std::string what;
  words >> what;
  if (what == "code") {
    words >> run.calls >> run.by_variants >> run.code_bytes >> run.requests >>
        run.last_request_milliseconds >> run.pages;
  } else if (what == "time") {
    DeviceRun::Time &time = run.times.emplace_back();
    words >> time.name >> time.generic >> time.specialized;
  } else {
    return false;
  }
  return true;
}

} // namespace

std::vector<std::string> device_architectures() {
  std::vector<std::string> found;
  for (const char *each : {"aarch64", "armv7"})
    if (fs::exists(program_of(each)))
      found.emplace_back(each);
  return found;
}

std::vector<std::string> device_server_options() {
  return {"--modules", SEND_DEVICE_MODULES, "--listen-devices", "tcp://127.0.0.1:0"};
}

DeviceRun run_device(const std::string &architecture, std::uint64_t seed, std::size_t steps,
                     const ServerProcess *server) {
  const bool is_arm = architecture == "armv7";
  std::vector<std::string> words = {is_arm ? "/usr/bin/qemu-arm" : "/usr/bin/qemu-" + architecture,
                                    "-L",
                                    is_arm ? "/usr/arm-linux-gnueabihf"
                                           : "/usr/" + architecture + "-linux-gnu",
                                    program_of(architecture),
                                    std::to_string(seed),
                                    std::to_string(steps)};
  if (server != nullptr)
    for (const std::string &word : {server->for_devices(), server->file("server.pub").string(),
                                    server->file("devices/device.key").string()})
      words.push_back(word);
  std::array<int, 2> out{};
  if (pipe2(out.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  const pid_t process = spawn(words, {.out = out[1]});
  close(out[1]);
  DeviceRun run;
  FILE *from = fdopen(out[0], "r");
  std::array<char, 8192> line{};
  while (std::fgets(line.data(), line.size(), from) != nullptr)
    if (!read_line(line.data(), run))
      run.seen += line.data();
  std::fclose(from);
  waitpid(process, &run.status, 0);
  return run;
}

} // namespace sartor::send
