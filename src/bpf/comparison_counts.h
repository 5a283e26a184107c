// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_COMPARISON_COUNTS_H
#define SARTOR_BPF_COMPARISON_COUNTS_H

#include <cstdint>
#include <map>
#include <string>

#include <sartor/bpf/runtime.hpp>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "bpf/variant.h"
#include "runtime/control/controlled.h"

namespace sartor::bpf {

/// Counts the comparisons of a BPF runtime's variants with the generic programs, for the status and
/// the metrics of the process. Thread-safe.
class ComparisonCounts final : public ControlledKernelHandlers {
public:
  ComparisonCounts();
  ~ComparisonCounts() override;
  ComparisonCounts(const ComparisonCounts &) = delete;
  ComparisonCounts &operator=(const ComparisonCounts &) = delete;

  /// The result of comparing a variant of the handler. Not counted if nothing is to be compared.
  void add(const std::string &handler, const Result<Comparison> &compared);
  [[nodiscard]] nlohmann::ordered_json status() override;

private:
  struct OfHandler {
    std::uint64_t variants = 0; ///< Compared, and attached or about to be.
    std::uint64_t packets = 0;
    std::uint64_t differences = 0;
    std::map<BpfNotCompared, std::uint64_t> not_compared;
  };

  base::Mutex mutex_;
  std::map<std::string, OfHandler> handlers_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor::bpf

#endif
