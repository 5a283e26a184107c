// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/generate.h"

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/read_section.hpp>

#include "base/environment.h"
#include "base/result.h"
#include "runtime/assumptions/registry.h"
#include "runtime/dispatch/dependency.h"

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
  /// False if the process may have no more descriptors: clang would write to the program's stream.
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

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

/// Runs clang in a separate process and waits for it: compiles C source text to LLVM bitcode
/// without optimization. Clang is $SARTOR_CLANG, or the one that Sartor was built with, or the one
/// on the path. Writes no files. Fails with no_clang, or with bad_generator and the first of
/// clang's messages; `label` is the subject of both.
Result<std::string> compile_c(const std::string &text, const std::vector<std::string> &flags,
                              const std::string &label) {
  const auto failed = [&](ErrorCode code, std::string message, const char *remedy) {
    return std::unexpected(Failure{code, label, std::move(message), remedy});
  };
  Streams streams;
  if (!streams.output.is_open() || !streams.messages.is_open() || !streams.source.write(text))
    return failed(ErrorCode::file_error, "there is no memory or descriptor for its C source",
                  "free some (ulimit -n)");
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

Result<GeneratedCode> call(const Generator &generator, const GeneratorInput &point) {
  const auto failed = [&](std::string message) {
    return std::unexpected(Failure{ErrorCode::bad_generator, point.label, std::move(message),
                                   "see the generator of kind \"" + point.kind + '"'});
  };
  // The invariants that the generator reads are known only after it has run.
  const DependencyOnAny dependency;
  // Revoking an invariant that the generator depends on waits for this read section to end.
  const sartor::detail::ReadSection reading;
  try {
    const std::uint64_t revoked = Registry::instance().revocations();
    GeneratedCode code = generator(point);
    if (code.text.empty())
      return failed("its generator returned no text");
    // If one was revoked meanwhile, the request is repeated or refused for that reason.
    if (revoked == Registry::instance().revocations() &&
        !Registry::instance().are_valid(code.invariants))
      return std::unexpected(Failure{ErrorCode::bad_generator, point.label,
                                     "its generator depends on an invariant that is not valid",
                                     "declare the memory again before the point is set"});
    return code;
  } catch (const std::exception &error) {
    return failed(std::string("its generator failed: ") + error.what());
  } catch (...) {
    return failed("its generator threw something that is not a std::exception");
  }
}

Result<core::Generated> to_ir(GeneratedCode code, const std::string &label,
                              const std::string &target) {
  core::Generated generated{std::move(code.text), std::move(code.function),
                            std::move(code.invariants)};
  if (code.language == GeneratedCode::Language::llvm_ir)
    return generated;
  if (!target.empty())
    code.flags.insert(code.flags.begin(), "--target=" + target);
  auto bitcode = compile_c(generated.ir, code.flags, label);
  if (!bitcode)
    return std::unexpected(std::move(bitcode.error()));
  generated.ir = std::move(*bitcode);
  return generated;
}

} // namespace

Result<core::Context> generate(core::Context context, const Space &space,
                               const std::string &target) {
  for (const auto &[label, setting] : context.configuration) {
    const Point *point = space.find(label);
    if (!point || point->kind != PointKind::custom)
      continue;
    const auto kind = context.custom_kinds.find(point->custom_kind);
    if (kind == context.custom_kinds.end())
      return std::unexpected(core::unknown_custom_kind(label, point->custom_kind));
    auto code =
        call(kind->second->generator, {label, point->custom_kind, context.handler,
                                       setting.values.front(), point->type, point->arguments});
    if (!code)
      return std::unexpected(std::move(code.error()));
    auto generated = to_ir(std::move(*code), label, target);
    if (!generated)
      return std::unexpected(std::move(generated.error()));
    context.generated.emplace(label, std::move(*generated));
  }
  context.custom_kinds.clear();
  return context;
}

} // namespace sartor::runtime
