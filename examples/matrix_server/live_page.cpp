// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live_page.h"

#include <chrono>
#include <fstream>

#include "start.h"

namespace matmul {

namespace {

using namespace std::chrono_literals;

/// Next to this program in the build of Sartor, otherwise in PATH.
std::string sartor() {
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "sartor";
  return std::filesystem::exists(beside) ? beside.string() : "sartor";
}

} // namespace

LivePage::LivePage(pid_t watched, const std::filesystem::path &output)
    : viewer_({sartor(), "view", std::to_string(watched)}, output) {
  for (auto end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;) {
    std::ifstream file(output);
    if (std::string line; std::getline(file, line) && !file.eof() && line.starts_with("http")) {
      address_ = line;
      return;
    }
    if (viewer_.status())
      return;
    rest(20ms);
  }
}

bool write_report(const std::filesystem::path &events, const std::filesystem::path &page,
                  const std::filesystem::path &output) {
  std::filesystem::remove(page); // of an earlier run
  Process writer({sartor(), "report", events, "-o", page}, output);
  while (!writer.status())
    rest(20ms);
  return writer.status() == 0;
}

} // namespace matmul
