// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_PYTHON_STRATEGY_H
#define SARTOR_PYTHON_PYTHON_STRATEGY_H

#include <memory>

#include "convert.h"

#include <nanobind/trampoline.h>

namespace sartor::python {

/// A class derived from sartor.Strategy in Python, as C++ sees it. Takes the interpreter's lock for
/// each call; may be called from any thread, one at a time. Throws what Python raises, as
/// nb::python_error; the explorer makes bad_strategy of it.
class PythonStrategy : public Strategy {
public:
  NB_TRAMPOLINE(Strategy);

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  [[nodiscard]] Decision best() const override;
  [[nodiscard]] std::size_t slices() const override;
};

/// A reference to a Python object that may be dropped by any thread.
std::shared_ptr<nb::object> keep(nb::object object);

/// Runs a strategy that belongs to Python: a C++ one at full speed.
class BorrowedStrategy : public Strategy {
public:
  /// `object` is a sartor.Strategy; throws nb::type_error if not. The interpreter's lock is held.
  explicit BorrowedStrategy(nb::object object);

  std::optional<Configuration> ask() override { return strategy_->ask(); }
  void tell(const Trial &trial) override { strategy_->tell(trial); }
  [[nodiscard]] Decision best() const override { return strategy_->best(); }
  [[nodiscard]] std::size_t slices() const override { return strategy_->slices(); }

private:
  std::shared_ptr<nb::object> object_;
  Strategy *strategy_; ///< Lives as long as object_.
};

} // namespace sartor::python

#endif
