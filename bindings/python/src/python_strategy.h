// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_PYTHON_STRATEGY_H
#define SARTOR_PYTHON_PYTHON_STRATEGY_H

#include <memory>

#include "convert.h"

#include <nanobind/trampoline.h>

namespace sartor::python {

/// C++ interface of a class derived from sartor.Strategy in Python. Acquires the GIL for each call;
/// may be called from any thread, by one at a time. Throws exceptions raised by Python as
/// nb::python_error; the explorer converts them to bad_strategy.
class PythonStrategy : public Strategy {
public:
#if NB_VERSION_MAJOR < 3
  NB_TRAMPOLINE(Strategy, 4); // four functions
#else
  NB_TRAMPOLINE(Strategy);
#endif

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  [[nodiscard]] Decision best() const override;
  [[nodiscard]] std::size_t sample_count() const override;
};

/// A reference to a Python object that may be dropped by any thread.
std::shared_ptr<nb::object> keep(nb::object object);

/// Runs a strategy that belongs to Python; one written in C++ runs without the GIL.
class BorrowedStrategy : public Strategy {
public:
  /// `object` is a sartor.Strategy; throws nb::type_error if not. Requires the GIL.
  explicit BorrowedStrategy(nb::object object);

  std::optional<Configuration> ask() override { return strategy_->ask(); }
  void tell(const Trial &trial) override { strategy_->tell(trial); }
  [[nodiscard]] Decision best() const override { return strategy_->best(); }
  [[nodiscard]] std::size_t sample_count() const override { return strategy_->sample_count(); }

private:
  std::shared_ptr<nb::object> object_;
  Strategy *strategy_; ///< Valid as long as object_.
};

} // namespace sartor::python

#endif
