// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that Sartor adds to objects for the kernel.
#ifndef SARTOR_CORE_REQUEST_KERNEL_NAMES_H
#define SARTOR_CORE_REQUEST_KERNEL_NAMES_H

namespace sartor::core {

/// A variant's own variables: a map that no other object has.
constexpr const char *kKernelSection = ".data.sartor";
/// One of them: the counts of failed guards, an array of i64 in the order of the space.
constexpr const char *kKernelFailureCounters = "sartor_guard_failures";

/// Variables of all objects made from one source: for each map that is marked SARTOR_READ_MOSTLY an
/// i64, which every writer of the map increments before and after a change.
constexpr const char *kVersionSection = ".data.sartor_versions";
constexpr const char *kVersionPrefix = "sartor_version_";

} // namespace sartor::core

#endif
