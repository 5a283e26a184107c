// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sartor-ld: starts a program with its libraries laid out and bound as planned, through the stock
// loader. Freestanding: it has no library, no writable data and no relocations, so that it can be
// mapped anywhere as it is.
#include <asm/stat.h>
#include <elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/stat.h>

#include "front/cache.h"
#include "front/follow.h"
#include "front/hook.h"
#include "front/place.h"
#include "front/plan.h"
#include "front/stack.h"
#include "front/system.h"
#include "front/text.h"

namespace sartor::front {

/// Where to go on, with which stack: in %rax and %rdx.
struct Next {
  uint64_t entry;
  uint64_t *top;
};

namespace {

constexpr const char *usage =
    "Usage: sartor-ld [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
    "Starts a program with its libraries packed together and bound.\n"
    "  --passes=LIST  run these passes, and no others (default: as configured)\n"
    "  --config=FILE  a configuration besides the usual ones\n"
    "  --strict       do not start the program without a pass that fails\n"
    "  --in-place     start it in this process image, without ptrace()\n";

using load::format::Table;

struct Options {
  Line settings;
  bool is_in_place = false;
  bool is_strict = false;
  size_t used = 1; ///< How many arguments are not the program's.
};

[[noreturn]] void leave(int status) {
  call(__NR_exit_group, status);
  __builtin_unreachable();
}

/// False if they make no sense.
bool read_options(const Stack &stack, Options &options) {
  for (; options.used < stack.argument_count(); ++options.used) {
    const char *argument = stack.arguments()[options.used];
    if (equal(argument, "--")) {
      ++options.used;
      return true;
    }
    if (*argument != '-')
      return true;
    if (equal(argument, "--in-place"))
      options.is_in_place = true;
    else if (equal(argument, "--passes="))
      options.settings.add("--no-passes\n");
    else if (after(argument, "--passes=") != nullptr || after(argument, "--config=") != nullptr ||
             equal(argument, "--strict")) {
      options.is_strict |= equal(argument, "--strict");
      options.settings.add(argument).add("\n");
    } else
      return false;
  }
  return true;
}

/// As a shell would: by PATH if there is no '/' in it.
void find_program(const char *name, const Stack &stack, Line &path) {
  bool is_path = false;
  for (const char *at = name; *at != 0; ++at)
    is_path |= *at == '/';
  const char *directories = stack.variable("PATH");
  if (is_path || directories == nullptr) {
    path.add(name);
    return;
  }
  for (const char *at = directories; *at != 0;) {
    char directory[2048];
    size_t size = 0;
    for (; *at != 0 && *at != ':'; ++at)
      if (size < sizeof directory - 1)
        directory[size++] = *at;
    directory[size] = 0;
    if (*at == ':')
      ++at;
    Line candidate;
    candidate.add(size == 0 ? "." : directory).add("/").add(name);
    constexpr int executable = 1;
    struct stat status;
    if (!is_error(call(__NR_access, candidate.text(), executable)) &&
        !is_error(call(__NR_stat, candidate.text(), &status)) && S_ISREG(status.st_mode)) {
      path.add(candidate.text());
      return;
    }
  }
  path.add(name);
}

/// Whether the stock loader would be its interpreter; all else is left to the kernel.
bool is_dynamic(const char *path) {
  const long file = call(__NR_open, path, O_RDONLY | O_CLOEXEC, 0);
  if (is_error(file))
    return false;
  alignas(8) char bytes[4096];
  const long size = call(__NR_read, file, bytes, sizeof bytes);
  call(__NR_close, file);
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes);
  if (size < static_cast<long>(sizeof *header) || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
      header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > static_cast<uint64_t>(size) ||
      header->e_phnum > (static_cast<uint64_t>(size) - header->e_phoff) / sizeof(Elf64_Phdr) ||
      header->e_phoff % 8 != 0)
    return false;
  const auto *segments = reinterpret_cast<const Elf64_Phdr *>(bytes + header->e_phoff);
  for (uint16_t i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_INTERP)
      return true;
  return false;
}

/// With other rights than whoever starts it, what it starts with is not his to choose.
bool changes_rights(const char *path) {
  struct stat status;
  if (is_error(call(__NR_stat, path, &status)))
    return false;
  return (status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
         !is_error(call(__NR_getxattr, path, "security.capability", nullptr, 0));
}

/// Whether somebody else wants to hear what the stock loader does.
bool is_watched(const Stack &stack) {
  return stack.variable("LD_AUDIT") != nullptr || stack.variable("LD_PROFILE") != nullptr ||
         stack.variable("LD_TRACE_LOADED_OBJECTS") != nullptr ||
         stack.variable("LD_SHOW_AUXV") != nullptr;
}

/// What must not be started otherwise is not started.
[[noreturn]] void give_up(const Options &options, const char *path, const Stack &stack) {
  if (options.is_strict)
    leave(126);
  start_stock(path, stack.arguments(), stack.environment());
}

/// Memory that stays, and that the program may write to.
char *new_text(uint64_t size) {
  void *text = map(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (is_error(text))
    leave(127);
  return static_cast<char *>(text);
}

const char *keep(const char *text) {
  const uint64_t size = length(text) + 1;
  return static_cast<const char *>(memcpy(new_text(size), text, size));
}

/// What passes want in the program's environment.
void set_environment(const Plan &plan, Stack &stack) {
  const Table &set = plan.header().environment;
  for (uint64_t i = 0; i < set.count; ++i)
    stack.add_variable(keep(plan.string(plan.table<uint64_t>(set)[i])));
  const Table &preloaded = plan.header().preloaded;
  if (preloaded.count == 0)
    return;
  constexpr const char *name = "LD_PRELOAD=";
  const char *rest = stack.variable("LD_PRELOAD");
  uint64_t size = length(name) + (rest == nullptr ? 0 : length(rest)) + 1;
  const auto path = [&](uint64_t i) { return plan.string(plan.table<uint64_t>(preloaded)[i]); };
  for (uint64_t i = 0; i < preloaded.count; ++i)
    size += length(path(i)) + 1;
  char *variable = new_text(size);
  char *end = variable;
  const auto add = [&](const char *text) {
    memcpy(end, text, length(text));
    end += length(text);
  };
  add(name);
  for (uint64_t i = 0; i < preloaded.count; ++i) {
    if (i > 0)
      *end++ = ':';
    add(path(i));
  }
  if (rest != nullptr && *rest != 0) {
    *end++ = ':';
    add(rest);
  }
  stack.set_variable(variable);
}

} // namespace

/// Begins as a program of its own.
extern "C" __attribute__((used)) Next sartor_front_begin(uint64_t *top) {
  Stack stack(top);
  Options options;
  if (!read_options(stack, options) || options.used >= stack.argument_count()) {
    call(__NR_write, 2, usage, length(usage));
    leave(2);
  }
  Line path;
  find_program(stack.arguments()[options.used], stack, path);
  stack.drop_arguments(options.used);
  if (changes_rights(path.text())) {
    say(path.text(),
        "is refused: it is setuid, setgid or has capabilities; start it without sartor-ld");
    leave(126);
  }
  Plan plan;
  if (!is_dynamic(path.text()) || is_watched(stack))
    start_stock(path.text(), stack.arguments(), stack.environment());
  const int image = open_image({path.text(), options.settings.text()}, stack, plan);
  if (image < 0 || plan.header().arena_size == 0)
    give_up(options, path.text(), stack);
  set_environment(plan, stack);
  if (!options.is_in_place) {
    follow(image, path.text(), stack.arguments(), stack.environment());
    say(path.text(), "is traced, or may not be: the stock loader starts it; see --in-place");
    give_up(options, path.text(), stack);
  }
  const char *kept = keep(path.text());
  stack.tell(AT_EXECFN, reinterpret_cast<uint64_t>(kept));
  call(__NR_prctl, PR_SET_NAME, base_name(kept));
  const uint64_t entry = place(plan, image, stack, kept, false);
  if (entry == 0) {
    say(path.text(), "finds no room for its image: the stock loader starts it");
    give_up(options, path.text(), stack);
  }
  return {entry, stack.top()};
}

/// Goes on in a program that the kernel has just loaded. `front` is this program's file; `helper`
/// has put it there, and `action` is what the program has done at the end of children.
extern "C" __attribute__((used)) Next sartor_front_go_on(uint64_t *top, int image, int front,
                                                         uint64_t stock_entry, long helper,
                                                         uint64_t action) {
  Stack stack(top);
  forget_helper(helper, action);
  call(__NR_close, front);
  Plan plan;
  if (!plan.read(image, 0)) {
    call(__NR_close, image);
    return {stock_entry, top};
  }
  const auto *path = reinterpret_cast<const char *>(stack.told(AT_EXECFN));
  const uint64_t entry = place(plan, image, stack, path, true);
  if (entry != 0)
    return {entry, top};
  call(__NR_close, image);
  return {stock_entry, top};
}

// The program's stack grows downwards by the variables that are added, while the front is on it: it
// begins some way below.
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
  and $-16, %rsp
  call sartor_front_go_on
  mov %rdx, %rsp
  xor %edx, %edx
  jmp *%rax
)");

} // namespace sartor::front
