// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/call_frame.h"

namespace sartor::loader::unwind {

namespace {

constexpr unsigned instruction_pointer = 16; ///< Number of the register.

// Operations of expressions (DWARF 5, section 7.7.1).
enum Operation : std::uint8_t {
  op_deref = 0x06,
  op_const1u = 0x08,
  op_const8s = 0x0f,
  op_constu = 0x10,
  op_consts = 0x11,
  op_dup = 0x12,
  op_pick = 0x15,
  op_xor = 0x27,
  op_plus_uconst = 0x23,
  op_eq = 0x29,
  op_ne = 0x2e,
  op_lit0 = 0x30,
  op_lit31 = 0x4f,
  op_breg0 = 0x70,
  op_breg31 = 0x8f,
};

bool is_independent_expression(Cursor expression) {
  while (!expression.is_at_end()) {
    const unsigned operation = expression.read<std::uint8_t>();
    if (operation >= op_const1u && operation <= op_const8s)
      expression.skip(std::uint64_t{1} << ((operation - op_const1u) / 2));
    else if (operation == op_constu || operation == op_plus_uconst)
      expression.read_uleb128();
    else if (operation == op_consts)
      expression.read_sleb128();
    else if (operation == op_pick)
      expression.skip(1);
    else if (operation >= op_breg0 && operation <= op_breg31) {
      if (operation == op_breg0 + instruction_pointer)
        return false;
      expression.read_sleb128();
    } else if (operation != op_deref && (operation < op_dup || operation > op_xor) &&
               (operation < op_eq || operation > op_ne) &&
               (operation < op_lit0 || operation > op_lit31))
      return false;
  }
  return true;
}

/// Skips the operands of an instruction; returns false if it depends on the position, or is
/// unknown.
bool skip_operands(Cursor &at, unsigned instruction) {
  const auto numbers = [&](int count) {
    for (int i = 0; i < count; ++i)
      at.read_uleb128(); // signed numbers have the same length
    return true;
  };
  switch (instruction) {
  case 0x00: // DW_CFA_nop
  case 0x0a: // DW_CFA_remember_state
  case 0x0b: // DW_CFA_restore_state
    return true;
  case 0x02: // DW_CFA_advance_loc1, 2, 4
  case 0x03:
  case 0x04:
    at.skip(std::uint64_t{1} << (instruction - 0x02));
    return true;
  case 0x06: // DW_CFA_restore_extended
  case 0x07: // DW_CFA_undefined
  case 0x08: // DW_CFA_same_value
  case 0x0d: // DW_CFA_def_cfa_register
  case 0x0e: // DW_CFA_def_cfa_offset
  case 0x13: // DW_CFA_def_cfa_offset_sf
  case 0x2e: // DW_CFA_GNU_args_size
    return numbers(1);
  case 0x05: // DW_CFA_offset_extended
  case 0x09: // DW_CFA_register
  case 0x0c: // DW_CFA_def_cfa
  case 0x11: // DW_CFA_offset_extended_sf
  case 0x12: // DW_CFA_def_cfa_sf
  case 0x14: // DW_CFA_val_offset
  case 0x15: // DW_CFA_val_offset_sf
    return numbers(2);
  case 0x10: // DW_CFA_expression
  case 0x16: // DW_CFA_val_expression
    at.read_uleb128();
    [[fallthrough]];
  case 0x0f: // DW_CFA_def_cfa_expression
    return is_independent_expression(at.part(at.read_uleb128()));
  default:
    return false;
  }
}

} // namespace

bool is_independent_of_position(Cursor instructions) {
  constexpr unsigned kind = 0xc0, advance = 0x40, offset = 0x80, restore = 0xc0;
  while (!instructions.is_at_end()) {
    const unsigned instruction = instructions.read<std::uint8_t>();
    switch (instruction & kind) {
    case advance:
    case restore:
      break;
    case offset:
      instructions.read_uleb128();
      break;
    default:
      if (!skip_operands(instructions, instruction))
        return false;
    }
  }
  return true;
}

} // namespace sartor::loader::unwind
