// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_BUILD_STAMP_H
#define SARTOR_BASE_BUILD_STAMP_H

namespace sartor::base {

/// The version, and a hash of all sources and of how they were compiled. Each library has its own.
extern const char *const kBuildStamp;

} // namespace sartor::base

#endif
