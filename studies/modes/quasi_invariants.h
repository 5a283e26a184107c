// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MODES_QUASI_INVARIANTS_H
#define MODES_QUASI_INVARIANTS_H

#include <map>
#include <string>

#include <sartor/sartor.hpp>

#include "modes.h"

namespace modes {

/// The folded builds' modes as quasi-invariants, and active code that depends on them: a single
/// thread, and a locale. musl/musl.sartor and grep/grep.sartor declare what may be folded; only the
/// program knows the objects.
class QuasiInvariants {
public:
  /// `file`: the file that fputc()'s code is specialized to.
  explicit QuasiInvariants(void *file);

  /// Compiles code for the current modes; returns when it is active. Throws sartor::Error, and
  /// std::runtime_error if a quasi-invariant does not become valid.
  void settle();

  [[nodiscard]] const sartor::QuasiInvariant &quasi_invariant(const std::string &name) const {
    return quasi_invariants_.at(name);
  }
  [[nodiscard]] const std::map<std::string, sartor::QuasiInvariant> &all() const {
    return quasi_invariants_;
  }

private:
  void declare(const std::string &name, const ModesMemory &memory);

  sartor::Configuration configuration_;
  sartor::Runtime runtime_;
  std::map<std::string, sartor::QuasiInvariant> quasi_invariants_;
};

} // namespace modes

#endif
