// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_POLICER_SCENES_H
#define SARTOR_TEST_STUDIES_NF_POLICER_SCENES_H

#include <random>
#include <string>

#include "frames.h"
#include "packet.h"

namespace nf {

/// To few hosts.
Frame to_few_hosts(std::mt19937_64 &random, NfSide side);

/// A file by chance, with classes for some of them.
std::string policer_configuration(std::mt19937_64 &random);

} // namespace nf

#endif
