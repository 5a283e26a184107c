// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_OPEN_SECTIONS_H
#define SARTOR_BASE_OPEN_SECTIONS_H

#include <sartor/read_section.hpp>

namespace sartor::base {

/// The read sections that the calling thread is in at construction, at least one.
class OpenSections {
public:
  OpenSections();
  /// Ends the sections that have begun since, in code that will not continue. Must be called on the
  /// same thread.
  void restore() const;

private:
  detail::Reader reader_;
};

} // namespace sartor::base

#endif
