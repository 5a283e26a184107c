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
  /// What it is made from must outlive it, but for the components.
  Parts(Variants &variants, std::vector<Component> components, const Configuration &in_force,
        const ExplorerOptions &options, std::uint64_t seed);

  /// Goes on without waiting; true when all are done.
  bool look();

  /// What is best for each that calls could tell of, all together. Once done.
  [[nodiscard]] Configuration best() const;
  /// Those that calls could not tell of.
  [[nodiscard]] std::vector<Component> rest() const;

private:
  std::vector<std::unique_ptr<Part>> parts_;
};

} // namespace sartor

#endif
