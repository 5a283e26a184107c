// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_CALL_FRAME_H
#define SARTOR_LOADER_LIB_FILE_CALL_FRAME_H

#include "loader/lib/file/unwind_cursor.h"

namespace sartor::loader::unwind {

/// True if call frame instructions mean the same for a copy of the function elsewhere: they contain
/// no addresses and do not compute with the instruction pointer. (DWARF 5, section 6.4.2.) Throws
/// CutOff.
bool is_independent_of_position(Cursor instructions);

} // namespace sartor::loader::unwind

#endif
