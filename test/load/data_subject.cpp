// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refers to its writable data in every way that compilers use.
#include <exception>
#include <stdexcept>

namespace {
struct Base {
  virtual ~Base() = default;
  virtual int value() const { return 1; }
};
struct Derived : Base {
  int value() const override { return 2; }
};
struct Own : std::runtime_error {
  using std::runtime_error::runtime_error;
};
int hidden = 3;
int zeros[1000];
thread_local int per_thread = 4;
const char *const names[] = {"one", "two"};
} // namespace

extern "C" {
extern int elsewhere __attribute__((weak));
int data_subject_exported = 5;
int *data_subject_end = zeros + 1000;

int data_subject_change(int by) {
  hidden += by;
  zeros[by % 1000] = 7;
  per_thread += hidden;
  if (&elsewhere != nullptr)
    hidden = elsewhere;
  return hidden + data_subject_exported + names[by % 2][0];
}

void data_subject_set() {
  hidden = 0x12345678;
  data_subject_exported = 9;
}

Base *data_subject_make(int which) { return which == 0 ? new Base : new Derived; }

int data_subject_catch(void (*what)()) {
  try {
    what();
  } catch (const Own &) {
    return 1;
  } catch (const std::logic_error &) {
    return 2;
  } catch (const std::exception &) {
    return 3;
  }
  return 0;
}

void data_subject_throw() { throw Own("own"); }
void data_subject_never(void (*what)()) noexcept { what(); }
}
