// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_FUSED_TABLE_H
#define READ_FUSED_TABLE_H

#include <ostream>

namespace files {

/// Writes the times of programs that read from two mounts of the same image, generic and
/// specialized; or the reason why nothing can be mounted. Throws std::runtime_error, also if a
/// program reads wrong data.
void write_fused(std::ostream &tables);

} // namespace files

#endif
