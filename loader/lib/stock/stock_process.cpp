// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/stock/stock_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/format/planner_protocol.h"
#include "loader/lib/stock/stock_loader.h"
#include "loader/lib/stock/system_calls.h"

namespace sartor::loader {

namespace {

constexpr long breakpoint = 0xcc; ///< int3
constexpr std::size_t longest_path = 4096;

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

Failure failure(const std::filesystem::path &program, std::string message) {
  return {ErrorCode::bad_plan, program.string(), std::move(message),
          "the stock loader starts it as before"};
}

/// Creates a failure that may not occur again although no file has changed.
Failure passing_failure(const std::filesystem::path &program, std::string message) {
  Failure made = failure(program, std::move(message));
  made.code = ErrorCode::file_error;
  return made;
}

/// Returns the libraries to preload; those that the user has named come last. Empty if there are
/// none.
std::string preloaded(const std::string &first) {
  const char *rest = getenv((std::string(planner::held) + "LD_PRELOAD").c_str());
  if (rest == nullptr)
    rest = getenv("LD_PRELOAD");
  if (first.empty() || !rest)
    return first;
  return first + ":" + rest;
}

/// Executes the program in a child; calls only functions that are permitted between fork() and
/// exec(). Only `parent` traces it, and the child is killed when the parent ends.
[[noreturn]] void become(const char *program, const char *preload, bool at_once, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(nothing, stream);
  // Variables for the program's stock loader were hidden from this process, and are now restored.
  const std::size_t prefix = std::strlen(planner::held);
  for (char **variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, planner::held, prefix) == 0)
      *variable += prefix;
  if (at_once)
    setenv("LD_BIND_NOW", "1", 1);
  if (*preload != 0)
    setenv("LD_PRELOAD", preload, 1);
  std::array arguments = {const_cast<char *>(program), static_cast<char *>(nullptr)};
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0)
    execv(program, arguments.data());
  _exit(127);
}

/// Returns a value of a process's auxiliary vector, by AT_....
std::optional<std::uint64_t> reported(pid_t process, std::uint64_t what) {
  std::ifstream file("/proc/" + std::to_string(process) + "/auxv", std::ios::binary);
  std::array<std::uint64_t, 2> entry{};
  while (file.read(reinterpret_cast<char *>(entry.data()), sizeof entry))
    if (entry[0] == what)
      return entry[1];
  return std::nullopt;
}

/// Returns the path of the file that is mapped at an address; empty if there is none.
std::filesystem::path file_at(pid_t process, std::uint64_t address) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  const std::string begin = (std::ostringstream() << std::hex << address << '-').str();
  for (std::string line; std::getline(maps, line);)
    if (line.starts_with(begin))
      if (const std::size_t path = line.find('/'); path != std::string::npos)
        return line.substr(path);
  return {};
}

std::uint64_t nanoseconds_since_epoch() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr std::uint64_t second = 1'000'000'000;
  return static_cast<std::uint64_t>(now.tv_sec) * second + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Waits for a stop; returns false if the process has ended: then it is reaped, and its number may
/// be reused.
bool wait_for_stop(pid_t &process) {
  int status = 0;
  if (waitpid(process, &status, __WALL) != process)
    return false;
  if (!WIFSTOPPED(status))
    process = 0;
  return WIFSTOPPED(status);
}

/// True if the process has stopped for a signal that does not concern it, as when a window is
/// resized. No signal is delivered: an error of its own would occur again and again.
bool is_passing(pid_t process) {
  siginfo_t signal{};
  if (ptrace(PTRACE_GETSIGINFO, process, nullptr, &signal) != 0)
    return true; // a stop by job control
  if (signal.si_signo == SIGTRAP)
    return false;
  const bool is_error = signal.si_signo == SIGSEGV || signal.si_signo == SIGBUS ||
                        signal.si_signo == SIGILL || signal.si_signo == SIGFPE ||
                        signal.si_signo == SIGSYS;
  return !is_error || signal.si_code <= 0; // sent by a process
}

/// Continues the process until it stops; returns false if it has ended.
bool go_on(pid_t &process, __ptrace_request how) {
  do
    if (ptrace(how, process, nullptr, 0) != 0 || !wait_for_stop(process))
      return false;
  while (is_passing(process));
  return true;
}

} // namespace

StockProcess::~StockProcess() {
  // If it may not be killed, it ends with this process.
  if (process_ != 0 && kill(process_, SIGKILL) == 0)
    waitpid(process_, nullptr, __WALL);
}

std::set<std::string> StockProcess::mapped_files() const {
  std::set<std::string> paths;
  std::ifstream maps("/proc/" + std::to_string(process_) + "/maps");
  for (std::string line; std::getline(maps, line);)
    if (const std::size_t path = line.find('/'); path != std::string::npos)
      paths.insert(line.substr(path));
  return paths;
}

std::optional<std::uint64_t> StockProcess::word(std::uint64_t address) const {
  std::uint64_t value = 0;
  const iovec to{&value, sizeof value};
  const iovec from{reinterpret_cast<void *>(address), sizeof value};
  if (process_vm_readv(process_, &to, 1, &from, 1, 0) != sizeof value)
    return std::nullopt;
  return value;
}

Result<StockProcess> StockProcess::start(const std::filesystem::path &program,
                                         const std::string &preload) {
  const std::string libraries = preloaded(preload);
  Failure last;
  // A symbol that is never used may be undefined: then used symbols are bound lazily, as usual.
  for (const bool at_once : {true, false}) {
    const pid_t self = getpid();
    const std::uint64_t now = nanoseconds_since_epoch();
    const pid_t process = fork();
    if (process == 0)
      become(program.c_str(), libraries.c_str(), at_once, self);
    if (process < 0)
      return std::unexpected(passing_failure(program, "no process can be started: " + reason()));
    StockProcess held(process, now);
    if (auto bound = held.run_until_bound(program); bound)
      return held;
    else
      last = std::move(bound.error());
  }
  return std::unexpected(std::move(last));
}

/// Runs the process until all libraries are bound. The stock loader calls a function for debuggers
/// whenever libraries are added or removed.
Result<void> StockProcess::run_until_bound(const std::filesystem::path &program) {
  if (!wait_for_stop(process_) || (is_passing(process_) && !go_on(process_, PTRACE_CONT)))
    return std::unexpected(passing_failure(program, "cannot be executed or traced"));
  ptrace(PTRACE_SETOPTIONS, process_, nullptr, PTRACE_O_EXITKILL);
  const auto base = reported(process_, AT_BASE);
  if (!base)
    return std::unexpected(failure(program, "/proc does not describe its process: mount it"));
  if (*base != 0)
    loader_ = file_at(process_, *base);
  if (loader_.empty())
    return std::unexpected(failure(program, "has no loader"));
  const auto loader = ElfFile::open(loader_);
  if (!loader)
    return std::unexpected(loader.error());
  const auto event = debug_event(*loader);
  if (!event)
    return std::unexpected(event.error());
  const std::uint64_t stop = *base + event->function;
  const std::uint64_t debug = *base + event->reported;
  const auto code = word(stop);
  if (!code)
    return std::unexpected(failure(program, "its memory cannot be read"));
  const auto poke = [&](std::uint64_t value) { ptrace(PTRACE_POKETEXT, process_, stop, value); };
  poke((*code & ~0xffUL) | breakpoint);
  for (;;) {
    if (!go_on(process_, PTRACE_CONT))
      return std::unexpected(failure(program, "the stock loader does not start it"));
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, process_, nullptr, &registers) != 0)
      return std::unexpected(passing_failure(program, "cannot be traced"));
    if (registers.rip != stop + 1)
      return std::unexpected(failure(program, "crashes when it is loaded"));
    const auto state = word(debug + offsetof(r_debug, r_state));
    const auto first = word(debug + offsetof(r_debug, r_map));
    if (state && (*state & 0xffffffff) == r_debug::RT_CONSISTENT && first && *first != 0)
      return list_libraries(*first);
    poke(*code);
    registers.rip = stop;
    ptrace(PTRACE_SETREGS, process_, nullptr, &registers);
    if (!go_on(process_, PTRACE_SINGLESTEP))
      return std::unexpected(failure(program, "ends when it is loaded"));
    poke((*code & ~0xffUL) | breakpoint);
  }
}

Result<void> StockProcess::list_libraries(std::uint64_t debug) {
  for (std::uint64_t map = debug; map != 0;) {
    const auto base = word(map + offsetof(link_map, l_addr));
    const auto name = word(map + offsetof(link_map, l_name));
    const auto next = word(map + offsetof(link_map, l_next));
    if (!base || !name || !next)
      return std::unexpected(failure("", "the stock loader's list of libraries cannot be read"));
    std::string path;
    for (std::uint64_t at = *name; path.size() < longest_path; ++at) {
      const auto character = word(at);
      if (!character || (*character & 0xff) == 0)
        break;
      path += static_cast<char>(*character & 0xff);
    }
    libraries_.push_back({std::move(path), *base});
    map = *next;
  }
  return {};
}

} // namespace sartor::loader
