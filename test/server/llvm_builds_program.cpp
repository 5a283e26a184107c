// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Caches after an update of LLVM that changes nothing but the build: run with the name of a case.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "../engine/check.h"
#include "../remote/handlers.h"
#include "directory.h"
#include "paths.h"
#include "server_process.h"

namespace {

namespace fs = std::filesystem;
using sartor::server::Directory;

/// Sartor's libraries, next to a copy of LLVM's with another build id.
class AnotherLlvm {
public:
  AnotherLlvm() {
    for (const auto &library : fs::directory_iterator(paths::libraries()))
      if (library.path().filename().string().starts_with("libsartor"))
        fs::create_symlink(library.path(), directory_ / library.path().filename());
    const fs::path copy = directory_ / fs::path(SARTOR_LLVM_LIBRARY).filename();
    fs::copy_file(SARTOR_LLVM_LIBRARY, copy);
    fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
    std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
    std::array<char, 4096> beginning{};
    CHECK(file.read(beginning.data(), beginning.size()));
    // The type of the note, NT_GNU_BUILD_ID, and its owner. The id follows.
    constexpr std::string_view note("\3\0\0\0GNU\0", 8);
    const auto at = std::string_view(beginning.data(), beginning.size()).find(note);
    CHECK(at != std::string_view::npos);
    const auto place = static_cast<std::streamoff>(at + note.size());
    const char other = static_cast<char>(~beginning.at(at + note.size()));
    CHECK(file.seekp(place).write(&other, 1).flush());
  }

  /// Programs that are started while this exists run with it.
  class Use {
  public:
    explicit Use(const AnotherLlvm &llvm) {
      setenv("LD_LIBRARY_PATH", llvm.directory_.path().c_str(), 1);
    }
    ~Use() { unsetenv("LD_LIBRARY_PATH"); }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
  };

private:
  Directory directory_;
};

constexpr const char *kCompiled = "compiled";
constexpr const char *kStored = "stored";

/// The program that asks().
int ask() {
  sartor::Options options;
  options.quick_tier = false;
  sartor::Runtime runtime(options);
  const auto made = runtime.specialize({{"n", 5}, {"step", 2}});
  const auto call = runtime.handler<&sum_of_steps>();
  CHECK(call(5, 2) == 6 && call.function()(5, 2) == 6);
  const auto variant = std::ranges::find_if(made, [](const sartor::VariantInfo &each) {
    return each.origin != sartor::VariantOrigin::native;
  });
  CHECK(variant != made.end());
  std::puts(variant->origin == sartor::VariantOrigin::disk ? kStored : kCompiled);
  return 0;
}

/// A program that requests one variant: where its code came from.
std::string origin_in_a_program() {
  const Directory directory;
  const int to = open((directory / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const pid_t made = spawn({"/proc/self/exe", "ask"}, {.out = to});
  close(to);
  expect_good_end(made);
  std::string said = content_of(directory / "out");
  CHECK(said.ends_with('\n'));
  said.pop_back();
  return said;
}

std::size_t files_in(const fs::path &directory) {
  std::size_t files = 0;
  for (const auto &each : fs::recursive_directory_iterator(directory))
    files += each.is_regular_file() ? 1 : 0;
  return files;
}

// Each build finds only its own code.
void disk_cache() {
  const Directory directory;
  const AnotherLlvm another;
  setenv("SARTOR_CACHE_DIR", (directory / "cache").c_str(), 1);
  CHECK(origin_in_a_program() == kCompiled);
  CHECK(origin_in_a_program() == kStored);
  {
    const AnotherLlvm::Use use(another);
    CHECK(origin_in_a_program() == kCompiled);
    CHECK(origin_in_a_program() == kStored);
  }
  CHECK(origin_in_a_program() == kStored);
}

// A program does not store the code of a server that has another LLVM than its own machine: the
// variant, the function of the handler's type, and what compares calls.
void code_of_a_server() {
  const Directory directory;
  unsetenv("SARTOR_VERIFY");
  setenv("SARTOR_STATE_DIR", (directory / "state").c_str(), 1);
  const AnotherLlvm another;
  ServerProcess server;
  setenv("SARTOR_COMPILER", server.local().c_str(), 1);
  setenv("SARTOR_CACHE_DIR", (directory / "cache").c_str(), 1);
  server.stop();
  {
    const AnotherLlvm::Use use(another);
    server.start();
  }
  CHECK(origin_in_a_program() == kCompiled);
  CHECK(origin_in_a_program() == kCompiled);
  CHECK(!fs::exists(directory / "cache") || files_in(directory / "cache") == 0);
  server.stop();
  server.start();
  CHECK(origin_in_a_program() == kCompiled);
  CHECK(origin_in_a_program() == kStored);
}

// A server that is started with another LLVM makes its stored answers again.
void answers_of_a_server() {
  const Directory directory;
  const AnotherLlvm another;
  ServerProcess server({"--cache-dir", directory / "answers"});
  setenv("SARTOR_COMPILER", server.local().c_str(), 1);
  // The number of answers after another request. A server that ends has stored all of them.
  const auto answers = [&] {
    CHECK(origin_in_a_program() == kCompiled);
    server.stop();
    return files_in(directory / "answers");
  };
  const std::size_t of_one = answers();
  CHECK(of_one > 0);
  server.start();
  CHECK(answers() == of_one);
  {
    const AnotherLlvm::Use use(another);
    server.start();
  }
  CHECK(answers() == 2 * of_one);
}

} // namespace

int main(int, char **arguments) {
  if (arguments[1] == std::string_view("ask"))
    return ask();
  const std::map<std::string, void (*)()> cases{{"disk_cache", disk_cache},
                                                {"code_of_a_server", code_of_a_server},
                                                {"answers_of_a_server", answers_of_a_server}};
  cases.at(arguments[1])();
  std::puts("all is well");
}
