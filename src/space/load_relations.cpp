// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reads relations is loaded with the first of them: few programs have any, and each that is
// linked with muParser takes a megabyte of memory and a sixth of a millisecond more to start.
#include "space/relation_library.h"

namespace sartor::detail {

Result<std::unique_ptr<const Rule>> read_relation(const std::string &text,
                                                  const Rules::Labels &labels) {
  const auto shown = engine::load_own_library(
      kRelationLibrary, kRelationSymbol, std::nullopt, ErrorCode::bad_constraint,
      "install the one of this build of Sartor beside libsartor.so, or forbid combinations instead "
      "of giving relations");
  if (!shown)
    return std::unexpected(shown.error());
  return static_cast<const RelationLibrary *>(*shown)->read(text, labels);
}

} // namespace sartor::detail
