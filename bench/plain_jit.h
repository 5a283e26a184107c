// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_PLAIN_JIT_H
#define SARTOR_BENCH_PLAIN_JIT_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <sartor/module.h>

namespace sartor::bench {

/// Run-time specialization with LLVM's own JIT, as one would write it in an afternoon: parse the
/// module, replace the values at the points by constants, without guards, run the default O3
/// pipeline for this machine, generate code, link. Sartor's compile times are compared with it.
class PlainJit {
public:
  /// `module` must outlive this object. Throws std::runtime_error with LLVM's message.
  explicit PlainJit(const sartor_module &module);
  ~PlainJit();

  /// Returns the address of `function` in a new copy of the module, in which the points with the
  /// labels of `constants` have those values. Valid until the next call.
  void *compile(const std::string &function, const std::map<std::string, std::uint64_t> &constants);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace sartor::bench

#endif
