// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_ANALYSIS_COMPARABLE_H
#define SARTOR_COMPILER_FRONTEND_ANALYSIS_COMPARABLE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include "core/compiler/comparability.h"
#include "core/space/module.h"

namespace sartor::compiler {

/// The decision how calls of a handler can be compared, made on a copy of its generic code.
class Comparable {
public:
  /// `module` is the one that the handler belongs to.
  Comparable(llvm::Function &handler, const core::HandlerModule &module);
  ~Comparable();
  Comparable(const Comparable &) = delete;
  Comparable &operator=(const Comparable &) = delete;

  [[nodiscard]] const core::Comparability &comparability() const { return comparability_; }

  /// Memory that a call changes, behind a pointer parameter.
  struct Region {
    unsigned parameter;
    std::uint32_t inexact_floats; ///< As in core::RegionForm.
  };
  /// Empty unless calls are compared by what they write.
  [[nodiscard]] const std::vector<Region> &regions() const { return regions_; }
  /// Generates the offsets of the begin and the end of a region from its pointer, of 64 bits.
  /// `argument` returns the value of a scalar argument.
  std::pair<llvm::Value *, llvm::Value *>
  emit_extent(std::size_t region, llvm::IRBuilder<> &builder,
              const std::function<llvm::Value *(unsigned)> &argument) const;

  /// The size of the result's floating-point numbers, if their last bits may differ; or 0.
  [[nodiscard]] std::uint32_t inexact_floats() const { return inexact_floats_; }
  /// The bits of the result that are defined; empty if all are.
  [[nodiscard]] const std::vector<unsigned char> &result_mask() const { return result_mask_; }

private:
  class Extents;

  void decide(llvm::Function &handler, bool returns_object);
  /// For a handler whose native code has a sanitizer's checks.
  void restrict_to_process(llvm::Function &handler);
  /// `at`: the instruction that is the reason; null if it is the handler as a whole.
  void set(core::Comparison how, std::string reason, const llvm::Function &handler,
           const llvm::Instruction *at = nullptr);
  /// Calls are not compared.
  void exclude(core::NotCompared code, std::string reason, const llvm::Function &handler,
               const llvm::Instruction *at = nullptr);

  core::Comparability comparability_;
  std::vector<Region> regions_;
  std::uint32_t inexact_floats_ = 0;
  std::vector<unsigned char> result_mask_;
  std::unique_ptr<Extents> extents_; ///< Null unless they are needed.
};

} // namespace sartor::compiler

#endif
