// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes whose objects refer to virtual tables, which refer to the class.
namespace {
struct Base {
  virtual int value() const { return 1; }
  virtual int other() const = 0;
  virtual ~Base() = default;
};
struct Derived : Base {
  int value() const override { return 2; }
  int other() const override { return 3; }
};
struct Second : virtual Base {
  int other() const override { return 4; }
};
} // namespace

extern "C" {
Base *virtual_subject_make(int which) {
  return which == 0 ? static_cast<Base *>(new Derived) : new Second;
}
int virtual_subject_call(const Base *base) { return base->value() + base->other(); }
int virtual_subject_is_derived(Base *base) { return dynamic_cast<Derived *>(base) != nullptr; }
}
