// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/declared.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <sartor/invariant.hpp>
#include <sartor/quasi_invariant.hpp>

#include "base/pin.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/space/nearest.h"
#include "runtime/assumptions/quasi_invariants.h"

namespace sartor::runtime {

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
    const auto *part = static_cast<const char *>(row.variable) + row.offset;
    if (row.kind == SARTOR_DECLARED_INVARIANT) {
      invariants_.emplace_back().add_part(row.variable, row.variable_size, part, row.size);
      return;
    }
    quasi_invariants_.emplace_back(row.name, options_of(row));
    quasi_invariants_.back().add_part(row.variable, row.variable_size, part, row.size);
  }

  /// Returns null if no quasi-invariant has that name.
  [[nodiscard]] const QuasiInvariant *find(std::string_view name) const {
    const auto found = std::ranges::find(quasi_invariants_, name, &QuasiInvariant::name);
    return found == quasi_invariants_.end() ? nullptr : &*found;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const QuasiInvariant &quasi_invariant : quasi_invariants_)
      names.push_back(quasi_invariant.name());
    return names;
  }

private:
  std::vector<Invariant> invariants_;
  std::deque<QuasiInvariant> quasi_invariants_; ///< A deque: pointers to its elements stay valid.
};

namespace {

using Rows = std::pair<const sartor_declared *, const sartor_declared *>;

struct All {
  base::Mutex mutex;
  std::vector<Rows> rows SARTOR_GUARDED_BY(mutex);
  std::weak_ptr<Declared> held SARTOR_GUARDED_BY(mutex);
};

All &all() {
  static auto *instance = new All; // never destroyed: constructors of any library add their rows
  return *instance;
}

void add_rows(Declared &to, const Rows &rows) {
  for (const sartor_declared *row = rows.first; row != rows.second; ++row)
    to.add(*row);
}

} // namespace

void add_declared(const sartor_declared *begin, const sartor_declared *end) {
  All &known = all();
  // Destroyed after the lock: its quasi-invariants may wait for threads.
  std::shared_ptr<Declared> held;
  const base::MutexLock lock(known.mutex);
  if (std::ranges::find(known.rows, begin, &Rows::first) != known.rows.end())
    return; // already added by the constructor of another file
  base::pin_library_of(begin);
  known.rows.emplace_back(begin, end);
  held = known.held.lock();
  if (held)
    add_rows(*held, known.rows.back());
}

namespace {

std::shared_ptr<Declared> held_by_now(All &known) SARTOR_REQUIRES(known.mutex) {
  auto held = known.held.lock();
  if (held)
    return held;
  held = std::make_shared<Declared>();
  for (const Rows &rows : known.rows)
    add_rows(*held, rows);
  known.held = held;
  return held;
}

} // namespace

std::shared_ptr<const Declared> hold_declared() {
  (void)QuasiInvariants::instance(); // creates the resident, which must be added while no lock is
                                     // held
  const base::MutexLock lock(all().mutex);
  return held_by_now(all());
}

Result<std::shared_ptr<const QuasiInvariant>> find_declared(std::string_view name) {
  // Destroyed after the lock: its quasi-invariants may wait for threads.
  std::shared_ptr<Declared> held;
  (void)QuasiInvariants::instance(); // as in hold_declared()
  const base::MutexLock lock(all().mutex);
  held = held_by_now(all());
  if (const QuasiInvariant *quasi_invariant = held->find(name))
    return std::shared_ptr<const QuasiInvariant>(held, quasi_invariant);
  return std::unexpected(Failure{ErrorCode::bad_invariant, std::string(name),
                                 "is no quasi-invariant of a declarations file",
                                 nearest_names(name, held->names())});
}

} // namespace sartor::runtime

std::shared_ptr<const sartor::QuasiInvariant>
sartor::declared_quasi_invariant(std::string_view name) {
  return or_throw(runtime::find_declared(name));
}

extern "C" void sartor_register_declared(const sartor_declared *begin, const sartor_declared *end) {
  sartor::runtime::add_declared(begin, end);
}
