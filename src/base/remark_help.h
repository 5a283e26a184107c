// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_REMARK_HELP_H
#define SARTOR_BASE_REMARK_HELP_H

#include <string>
#include <string_view>

#include <sartor/remark.hpp>

namespace sartor {

/// The same texts as in docs/reference/remarks.md.
struct RemarkHelp {
  std::string_view meaning; ///< One sentence.
  std::string_view fix;     ///< What to do.
};

RemarkHelp help_on(RemarkCode code);

/// Where the book explains the code and the reasons in its messages:
/// `docs/reference/remarks.md#argument_unused`.
std::string anchor_of(RemarkCode code);

} // namespace sartor

#endif
