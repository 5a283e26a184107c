// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_POINT_PUBLISH_H
#define SARTOR_POINT_PUBLISH_H

#include <string>

#include "observe/result.h"
#include "space/published.h"

namespace sartor::point {

/// Gives what is static in a handler file a name. `content` is bitcode or LLVM's text, as
/// load_file() takes it. The names are hidden from other libraries, and no two files of different
/// content share one. Thread-local variables stay as they are. Fails with what read_module() fails
/// with.
Result<Published> publish(const std::string &name, const std::string &content);

} // namespace sartor::point

#endif
