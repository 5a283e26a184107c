// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/replay/execute.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/thread/own_stack.h"
#include "core/compiler/no_deadline.h"
#include "remote/server/compilers/confine.h"
#include "runtime/codemem/linker.h"

namespace sartor::cli {

/// The answer of the confined process.
struct Answer {
  std::optional<Failure> failure;
  bool has_thrown = false;
  std::string frame;
  std::vector<core::MemoryPiece> written;
};

} // namespace sartor::cli

namespace sartor::bytes {

template <class Io, Of<core::MemoryPiece> T> void fields_of(Io &io, T &piece) {
  io(piece.address, piece.bytes);
}

template <class Io, Of<core::PassLimit> T> void fields_of(Io &io, T &limit) {
  io(limit.most, limit.asked, limit.pass, limit.function, limit.before, limit.after);
}

template <class Io, Of<cli::Answer> T> void fields_of(Io &io, T &answer) {
  io(answer.failure, answer.has_thrown, answer.frame, answer.written);
}

} // namespace sartor::bytes

namespace sartor::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto kMostTime = 120s;
/// Of the clock, from the start of the call. The process may take three times as much processor
/// time.
constexpr rlim_t kMostSeconds = 20;
constexpr std::size_t kMostAnswer = std::size_t{1} << 30U;
constexpr int kNotConfined = 4;

/// The messages of the confined process begin with one of these.
constexpr char kCalls = 'c';
constexpr char kFaults = 'f';
constexpr char kAnswers = 'a';

int answer_to = -1;

bool send(const void *bytes, std::size_t size) {
  for (const auto *at = static_cast<const char *>(bytes); size > 0;) {
    const ssize_t sent = write(answer_to, at, size);
    if (sent < 0)
      return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

void on_fault(int signal, siginfo_t *info, void *) {
  std::array<char, 1 + sizeof(void *)> message{kFaults};
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  std::memcpy(&message[1], &address, sizeof address);
  (void)send(message.data(), message.size());
  std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

Result<std::unique_ptr<runtime::Code>> made(const RecordedCall &call, core::Maker &maker,
                                            runtime::Linker &linker, const core::Context &context,
                                            const core::Purpose &purpose,
                                            const runtime::Linker::Symbols &own) {
  auto draft = maker.draft(context, call.difference.variant, purpose, core::NoDeadline());
  if (!draft)
    return std::unexpected(std::move(draft.error()));
  const auto image = (*draft)->make(core::NoDeadline());
  return image ? linker.link(*image, own)
               : Result<std::unique_ptr<runtime::Code>>(std::unexpected(image.error()));
}

runtime::Linker::Symbols recorded_names(const RecordedCall &call) {
  runtime::Linker::Symbols names;
  for (const auto &[name, address] : call.difference.addresses)
    names.emplace(name, reinterpret_cast<void *>(address)); // NOLINT(performance-no-int-to-ptr)
  return names;
}

Result<void> make_call(const RecordedCall &call, Side side, core::PassLimit limit, Answer &answer) {
  const auto handler = call.module->find(call.difference.handler);
  if (!handler)
    return std::unexpected(handler.error());
  auto stub = call.compiler->frame_call(call.module, (*handler)->name);
  if (!stub)
    return std::unexpected(std::move(stub.error()));
  const core::Difference &recorded = call.difference;
  if (stub->shape.bytes != recorded.frame.size() ||
      stub->shape.result_offset != recorded.result_offset ||
      stub->shape.result_bytes != recorded.result_bytes)
    return std::unexpected(Failure{ErrorCode::file_error, recorded.handler,
                                   "has other arguments in this program than in the recorded call",
                                   "give the program that has recorded it (--program)"});
  runtime::Linker linker(recorded_names(call));
  const auto maker = call.compiler->make_maker(call.module);
  core::Context generic;
  generic.handler = call.context.handler;
  auto native = made(call, *maker, linker, generic, {core::Tier::quick, {}}, {});
  if (!native)
    return std::unexpected(std::move(native.error()));
  auto code = std::move(*native);
  std::unique_ptr<runtime::Code> native_code;
  // Guards count their failures there. Generic code counts nothing.
  std::vector<std::uint64_t> counters(call.module->space.points().size());
  if (side == Side::variant) {
    const runtime::Linker::Symbols own{{(*handler)->native_name, code->entry()},
                                       {core::kFailureCounters, counters.data()}};
    core::Purpose purpose = call.purpose;
    purpose.limit = &limit;
    auto variant = made(call, *maker, linker, call.context, purpose, own);
    if (!variant)
      return std::unexpected(std::move(variant.error()));
    native_code = std::exchange(code, std::move(*variant));
  }
  const auto caller = linker.link(stub->code, {});
  if (!caller)
    return std::unexpected(caller.error());
  if (!call.memory.fill())
    return std::unexpected(Failure{ErrorCode::file_error, "the recorded memory",
                                   "cannot be made writable", "allow the process more memory"});
  const auto function = reinterpret_cast<decltype(core::CheckedCall::call)>((*caller)->entry());
  alignas(16) static std::array<char, 1U << 20U> frame;
  std::ranges::copy(recorded.frame, frame.begin());
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    sigaction(signal, &action, nullptr);
  // Sent before the call, which may not return.
  const std::string passes = bytes::pack(limit);
  const std::string begins = kCalls + bytes::pack(std::uint64_t{passes.size()}) + passes;
  if (!send(begins.data(), begins.size()))
    _exit(1);
  try {
    function(code->entry(), frame.data());
  } catch (...) {
    answer.has_thrown = true;
  }
  answer.frame.assign(frame.data(), recorded.frame.size());
  const auto stack = base::OwnStack::find();
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  answer.written = call.memory.changes({stack ? stack->low : here, here});
  return {};
}

[[noreturn]] void be_confined(const RecordedCall &call, Side side, const core::PassLimit &limit) {
  rlimit time{};
  getrlimit(RLIMIT_CPU, &time);
  time.rlim_cur = std::min<rlim_t>(time.rlim_max, kMostSeconds * 3);
  setrlimit(RLIMIT_CPU, &time);
  const rlimit memory{rlim_t{8} << 30U, rlim_t{8} << 30U};
  setrlimit(RLIMIT_DATA, &memory);
  if (!remote::confine(
          {.may_read = {}, .may_be_weak = !remote::has_landlock(), .may_run_code = true}))
    _exit(kNotConfined);
  Answer answer;
  if (auto done = make_call(call, side, limit, answer); !done)
    answer.failure = std::move(done.error());
  const std::string bytes = kAnswers + bytes::pack(answer);
  _exit(send(bytes.data(), bytes.size()) ? 0 : 1);
}

struct Ended {
  std::string said;
  int status = 0;
  bool in_time = true;
};

Ended follow(int pipe, pid_t child) {
  using Clock = std::chrono::steady_clock;
  Ended ended;
  const auto end = Clock::now() + kMostTime;
  auto call_end = Clock::time_point::max();
  std::array<char, 65536> buffer;
  for (;;) {
    if (!ended.said.empty() && call_end == Clock::time_point::max())
      call_end = Clock::now() + std::chrono::seconds(kMostSeconds);
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::min(end, call_end) - Clock::now());
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    const ssize_t more = ready > 0 ? read(pipe, buffer.data(), buffer.size()) : 0;
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0 || ended.said.size() > kMostAnswer)
      ended.in_time = false;
    if (more <= 0 || !ended.in_time)
      break;
    ended.said.append(buffer.data(), static_cast<std::size_t>(more));
  }
  if (!ended.in_time)
    kill(child, SIGKILL);
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR)
    continue;
  return ended;
}

Failure lost(const std::string &variant, const std::string &why) {
  return {ErrorCode::compiler_lost, variant, why,
          "report the crash of the compiler with the directory"};
}

bool same_number(const char *one, const char *other, std::uint32_t bytes) {
  const auto number = [bytes](const char *at) {
    float narrow = 0;
    double wide = 0;
    std::memcpy(bytes == sizeof narrow ? static_cast<void *>(&narrow) : &wide, at, bytes);
    return bytes == sizeof narrow ? static_cast<double>(narrow) : wide;
  };
  const double a = number(one);
  const double b = number(other);
  const double most =
      (bytes == sizeof(float) ? 0x1p-16 : 0x1p-40) * std::max(std::abs(a), std::abs(b));
  return std::memcmp(one, other, bytes) == 0 || (std::isnan(a) && std::isnan(b)) ||
         (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= most);
}

bool results_differ(const core::Difference &shape, const std::string &one,
                    const std::string &other) {
  if (one.size() != other.size())
    return true;
  if (const std::uint32_t bytes = shape.inexact_floats; bytes > 0 && one.size() % bytes == 0) {
    for (std::size_t i = 0; i < one.size(); i += bytes)
      if (!same_number(&one[i], &other[i], bytes))
        return true;
    return false;
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    const int mask = shape.result_mask.empty() ? 0xff : shape.result_mask[i];
    if (((one[i] ^ other[i]) & mask) != 0)
      return true;
  }
  return false;
}

} // namespace

Result<Execution> execute(const RecordedCall &call, Side side, const core::PassLimit &limit) {
  int ends[2];
  const pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
  if (child < 0)
    return std::unexpected(Failure{ErrorCode::not_permitted, "a process for the call",
                                   "cannot be started", "raise the limit on processes"});
  if (child == 0) {
    close(ends[0]);
    answer_to = ends[1];
    be_confined(call, side, limit);
  }
  close(ends[1]);
  const Ended ended = follow(ends[0], child);
  close(ends[0]);
  if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == kNotConfined)
    return std::unexpected(Failure{ErrorCode::not_permitted, "the process for the call",
                                   "cannot be confined by seccomp and Landlock, and is not run",
                                   "run this where the kernel and the container allow both"});
  const std::string &variant = call.difference.variant;
  std::string_view said = ended.said;
  Execution execution;
  const bool has_called = said.starts_with(kCalls);
  if (has_called) {
    said.remove_prefix(1);
    const auto size = bytes::unpack<std::uint64_t>(said.substr(0, sizeof(std::uint64_t)));
    said.remove_prefix(std::min(said.size(), sizeof(std::uint64_t)));
    auto passes = bytes::unpack<core::PassLimit>(said.substr(0, size.value_or(0)));
    if (!passes || *size > said.size())
      return std::unexpected(lost(variant, "has written an answer that is not valid"));
    execution.passes = std::move(*passes);
    said.remove_prefix(*size);
  }
  if (has_called &&
      (!ended.in_time || (WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGXCPU))) {
    execution.effects.outcome.kind = core::CallOutcome::Kind::hung;
    return execution;
  }
  if (has_called && WIFSIGNALED(ended.status)) {
    execution.effects.outcome = {core::CallOutcome::Kind::crashed, WTERMSIG(ended.status)};
    if (said.starts_with(kFaults) && said.size() > sizeof execution.fault)
      std::memcpy(&execution.fault, said.data() + 1, sizeof execution.fault);
    return execution;
  }
  if (!said.starts_with(kAnswers))
    return std::unexpected(lost(variant, "was not compiled: the compiler's process has ended"));
  auto answer = bytes::unpack<Answer>(said.substr(1));
  if (!answer || (!answer->failure && answer->frame.size() != call.difference.frame.size()))
    return std::unexpected(lost(variant, "has written an answer that is not valid"));
  if (answer->failure)
    return std::unexpected(std::move(*answer->failure));
  if (answer->has_thrown)
    execution.effects.outcome.kind = core::CallOutcome::Kind::threw;
  else
    execution.effects.result =
        answer->frame.substr(call.difference.result_offset, call.difference.result_bytes);
  execution.effects.written = std::move(answer->written);
  return execution;
}

bool differ(const core::Difference &shape, const core::Difference::Side &one,
            const core::Difference::Side &other) {
  return one.outcome != other.outcome || results_differ(shape, one.result, other.result) ||
         one.written != other.written;
}

} // namespace sartor::cli
