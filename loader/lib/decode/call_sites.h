// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_CALL_SITES_H
#define SARTOR_LOADER_LIB_DECODE_CALL_SITES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "loader/lib/decode/data_operands.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/unwind_info.h"

namespace sartor::loader {

/// An instruction that refers to a function or variable through a slot: a word of the global offset
/// table, which the stock loader fills with its address.
struct CallSite {
  enum class Kind : std::uint8_t {
    call_stub,    ///< `call stub`, which jumps through the slot.
    jump_stub,    ///< `jmp stub`: a tail call.
    jump_stub_if, ///< `jcc stub`.
    call_slot,    ///< `call *slot(%rip)`.
    jump_slot,    ///< `jmp *slot(%rip)` in a function: a tail call.
    load_slot,    ///< `mov slot(%rip), %reg`: takes an address.
  };
  std::uint64_t address;
  std::uint64_t slot;
  std::uint32_t relocation; ///< Index of the slot's relocation in ElfFile::relocations().
  Kind kind;
  std::uint8_t size; ///< Size in bytes.

  bool operator==(const CallSite &) const = default;
};

const char *to_string(CallSite::Kind kind);

/// The result of decoding a file.
struct Decoded {
  std::vector<CallSite> sites; ///< Sorted by address.
  Unwinding unwinding;
  std::size_t instructions = 0;
  /// Functions that contain bytes that are not instructions. They have no sites.
  std::vector<CodeRange> undecoded;
  /// Addresses of the displacements (32 bits, relative to the instruction's end) of all operands in
  /// writable memory, including code between functions.
  std::vector<std::uint64_t> data_references;
  std::vector<Operand> operands; ///< All operands that instructions address by distance.
  /// The reason why `data_references` may be incomplete; empty if it is complete.
  std::string doubt;

  /// Returns the functions, sorted by address.
  [[nodiscard]] const std::vector<CodeRange> &functions() const { return unwinding.functions; }
};

/// Decodes all functions whose bounds unwind information gives, each from its beginning. Code
/// between functions has no sites. Fails with bad_elf.
Result<Decoded> find_call_sites(const ElfFile &file);

} // namespace sartor::loader

#endif
