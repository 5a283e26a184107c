// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_LOCAL_PLACES_H
#define SARTOR_COMPILER_SPECIALIZE_LOCAL_PLACES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

/// An instruction that accesses, or may access, memory that sartor_local() has given a pointer to.
struct LocalAccess {
  llvm::Instruction *instruction;
  llvm::Use *pointer;                 ///< Null where it is a call that may access all of it.
  std::optional<std::int64_t> offset; ///< In bytes, if known.
  std::uint64_t size;                 ///< In bytes; if the offset is known.
  bool writes;
};

struct LocalPlaces {
  std::vector<LocalAccess> accesses;     ///< In program order; one that is known lies within.
  std::string problem;                   ///< Why they could not all be found; else empty.
  llvm::Instruction *saved_at = nullptr; ///< Where a pointer is saved for others to find.
  bool others_are_accesses = false;      ///< Accesses are due to `saved_at` alone.
};

/// Finds the accesses, by a function, to memory of `bytes` bytes that `marks` of it give pointers
/// to. An address that is derived from such a pointer in any way, by the function or by what it
/// calls, is one into the memory, whatever its offset. A pointer that is stored in a variable of
/// the function is followed through it. Where one is saved elsewhere, or given to a callee that may
/// keep it, every pointer that is loaded or returned may lead to the memory, and every call may
/// access it; not so if `may_be_saved`, which says that the program publishes before such accesses.
LocalPlaces find_local_places(const std::vector<llvm::CallInst *> &marks, std::uint64_t bytes,
                              bool may_be_saved);

} // namespace sartor::compiler

#endif
