// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_TEMPLATES_H
#define SARTOR_RUNTIME_TEMPLATES_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <sartor/space.hpp>

#include "core/image/code_image.h"
#include "core/request/context.h"
#include "runtime/codemem/linker.h"

namespace sartor {

/// A template that can be filled to make the code of a context.
struct Fitting {
  core::Context context; ///< The context with holes for values.
  /// The values' bits, by label.
  std::map<std::string, std::uint64_t> values;
};

/// Returns nullopt if a value is more than an operand, or the context has other properties that a
/// template cannot express.
std::optional<Fitting> fitting_template(const core::Context &context, const Space &space);

/// Fills values into a template, under the variant's name: a copy and some stores, without a
/// compiler. `failure_counters` are the runtime's. Fails as Linker::link() does.
Result<std::unique_ptr<runtime::Code>> fill(const core::CodeImage &image, const std::string &name,
                                            const std::map<std::string, std::uint64_t> &values,
                                            std::uint64_t *failure_counters,
                                            runtime::Linker &linker);

/// Images with holes, by handler and labels. Each is made once, when a variant of its kind has been
/// compiled; after that, another value takes a copy and some stores. The runtime's lock must be
/// held.
class Templates {
public:
  using CodeImage = std::shared_ptr<const core::CodeImage>;

  /// Returns null if it has not been made, or cannot be.
  [[nodiscard]] CodeImage find(const std::string &key) const;
  /// Returns whether it is to be made; from now on it is being made.
  bool begin(const std::string &key);
  /// `image` is null if it could not be made.
  void insert(const std::string &key, CodeImage image) { images_[key] = std::move(image); }

private:
  static constexpr std::size_t kMost = 256;

  std::map<std::string, CodeImage> images_;
};

} // namespace sartor

#endif
