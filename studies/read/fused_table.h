// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_FUSED_TABLE_H
#define READ_FUSED_TABLE_H

#include <ostream>

namespace files {

/// Times of programs that read from two mounts of the same image, generic and specialized; or why
/// nothing can be mounted. Throws std::runtime_error, also if a program reads anything else than
/// what is there.
void write_fused(std::ostream &tables);

} // namespace files

#endif
