// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled several times, each with another name for WATCHED_CASES: as plain C++ and with guards.
#include "watched.h"

#include <atomic>
#include <cstring>
#include <new>
#include <utility>

namespace {

struct Base {
  SARTOR_WATCHED int based;
};

struct Text { // a structure that contains it is not assigned by copying bytes
  char text = 'a';
  Text() = default;
  Text(const Text &) = default;
  Text &operator=(const Text &other) {
    text = other.text;
    return *this;
  }
};

template <class T> struct Box {
  T before{};
  SARTOR_WATCHED T value{};
  T after{};
  void set(T to) { value = to; }
};

struct Derived : Base {
  int first = 0;
  SARTOR_WATCHED int second = 0;
  int third = 0;
  Text text;
  SARTOR_WATCHED std::atomic<int> count = 0;
  constexpr int twice() {
    second = 2 * second;
    return second;
  }
  Derived &operator=(const Derived &) = delete;
};

struct Memberwise {
  int first = 1;
  SARTOR_WATCHED int second = 2;
  int third = 3;
  Text text;
};

// The object of type T at the address of a test's object.
template <class T> T &as(Object *o) { return *reinterpret_cast<T *>(o); }

struct Trivial {
  int first;
  SARTOR_WATCHED int second;
};

constexpr int computed() {
  Trivial trivial{1, 2};
  trivial.second = 5;
  Trivial copy{};
  copy = trivial;
  return copy.second;
}
static_assert(computed() == 5);

void assignment(Object *o) { o->number = 5; }
void reference(Object *o) {
  int &number = o->number;
  number = 6;
}
void captured(Object *o) {
  const auto set = [o](int to) { o->number = to; };
  set(7);
}
void binding(Object *o) {
  auto &[loose, tight] = o->inner;
  tight = 8;
}
void swapped(Object *o) { std::swap(o->number, o->plain); }
void exchanged(Object *o) { o->plain = std::exchange(o->number, 9); }
void moved(Object *o) { std::move(*o).inner = Inner{3, 4}; }
Object *defaulted_object = nullptr;
void with_default(int = defaulted_object->number = 11) {}
void by_default(Object *o) {
  defaulted_object = o;
  with_default();
}
void range(Object *o) {
  for (int &element : o->list) {
    element = 3;
    break;
  }
}
void in_base(Object *o) { as<Derived>(o).based = 4; }
void in_template(Object *o) { as<Box<int>>(o).set(5); }
void in_constexpr(Object *o) { as<Derived>(o).twice(); }
void atomic_member_store(Object *o) { as<Derived>(o).count.store(5, std::memory_order_relaxed); }
void atomic_member_assignment(Object *o) { as<Derived>(o).count = 6; }
void atomic_member_increment(Object *o) { ++as<Derived>(o).count; }
void atomic_member_exchange(Object *o) { o->plain = as<Derived>(o).count.exchange(7); }
void atomic_member_compare(Object *o) {
  int expected = as<Derived>(o).count.load();
  o->plain = as<Derived>(o).count.compare_exchange_strong(expected, 8) ? 1 : 2;
}
void trivial_assignment(Object *o) { as<Trivial>(o) = Trivial{3, 4}; }
void trivial_call(Object *o) {
  const Trivial other{5, 6};
  as<Trivial>(o).operator=(other);
}
void memberwise_assignment(Object *o) { as<Memberwise>(o) = Memberwise(); }

const WatchCase guarded[] = {
    WATCH_CASE(assignment, number),
    WATCH_CASE(reference, number),
    WATCH_CASE(captured, number),
    WATCH_CASE(binding, inner.tight),
    WATCH_CASE(swapped, number),
    WATCH_CASE(exchanged, number),
    WATCH_CASE(moved, inner),
    WATCH_CASE(by_default, number),
    WATCH_CASE_AT(range, offsetof(Object, list), 4),
    WATCH_CASE_AT(in_base, 0, 4),
    WATCH_CASE_AT(in_template, 4, 4),
    WATCH_CASE_AT(in_constexpr, 8, 4),
    WATCH_CASE_AT(atomic_member_store, 20, 4),
    WATCH_CASE_AT(atomic_member_assignment, 20, 4),
    WATCH_CASE_AT(atomic_member_increment, 20, 4),
    WATCH_CASE_AT(atomic_member_exchange, 20, 4),
    WATCH_CASE_AT(atomic_member_compare, 20, 4),
    WATCH_CASE_AT(trivial_assignment, 0, sizeof(Trivial)),
    WATCH_CASE_AT(trivial_call, 0, sizeof(Trivial)),
    WATCH_CASE_AT(memberwise_assignment, 4, 4),
};

void initialised(Object *o) {
  auto *box = new Box<int>{1, 2, 3};
  o->plain = box->value;
  delete box;
}
void constant(Object *o) {
  const Object &seen = *o;
  const auto get = [](const int &number) { return number; };
  o->plain = get(seen.number) + as<Derived>(o).count.load();
}
void evaluated(Object *o) { o->plain = computed(); }

const WatchCase fresh[] = {
    WATCH_CASE_AT(initialised, 0, 0),
    WATCH_CASE_AT(constant, 0, 0),
    WATCH_CASE_AT(evaluated, 0, 0),
};

} // namespace

extern "C" {
WATCH_CASES(WATCHED_CASES, guarded, fresh);
}
