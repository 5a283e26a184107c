/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "base/contain.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/float_defaults.h"

#if defined(__SANITIZE_THREAD__)
#define HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
#endif
#endif

enum {
  guard_bytes = 64 << 10, /* a page, for all page sizes */
  fault_stack_bytes = 64 << 10,
  stack_bytes = 1 << 20
};

/* Memory of a contained process: the guard, the stack for `work`, the stack for faults, and
 * this structure. */
struct Contained {
  uint64_t (*work)(void *);
  void *context;
  void *fault_stack;
  uint64_t result;
  volatile int has_returned;
  volatile int signal;
};

#ifndef HAS_THREAD_SANITIZER

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
enum { caught_count = sizeof caught / sizeof *caught };

/* Finds the structure of this process. It cannot be thread-local: such variables are the
 * calling thread's. It is located at the end of the alternate stack, on which the fault
 * handler runs. */
static struct Contained *contained_of(const void *fault_frame) {
  const uintptr_t part = (uintptr_t)fault_frame & ~(uintptr_t)(fault_stack_bytes - 1);
  return (struct Contained *)(part + fault_stack_bytes);
}

static void end_process(int status) {
  for (;;)
    syscall(SYS_exit, status);
}

static void note_fault(int signal) {
  contained_of(__builtin_frame_address(0))->signal = signal;
  end_process(1);
}

/* Uses system calls: replacements of the C library's functions, as in sanitizers and tools
 * that chain handlers, would take the handler for the program's. */
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__)
  void (*restorer)(void);
#endif
  unsigned long mask[8 / sizeof(unsigned long)];
};

static void catch_faults(const struct Contained *contained) {
  struct KernelAction action = {.handler = note_fault, .flags = SA_ONSTACK | SA_NODEFER};
#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__)
  action.flags |= 0x04000000; /* SA_RESTORER, required on x86-64; the handler does not return */
  action.restorer = (void (*)(void))note_fault;
#endif
  const stack_t stack = {.ss_sp = contained->fault_stack, .ss_size = fault_stack_bytes};
  uint64_t mask = ~(uint64_t)0;
  (void)syscall(SYS_sigaltstack, &stack, NULL);
  for (int i = 0; i < caught_count; ++i) {
    (void)syscall(SYS_rt_sigaction, caught[i], &action, NULL, sizeof action.mask);
    mask &= ~((uint64_t)1 << (caught[i] - 1));
  }
  (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

static int run(void *argument) {
  struct Contained *contained = argument;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  catch_faults(contained);
  sartor_float_defaults();
  contained->result = contained->work(contained->context);
  contained->has_returned = 1;
  end_process(0);
  return 0;
}

static pid_t start(struct Contained *contained) {
  const int flags = CLONE_VM | CLONE_VFORK;
  void *stack = contained->fault_stack;
  const pid_t process =
      clone(run, stack, flags | CLONE_FILES | CLONE_FS | CLONE_SYSVSEM, contained);
  /* qemu's user mode supports only vfork(), which it implements as fork(). */
  return process < 0 && errno == EINVAL ? clone(run, stack, flags | SIGCHLD, contained) : process;
}

static void wait_for(pid_t process) {
  while (syscall(SYS_wait4, process, NULL, __WALL, NULL) < 0 && errno == EINTR)
    ;
}

static struct Contained *make(unsigned char **memory, size_t bytes) {
  *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (*memory == MAP_FAILED)
    return NULL;
  /* The part before the last one begins at a multiple of its size. */
  const uintptr_t end = (uintptr_t)*memory + bytes - fault_stack_bytes;
  return (struct Contained *)(end & ~(uintptr_t)(fault_stack_bytes - 1));
}

#endif

int sartor_contain(uint64_t (*work)(void *), void *context, uint64_t *result) {
#ifdef HAS_THREAD_SANITIZER
  /* ThreadSanitizer's runtime takes the process for a fork. */
  *result = work(context);
  return 0;
#else
  const int error = errno;
  const size_t bytes = guard_bytes + stack_bytes + 3 * (size_t)fault_stack_bytes;
  unsigned char *memory;
  struct Contained *contained = make(&memory, bytes);
  if (!contained || mprotect(memory, guard_bytes, PROT_NONE) != 0) {
    if (contained)
      munmap(memory, bytes);
    errno = error;
    return SARTOR_CONTAIN_LOST;
  }
  *contained = (struct Contained){.work = work, .context = context};
  contained->fault_stack = (unsigned char *)contained - fault_stack_bytes;
  /* Signals to the process group are for the program. The process inherits the mask. */
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process = start(contained);
  if (process > 0)
    wait_for(process);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  const int outcome = process > 0 && contained->has_returned  ? 0
                      : process > 0 && contained->signal != 0 ? contained->signal
                                                              : SARTOR_CONTAIN_LOST;
  if (outcome == 0)
    *result = contained->result;
  munmap(memory, bytes);
  errno = error;
  return outcome;
#endif
}
