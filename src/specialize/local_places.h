// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_LOCAL_PLACES_H
#define SARTOR_SPECIALIZE_LOCAL_PLACES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

namespace sartor::specialize {

/// How an instruction has to do with memory that sartor_local() has given a pointer to.
struct LocalAccess {
  llvm::Instruction *instruction;
  llvm::Use *pointer;                 ///< Null where it is a call that is given a pointer.
  std::optional<std::int64_t> offset; ///< In bytes, if known.
  std::uint64_t size;                 ///< In bytes; if the offset is known.
  bool writes;
};

struct LocalPlaces {
  std::vector<LocalAccess> accesses; ///< In program order; one that is known lies within.
  std::string problem;               ///< Why they could not all be found; else empty.
};

/// Follows the pointers that `marks` give, of one function, to memory of `bytes` bytes.
LocalPlaces find_local_places(const std::vector<llvm::CallInst *> &marks, std::uint64_t bytes);

} // namespace sartor::specialize

#endif
