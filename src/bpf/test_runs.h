// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_TEST_RUNS_H
#define SARTOR_BPF_TEST_RUNS_H

#include <optional>
#include <string>

#include <bpf/libbpf.h>

#include "base/result.h"
#include "bpf/object.h"
#include "bpf/variant.h"
#include "core/image/code_image.h"
#include "core/request/context.h"

namespace sartor::bpf {

/// Compares variants with the generic programs of an object in test runs (BPF_PROG_TEST_RUN).
/// Neither touches the maps of the live programs: the object is loaded once more, with maps of its
/// own, which get the content of the live ones before each run.
///
/// Verdicts, packets, fields of the context and the content of maps are compared. Events, local
/// storage, nested maps, and maps that drop the least recently used entry are not; programs that
/// are called by tail calls do not run.
class TestRuns {
public:
  /// `live` is made of these bytes, and must stay loaded.
  TestRuns(std::string bytes, const BpfOptions &options, const bpf_object &live)
      : bytes_(std::move(bytes)), options_(options), live_(live) {}

  /// Fails with quarantined if the variant differs: in three attempts for the same packet, or in
  /// the same map, while the generic program agrees with itself.
  [[nodiscard]] Result<Comparison> compare(const core::CodeImage &image,
                                           const core::Context &context, unsigned points);

private:
  /// The copy of the object; null if there cannot be one.
  const Object *copy();

  const std::string bytes_;
  const BpfOptions &options_;
  const bpf_object &live_;
  std::optional<Object> copy_;
  bool is_refused_ = false; ///< There cannot be a copy.
};

} // namespace sartor::bpf

#endif
