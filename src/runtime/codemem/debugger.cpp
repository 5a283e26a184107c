// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/debugger.h"

#include <atomic>
#include <cstdint>

#include "base/traced.h"

// As the GDB manual declares them. Protected: other libraries of the process may have the same,
// LLVM for one, and gdb looks at each.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): gdb chose these names
extern "C" {

enum : std::uint32_t { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

struct jit_code_entry {
  jit_code_entry *next_entry;
  jit_code_entry *prev_entry;
  const char *symfile_addr;
  std::uint64_t symfile_size;
};

struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry *relevant_entry;
  jit_code_entry *first_entry;
};

__attribute__((visibility("protected"))) jit_descriptor __jit_debug_descriptor = {1, JIT_NOACTION,
                                                                                  nullptr, nullptr};

// gdb sets a breakpoint here.
__attribute__((visibility("protected"), noinline)) void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}

} // extern "C"
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace sartor::runtime {

namespace {

constexpr std::size_t kMostLines = 1U << 20;

std::atomic<std::size_t> kept_lines{0};

void report_debugger(std::uint32_t action, jit_code_entry &entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_register_code();
}

} // namespace

struct DebuggerEntry::Listed : jit_code_entry {
  explicit Listed(std::string bytes)
      : jit_code_entry{__jit_debug_descriptor.first_entry, nullptr, nullptr, bytes.size()},
        object(std::move(bytes)) {
    symfile_addr = object.data();
    if (next_entry)
      next_entry->prev_entry = this;
    __jit_debug_descriptor.first_entry = this;
    report_debugger(JIT_REGISTER_FN, *this);
  }
  ~Listed() {
    (prev_entry ? prev_entry->next_entry : __jit_debug_descriptor.first_entry) = next_entry;
    if (next_entry)
      next_entry->prev_entry = prev_entry;
    report_debugger(JIT_UNREGISTER_FN, *this);
  }
  Listed(const Listed &) = delete;
  Listed &operator=(const Listed &) = delete;

  std::string object;
};

DebuggerEntry::DebuggerEntry(std::string object)
    : listed_(std::make_unique<Listed>(std::move(object))) {}
DebuggerEntry::DebuggerEntry(DebuggerEntry &&) noexcept = default;
DebuggerEntry::~DebuggerEntry() = default;

std::size_t DebuggerEntry::bytes() const { return sizeof(Listed) + listed_->object.capacity(); }

KeptLines::KeptLines(const core::CodeImage &image) {
  for (const core::DebugSection &section : image.debug)
    bytes_ += section.content.size();
  kept_lines += bytes_;
  are_kept_ = kept_lines <= kMostLines || base::is_traced();
  if (!are_kept_)
    kept_lines -= std::exchange(bytes_, 0);
}

KeptLines::~KeptLines() { kept_lines -= bytes_; }

} // namespace sartor::runtime
