// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_PLAIN_JIT_H
#define SARTOR_BENCH_PLAIN_JIT_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <sartor/module.h>

namespace sartor::bench {

/// Run-time specialization the plain way, as one would write it in an afternoon with LLVM's own
/// JIT: parse the module, replace the values at the points by constants, without guards, run the
/// default O3 pipeline for this machine, generate code, link. What Sartor's compile times are
/// compared with.
class PlainJit {
public:
  /// `module` must outlive this. Throws std::runtime_error with LLVM's words.
  explicit PlainJit(const sartor_module &module);
  ~PlainJit();

  /// The address of `function` in a fresh copy of the module, in which the points with the labels
  /// of `constants` have those values. Valid until the next call.
  void *compile(const std::string &function, const std::map<std::string, std::uint64_t> &constants);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace sartor::bench

#endif
