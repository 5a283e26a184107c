// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <thread>

#include "check.h"
#include "tls_destructors.h"

namespace {

thread_local const Announced ours("of the program");

} // namespace

int main() {
  std::thread([] {
    announce("of a thread's library");
    CHECK(ours.text() == "of the program");
  }).join();
  announce("of the main thread's library");
  CHECK(ours.text() == "of the program");
  return wrong_count();
}
