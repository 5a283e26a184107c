// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_POLICER_CONTROL_H
#define SARTOR_STUDY_NF_POLICER_CONTROL_H

#include "functions.h"
#include "policer.h"

namespace nf {

extern const Function policer_function;

/// Parses a table of a configuration file:
///
///     [[policer.class]]              # the first match applies
///     destinations = "10.0.0.0/24"
///     rate = 125_000                 # bytes per second
///     burst = 15_000                 # bytes
///
/// Throws BadConfiguration.
PolicerConfig policer_config_of(const toml::table &table);

/// Returns whether a bucket is full according to the active configuration, so that it can be
/// removed. `now` points to a time in ns.
int policer_bucket_is_over(const PolicerKey *key, const PolicerBucket *value, void *now);

} // namespace nf

#endif
