// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_EXPLAIN_ALL_H
#define SARTOR_TOOLS_CLI_EXPLAIN_ALL_H

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/explain.h"
#include "tools/cli/handlers_in.h"

namespace sartor::cli {

/// What of a file is to be explained, and under what.
struct ExplainWish {
  std::string handler; ///< Empty: all.
  std::string label;   ///< Only this point, of handlers that reach it; empty: all.
  Configuration configuration;
  std::vector<std::string> maps; ///< `NAME=FILE`, as read_map_dumps() takes them.
  Show show;
};

struct Explained {
  std::string text;
  std::string json;
  /// Why the runtime would not make one of the variants, or the kernel not take it: they are
  /// explained like any other.
  std::optional<Failure> refused;
};

/// Tells of all handlers that are meant. Fails with unknown_handler, unknown_label, and as
/// configurations and dumps of maps are wrong.
Result<Explained> explain_all(const std::vector<Handlers> &all, const ExplainWish &wish);

} // namespace sartor::cli

#endif
