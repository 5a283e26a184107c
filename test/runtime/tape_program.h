// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_TAPE_PROGRAM_H
#define SARTOR_TEST_RUNTIME_TAPE_PROGRAM_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sartor/sartor.hpp>

#include "handlers/tape.h"

using RunTape = std::uint64_t(std::uint64_t, Called, void *);

/// A tape, and the interpreter's data for it.
struct TapeProgram {
  explicit TapeProgram(Tape from) : tape(std::move(from)) {}

  std::uint64_t interpret(std::uint64_t input) const {
    return run_tape(tape.data(), input, called, object);
  }
  /// Runs the variant, if it is ready.
  std::uint64_t run(std::uint64_t input) {
    auto *const function = program.function<RunTape>();
    return function ? function(input, called, object) : interpret(input);
  }
  void ask(sartor::GuestPrograms &programs, const char *handler = "run_tape") {
    programs.specialize(program, handler, {{0, reinterpret_cast<std::uintptr_t>(tape.data())}},
                        sartor::Invariant(tape.data(), tape.size() * sizeof(Step)), this);
  }

  Tape tape;
  Called called = nullptr;
  void *object = nullptr;
  sartor::GuestProgram program; ///< Its destructor releases it before the tape is destroyed.
};

/// The reports of a set of guest programs.
struct Report {
  struct One {
    void *owner;
    sartor::GuestState state;
    std::string text;
  };
  std::vector<One> all;

  sartor::GuestLimits limits() {
    return {.report = [this](void *owner, sartor::GuestState state, const char *text) {
      all.push_back({owner, state, text});
    }};
  }
};

#endif
