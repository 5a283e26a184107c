// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_BUILD_STAMP_H
#define SARTOR_BASE_BUILD_STAMP_H

namespace sartor::base {

/// The version, and a hash of all sources and compile options. Each library has its own.
extern const char *const kBuildStamp;

} // namespace sartor::base

#endif
