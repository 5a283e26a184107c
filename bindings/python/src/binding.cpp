// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "binding.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bind.h"
#include "buffer.h"

namespace sartor::python {

namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;

/// A number or an address is bound as a value; any other object with the buffer protocol is bound
/// by its bytes.
BoundArgument bound_argument(nb::handle from) {
  if (auto value = to_value(from); value && !value->is_symbol())
    return std::move(*value);
  const Buffer buffer(from);
  return BoundArgument::object(buffer.memory(), buffer.bytes());
}

/// A copy, because another thread may release the binding while this one is without the GIL.
detail::Share share_of(const Binding &binding) {
  if (!binding.share)
    throw nb::value_error("the binding has been released");
  return *binding.share;
}

/// An invariant, and references to the Python objects with its memory while it is valid.
class PythonInvariant {
public:
  ~PythonInvariant() { // waits for calls under way
    const nb::gil_scoped_release unlocked;
    declared_ = Invariant();
  }
  PythonInvariant(const nb::object &memory, std::optional<std::size_t> bytes) {
    if (!memory.is_none())
      add(memory, bytes);
  }
  PythonInvariant(const PythonInvariant &) = delete;
  PythonInvariant &operator=(const PythonInvariant &) = delete;

  void add(const nb::object &memory, std::optional<std::size_t> bytes) {
    if (!declared_.valid() && !declared_.reusable())
      invalidate(); // after invalidate_later(): handlers that still run may need the GIL
    if (bytes) {
      declared_.add(reinterpret_cast<const void *>(nb::cast<std::uintptr_t>(memory)), *bytes);
      return;
    }
    Buffer buffer(memory);
    declared_.add(buffer.memory(), buffer.bytes());
    buffers_.push_back(std::move(buffer));
  }
  void invalidate() {
    // Another thread may add memory meanwhile.
    std::vector<Buffer> before = std::exchange(buffers_, {});
    try {
      const nb::gil_scoped_release unlocked;
      declared_.invalidate();
    } catch (...) {
      std::ranges::move(before, std::back_inserter(buffers_)); // it is still declared
      throw;
    }
  }
  [[nodiscard]] Invariant &declared() { return declared_; }

private:
  Invariant declared_;
  std::vector<Buffer> buffers_;
};

void bind_invariant(nb::module_ &module) {
  nb::class_<PythonInvariant>(module, "Invariant",
                              R"(Memory whose bytes are declared not to change.

`memory` is an object with the buffer protocol (a ctypes object, a NumPy array, bytes), which stays
while the promise holds; or, with `size` in bytes, an address. Variants made meanwhile have loads
from it folded. Call invalidate(), or leave the `with` block, before the memory is changed or freed.
Raises Error (bad_invariant), BufferError for memory that is not contiguous.)")
      .def(
          nb::init<const nb::object &, std::optional<std::size_t>>(),
          nb::arg("memory") = nb::none(), nb::arg("size") = nb::none(),
          nb::sig("def __init__(self, memory: typing.Any = None, size: int | None = None) -> None"))
      .def("add", &PythonInvariant::add, nb::arg("memory"), nb::arg("size") = nb::none(),
           nb::sig("def add(self, memory: typing.Any, size: int | None = None) -> None"),
           "Adds more memory to this invariant.")
      .def("invalidate", &PythonInvariant::invalidate,
           "Revokes it: when it returns, no thread is in code that depends on it. Idempotent. "
           "Raises Error (called_from_handler).")
      .def(
          "invalidate_later", [](PythonInvariant &self) { self.declared().invalidate_later(); },
          "The same without waiting, also within a handler; `reusable` is true once no thread is "
          "in "
          "such code.")
      .def_prop_ro("reusable", [](PythonInvariant &self) { return self.declared().reusable(); })
      .def_prop_ro("valid", [](PythonInvariant &self) { return self.declared().valid(); })
      .def_prop_ro(
          "number", [](PythonInvariant &self) { return self.declared().number(); },
          "A number that is not used again; 0 without memory.")
      .def(
          "__enter__", [](nb::object self) { return self; },
          nb::sig("def __enter__(self) -> Invariant"))
      .def(
          "__exit__", [](PythonInvariant &self, const nb::args &) { self.invalidate(); },
          nb::sig("def __exit__(self, *exception: object) -> None"));
}

} // namespace

Binding make_binding(Runtime &runtime, const std::string &handler, const nb::dict &arguments) {
  std::map<unsigned, BoundArgument> bound;
  for (const auto &[index, argument] : arguments)
    bound.emplace(nb::cast<unsigned>(index), bound_argument(argument));
  const nb::gil_scoped_release unlocked;
  detail::Share share = runtime.bind(handler, bound);
  return {std::move(share), std::move(bound)};
}

void tie(Runtime &runtime, const std::string &label, nb::handle invariant) {
  const Invariant &declared = nb::cast<PythonInvariant &>(invariant).declared();
  const nb::gil_scoped_release unlocked;
  runtime.tie(label, declared);
}

void bind_binding(nb::module_ &module) {
  bind_invariant(module);

  nb::class_<Binding>(module, "Binding",
                      R"(A handler with some arguments fixed. Made by Runtime.bind().

Bindings with equal contexts share one variant, which is made in the background; until it is there,
and if it cannot be made, calls run the native code. May outlive its Runtime.)")
      .def_prop_ro(
          "function",
          [](const Binding &self) {
            const detail::Share share = share_of(self);
            const nb::gil_scoped_release unlocked;
            return reinterpret_cast<std::uintptr_t>(share.function(self.arguments));
          },
          "The address of a plain function that takes the arguments that are not bound, for "
          "ctypes.CFUNCTYPE(...). Valid until release(). Raises Error (bad_binding), ValueError "
          "once released.")
      .def(
          "wait",
          [](const Binding &self) {
            const detail::Share share = share_of(self);
            const nb::gil_scoped_release unlocked;
            return share.wait();
          },
          "Waits until the variant is active, and returns it. Raises Error if it cannot be "
          "compiled.")
      .def_prop_ro(
          "ready", [](const Binding &self) { return share_of(self).ready(); },
          "True if wait() returns at once.")
      .def(
          "release", [](Binding &self) { self.share.reset(); },
          "Releases the variant. No thread may be in the function any more. "
          "Idempotent.")
      .def(
          "__enter__", [](nb::object self) { return self; },
          nb::sig("def __enter__(self) -> Binding"))
      .def(
          "__exit__", [](Binding &self, const nb::args &) { self.share.reset(); },
          nb::sig("def __exit__(self, *exception: object) -> None"));
}

} // namespace sartor::python
