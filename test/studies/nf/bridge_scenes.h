// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_BRIDGE_SCENES_H
#define SARTOR_TEST_STUDIES_NF_BRIDGE_SCENES_H

#include <random>
#include <string>

#include "frames.h"
#include "packet.h"

namespace nf {

/// Between few stations.
Frame between_few_stations(std::mt19937_64 &random, NfSide side);

/// A file by chance, in which those are named.
std::string bridge_configuration(std::mt19937_64 &random);

} // namespace nf

#endif
