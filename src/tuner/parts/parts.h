// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PARTS_PARTS_H
#define SARTOR_TUNER_PARTS_PARTS_H

#include <cstdint>
#include <memory>
#include <vector>

#include "tuner/parts/part.h"

namespace sartor {

/// All the components of a space, explored at the same time, each by the calls of its handlers. For
/// use by one thread.
class Parts {
public:
  /// The arguments other than the components must outlive this object.
  Parts(Variants &variants, std::vector<Component> components, const Configuration &active,
        const ExplorerOptions &options, std::uint64_t seed);

  /// Advances without waiting; true when all are done.
  bool look();

  /// The best settings of all components that calls could decide. Requires that all are done.
  [[nodiscard]] Configuration best() const;
  /// The components that calls could not decide.
  [[nodiscard]] std::vector<Component> rest() const;

private:
  std::vector<std::unique_ptr<Part>> parts_;
};

} // namespace sartor

#endif
