// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fused.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace files {

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 30s;

dev_t device_of(const std::filesystem::path &folder) {
  struct stat known{};
  return stat(folder.c_str(), &known) == 0 ? known.st_dev : 0;
}

} // namespace

std::string why_not_fused() {
  const int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device < 0)
    return "/dev/fuse cannot be opened";
  close(device);
  return {};
}

Fused::Fused(const std::filesystem::path &image, std::filesystem::path folder, const char *kind)
    : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  const dev_t before = device_of(folder_);
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM); // unmounts, then ends
    if (getppid() == parent)
      execl(READ_FUSE_PROGRAM, READ_FUSE_PROGRAM, image.c_str(), folder_.c_str(), kind, nullptr);
    _exit(1);
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (child_ > 0 && device_of(folder_) == before) {
    if (waitpid(child_, nullptr, WNOHANG) == child_)
      child_ = -1;
    else if (std::chrono::steady_clock::now() > end)
      break;
    std::this_thread::sleep_for(10ms);
  }
  if (child_ < 0)
    throw std::runtime_error(image.string() + " cannot be mounted on " + folder_.string());
}

Fused::~Fused() {
  kill(child_, SIGTERM);
  waitpid(child_, nullptr, 0);
}

double run_command(const std::string &command) {
  const auto begin = std::chrono::steady_clock::now();
  // NOLINTNEXTLINE(bugprone-command-processor): the study's own commands
  const int status = std::system(command.c_str());
  const auto took = std::chrono::steady_clock::now() - begin;
  if (status != 0)
    throw std::runtime_error("this has failed: " + command);
  return std::chrono::duration<double>(took).count();
}

} // namespace files
