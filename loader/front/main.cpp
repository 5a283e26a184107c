// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>

#include "front/cache.h"
#include "front/environment.h"
#include "front/fallback.h"
#include "front/follow.h"
#include "front/place.h"
#include "front/plan.h"
#include "front/planner.h"
#include "front/program.h"
#include "front/stack.h"
#include "front/system.h"
#include "front/text.h"

// sartor-ld: starts a program with its libraries laid out and bound as planned, through the stock
// loader. It is freestanding, without a library, writable data and relocations, so that it can be
// mapped at any address as it is.

namespace sartor::front {

namespace {

struct Options {
  Line settings; ///< Options for the planner: each ends with '\n'. See add_settings().
  const char *passes = nullptr;
  const char *config = nullptr;
  bool is_in_place = false;
  bool is_strict = false;
  bool is_observable = false;
  /// For `sartor ld verify`: as is_strict, with the plan of other starts.
  bool is_required = false;
  /// The same: the program has behaved differently than by the stock loader.
  bool is_different = false;
  bool only_plans = false;
  /// Set by the front itself: the program has found other libraries than planned.
  bool is_again = false;
  size_t used = 1; ///< The number of arguments that are the front's, not the program's.
};

constexpr const char *usage =
    "Usage: sartor-ld [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
    "Starts a program with its libraries packed together and bound.\n"
    "       sartor-ld verify --shadow PROGRAM (--commands=FILE | -- COMMAND...)\n"
    "Compares it with the stock loader: see sartor ld verify --help.\n"
    "  --passes=LIST  run these passes, and no others (default: as configured)\n"
    "  --config=FILE  an additional configuration file\n"
    "  --observable   leave code in its own files, where uprobes and tracers find it\n"
    "  --strict       start the program as planned, or not at all\n"
    "  --in-place     start it in this process image, without ptrace()\n"
    "  --plan-only    plan the program if its image is out of date, and do not start it\n";

constexpr int wrong = 2;

[[noreturn]] void explain(int output, int status) {
  call(__NR_write, output, usage, length(usage));
  leave(status);
}

/// Appends a path, made absolute by the working directory.
void add_path(const char *path, Line &to) {
  char directory[4096];
  if (*path != '/' && !is_error(call(__NR_getcwd, directory, sizeof directory)))
    to.add(directory).add("/");
  to.add(path);
}

/// Makes the planner's options of the front's, in the order of the planner's command_of(): the
/// image's key depends on the order.
void add_settings(Options &options) {
  Line &settings = options.settings;
  if (options.passes != nullptr && *options.passes == 0)
    settings.add("--no-passes\n");
  else if (options.passes != nullptr)
    settings.add("--passes=").add(options.passes).add("\n");
  if (options.config != nullptr) {
    settings.add("--config=");
    add_path(options.config, settings);
    settings.add("\n");
  }
  if (options.is_strict)
    settings.add("--strict\n");
  if (options.is_observable)
    settings.add("--observable\n");
}

/// Reads an option; returns false if there is no such option.
bool read(const char *argument, Options &options) {
  if (equal(argument, "--help"))
    explain(1, 0);
  if (equal(argument, "--in-place"))
    options.is_in_place = true;
  else if (equal(argument, "--again"))
    options.is_again = true;
  else if (equal(argument, "--required"))
    options.is_required = true;
  else if (equal(argument, "--different"))
    options.is_different = true;
  else if (equal(argument, "--plan-only"))
    options.only_plans = true;
  else if (equal(argument, "--strict"))
    options.is_strict = true;
  else if (equal(argument, "--observable"))
    options.is_observable = true;
  else if (const char *passes = after(argument, "--passes="); passes != nullptr)
    options.passes = passes;
  else if (const char *file = after(argument, "--config="); file != nullptr)
    options.config = file;
  else
    return false;
  return true;
}

/// `sartor-ld verify --shadow ...` is `sartor ld verify --shadow ...`.
void become_verifier_if_asked(const Stack &stack) {
  constexpr size_t least = 3;
  char **arguments = stack.arguments();
  if (stack.argument_count() < least || !equal(arguments[1], "verify") ||
      !equal(arguments[2], "--shadow"))
    return;
  Line program;
  void *room = map(0, (stack.argument_count() + 2) * sizeof(char *), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS);
  if (!is_error(room) && find_sibling("sartor", program)) {
    auto **words = static_cast<const char **>(room);
    words[0] = program.text();
    words[1] = "ld";
    for (size_t i = 1; i <= stack.argument_count(); ++i)
      words[i + 1] = arguments[i];
    call(__NR_execve, program.text(), words, stack.environment());
  }
  say(arguments[1], "takes the command sartor, which is missing next to sartor-ld");
  leave(wrong);
}

/// Reads the front's options. Ends this process if they are invalid or ask for help.
Options read_options(const Stack &stack) {
  Options options;
  for (; options.used < stack.argument_count(); ++options.used) {
    const char *argument = stack.arguments()[options.used];
    if (equal(argument, "--")) {
      ++options.used;
      break;
    }
    if (*argument != '-')
      break;
    if (!read(argument, options))
      explain(2, wrong);
  }
  if (options.used >= stack.argument_count())
    explain(2, wrong);
  add_settings(options);
  if (options.settings.is_cut_off()) {
    say("its options", "are longer than 4 KiB: put them into a configuration");
    leave(wrong);
  }
  return options;
}

/// True if the kernel has executed the program that was planned. A program that stays as the kernel
/// has mapped it was compared by its path, before it was executed.
bool is_planned_program(const Plan &plan) {
  if ((plan.header().flags & loader::format::keeps_program) == 0)
    return true;
  const auto &files = plan.header().files;
  return files.count > 0 &&
         plan.table<loader::format::File>(files)[0].identity == identity_of("/proc/self/exe");
}

} // namespace

/// The address to continue at and its stack pointer: in %rax and %rdx.
struct Next {
  uint64_t entry;
  uint64_t *top;
};

/// Entry of the front as a program of its own.
extern "C" __attribute__((used)) Next sartor_front_begin(uint64_t *top) {
  Stack stack(top);
  become_verifier_if_asked(stack);
  const Options options = read_options(stack);
  Line path;
  find_program(stack.arguments()[options.used], stack, path);
  stack.drop_arguments(options.used);
  Fallback fallback = {.path = path.text(),
                       .arguments = stack.arguments(),
                       .environment = stack.environment(),
                       .is_required = options.is_strict || options.is_required,
                       .only_plans = options.only_plans};
  if (changes_rights(path.text())) {
    say(path.text(),
        "is refused: it is setuid, setgid or has capabilities; start it without sartor-ld");
    leave(126);
  }
  Line absolute;
  add_absolute(path.text(), absolute);
  const Run run = {absolute.text(), options.settings.text(), options.is_again,
                   options.is_different};
  const bool is_static = !is_dynamic(path.text());
  if (is_static || is_watched(stack)) {
    fallback.is_required = fallback.is_required || must_be_planned(run, stack);
    leave_alone(fallback, is_static ? "is a script, or static, or no program"
                                    : "the environment asks the stock loader for output (LD_...)");
  }
  Plan plan;
  Line file;
  const int image = open_image(run, stack, fallback, plan, file);
  if (options.only_plans)
    leave(0);
  fallback.is_required |= (plan.header().flags & loader::format::is_required) != 0;
  if (!options.is_in_place) {
    follow({.image = file.text(),
            .is_required = fallback.is_required,
            .is_last_trial = options.is_again},
           fallback);
    fall_back(fallback, "is traced, or may not be (see --in-place)");
  }
  if ((plan.header().flags & loader::format::keeps_program) != 0)
    fall_back(fallback, "has segments of an unknown shape: start it without --in-place");
  stack.report(AT_EXECFN, reinterpret_cast<uint64_t>(keep_text(path.text())));
  const Start start = {.path = reinterpret_cast<const char *>(stack.reported(AT_EXECFN)),
                       .is_own = false,
                       .is_required = fallback.is_required,
                       .is_last_trial = options.is_again};
  call(__NR_prctl, PR_SET_NAME, base_name(start.path));
  const uint64_t entry = place(plan, image, stack, start);
  if (entry == 0)
    fall_back(fallback, "finds no room for its image");
  return {entry, stack.top()};
}

/// Entry of the front in a program that the kernel has just loaded. `image`: the image file's path.
/// `front`: this program's file, open. `helper`: the process that has injected the front. `how`:
/// flags, see helper.h.
extern "C" __attribute__((used)) Next sartor_front_go_on(uint64_t *top, const char *image,
                                                         int front, uint64_t stock_entry,
                                                         long helper, uint64_t how) {
  Stack stack(top);
  close_file(front);
  const long opened = call(__NR_open, image, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  const int file = static_cast<int>(is_error(opened) ? -1 : opened);
  const Start start = {.path = reinterpret_cast<const char *>(stack.reported(AT_EXECFN)),
                       .is_own = true,
                       .is_required = (how & is_required_bit) != 0,
                       .is_last_trial = (how & is_last_trial_bit) != 0};
  Plan plan;
  const bool is_read = file >= 0 && plan.read(file, 0) && plan.header().arena_size != 0;
  forget_helper(helper, (how & helper_waits_bit) != 0);
  const bool is_planned = is_read && is_planned_program(plan);
  const uint64_t entry = is_planned ? place(plan, file, stack, start) : 0;
  if (entry != 0)
    return {entry, stack.top()};
  go_on_as_it_is({.path = start.path,
                  .arguments = stack.arguments(),
                  .environment = stack.environment(),
                  .is_required = start.is_required},
                 is_planned ? "finds no room for its image"
                 : is_read  ? "has been replaced at its start"
                            : "its image cannot be read any more");
  plan.forget();
  close_file(file);
  return {stock_entry, top};
}

// Added variables extend the program's stack downwards while the front uses it, so the front's
// stack begins some distance below.
__asm__(R"(
  .text
  .globl _start
_start:
  xor %ebp, %ebp
  mov %rsp, %rdi
  sub $8192, %rsp
  and $-16, %rsp
  call sartor_front_begin
  mov %rdx, %rsp
  xor %edx, %edx
  jmp *%rax
  .globl sartor_front_follow_up
  .hidden sartor_front_follow_up
sartor_front_follow_up:
  xor %ebp, %ebp
  mov %r12, %rcx
  mov %r13, %r8
  mov %r14, %r9
  sub $8192, %rsp
  and $-16, %rsp
  call sartor_front_go_on
  mov %rdx, %rsp
  xor %edx, %edx
  jmp *%rax
)");

} // namespace sartor::front
