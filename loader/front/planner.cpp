// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/planner.h"

#include <linux/close_range.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/time.h>
#include <linux/wait.h>

#include "front/fallback.h"
#include "front/system.h"
#include "front/text.h"
#include "front/wary.h"
#include "loader/lib/format/key.h"
#include "loader/lib/format/planner_protocol.h"

namespace sartor::front {

namespace {

constexpr int64_t longest_wait = 1000; ///< Milliseconds, if no plan is required.
constexpr long no_such_call = -38;     // ENOSYS
constexpr long too_many_files = -24;   // EMFILE
constexpr long interrupted = -4;       // EINTR

/// A list of words in memory for a process that is about to execute a program.
class Words {
public:
  explicit Words(size_t most)
      : words_(static_cast<const char **>(map(
            0, (most + 1) * sizeof(char *), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS))) {
  }
  explicit operator bool() const { return !is_error(static_cast<const void *>(words_)); }
  void add(const char *word) { words_[count_++] = word; }
  /// Adds the concatenation of both texts as one word.
  void add(const char *one, const char *other) {
    const size_t size = length(one);
    void *room =
        map(0, size + length(other) + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    if (is_error(room))
      leave(loader::planner::is_missing);
    auto *text = static_cast<char *>(room);
    memcpy(text, one, size);
    memcpy(text + size, other, length(other) + 1);
    add(text);
  }
  [[nodiscard]] const char *const *get() const { return words_; }

private:
  const char **words_;
  size_t count_ = 0;
};

} // namespace

bool find_sibling(const char *name, Line &path) {
  char own[2048];
  const long size = call(__NR_readlink, "/proc/self/exe", own, sizeof own - 1);
  if (is_error(size))
    return false;
  own[size] = 0;
  own[base_name(own) - own] = 0;
  path.add(own).add(name);
  return !path.is_cut_off();
}

namespace {

size_t count_lines(const char *text) {
  size_t count = 0;
  for (; *text != 0; ++text)
    count += *text == '\n' ? 1 : 0;
  return count;
}

/// Adds the environment. Variables for the stock loader are meant for the program, not the planner,
/// which gets them under other names.
void add_environment(const Stack &stack, Words &words) {
  for (char **at = stack.environment(); *at != nullptr; ++at)
    if (loader::is_for_stock_loader(*at))
      words.add(loader::planner::held, *at);
    else if (after(*at, "LD_") == nullptr)
      words.add(*at);
}

/// Closes all of the program's files: a process that reads from one may wait for its end.
void close_all() {
  constexpr long first = 3;
  constexpr long most = 65536;
  if (call(__NR_close_range, first, ~0U, 0) == no_such_call)
    for (long file = first; file < most; ++file)
      call(__NR_close, file);
}

/// Detaches the process from the program, except for `output`, a pipe to which messages go.
void part_from_program(long output) {
  const uint64_t no_signals = 0;
  call(__NR_rt_sigprocmask, 2, &no_signals, 0, sizeof no_signals);
  constexpr int above_streams = 3; // streams may be closed, so a duplicate gets a number above them
  const long said = call(__NR_fcntl, output, F_DUPFD, above_streams);
  const long nothing = call(__NR_open, "/dev/null", O_RDWR, 0);
  call(__NR_dup2, nothing, 0);
  call(__NR_dup2, nothing, 1);
  call(__NR_dup2, said, 2);
  close_all();
}

/// Executes the planner. `more`: one more option, or nullptr.
[[noreturn]] void become_planner(const Request &request, const Stack &stack, const char *more) {
  size_t variables = 0;
  while (stack.environment()[variables] != nullptr)
    ++variables;
  Line program;
  Line key;
  Line settings;
  key.add_hexadecimal(request.key);
  settings.add(request.run.settings);
  constexpr size_t own_words = 14;
  Words arguments(count_lines(settings.text()) + own_words);
  Words environment(variables);
  if (find_sibling("sartor-ld-plan", program) && arguments && environment) {
    arguments.add(program.text());
    arguments.add("--for-front");
    if (more != nullptr)
      arguments.add(more);
    if (request.image == nullptr)
      arguments.add("--judge");
    else {
      arguments.add("--key");
      arguments.add(key.text());
      arguments.add("--output");
      arguments.add(request.image);
    }
    if (request.run.is_again)
      arguments.add("--again");
    if (request.run.is_different)
      arguments.add("--different");
    if (request.is_patient)
      arguments.add("--wait");
    if (request.is_wary)
      arguments.add("--wary");
    settings.cut_lines([&](const char *line) { arguments.add(line); });
    arguments.add("--");
    arguments.add(request.run.path);
    add_environment(stack, environment);
    call(__NR_execve, program.text(), arguments.get(), environment.get());
  }
  const char status = loader::planner::status(loader::planner::is_missing);
  call(__NR_write, 2, &status, 1);
  leave(loader::planner::is_missing);
}

void forget(long child) {
  if (!is_error(child))
    call(__NR_wait4, child, 0, __WALL, 0);
}

/// True if this process adopts orphaned descendants, as the first process of a container does.
bool is_reaper() {
  int is_one = 0;
  return call(__NR_getpid) == 1 ||
         (!is_error(call(__NR_prctl, PR_GET_CHILD_SUBREAPER, &is_one, 0, 0, 0)) && is_one != 0);
}

bool is_crash(int status) {
  const int signal = status & 0x7f;
  constexpr int kill_signal = 9; // SIGKILL
  constexpr int end_signal = 15; // SIGTERM
  return signal != 0 && signal != kill_signal && signal != end_signal;
}

/// Runs the planner. If it crashes or exceeds its time limit, another planner starts that only
/// records this.
[[noreturn]] void look_after_planner(const Request &request, const Stack &stack) {
  const long planner = call(__NR_clone, 0, 0, 0, 0, 0);
  if (planner == 0)
    become_planner(request, stack, nullptr);
  int status = 0;
  if (!is_error(planner) && call(__NR_wait4, planner, &status, __WALL, 0) == planner &&
      is_crash(status))
    become_planner(request, stack, "--crashed");
  leave(0);
}

/// Starts the planner as an orphan, because the program must not have a child that it does not
/// know. Returns the child to wait for. In a reaper, that is the planner's own parent, because an
/// orphan would become a child of the reaper.
long start_planner(const Request &request, const Stack &stack, bool is_to_be_kept, long output) {
  const long first = call(__NR_clone, 0, 0, 0, 0, 0);
  if (first != 0)
    return first;
  call(__NR_setsid);
  part_from_program(output);
  if (is_to_be_kept || call(__NR_clone, 0, 0, 0, 0, 0) == 0)
    look_after_planner(request, stack);
  leave(0);
}

int64_t milliseconds() {
  timespec time = {};
  call(__NR_clock_gettime, CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// The planner's answers, in short.
struct Heard {
  bool is_in_time = true;
  bool is_required = false; ///< It has judged that the program must start as planned.
  int status = 0;           ///< Its last byte; 0: it has ended without a status.
};

/// Takes judgements out of the planner's output; returns the size of the rest. The first judgement
/// counts: a planner that records a crash repeats it.
long take_judgement(char *text, long size, char &judgement) {
  using namespace loader::planner;
  long kept = 0;
  for (long i = 0; i < size; ++i)
    if (text[i] != judged_required && text[i] != judged_free)
      text[kept++] = text[i];
    else if (judgement == 0)
      judgement = text[i];
  return kept;
}

/// Forwards the planner's messages until it ends or closes the pipe, or takes too long for a
/// program that may start without a plan.
Heard listen(long input, bool is_patient, bool is_wary) {
  const int64_t end = milliseconds() + longest_wait;
  char text[1024];
  char judgement = 0;
  Heard heard;
  for (;;) {
    heard.is_required = judgement == loader::planner::judged_required;
    const bool waits = is_patient || heard.is_required || (is_wary && judgement == 0);
    pollfd what = {.fd = static_cast<int>(input), .events = POLLIN, .revents = 0};
    const int64_t left = end - milliseconds();
    const long ready = call(__NR_poll, &what, 1, waits ? -1 : left > 0 ? left : 0);
    if (ready == 0) {
      heard.is_in_time = false;
      return heard;
    }
    if (ready == interrupted)
      continue;
    long size = call(__NR_read, input, text, sizeof text);
    if (size == interrupted)
      continue;
    if (size == 0 || is_error(size))
      return heard;
    size = take_judgement(text, size, judgement);
    const bool is_last = size > 0 && loader::planner::is_status(text[size - 1]);
    heard.status = is_last ? text[size - 1] : 0;
    call(__NR_write, 2, text, size - (is_last ? 1 : 0));
  }
}

} // namespace

Planned plan(const Request &request, const Stack &stack) {
  using namespace loader::planner;
  int ends[2];
  Line program;
  if (!find_sibling("sartor-ld-plan", program))
    return Planned::no_proc;
  if (const long made = call(__NR_pipe2, ends, O_CLOEXEC); is_error(made))
    return made == too_many_files ? Planned::no_files : Planned::nothing;
  const bool is_kept = is_reaper();
  const long child = start_planner(request, stack, is_kept, ends[1]);
  close_file(ends[1]);
  if (!is_kept)
    forget(child);
  const Heard heard = listen(ends[0], request.is_patient || is_kept, request.is_wary);
  close_file(ends[0]);
  if (is_kept)
    forget(child);
  if (!heard.is_in_time || heard.status == status(is_busy))
    return Planned::later;
  if (heard.status == status(is_written))
    return Planned::image;
  if (heard.status == status(is_stock))
    return Planned::stock;
  if (heard.status == status(is_refused))
    return Planned::refused;
  return heard.is_required ? Planned::lost : Planned::nothing;
}

bool must_be_planned(const Run &run, const Stack &stack) {
  return may_be_required(stack, run.settings) &&
         plan({.run = run, .image = nullptr, .key = 0, .is_patient = true, .is_wary = true},
              stack) != Planned::stock;
}

} // namespace sartor::front
