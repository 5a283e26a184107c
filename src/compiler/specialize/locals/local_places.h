// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_LOCALS_LOCAL_PLACES_H
#define SARTOR_COMPILER_SPECIALIZE_LOCALS_LOCAL_PLACES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

/// An instruction that accesses, or may access, memory that sartor_local() has returned a pointer
/// to.
struct LocalAccess {
  llvm::Instruction *instruction;
  llvm::Use *pointer;                 ///< Null for a call that may access all of the memory.
  std::optional<std::int64_t> offset; ///< In bytes, if known.
  std::uint64_t size;                 ///< In bytes; valid if the offset is known.
  bool writes;
};

struct LocalPlaces {
  std::vector<LocalAccess>
      accesses;        ///< In program order; those with a known offset are within the memory.
  std::string problem; ///< The reason why not all accesses were found; otherwise empty.
  llvm::Instruction *saved_at =
      nullptr; ///< The place where a pointer is saved and becomes accessible to other code.
  bool others_are_accesses = false; ///< The only reason for other accesses is `saved_at`.
};

/// Finds the accesses, by a function, to memory of `bytes` bytes that its `marks` return pointers
/// to. An address derived from such a pointer in any way, by the function or its callees, counts as
/// an address in the memory, whatever its offset. A pointer stored in a variable of the function is
/// followed through it. If a pointer is saved elsewhere, or passed to a callee that may keep it,
/// every pointer that is loaded or returned may point to the memory, and every call may access it;
/// not so with `may_be_saved`, which declares that the program publishes before such accesses.
LocalPlaces find_local_places(const std::vector<llvm::CallInst *> &marks, std::uint64_t bytes,
                              bool may_be_saved);

} // namespace sartor::compiler

#endif
