// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observed.h"

#include <cstring>
#include <fstream>
#include <stdexcept>

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../program.h"

namespace {

Observed hash;

void add(std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 29U;
}

/// A run that uses more CPU time than this is considered hung.
constexpr long most_microseconds = 50'000;

/// Memory through which a child reports to its parent.
struct Shared {
  unsigned next = 0; ///< The input that is running.
  bool done[4096]{};
  Observed seen[4096]{};
};

void run_from(Shared &shared, unsigned inputs) {
  for (; shared.next < inputs; ++shared.next) {
    const itimerval limit{{}, {0, most_microseconds}};
    setitimer(ITIMER_PROF, &limit, nullptr); // its signal ends the process
    shared.seen[shared.next] = observe_run(shared.next);
    shared.done[shared.next] = true;
  }
}

} // namespace

extern "C" {

void observe_number(unsigned long long number) { add(number); }

void observe(const void *bytes, size_t size) {
  const auto *byte = static_cast<const unsigned char *>(bytes);
  add(size);
  for (; size >= 8; size -= 8, byte += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, byte, 8);
    add(word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, byte, size);
  add(rest);
}

void observe_text(const char *text) { observe(text, std::strlen(text)); }
}

Observed observe_run(unsigned input) {
  hash = input;
  program_run(input);
  return hash;
}

Expected observe_inputs(unsigned inputs) {
  void *memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || inputs > std::size(Shared().done))
    throw std::runtime_error("no memory for so many inputs");
  auto &shared = *new (memory) Shared;
  // A program that crashes this often has few usable inputs.
  for (unsigned lost = 0; shared.next < inputs && lost < 8; ++lost, ++shared.next) {
    const pid_t child = fork();
    if (child == 0) {
      run_from(shared, inputs);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (shared.next == inputs)
      break;
  }
  Expected expected(inputs);
  for (unsigned input = 0; input < inputs; ++input)
    if (shared.done[input])
      expected[input] = shared.seen[input];
  munmap(memory, sizeof(Shared));
  return expected;
}

void write_expected(const std::string &file, const Expected &expected) {
  std::ofstream out(file);
  for (const auto &observed : expected)
    if (observed)
      out << *observed << '\n';
    else
      out << "-\n";
  if (!out.flush())
    throw std::runtime_error("cannot write " + file);
}

Expected read_expected(const std::string &file) {
  std::ifstream in(file);
  if (!in)
    throw std::runtime_error("cannot read " + file);
  Expected expected;
  for (std::string line; std::getline(in, line);)
    expected.push_back(line == "-" ? std::nullopt : std::optional(std::stoull(line)));
  return expected;
}
