// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace linux_study {

namespace {

constexpr const char *kSeconds = "240";

void read_line(const std::string &text, Measured &measured) {
  std::istringstream line(text);
  std::string kind;
  line >> kind;
  if (kind == "request") {
    std::string how;
    double milliseconds = 0;
    line >> how >> milliseconds;
    (how == "cached" ? measured.cached : measured.compiled).push_back(milliseconds);
  } else if (kind == "batch" || kind == "variant") {
    std::size_t size = 0;
    double first = 0;
    double second = 0;
    double third = 0;
    line >> size >> first >> second >> third;
    Sends &sends = measured.by_size[size];
    if (kind == "variant") {
      sends.bytes.push_back(first);
      return;
    }
    sends.sendto.push_back(first);
    sends.generic.push_back(second);
    sends.token.push_back(third);
  }
}

void boot(Measured &measured) {
  std::string output = std::filesystem::temp_directory_path() / "sartor-linux-XXXXXX";
  const int file = mkstemp(output.data());
  if (file < 0)
    throw std::runtime_error("no temporary file");
  close(file);
  const std::string command = std::string(STUDY_LINUX_BOOT) +
                              " " STUDY_LINUX_BUILT " " STUDY_LINUX_PREFIX " " + output + " " +
                              kSeconds + " MODE=measure";
  const int status = std::system(command.c_str()); // NOLINT(*-command-processor): our own words
  std::ifstream stream(output);
  std::ostringstream all;
  for (std::string line; std::getline(stream, line);) {
    read_line(line, measured);
    all << line << '\n';
  }
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  std::filesystem::remove(output + ".server", ignored);
  if (status != 0)
    throw std::runtime_error("the kernel has not measured (make study-linux builds it):\n" +
                             all.str());
}

} // namespace

Measured measure_sends(int boots) {
  Measured measured;
  for (int i = 0; i < boots; ++i)
    boot(measured);
  return measured;
}

} // namespace linux_study
