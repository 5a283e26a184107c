// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_PASS_MANAGER_H
#define SARTOR_LOADER_LIB_PASS_PASS_MANAGER_H

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/pass.h>

#include "base/result.h"

namespace sartor::loader {

/// What passes run over: an image that can go back to what it was before a pass.
class PassTarget {
public:
  virtual ~PassTarget() = default;
  virtual sartor_image *image() = 0;
  virtual const sartor_image_operations &operations() = 0;
  /// A pass is about to run: remembers what there is, and gives it its options.
  virtual void begin(const std::string &pass) = 0;
  /// Goes back to what there was at begin().
  virtual void undo() = 0;
  /// What a pass has called `refuse` with.
  [[nodiscard]] virtual std::optional<std::string> refusal() const = 0;
};

/// How it went with a pass.
struct PassOutcome {
  std::string name;
  std::optional<Failure> failure; ///< bad_pass: it has failed, or has not run.

  bool operator==(const PassOutcome &) const = default;
};

/// Runs passes in the order given. One that fails, by an error text or an exception, is undone, and
/// those that need it do not run; the others do. Fails with bad_pass if a pass refuses the program,
/// or if any fails and `strict` is set; then the image is of no use.
Result<std::vector<PassOutcome>>
run_passes(PassTarget &target, std::span<const sartor_pass *const> passes, bool strict);

} // namespace sartor::loader

#endif
