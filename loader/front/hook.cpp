// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/hook.h"

#include <linux/mman.h>

#include "front/program.h"
#include "front/system.h"
#include "front/text.h"

namespace sartor::front {

using loader::format::FileIdentity;
using loader::format::Header;
using loader::format::Library;

namespace {

constexpr int deny_write =
    0x800; ///< The stock loader sets MAP_DENYWRITE when it maps libraries; no other code does.
constexpr uint64_t none = ~uint64_t{0};

/// The page after the stubs of the stock loader's calls. The stubs jump to the addresses in its
/// first two words.
struct HookPage {
  uint64_t function; ///< Function that makes system calls.
  uint64_t event;    ///< Function that receives the stock loader's events for debuggers.
  uint64_t arena;
  const Plan *plan;
  long file;        ///< The file that was read last.
  uint64_t planned; ///< Index of that file's library in the plan; none.
  bool is_complete; ///< The start is complete; the page no longer changes.
  char **arguments;
  char **environment;
  Start start;
  Plan plan_itself;
  char origin[2048]; ///< Path for /proc/self/exe if the front was executed; else empty.
};
static_assert(sizeof(HookPage) <= loader::format::page);

/// A system call, as the stub pushes it.
struct Registers {
  long number, a, b, c, d, e, f;
};

/// The stock loader's list of objects for debuggers (glibc's <link.h>).
struct DebugMap {
  uint64_t base;
  const char *name;
  uint64_t dynamic;
  const DebugMap *next;
};
struct Debug {
  int32_t version;
  const DebugMap *first;
  uint64_t brk;
  int32_t state; ///< 0: the list is consistent.
};

long make(const Registers &call) {
  return system_call(call.number, call.a, call.b, call.c, call.d, call.e, call.f);
}

const Library *libraries(const HookPage &hook) {
  return hook.plan->table<Library>(hook.plan->header().libraries);
}

/// Returns the index of a file's library; none.
uint64_t find(const HookPage &hook, const FileIdentity &identity) {
  const Header &header = hook.plan->header();
  const auto *files = hook.plan->table<loader::format::File>(header.files);
  for (uint64_t i = 0; i < header.libraries.count; ++i)
    if (files[libraries(hook)[i].file].identity == identity)
      return i;
  return none;
}

bool is_in_image(const HookPage &hook, uint64_t library) {
  return library != none && libraries(hook)[library].header != 0;
}

/// Ends the interception of calls, unless the plan is closed and later loads are checked.
void finish(HookPage &hook) {
  const Header &header = hook.plan->header();
  hook.event = hook.arena + header.plain_event;
  if ((header.flags & loader::format::is_closed) != 0)
    hook.is_complete = true;
  else {
    hook.function = hook.arena + header.plain_calls;
    hook.plan_itself.forget();
  }
  call(__NR_mprotect, &hook, loader::format::page, PROT_READ);
}

/// Starts the program otherwise. A plan is valid only for a program with exactly its planned
/// libraries, because addresses are already in the code. No code of the program has run yet.
[[noreturn]] void start_otherwise(const HookPage &hook) {
  const Fallback fallback = {.path = hook.start.path,
                             .arguments = hook.arguments,
                             .environment = hook.environment,
                             .is_required = hook.start.is_required};
  if (!hook.start.is_last_trial)
    plan_again(*hook.plan, fallback, hook.start.is_own);
  fall_back(fallback, "starts with other libraries than planned");
}

/// Reads a file. Its first bytes come from memory, as the plan has changed them.
long read(const HookPage &hook, const Registers &call, uint64_t offset) {
  if (!is_in_image(hook, hook.planned))
    return make(call);
  const Library &library = libraries(hook)[hook.planned];
  if (offset >= library.header)
    return make(call);
  const uint64_t planned = library.header - offset;
  long size = call.c;
  if (static_cast<uint64_t>(size) > planned) // the file has the rest
    size = make(call);
  if (!is_error(size))
    memcpy(reinterpret_cast<void *>(call.b),
           reinterpret_cast<const void *>(hook.arena + library.begin + offset),
           static_cast<uint64_t>(size) < planned ? static_cast<uint64_t>(size) : planned);
  return size;
}

/// Returns the value that /proc/self/exe would have if the kernel had executed the program.
long read_link(const HookPage &hook, const Registers &call) {
  if (!equal(reinterpret_cast<const char *>(call.a), "/proc/self/exe"))
    return make(call);
  const size_t size = length(hook.origin);
  const size_t fitting = size < static_cast<size_t>(call.c) ? size : static_cast<size_t>(call.c);
  memcpy(reinterpret_cast<void *>(call.b), hook.origin, fitting);
  return static_cast<long>(fitting);
}

/// Begins a file that the stock loader opens.
void begin(HookPage &hook, long file) {
  hook.file = file;
  hook.planned = find(hook, identity_of(static_cast<int>(file)));
}

bool is_admitted(const HookPage &hook, const FileIdentity &identity) {
  const Header &header = hook.plan->header();
  const auto *files = hook.plan->table<loader::format::File>(header.files);
  const auto *admitted = hook.plan->table<uint64_t>(header.admitted);
  bool found = find(hook, identity) != none; // dlmopen(): another namespace
  for (uint64_t i = 0; i < header.admitted.count && !found; ++i)
    found = files[admitted[i]].identity == identity;
  return found;
}

/// Answers calls for libraries that the program loads later, possibly while other threads run.
long answer_later(const HookPage &hook, const Registers &call) {
  constexpr long no_access = -13; // EACCES
  const bool is_library = call.number == __NR_mmap && call.e >= 0 && (call.d & deny_write) != 0;
  if (is_library && !is_admitted(hook, identity_of(static_cast<int>(call.e))))
    return no_access;
  return make(call);
}

long map(HookPage &hook, const Registers &call) {
  const bool is_library = call.e >= 0 && (call.d & deny_write) != 0;
  if (!is_library)
    return make(call);
  if (call.e != hook.file)
    begin(hook, call.e);
  if (hook.planned == none)
    start_otherwise(hook);
  if (!is_in_image(hook, hook.planned))
    return make(call);
  return (call.d & MAP_FIXED) != 0
             ? call.a
             : static_cast<long>(hook.arena + libraries(hook)[hook.planned].begin);
}

/// Returns the index of the planned library that the stock loader has at an address.
uint64_t find(const HookPage &hook, const DebugMap &map) {
  for (uint64_t i = 0; i < hook.plan->header().libraries.count; ++i)
    if (is_in_image(hook, i) && hook.arena + libraries(hook)[i].base == map.base)
      return i;
  const uint64_t found = find(hook, identity_of(map.name));
  return is_in_image(hook, found) ? none : found;
}

/// True if the stock loader has exactly the planned libraries. It lists no library twice.
bool is_as_planned(const HookPage &hook, const Debug &debug) {
  const Header &header = hook.plan->header();
  uint64_t found = 0;
  // The first object is the program; the kernel's vDSO has a name without a path.
  for (const DebugMap *map = debug.first->next; map != nullptr; map = map->next) {
    if (map->base == hook.arena + header.loader || base_name(map->name) == map->name)
      continue;
    if (find(hook, *map) == none)
      return false;
    ++found;
  }
  return found == header.libraries.count;
}

} // namespace

extern "C" __attribute__((used)) long sartor_front_answer(const Registers *call, HookPage *hook) {
  if (hook->is_complete)
    return answer_later(*hook, *call);
  const bool is_of_current = hook->planned != none && call->a == hook->file;
  switch (call->number) {
  case __NR_read:
    begin(*hook, call->a);
    return read(*hook, *call, 0);
  case __NR_readlink: // $ORIGIN, by which the program's own libraries are found
    return hook->origin[0] != 0 ? read_link(*hook, *call) : make(*call);
  case __NR_pread64:
    return is_of_current ? read(*hook, *call, static_cast<uint64_t>(call->d)) : make(*call);
  case __NR_mmap:
    return map(*hook, *call);
  case __NR_mprotect:
    // The range between a library's code and its data contains other parts of the arena.
    return call->c == PROT_NONE && is_in_image(*hook, hook->planned) ? 0 : make(*call);
  default:
    return make(*call);
  }
}

extern "C" __attribute__((used)) void sartor_front_hear(HookPage *hook) {
  const auto &debug = *reinterpret_cast<const Debug *>(hook->arena + hook->plan->header().debug);
  if (debug.state != 0 || debug.first == nullptr)
    return;
  if (!is_as_planned(*hook, debug))
    start_otherwise(*hook);
  finish(*hook);
}

/// The stubs jump here, with the system call in its registers and the return address in %r11. Only
/// registers that the kernel may change are changed.
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

/// The stubs jump here in place of an empty function, with an address of the stubs in %r11.
__asm__(R"(
  .text
  .globl sartor_front_event
  .hidden sartor_front_event
sartor_front_event:
  push %rbp
  mov %rsp, %rbp
  mov %r11, %rdi
  and $-4096, %rdi
  add $4096, %rdi
  and $-16, %rsp
  call sartor_front_hear
  mov %rbp, %rsp
  pop %rbp
  ret
)");

extern "C" {
__attribute__((visibility("hidden"))) void sartor_front_hook();
__attribute__((visibility("hidden"))) void sartor_front_event();
}

void hook(const Plan &plan, uint64_t arena, const Stack &stack, char **environment,
          const Start &start) {
  auto &page = *reinterpret_cast<HookPage *>(arena + plan.header().hook_page);
  page.plan_itself = plan;
  page.plan = &page.plan_itself;
  page.arena = arena;
  page.planned = none;
  page.file = -1;
  page.arguments = stack.arguments();
  page.environment = environment;
  page.start = start;
  if (!start.is_own && !find_real_path(start.path, page.origin, sizeof page.origin))
    page.origin[0] = 0;
  page.event = reinterpret_cast<uint64_t>(sartor_front_event);
  page.function = reinterpret_cast<uint64_t>(sartor_front_hook);
}

} // namespace sartor::front
