// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_PASS_MANAGER_H
#define SARTOR_LOADER_LIB_PASS_PASS_MANAGER_H

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/loader/pass.h>

#include "base/result.h"

namespace sartor::loader {

/// The object that passes change: an image that can be restored to its state before a pass.
class PassTarget {
public:
  virtual ~PassTarget() = default;
  virtual sartor_prelink_image *image() = 0;
  virtual const sartor_prelink_operations &operations() = 0;
  /// Saves the state before a pass runs, and selects its options.
  virtual void begin(const std::string &pass) = 0;
  /// Restores the state at begin().
  virtual void undo() = 0;
  /// Returns the reason that a pass has given to `refuse`.
  [[nodiscard]] virtual std::optional<std::string> refusal() const = 0;
};

/// The result of a pass.
struct PassOutcome {
  std::string name;
  std::optional<Failure> failure; ///< bad_pass: it has failed, or has not run.

  bool operator==(const PassOutcome &) const = default;
};

/// Runs passes in the order given. A pass that fails, by an error text or an exception, is undone,
/// and passes that need it do not run; the others do. Fails with bad_pass if a pass refuses the
/// program, or if any fails and `strict` is set; then the image is not usable.
Result<std::vector<PassOutcome>>
run_passes(PassTarget &target, std::span<const sartor_pass *const> passes, bool strict);

} // namespace sartor::loader

#endif
