// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file study_device OUTPUT: runs a server, three emulated devices of different architectures that
/// filter packets, and a slow line between them, which is cut and restored meanwhile. Writes the
/// devices' reports, tables and a plot to OUTPUT. Fails if a packet was filtered wrongly, or if a
/// device did not keep working without the server and use it again later.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../test/server/server_process.h"
#include "../../test/server/slow_line.h"
#include "../../test/server/spawn.h"

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kDelay = 10ms;
constexpr auto kCut = 8s;
constexpr auto kRestored = 14s;
constexpr int kSeconds = 24;

struct Device {
  std::string architecture;
  std::string emulator;
  std::string libraries;
};
const std::array<Device, 3> kDevices{{{"aarch64", "qemu-aarch64", "aarch64-linux-gnu"},
                                      {"armv7", "qemu-arm", "arm-linux-gnueabihf"},
                                      {"riscv64", "qemu-riscv64", "riscv64-linux-gnu"}}};

/// A request for a variant that was answered.
struct Request {
  double second = 0;
  int filter = 0;
  int instructions = 0;
  unsigned long code = 0;
  double milliseconds = 0;
  unsigned long turns = 0;
  double turn = 0; ///< Milliseconds.
};

/// The parsed report of one device.
struct Report {
  std::vector<Request> requests;
  unsigned lost = 0;
  unsigned back = 0;
  unsigned long by_variants = 0;
  unsigned long by_interpreter = 0;
  unsigned long wrong = 0;
  int status = -1;
};

/// Runs the program to its end and parses its output.
Report run(const std::vector<std::string> &words, const fs::path &log) {
  std::array<int, 2> out{};
  if (pipe2(out.data(), O_CLOEXEC) != 0)
    return {};
  const pid_t process = spawn(words, {.out = out[1]});
  close(out[1]);
  Report report;
  std::ofstream copy(log);
  FILE *from = fdopen(out[0], "r");
  for (std::array<char, 512> line{}; std::fgets(line.data(), line.size(), from) != nullptr;) {
    copy << line.data();
    std::istringstream words_of(line.data());
    std::string what;
    double time = 0;
    words_of >> what >> time;
    if (what == "request") {
      Request request;
      words_of >> request.filter >> request.instructions >> request.code >> request.milliseconds >>
          request.turns >> request.turn;
      request.second = time / 1000;
      request.milliseconds /= 1000;
      request.turn /= 1000;
      report.requests.push_back(request);
    } else if (what == "calls") {
      words_of >> report.by_variants >> report.by_interpreter >> report.wrong;
    } else if (what == "lost") {
      ++report.lost;
    } else if (what == "back") {
      ++report.back;
    }
  }
  std::fclose(from);
  waitpid(process, &report.status, 0);
  return report;
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// Median of one quantity over the requests of a device.
template <class Of> double median_of(const std::vector<Request> &requests, Of of) {
  std::vector<double> values;
  values.reserve(requests.size());
  for (const Request &request : requests)
    values.push_back(of(request));
  return median(std::move(values));
}

void write_points(const fs::path &file, const Report &report) {
  std::ofstream out(file);
  out << "# second filter instructions code-bytes milliseconds round-trips round-trip-ms "
         "formula-ms\n";
  for (const Request &request : report.requests)
    out << request.second << ' ' << request.filter << ' ' << request.instructions << ' '
        << request.code << ' ' << request.milliseconds << ' ' << request.turns << ' '
        << request.turn << ' ' << request.turn * static_cast<double>(request.turns) << '\n';
}

std::string table(const std::map<std::string, Report> &reports) {
  std::ostringstream out;
  out << "| device | variants | code, bytes | request, ms | RTT, ms | "
         "RTT x (calls + pages + code / window), ms | packets by variants | by the interpreter | "
         "wrong |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const auto &[architecture, report] : reports) {
    out.precision(3);
    out << "| " << architecture << " | " << report.requests.size() << " | "
        << median_of(report.requests, [](const Request &r) { return static_cast<double>(r.code); })
        << " | " << median_of(report.requests, [](const Request &r) { return r.milliseconds; })
        << " | " << median_of(report.requests, [](const Request &r) { return r.turn; }) << " | "
        << median_of(report.requests,
                     [](const Request &r) { return r.turn * static_cast<double>(r.turns); })
        << " | " << report.by_variants << " | " << report.by_interpreter << " | " << report.wrong
        << " |\n";
  }
  out << "\nMedians over the requests of a device. The line takes " << kDelay.count() << " to "
      << 2 * kDelay.count() << " ms each way; it is cut from second " << kCut.count()
      << " to second " << kRestored.count()
      << ". Devices run in emulation, which makes them slow, and not their server.\n";
  return out.str();
}

/// The reason why the study has failed; empty if it has not.
std::string problem_of(const std::string &architecture, const Report &report) {
  const auto after = [&](std::chrono::seconds begin) {
    return std::ranges::any_of(report.requests, [&](const Request &request) {
      return request.second > static_cast<double>(begin.count());
    });
  };
  if (report.wrong > 0)
    return architecture + " has filtered packets wrongly";
  if (!WIFEXITED(report.status) || WEXITSTATUS(report.status) != 0)
    return architecture + " has failed";
  if (report.requests.empty() || report.lost == 0)
    return architecture + " has not had variants before the line was cut, or not noticed that";
  if (report.back == 0 || !after(kRestored))
    return architecture + " has not had variants after the line was restored";
  return "";
}

int study(const fs::path &output) {
  fs::create_directories(output);
  ServerProcess server({"--modules", STUDY_MODULES, "--listen-devices", "tcp://127.0.0.1:0"});
  const std::string log = server.log();
  const int port = std::stoi(log.substr(log.rfind(':', log.find('\n', log.rfind("tcp://"))) + 1));
  auto &line = *new SlowLine(port, kDelay); // not destroyed: its threads still use it
  std::vector<std::string> filters;
  for (const auto &file : fs::directory_iterator(STUDY_FILTERS))
    filters.push_back(file.path());
  std::ranges::sort(filters);
  std::map<std::string, Report> reports;
  std::vector<std::thread> threads;
  for (const Device &device : kDevices) {
    const std::string program =
        std::string(STUDY_PROGRAMS) + "/study_device_" + device.architecture;
    if (!fs::exists(program)) {
      std::cerr << "left out: " << device.architecture << ", for want of " << program << '\n';
      continue;
    }
    server.make_key("devices/" + device.architecture);
    std::vector<std::string> words{"/usr/bin/" + device.emulator,
                                   "-L",
                                   "/usr/" + device.libraries,
                                   program,
                                   line.address(),
                                   server.file("server.pub"),
                                   server.file("devices/" + device.architecture + ".key"),
                                   std::to_string(kSeconds)};
    words.insert(words.end(), filters.begin(), filters.end());
    Report &report = reports[device.architecture];
    threads.emplace_back([words, &report, file = output / (device.architecture + ".log")] {
      report = run(words, file);
    });
  }
  server.signal(SIGHUP); // the server reads its list of clients again
  std::cout << threads.size() << " devices run for " << kSeconds << " s\n";
  std::this_thread::sleep_for(kCut);
  std::cout << "the line is cut\n";
  line.fall_silent(true);
  std::this_thread::sleep_for(kRestored - kCut);
  std::cout << "the line is restored\n";
  line.fall_silent(false);
  for (std::thread &thread : threads)
    thread.join();
  bool failed = reports.empty();
  for (const auto &[architecture, report] : reports) {
    write_points(output / (architecture + ".dat"), report);
    if (const std::string problem = problem_of(architecture, report); !problem.empty()) {
      std::cerr << problem << "; see " << output / (architecture + ".log") << '\n';
      failed = true;
    }
  }
  const std::string shown = table(reports);
  std::ofstream(output / "summary.md") << shown;
  std::cout << shown;
  const std::string plot = "gnuplot -e \"folder='" + output.string() +
                           "'; cut=" + std::to_string(kCut.count()) +
                           "; restored=" + std::to_string(kRestored.count()) +
                           "; seconds=" + std::to_string(kSeconds) + "\" " STUDY_PLOT;
  if (std::system(plot.c_str()) != 0) { // NOLINT(bugprone-command-processor): our own words
    std::cerr << "gnuplot has failed\n";
    failed = true;
  }
  std::cout << "see " << (output / "requests.png").string() << '\n';
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // namespace

int main(int count, char **words) {
  if (count != 2) {
    std::cerr << "usage: study_device OUTPUT\n";
    return 2;
  }
  try {
    return study(words[1]);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
