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

/// An instruction that leads elsewhere through a slot: a word of the global offset table, which the
/// stock loader fills with the address of a function or a variable.
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
  std::uint32_t relocation; ///< Which fills the slot: index into ElfFile::relocations().
  Kind kind;
  std::uint8_t size; ///< In bytes.

  bool operator==(const CallSite &) const = default;
};

const char *to_string(CallSite::Kind kind);

/// What decoding a file has shown.
struct Decoded {
  std::vector<CallSite> sites; ///< In the order of their addresses.
  Unwinding unwinding;
  std::size_t instructions = 0;
  /// Functions in which something is no instruction. Nothing in them is a site.
  std::vector<CodeRange> undecoded;
  /// Where the displacement (32 bits, relative to the instruction's end) of each operand lies that
  /// is in writable memory; of code between functions, too.
  std::vector<std::uint64_t> data_references;
  std::vector<Operand> operands; ///< All that instructions refer to by its distance.
  /// What keeps `data_references` from being all that there are; empty if nothing does.
  std::string doubt;

  /// In order.
  [[nodiscard]] const std::vector<CodeRange> &functions() const { return unwinding.functions; }
};

/// Decodes all functions whose bounds unwind information tells, each from its beginning. In what
/// lies between functions there are no sites. Fails with bad_elf.
Result<Decoded> find_call_sites(const ElfFile &file);

} // namespace sartor::loader

#endif
