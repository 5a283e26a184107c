// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_PROGRAM_SIDE_H
#define SARTOR_TEST_FUZZ_PROGRAM_SIDE_H

#include <string>

#include "remote/protocol/connector.h"

namespace sartor::remote {

/// Makes all requests of a program to a compiler. Aborts if the program would accept an answer that
/// names something that was not in the request.
void ask_for_everything(Connector &connector, const std::string &bitcode);

} // namespace sartor::remote

#endif
