// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/hook.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "front/system.h"
#include "front/text.h"

namespace sartor::front {

using load::format::FileIdentity;
using load::format::Header;
using load::format::Library;

namespace {

constexpr int deny_write =
    0x800; ///< What the stock loader says, and nobody else, mapping libraries.
constexpr uint64_t none = ~uint64_t{0};

/// The page behind the stubs of the stock loader's calls. The stubs jump to what its first word
/// says.
struct HookPage {
  uint64_t function;
  uint64_t plain_calls;
  uint64_t arena;
  const Plan *plan;
  uint64_t mapped;  ///< How many libraries have been asked for.
  uint64_t current; ///< Which library is being mapped: index; none.
  long file;        ///< Its file.
  const char *path;
  char **arguments;
  char **environment;
  Plan plan_itself;
  char origin[2048]; ///< The program's file, if the kernel takes the front's for it.
};
static_assert(sizeof(HookPage) <= load::format::page);

/// A system call, as the stub pushes it.
struct Registers {
  long number, a, b, c, d, e, f;
};

long make(const Registers &call) {
  return system_call(call.number, call.a, call.b, call.c, call.d, call.e, call.f);
}

const Library *libraries(const HookPage &hook) {
  return hook.plan->table<Library>(hook.plan->header().libraries);
}

uint64_t find(const HookPage &hook, long file) {
  const Header &header = hook.plan->header();
  const FileIdentity identity = identity_of(static_cast<int>(file));
  const auto *files = hook.plan->table<load::format::File>(header.files);
  for (uint64_t i = 0; i < header.libraries.count; ++i)
    if (files[libraries(hook)[i].file].identity == identity)
      return i;
  return none;
}

/// Gets out of the way.
void finish(HookPage &hook) {
  hook.plan_itself.forget();
  hook.function = hook.plain_calls;
  call(__NR_mprotect, &hook, load::format::page, PROT_READ);
}

bool is_complete(const HookPage &hook) {
  return hook.mapped == hook.plan->header().libraries.count;
}

/// The file's first bytes are in memory, as the plan has changed them.
long read(HookPage &hook, const Registers &call, uint64_t offset) {
  if (hook.current == none)
    return make(call);
  const Library &library = libraries(hook)[hook.current];
  const auto size = static_cast<uint64_t>(call.c);
  if (offset > library.header || size > library.header - offset)
    return make(call);
  memcpy(reinterpret_cast<void *>(call.b),
         reinterpret_cast<const void *>(hook.arena + library.begin + offset), size);
  return call.c;
}

/// What /proc/self/exe would be, had the kernel executed the program.
long read_link(const HookPage &hook, const Registers &call) {
  if (!equal(reinterpret_cast<const char *>(call.a), "/proc/self/exe"))
    return make(call);
  const size_t size = length(hook.origin);
  const size_t fitting = size < static_cast<size_t>(call.c) ? size : static_cast<size_t>(call.c);
  memcpy(reinterpret_cast<void *>(call.b), hook.origin, fitting);
  return static_cast<long>(fitting);
}

/// A file that is new to the stock loader.
long begin(HookPage &hook, const Registers &call) {
  hook.file = call.a;
  hook.current = find(hook, call.a);
  if (hook.current != none && libraries(hook)[hook.current].header == 0)
    hook.current = none; // it is mapped from its file
  return read(hook, call, 0);
}

long map(HookPage &hook, const Registers &call) {
  const bool is_library = call.e >= 0 && (call.d & deny_write) != 0;
  if (!is_library)
    return make(call);
  if ((call.d & MAP_FIXED) == 0) {
    if (hook.file != call.e)
      hook.current = none;
    // Plans hold for a program with all its libraries: with another among them, addresses that are
    // in code already are wrong. Nothing has run yet.
    if (find(hook, call.e) == none) {
      say(hook.path, "starts with other libraries than planned: the stock loader starts it");
      start_stock(hook.path, hook.arguments, hook.environment);
    }
    ++hook.mapped;
  }
  if (hook.file != call.e || hook.current == none)
    return make(call);
  if ((call.d & MAP_FIXED) == 0)
    return static_cast<long>(hook.arena + libraries(hook)[hook.current].begin);
  return call.a;
}

} // namespace

extern "C" __attribute__((used)) long sartor_front_answer(const Registers *call, HookPage *hook) {
  const bool is_of_current = hook->current != none && call->a == hook->file;
  switch (call->number) {
  case __NR_read:
    if (!is_complete(*hook))
      return begin(*hook, *call);
    break;
  case __NR_readlink: // from where the program is, its own libraries are found
    return hook->origin[0] != 0 ? read_link(*hook, *call) : make(*call);
  case __NR_pread64:
    if (is_of_current)
      return read(*hook, *call, static_cast<uint64_t>(call->d));
    break;
  case __NR_mmap:
    if (!is_complete(*hook) || call->e == hook->file)
      return map(*hook, *call);
    if (call->e < 0)
      return make(*call);
    break;
  case __NR_mprotect:
    // Between a library's code and its data lies much that is not its own.
    if (call->c == PROT_NONE && hook->current != none)
      return 0;
    if (!is_complete(*hook))
      return make(*call);
    break;
  default:
    return make(*call);
  }
  finish(*hook);
  return make(*call);
}

/// Entered by a jump, with the system call in its registers and the way back in %r11; only what
/// the kernel may change may be changed.
__asm__(R"(
  .text
  .globl sartor_front_hook
  .hidden sartor_front_hook
sartor_front_hook:
  lea -128(%rsp), %rsp
  push %r11
  push %rbp
  push %r9
  push %r8
  push %r10
  push %rdx
  push %rsi
  push %rdi
  push %rax
  mov %rsp, %rbp
  mov %rsp, %rdi
  mov %r11, %rsi
  and $-4096, %rsi
  add $4096, %rsi
  and $-16, %rsp
  call sartor_front_answer
  mov %rbp, %rsp
  add $8, %rsp
  pop %rdi
  pop %rsi
  pop %rdx
  pop %r10
  pop %r8
  pop %r9
  pop %rbp
  pop %r11
  lea 128(%rsp), %rsp
  jmp *%r11
)");

extern "C" __attribute__((visibility("hidden"))) void sartor_front_hook();

namespace {

/// An absolute path without links in it; empty if there is none.
void resolve(const char *path, char *to, size_t room) {
  const long file = call(__NR_open, path, O_PATH | O_CLOEXEC, 0);
  if (is_error(file))
    return;
  Line link;
  link.add("/proc/self/fd/").add_number(static_cast<uint64_t>(file));
  const long size = call(__NR_readlink, link.text(), to, room - 1);
  to[is_error(size) ? 0 : size] = 0;
  call(__NR_close, file);
}

} // namespace

void hook(const Plan &plan, uint64_t arena, const Stack &stack, const char *path, bool is_own) {
  auto &page = *reinterpret_cast<HookPage *>(arena + plan.header().hook_page);
  page.plan_itself = plan;
  page.plan = &page.plan_itself;
  page.plain_calls = arena + plan.header().plain_calls;
  page.arena = arena;
  page.current = none;
  page.file = -1;
  page.path = path;
  page.arguments = stack.arguments();
  page.environment = stack.environment();
  if (!is_own)
    resolve(path, page.origin, sizeof page.origin);
  page.function = reinterpret_cast<uint64_t>(sartor_front_hook);
}

void start_stock(const char *path, char **arguments, char **environment) {
  constexpr long no_entry = -2; // ENOENT
  const long error = call(__NR_execve, path, arguments, environment);
  say(path, error == no_entry ? "there is no such program" : "cannot be executed");
  call(__NR_exit_group, error == no_entry ? 127 : 126);
  __builtin_unreachable();
}

} // namespace sartor::front
