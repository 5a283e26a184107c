// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_PLACE_IMAGE_OF_H
#define SARTOR_TEST_PLACE_IMAGE_OF_H

#include <string>

#include "base/result.h"
#include "core/image/image.h"

namespace sartor::runtime {

/// The image of some IR for this machine, entered at a function of it. Throws where the text is
/// wrong.
Result<core::Image> try_image_of(const char *text, const std::string &entry);
core::Image image_of(const char *text, const std::string &entry);

} // namespace sartor::runtime

#endif
