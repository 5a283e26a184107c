// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What objects for the kernel have besides what their source has.
#ifndef SARTOR_CORE_REQUEST_KERNEL_NAMES_H
#define SARTOR_CORE_REQUEST_KERNEL_NAMES_H

namespace sartor::core {

/// Variables of a variant's own: a map of its object's, which no other object has.
constexpr const char *kKernelSection = ".data.sartor";
/// Among them: how often guards have failed, an array of i64 in the order of the space.
constexpr const char *kKernelFailureCounters = "sartor_guard_failures";

/// Variables of all objects made of one source: for each map that is marked SARTOR_READ_MOSTLY an
/// i64, which who changes the map increments before and after.
constexpr const char *kVersionSection = ".data.sartor_versions";
constexpr const char *kVersionPrefix = "sartor_version_";

} // namespace sartor::core

#endif
