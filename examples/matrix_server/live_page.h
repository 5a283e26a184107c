// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_LIVE_PAGE_H
#define MATMUL_LIVE_PAGE_H

#include <filesystem>
#include <string>

#include <sys/types.h>

#include "process.h"

namespace matmul {

/// `sartor view` of a process: a page for browsers on this machine, while this object exists.
class LivePage {
public:
  /// Waits until the page is served, or `sartor view` has ended. `output`: a file for its messages.
  LivePage(pid_t watched, const std::filesystem::path &output);

  /// The page's address; empty if it is not served.
  [[nodiscard]] const std::string &address() const { return address_; }

private:
  Process viewer_;
  std::string address_;
};

/// Writes a page about an event log that works offline. Returns false if `sartor` cannot.
bool write_report(const std::filesystem::path &events, const std::filesystem::path &page,
                  const std::filesystem::path &output);

} // namespace matmul

#endif
