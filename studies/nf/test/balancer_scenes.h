// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_BALANCER_SCENES_H
#define SARTOR_TEST_STUDIES_NF_BALANCER_SCENES_H

#include <random>
#include <string>

#include "frames.h"
#include "packet.h"

namespace nf {

/// A frame of few clients to few services, or of few back ends.
Frame of_few(std::mt19937_64 &random, NfSide side);

/// A random configuration file that names these hosts.
std::string balancer_configuration(std::mt19937_64 &random);

} // namespace nf

#endif
