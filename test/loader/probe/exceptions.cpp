// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// argv[1]: the directory of the plug-in.
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>

#include "check.h"
#include "exceptions.h"

namespace {

void throw_ours(void *data) { throw ProbeError("error of the program", *static_cast<int *>(data)); }

int compare(const void *left, const void *) {
  if (*static_cast<const int *>(left) == 3)
    throw ProbeError("while sorting", 33);
  return 0;
}

void simple() {
  int caught = 0;
  for (int i = 0; i < 100; ++i) {
    try {
      throw_error(i);
    } catch (const ProbeError &error) {
      caught += error.number;
    }
  }
  CHECK(caught == 4950);
  try {
    throw_integer(7);
  } catch (int number) {
    CHECK(number == 7);
  }
  try {
    throw_nested(5);
  } catch (const std::logic_error &outer) {
    try {
      std::rethrow_if_nested(outer);
    } catch (const std::runtime_error &inner) {
      CHECK(std::string(inner.what()) == "error of the library");
    }
  }
  try {
    (void)std::vector<int>().at(1);
  } catch (const std::out_of_range &) {
    ++caught;
  }
  try {
    (void)std::stoi("no number");
  } catch (const std::invalid_argument &) {
    ++caught;
  }
  CHECK(caught == 4952);
}

void through_others() {
  int number = 11;
  int caught = 0;
  try {
    through_c(throw_ours, &number);
  } catch (const ProbeError &error) {
    caught += error.number;
  }
  const int before = unwound();
  try {
    through_cpp(throw_ours, &number);
  } catch (const std::runtime_error &) {
    ++caught;
  }
  CHECK(unwound() == before + 1);
  int values[] = {3, 2, 1};
  try {
    qsort(static_cast<void *>(values), 3, sizeof values[0], compare);
  } catch (const ProbeError &error) {
    caught += error.number;
  }
  CHECK(caught == 45);
}

void types() {
  CHECK(type_of_error() == typeid(ProbeError));
  CHECK(&type_of_error() == &typeid(ProbeError));
  const std::unique_ptr<Shape> shape(make_square());
  CHECK(shape->corners() == 4);
  CHECK(dynamic_cast<Shape *>(shape.get()) != nullptr);
  const Shape &square = *shape;
  CHECK(std::string(typeid(square).name()).find("Square") != std::string::npos);
}

void plugin(const std::string &directory) {
  void *handle = dlopen((directory + "/libprobe_exceptions_plugin.so").c_str(), RTLD_NOW);
  if (!CHECK(handle != nullptr))
    return;
  const auto throws = reinterpret_cast<void (*)(int)>(dlsym(handle, "plugin_throws"));
  const auto catches =
      reinterpret_cast<int (*)(void (*)(void *), void *)>(dlsym(handle, "plugin_catches"));
  int caught = 0;
  try {
    throws(21);
  } catch (const ProbeError &error) {
    caught = error.number;
  }
  CHECK(caught == 21);
  int number = 22;
  CHECK(catches(throw_ours, &number) == 22);
  dlclose(handle);
}

int in_constructor = [] {
  try {
    throw_error(99);
  } catch (const ProbeError &error) {
    return error.number;
  }
  return 0;
}();

} // namespace

int main(int argc, char **argv) {
  CHECK(in_constructor == 99);
  CHECK(unwound() >= 2);
  simple();
  through_others();
  types();
  plugin(argc > 1 ? argv[1] : ".");
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(simple);
  for (std::thread &thread : threads)
    thread.join();
  return wrong_count();
}
