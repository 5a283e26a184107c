// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/clang.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"

namespace sartor::runtime {

namespace {

constexpr int kMessageLines = 6;

/// An anonymous file in memory.
class MemoryFile {
public:
  MemoryFile() {
    const int made = memfd_create("sartor", MFD_CLOEXEC);
    // Above the standard streams, which the program may have closed.
    descriptor_ = fcntl(made, F_DUPFD_CLOEXEC, 3);
    close(made);
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  bool write(const std::string &text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t more =
          pwrite(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (more <= 0)
        return false;
      done += static_cast<std::size_t>(more);
    }
    return true;
  }

  [[nodiscard]] std::string read() const {
    std::string text;
    char buffer[1 << 14];
    for (ssize_t more;
         (more = pread(descriptor_, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
      text.append(buffer, static_cast<std::size_t>(more));
    return text;
  }

private:
  int descriptor_;
};

struct Streams {
  MemoryFile source;
  MemoryFile output;
  MemoryFile messages;
};

// Returns zero or an errno.
int spawn(const std::string &program, const std::vector<std::string> &arguments,
          const Streams &streams, pid_t &child) {
  std::vector<char *> argv;
  argv.push_back(const_cast<char *>(program.c_str()));
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, streams.source.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.messages.descriptor(), STDERR_FILENO);
  const int status = posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(),
                                  base::environment_for_children());
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

// Returns the candidates for clang's path, in order; a path set by the user is the only one. With
// elevated privileges, PATH is not trusted.
std::vector<std::string> candidates() {
  if (const auto named = base::read_environment().clang)
    return {*named};
  if (base::are_raised())
    return {SARTOR_CLANG_PATH};
  return {SARTOR_CLANG_PATH, "clang-" + std::to_string(SARTOR_LLVM_VERSION), "clang"};
}

std::string first_lines(const std::string &text) {
  std::size_t end = 0;
  for (int i = 0; i < kMessageLines && end != std::string::npos; ++i)
    end = text.find('\n', end + (i > 0));
  return text.substr(0, end);
}

} // namespace

Result<std::string> compile_c(const std::string &text, const std::vector<std::string> &flags,
                              const std::string &label) {
  const auto failed = [&](ErrorCode code, std::string message, const char *remedy) {
    return std::unexpected(Failure{code, label, std::move(message), remedy});
  };
  Streams streams;
  if (!streams.source.write(text))
    return failed(ErrorCode::file_error, "there is no memory for its C source", "free some");
  // The variant's own passes optimise the code together with the surrounding code. Floating point
  // in C is compiled like the handlers', and strict aliasing is off, because generated code may
  // access memory by any pointer type.
  std::vector<std::string> arguments{"-x",
                                     "c",
                                     "-std=gnu17",
                                     "-O1",
                                     "-w",
                                     "-Xclang",
                                     "-disable-llvm-passes",
                                     "-fPIC",
                                     "-fno-strict-aliasing",
                                     "-ffp-contract=off",
                                     "-fno-color-diagnostics"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.insert(arguments.end(), {"-emit-llvm", "-c", "-o", "-", "-"});

  std::string tried;
  for (const std::string &program : candidates()) {
    pid_t child = 0;
    if (spawn(program, arguments, streams, child) != 0) {
      tried += (tried.empty() ? "" : ", ") + program;
      continue;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::string bitcode = streams.output.read();
    // A program that ignores SIGCHLD gets no exit status; the presence of output then shows
    // success.
    if (status != 0 || bitcode.empty())
      return failed(ErrorCode::bad_generator,
                    "clang rejects its C source: " + first_lines(streams.messages.read()),
                    "fix the source text that its generator returns");
    return bitcode;
  }
  return failed(ErrorCode::no_clang, "its C source needs clang, which is not found: " + tried,
                "install clang, or name it in SARTOR_CLANG");
}

} // namespace sartor::runtime
