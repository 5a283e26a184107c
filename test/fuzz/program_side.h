// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_PROGRAM_SIDE_H
#define SARTOR_TEST_FUZZ_PROGRAM_SIDE_H

#include <string>

#include "remote/protocol/connector.h"

namespace sartor::remote {

/// Asks a compiler for everything that a program asks for. Aborts where the program would act on
/// an answer that names what was not in the question.
void ask_for_everything(Connector &connector, const std::string &bitcode);

} // namespace sartor::remote

#endif
