// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exceptions.h"

extern "C" void plugin_throws(int number) { throw_error(number); }

extern "C" int plugin_catches(void (*callback)(void *), void *data) {
  try {
    callback(data);
  } catch (const ProbeError &error) {
    return error.number;
  }
  return -1;
}
