// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Devices of several architectures, in emulation, and a server that compiles their code.
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../server/server_process.h"
#include "../server/spawn.h"
#include "paths.h"

namespace {

namespace fs = std::filesystem;

/// A running process of a device's program.
class DeviceProcess {
public:
  explicit DeviceProcess(const std::vector<std::string> &words) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    process_ = spawn(words, {.in = in[0], .out = out[1]});
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = fdopen(out[0], "r");
  }
  ~DeviceProcess() {
    finish();
    close(to_);
    std::fclose(from_);
  }
  DeviceProcess(const DeviceProcess &) = delete;
  DeviceProcess &operator=(const DeviceProcess &) = delete;

  /// Waits until the program prints that line; false if it ends first.
  bool says(std::string_view wanted) {
    for (std::array<char, 1024> line{}; std::fgets(line.data(), line.size(), from_) != nullptr;) {
      said_ += line.data();
      if (std::string_view(line.data()) == std::string(wanted) + "\n")
        return true;
    }
    return false;
  }
  void go_on() const { ASSERT_EQ(write(to_, "\n", 1), 1); }
  /// Waits for the end and returns the exit status; said() then has the whole output.
  int finish() {
    if (process_ > 0) {
      says("(nothing that it says)");
      int status = 0;
      waitpid(process_, &status, 0);
      process_ = -1;
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + status;
    }
    return status_;
  }
  [[nodiscard]] const std::string &said() const { return said_; }

private:
  pid_t process_ = -1;
  int to_ = -1;
  FILE *from_ = nullptr;
  std::string said_;
  int status_ = 0;
};

/// A server that knows the handlers of all these devices, and the device "device".
ServerProcess &server() {
  static ServerProcess server(
      {"--modules", paths::device_modules(), "--listen-devices", "tcp://127.0.0.1:0"});
  return server;
}

/// The command that runs a device's program.
std::vector<std::string> words_of(const std::string &architecture, const std::string &program,
                                  const std::string &what) {
  std::vector<std::string> words;
  if (architecture != "x86_64") {
    const bool is_arm = architecture == "armv7";
    const std::string triple = is_arm ? "arm-linux-gnueabihf" : architecture + "-linux-gnu";
    words = {"/usr/bin/qemu-" + (is_arm ? "arm" : architecture), "-L", "/usr/" + triple};
  }
  const fs::path path = fs::path(paths::device_programs()) / (program + "_" + architecture);
  words.insert(words.end(), {path.string(), what});
  return words;
}

class Device : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (!fs::exists(words_of(GetParam(), "device_program", "").end()[-2]))
      GTEST_SKIP() << "there is no compiler for " << GetParam();
  }

  /// Runs the case with the device's key over TCP and expects success.
  static void expect_success(const std::string &program, const std::string &what) {
    const auto key = server().file("devices/device.key");
    expect_success(program, what, server().for_devices(), server().file("server.pub"), key);
  }
  static void expect_success(const std::string &program, const std::string &what,
                             const std::string &address, const std::string &server_key,
                             const std::string &key = {}) {
    auto words = words_of(GetParam(), program, what);
    words.insert(words.end(), {address, server_key});
    if (!key.empty())
      words.push_back(key);
    DeviceProcess device(words);
    EXPECT_EQ(device.finish(), 0) << device.said();
  }
};

TEST_P(Device, ComputesTheSame) { expect_success("device_program", "same_results"); }
TEST_P(Device, ComputesTheSameWithoutGenericCodeOfItsOwn) {
  expect_success("device_bare", "same_results");
}
TEST_P(Device, ComputesTheSameByEveryHandler) { expect_success("device_program", "every_handler"); }
TEST_P(Device, ComputesTheSameByEveryHandlerThatItDoesNotHave) {
  expect_success("device_bare", "every_handler");
}
TEST_P(Device, HasItsMemoryReadAndItsFunctionsCalled) {
  expect_success("device_program", "invariant_memory");
}
TEST_P(Device, DeclaresManyRanges) { expect_success("device_program", "many_ranges"); }
TEST_P(Device, UsesTheProgramsAllocatorTransportAndCodeMemory) {
  expect_success("device_program", "own_system");
}
TEST_P(Device, BoundsItsContexts) { expect_success("device_program", "contexts"); }
TEST_P(Device, MakesRoomForCode) { expect_success("device_program", "eviction"); }
TEST_P(Device, ReportsWhatMakesNoSense) { expect_success("device_program", "refusals"); }
TEST_P(Device, ForksAndBothGoOn) { expect_success("device_program", "forks"); }
TEST_P(Device, ServesManyThreads) { expect_success("device_program", "threads"); }
TEST_P(Device, SaysWhatIsWrongWithItsOptions) { expect_success("device_program", "bad_options"); }

TEST_P(Device, LeavesFilesAloneThatHaveTheNumbersOfItsOwn) {
  if (GetParam() != std::string("x86_64"))
    GTEST_SKIP() << "an emulator has descriptors of its own";
  expect_success("device_program", "closed_descriptors");
}

TEST_P(Device, WaitsNoLongerThanAllowed) {
  for (const char *program : {"device_program", "device_bare"})
    expect_success(program, "nobody_answers", "tcp://127.0.0.1:1", server().file("server.pub"));
}

TEST_P(Device, TakesNobodyElsesCode) {
  expect_success("device_program", "forged", server().local(), server().file("clients/one.pub"));
}

TEST_P(Device, SaysThatTheServerDoesNotKnowIt) {
  server().make_key("stranger-" + GetParam());
  expect_success("device_program", "lost", server().for_devices(), server().file("server.pub"),
                 server().file("stranger-" + GetParam() + ".key"));
  expect_success("device_program", "lost", server().for_devices(),
                 server().file("server.pub")); // without a key
}

TEST_P(Device, SaysThatTheServerHasNoModuleOfIt) {
  const ServerProcess other;
  auto words = words_of(GetParam(), "device_program", "lost");
  words.insert(words.end(), {other.local(), other.file("server.pub")});
  DeviceProcess device(words);
  EXPECT_EQ(device.finish(), 0) << device.said();
  EXPECT_NE(device.said().find("no module"), std::string::npos) << device.said();
}

TEST_P(Device, GoesOnWhileTheServerIsGone) {
  ServerProcess mortal({"--modules", paths::device_modules()});
  auto words = words_of(GetParam(), "device_program", "server_goes");
  words.insert(words.end(), {mortal.local(), mortal.file("server.pub")});
  DeviceProcess device(words);
  ASSERT_TRUE(device.says("gone?")) << device.said();
  mortal.kill();
  device.go_on();
  ASSERT_TRUE(device.says("back?")) << device.said();
  mortal.start();
  device.go_on();
  EXPECT_EQ(device.finish(), 0) << device.said();
}

// The module has the functions and tables that the memory points to; its table has their names.
TEST(DeviceLayers, CallsThroughInvariantMemoryBecomePartOfVariants) {
  DeviceProcess device({paths::device_programs() + "/layers_program", server().for_devices(),
                        server().file("server.pub"), server().file("devices/device.key")});
  EXPECT_EQ(device.finish(), 0) << device.said();
}

INSTANTIATE_TEST_SUITE_P(, Device, testing::Values("aarch64", "armv7", "riscv64", "x86_64"),
                         [](const auto &info) { return info.param; });

} // namespace
