// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_PAGE_H
#define SARTOR_TOOLS_VIEW_PAGE_H

#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace sartor::view {

/// The page (src/tools/view/page) without data. Data are `<script>` elements of a type that
/// browsers do not run, between head() and tail().
class Page {
public:
  /// Whom the page may connect to.
  enum class Connect : bool { to_no_one, to_its_server };

  /// Reads `share/sartor/page.html` of the installation. Fails with file_error if it was not built.
  static Result<Page> read(Connect connect);

  [[nodiscard]] const std::string &head() const { return head_; }
  [[nodiscard]] const std::string &tail() const { return tail_; }
  /// The content security policy, for the header of an answer.
  [[nodiscard]] std::string policy() const;

private:
  std::string head_;
  std::string tail_;
};

/// Returns an element with JSON that dump_for_html() has made.
std::string data_element(const std::string &attributes, const std::string &json);

} // namespace sartor::view

#endif
