// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/declared.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <sartor/invariant.hpp>
#include <sartor/quasi_invariant.hpp>

#include "engine/mutex.h"
#include "engine/pin.h"

namespace sartor::invariant {

namespace {

QuasiInvariantOptions options_of(const sartor_declared &row) {
  QuasiInvariantOptions options;
  const auto ask = [asked = row.asked](void *address, std::size_t size) {
    return asked(address, size) != 0;
  };
  if (row.answer == SARTOR_ANSWER_REFUSE)
    options.refuse = [](void *, std::size_t) { return true; };
  else if (row.answer == SARTOR_ANSWER_ASK_TO_REFUSE)
    options.refuse = ask;
  else if (row.answer == SARTOR_ANSWER_ASK_TO_REINFORCE)
    options.reinforce = ask;
  return options;
}

} // namespace

class Declared {
public:
  void add(const sartor_declared &row) {
    if (row.kind == SARTOR_DECLARED_STATIC) {
      promises_.emplace_back(row.variable, row.size);
      return;
    }
    facts_.emplace_back(row.name, options_of(row));
    facts_.back().add(row.variable, row.size);
  }

private:
  std::vector<Invariant> promises_;
  std::vector<QuasiInvariant> facts_;
};

namespace {

using Rows = std::pair<const sartor_declared *, const sartor_declared *>;

struct All {
  engine::Mutex mutex;
  std::vector<Rows> rows;
  std::weak_ptr<Declared> held;
};

All &all() {
  static auto *instance = new All; // constructors of any library tell of their rows
  return *instance;
}

void add_rows(Declared &to, const Rows &rows) {
  for (const sartor_declared *row = rows.first; row != rows.second; ++row)
    to.add(*row);
}

} // namespace

void add_declared(const sartor_declared *begin, const sartor_declared *end) {
  All &known = all();
  const std::lock_guard lock(known.mutex);
  if (std::ranges::find(known.rows, begin, &Rows::first) != known.rows.end())
    return; // by the constructor of another file
  engine::pin_library_of(begin);
  known.rows.emplace_back(begin, end);
  if (const auto held = known.held.lock())
    add_rows(*held, known.rows.back());
}

std::shared_ptr<const Declared> hold_declared() {
  All &known = all();
  const std::lock_guard lock(known.mutex);
  auto held = known.held.lock();
  if (held)
    return held;
  held = std::make_shared<Declared>();
  for (const Rows &rows : known.rows)
    add_rows(*held, rows);
  known.held = held;
  return held;
}

} // namespace sartor::invariant

extern "C" void sartor_register_declared(const sartor_declared *begin, const sartor_declared *end) {
  sartor::invariant::add_declared(begin, end);
}
