// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_CODE_H
#define SARTOR_RUNTIME_CODEMEM_CODE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/fold_report.hpp>
#include <sartor/remark.hpp>

#include "base/hash.h"
#include "core/cache/code_origin.h"

namespace sartor::runtime {

struct KeptRequest;

/// Machine code that is ready to run. The destructor releases its memory, so no thread may be
/// inside the code then.
class Code {
public:
  virtual ~Code() = default;
  [[nodiscard]] virtual void *entry() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// The instructions, with constants between them; empty if they are not known.
  [[nodiscard]] virtual std::span<const std::byte> text() const { return {}; }
  /// The memory that it occupies: whole pages, and the data that is kept about it elsewhere.
  [[nodiscard]] virtual std::size_t resident_bytes() const { return bytes(); }

  /// The numbers of the memory invariants that it depends on, sorted.
  std::vector<std::uint64_t> invariants;
  /// Settings that had no effect on it, and why.
  std::vector<Remark> remarks;
  FoldReport fold_report; ///< The use of invariant memory in it.
  core::CodeOrigin origin = core::CodeOrigin::compiled;
  bool from_stage = false;               ///< It was compiled from the code of an earlier stage.
  std::optional<base::ContentKey> asked; ///< See core::Draft::asked.
  std::shared_ptr<const KeptRequest> request; ///< Null if it was not to be kept.
};

} // namespace sartor::runtime

#endif
