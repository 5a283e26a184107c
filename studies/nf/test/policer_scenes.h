// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_POLICER_SCENES_H
#define SARTOR_TEST_STUDIES_NF_POLICER_SCENES_H

#include <random>
#include <string>

#include "frames.h"
#include "packet.h"

namespace nf {

/// A frame to one of few hosts.
Frame to_few_hosts(std::mt19937_64 &random, NfSide side);

/// A random configuration file with classes for some of these hosts.
std::string policer_configuration(std::mt19937_64 &random);

} // namespace nf

#endif
