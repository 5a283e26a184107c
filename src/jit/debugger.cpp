// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/debugger.h"

#include <llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h>

// LLVM's, where gdb looks for them.
// NOLINTBEGIN(readability-identifier-naming): gdb chose these names
extern "C" {
extern jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code();
}
// NOLINTEND(readability-identifier-naming)

namespace sartor::jit {

engine::Mutex &DebuggerEntry::mutex() {
  static auto *instance = new engine::Mutex; // never destroyed: code may go while the process exits
  return *instance;
}

const jit_code_entry *DebuggerEntry::newest() { return __jit_debug_descriptor.first_entry; }

DebuggerEntry DebuggerEntry::newer_than(const jit_code_entry *before) {
  jit_code_entry *first = __jit_debug_descriptor.first_entry;
  return DebuggerEntry(first == before ? nullptr : first);
}

void DebuggerEntry::take_out() {
  jit_code_entry *entry = std::exchange(entry_, nullptr);
  if (!entry)
    return;
  if (entry->prev_entry)
    entry->prev_entry->next_entry = entry->next_entry;
  else
    __jit_debug_descriptor.first_entry = entry->next_entry;
  if (entry->next_entry)
    entry->next_entry->prev_entry = entry->prev_entry;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_descriptor.action_flag = JIT_UNREGISTER_FN;
  __jit_debug_register_code();
  delete entry; // which LLVM has made with new
}

} // namespace sartor::jit
