// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_TEMPLATES_H
#define SARTOR_RUNTIME_TEMPLATES_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <sartor/space.hpp>

#include "core/image/image.h"
#include "core/request/context.h"
#include "runtime/codemem/linker.h"

namespace sartor {

/// A template that a context can be filled into.
struct Fitting {
  core::Context context; ///< With holes for values.
  /// The values' bits, by label.
  std::map<std::string, std::uint64_t> values;
};

/// Nothing where a value is more than an operand, or something else is special.
std::optional<Fitting> fitting_template(const core::Context &context, const Space &space);

/// A template with values in it, under the variant's name: a copy and some stores, without any
/// compiler. `failure_counters`: the runtime's. Fails with what Linker::link() fails with.
Result<std::unique_ptr<runtime::Code>> fill(const core::Image &image, const std::string &name,
                                            const std::map<std::string, std::uint64_t> &values,
                                            std::uint64_t *failure_counters,
                                            runtime::Linker &linker);

/// Images with holes, by handler and labels: each is made once, when a variant of its kind has been
/// compiled; after that, another value is a copy and some stores. With the runtime's lock held.
class Templates {
public:
  using Image = std::shared_ptr<const core::Image>;

  /// Null if it has not been made, or cannot be.
  [[nodiscard]] Image find(const std::string &key) const;
  /// Whether it is to be made; from now on it is being made.
  bool begin(const std::string &key);
  /// Null where it could not be made.
  void insert(const std::string &key, Image image) { images_[key] = std::move(image); }

private:
  static constexpr std::size_t kMost = 256;

  std::map<std::string, Image> images_;
};

} // namespace sartor

#endif
