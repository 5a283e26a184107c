// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_CODE_H
#define SARTOR_RUNTIME_CODEMEM_CODE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sartor/folded.hpp>
#include <sartor/remark.hpp>

#include "core/cache/code_origin.h"

namespace sartor::runtime {

/// Machine code that is ready to run. Its memory is given back when this is destroyed, so nobody
/// may be inside any more.
class Code {
public:
  virtual ~Code() = default;
  [[nodiscard]] virtual void *entry() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// What it takes in memory: whole pages, and what is kept about it elsewhere.
  [[nodiscard]] virtual std::size_t resident_bytes() const { return bytes(); }

  /// Numbers of the promises about memory on which it leans, sorted.
  std::vector<std::uint64_t> promises;
  /// What was asked for and changed nothing in it, and why.
  std::vector<Remark> remarks;
  Folded folded; ///< What has become of promised memory in it.
  core::CodeOrigin origin = core::CodeOrigin::compiled;
  bool from_stage = false; ///< It was compiled from the code of an earlier stage.
};

} // namespace sartor::runtime

#endif
