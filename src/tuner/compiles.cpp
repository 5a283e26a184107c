// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/compiles.h"

#include <algorithm>

#include "tuner/limits.h"

namespace sartor {

bool Compiles::has_room() const { return making_.size() < limits::compiled_at_a_time; }

void Compiles::cannot(const Configuration &configuration, const Error &why) {
  trials_.failed(configuration, why.what());
  usable_[configuration] = false;
}

void Compiles::begin(const Configuration &configuration) {
  try {
    making_.push_back({configuration, variants_.prepare(configuration), variants_.compile_clock()});
  } catch (const Error &error) {
    cannot(configuration, error);
  }
}

bool Compiles::take_done(std::vector<Configuration> &ready, CompileOrder &order) {
  const auto is_over = [&](Making &each) {
    try {
      if (!each.is_done())
        return false;
      usable_[each.configuration] = true;
      ready.push_back(each.configuration);
    } catch (const Error &error) {
      cannot(each.configuration, error);
    }
    // Time spent waiting for an earlier compilation does not count.
    const auto now = variants_.compile_clock();
    const std::chrono::duration<double> took = now - std::max(each.began, last_done_);
    order.took(each.configuration, took.count());
    last_done_ = now;
    return true;
  };
  return std::erase_if(making_, is_over) > 0;
}

} // namespace sartor
