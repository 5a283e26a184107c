// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_LD_APPS_H
#define SARTOR_BENCH_LD_APPS_H

#include <functional>
#include <string>
#include <vector>

#include "ld.h"

namespace sartor::bench {

/// A program with fixed work.
struct App {
  std::string name;
  /// Does the work, with the program started that way; returns its CPU time.
  std::function<double(const Way &)> cpu_milliseconds;
};

/// Returns the apps whose programs are installed; their input is written into `place`, which must
/// outlive them.
std::vector<App> prepare_apps(const Place &place);

} // namespace sartor::bench

#endif
