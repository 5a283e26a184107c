// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_METRICS_HPP
#define SARTOR_METRICS_HPP

#include <string>

namespace sartor {

/// The counters of all runtimes, explorers and quasi-invariants of this process as OpenMetrics
/// text: for a program's own metrics endpoint, with the content type `application/openmetrics-text;
/// version=1.0.0; charset=utf-8`. Names begin with `sartor_`; the reference page "Metrics" lists
/// them. Thread-safe. Takes the locks of all runtimes for a moment. Throws only std::bad_alloc.
std::string metrics();

} // namespace sartor

#endif
