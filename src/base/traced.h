// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_TRACED_H
#define SARTOR_BASE_TRACED_H

namespace sartor::base {

/// True if a debugger, strace or the like is attached to this process. Takes about ten
/// microseconds. Keeps errno.
bool is_traced() noexcept;

} // namespace sartor::base

#endif
