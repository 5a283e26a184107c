// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_PLACE_IMAGE_OF_H
#define SARTOR_TEST_PLACE_IMAGE_OF_H

#include <string>

#include "image/image.h"
#include "observe/result.h"

namespace sartor::place {

/// The image of some IR for this machine, entered at a function of it. Throws where the text is
/// wrong.
Result<image::Image> try_image_of(const char *text, const std::string &entry);
image::Image image_of(const char *text, const std::string &entry);

} // namespace sartor::place

#endif
