// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_EXPLAIN_EXPLAIN_ALL_H
#define SARTOR_TOOLS_CLI_EXPLAIN_EXPLAIN_ALL_H

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/explain/explain.h"
#include "tools/cli/handlers_in.h"

namespace sartor::cli {

/// The part of a file to be explained, and the assumptions.
struct ExplainWish {
  std::string handler; ///< Empty for all.
  std::string label;   ///< Only this point, of handlers that reach it; empty for all.
  Configuration configuration;
  std::vector<std::string> maps; ///< `NAME=FILE`, as for read_map_dumps().
  Show show;
};

struct Explained {
  std::string text;
  std::string json;
  /// The reason why the runtime would not make one of the variants, or the kernel not accept it:
  /// such variants are explained like any other.
  std::optional<Failure> refused;
};

/// Explains all selected handlers. Fails with unknown_handler, unknown_label, and as reading
/// configurations and map dumps does.
Result<Explained> explain_all(const std::vector<Handlers> &all, const ExplainWish &wish);

} // namespace sartor::cli

#endif
