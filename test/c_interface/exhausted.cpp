// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the C interface while memory is exhausted: this file replaces the process's allocator.
#include <sartor/c/sartor.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "check.h"

namespace {

bool exhausted = false;

sartor_status fails() { return sartor_open_file(nullptr, nullptr); }

sartor_status fails_without_memory() {
  exhausted = true;
  const sartor_status status = fails();
  exhausted = false;
  return status;
}

} // namespace

void *operator new(std::size_t size) {
  void *const memory = exhausted ? nullptr : std::malloc(size);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

int main() {
  CHECK(sartor_last_error_code() == SARTOR_OK && std::strlen(sartor_last_error()) == 0);
  CHECK(fails_without_memory() == SARTOR_INTERNAL_ERROR);
  CHECK(fails() == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_last_error_code() == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(fails_without_memory() == SARTOR_INTERNAL_ERROR);
  CHECK(sartor_last_error_code() == SARTOR_INTERNAL_ERROR);
  CHECK(std::strlen(sartor_last_error()) > 0 && std::strlen(sartor_last_error_remedy()) == 0);
  if (failures == 0)
    std::puts("all is well");
  return failures;
}
