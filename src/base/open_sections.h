// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_OPEN_SECTIONS_H
#define SARTOR_BASE_OPEN_SECTIONS_H

#include <sartor/read_section.hpp>

namespace sartor::base {

/// The read sections that the calling thread is in when this is made, at least one.
class OpenSections {
public:
  OpenSections();
  /// Ends those that have begun since, in code that will not go on. On the same thread.
  void restore() const;

private:
  detail::Reader reader_;
};

} // namespace sartor::base

#endif
