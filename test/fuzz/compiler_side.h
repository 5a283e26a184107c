// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_COMPILER_SIDE_H
#define SARTOR_TEST_FUZZ_COMPILER_SIDE_H

#include "fuzz/conversation.h"

namespace sartor::remote {

/// Reads the client's frames as a compiler does before it begins to compile, against the last
/// module received. Aborts if it accepts a frame that does not fit that module.
void hear_as_compiler(const Conversation &conversation);

} // namespace sartor::remote

#endif
