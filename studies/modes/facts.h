// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MODES_FACTS_H
#define MODES_FACTS_H

#include <map>
#include <string>

#include <sartor/sartor.hpp>

#include "modes.h"

namespace modes {

/// The folded builds' modes as facts, and code in force that leans on them: on one thread, and on a
/// locale. What may be folded is declared in musl/musl.sartor and grep/grep.sartor; which objects
/// there are, only the program knows.
class Facts {
public:
  /// `file`: the one that is written to, which fputc()'s code is made for.
  explicit Facts(void *file);

  /// Has code made for what holds now, and returns when it is in force. Throws sartor::Error, and
  /// std::runtime_error where a fact does not come to hold.
  void settle();

  [[nodiscard]] const sartor::QuasiInvariant &fact(const std::string &name) const {
    return facts_.at(name);
  }
  [[nodiscard]] const std::map<std::string, sartor::QuasiInvariant> &all() const { return facts_; }

private:
  void declare(const std::string &name, const modes_memory &memory);

  sartor::Configuration configuration_;
  sartor::Runtime runtime_;
  std::map<std::string, sartor::QuasiInvariant> facts_;
};

} // namespace modes

#endif
