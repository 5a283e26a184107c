// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/isolate/setup.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "agents/isolate/domain.h"

namespace sartor::isolate {

namespace {

constexpr std::size_t line_size = 1024;

/// Writes a formatted line, as far as it fits. `size`: the formatter's result.
void write_line(const char *line, int size) {
  if (size <= 0)
    return;
  const auto length = static_cast<std::size_t>(size);
  static_cast<void>(!write(STDERR_FILENO, line, length < line_size ? length : line_size - 1));
}

/// The object whose code lies at an address, and its address in the object's file.
struct Place {
  const char *object = "unknown code";
  std::uintptr_t address;

  explicit Place(std::uintptr_t code) : address(code) {
    // _dl_find_object() is the only lookup that takes no lock.
    dl_find_object found{};
    if (_dl_find_object(reinterpret_cast<void *>(code), &found) != 0)
      return;
    object = *found.dlfo_link_map->l_name != '\0' ? found.dlfo_link_map->l_name
                                                  : program_invocation_name;
    address = code - found.dlfo_link_map->l_addr;
  }
};

void say(const Domain &domain, std::uintptr_t code) {
  const Place place(code);
  // The heap may be damaged at this point, so no memory is allocated.
  char line[line_size];
  const int size =
      domain.holds_code(code)
          ? std::snprintf(line, sizeof line,
                          "sartor: %s: 0x%lx in %s, of the domain \"%s\", has been called other "
                          "than through a gate: by a pointer that the domain has given out; leave "
                          "the library out of the domain\n",
                          program_invocation_name, place.address, place.object, domain.name())
          : std::snprintf(line, sizeof line,
                          "sartor: %s: 0x%lx in %s touches the data of the domain \"%s\" (%s) from "
                          "outside; if it may, leave the library out of the domain\n",
                          program_invocation_name, place.address, place.object, domain.name(),
                          domain.libraries());
  write_line(line, size);
}

void handle(int signal, siginfo_t *info, void *context) {
  const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool is_from_kernel = info->si_code > 0;
  if (is_from_kernel)
    for (const Domain &domain : domains)
      if (domain.holds_data(address))
        say(domain, static_cast<std::uintptr_t>(registers[REG_RIP]));
  // With the default action restored, a fault repeats and ends the process. A signal that was sent
  // by a process is raised again.
  struct sigaction otherwise{};
  otherwise.sa_handler = SIG_DFL;
  sigaction(signal, &otherwise, nullptr);
  if (!is_from_kernel)
    raise(signal);
}

} // namespace

void report_violations() {
  struct sigaction now{};
  if (sigaction(SIGSEGV, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
    return;
  struct sigaction ours{};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &ours, nullptr);
}

void give_up(const char *what) {
  char line[line_size];
  const int size =
      std::snprintf(line, sizeof line, "sartor: %s: %s\n", program_invocation_name, what);
  write_line(line, size);
  _exit(126);
}

} // namespace sartor::isolate
