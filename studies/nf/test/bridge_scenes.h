// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_BRIDGE_SCENES_H
#define SARTOR_TEST_STUDIES_NF_BRIDGE_SCENES_H

#include <random>
#include <string>

#include "frames.h"
#include "packet.h"

namespace nf {

/// A frame between few stations.
Frame between_few_stations(std::mt19937_64 &random, NfSide side);

/// A random configuration file that names these stations.
std::string bridge_configuration(std::mt19937_64 &random);

} // namespace nf

#endif
