// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/message.h"

#include <utility>

#include "base/bytes.h"
#include "core/image/fold_report_bytes.h"
#include "core/space/fields.h"

namespace sartor::bytes {

template <class Io, Of<base::ContentKey> T> void fields_of(Io &io, T &key) {
  for (auto &byte : key)
    io(byte);
}

template <class Io, Of<std::filesystem::path> T> void fields_of(Io &io, T &path) {
  std::string text = path.string();
  io(text);
  if constexpr (Io::reads)
    path = std::move(text);
}

template <class Io, Of<Pipeline> T> void fields_of(Io &io, T &pipeline) {
  io(pipeline.passes, pipeline.plugins);
}

template <class Io, Of<core::Toolchain> T> void fields_of(Io &io, T &toolchain) {
  io(toolchain.sartor, toolchain.llvm, toolchain.build, toolchain.triple, toolchain.cpu,
     toolchain.features);
}

template <class Io, Of<remote::Hello> T> void fields_of(Io &io, T &hello) {
  io(hello.protocol);
  if (hello.protocol != remote::kProtocol)
    return; // the rest has the format of another protocol
  io(hello.build, hello.processor, hello.levels);
}

template <class Io, Of<remote::ModuleTable::Symbol> T> void fields_of(Io &io, T &symbol) {
  io(symbol.name, symbol.address, symbol.own);
}

template <class Io, Of<remote::ModuleTable> T> void fields_of(Io &io, T &module) {
  io(module.version, module.source, module.bitcode, module.symbols);
}

template <class Io, Of<remote::ModuleFile> T> void fields_of(Io &io, T &file) {
  io(file.name, file.content);
}

template <class Io, Of<core::Extent> T> void fields_of(Io &io, T &extent) {
  io(extent.address, extent.end);
  io.require(extent.address <= extent.end);
}

template <class Io, Of<remote::DraftOrder::Memory::Region> T> void fields_of(Io &io, T &region) {
  io(region.invariant, region.address, region.bytes);
  io.require(region.address + region.bytes.size() >= region.address);
}

template <class Io, Of<remote::DraftOrder::Memory> T> void fields_of(Io &io, T &memory) {
  io(memory.regions, memory.objects, memory.symbols);
  // Look-ups in the regions rely on their order.
  for (std::size_t i = 1; i < memory.regions.size(); ++i)
    io.require(memory.regions[i - 1].address + memory.regions[i - 1].bytes.size() <=
               memory.regions[i].address);
  for (std::size_t i = 1; i < memory.objects.size(); ++i)
    io.require(memory.objects[i - 1].end <= memory.objects[i].address);
}

template <class Io, Of<core::Answer> T> void fields_of(Io &io, T &answer) {
  io(answer.inputs, answer.result);
}

template <class Io, Of<core::Answers> T> void fields_of(Io &io, T &answers) {
  io(answers.list, answers.version, answers.invariants);
}

template <class Io, Of<core::Generated> T> void fields_of(Io &io, T &code) {
  io(code.ir, code.function, code.invariants);
}

template <class Io, Of<remote::DraftCounters> T> void fields_of(Io &io, T &counters) {
  io(counters.slot, counters.table);
}

template <class Io, Of<core::Purpose> T> void fields_of(Io &io, T &purpose) {
  io.choice(purpose.tier);
  io(purpose.pipeline, purpose.wants_key, purpose.memory);
}

template <class Io, Of<remote::DraftOrder> T> void fields_of(Io &io, T &order) {
  io(order.symbol, order.handler, order.configuration);
  bound_arguments(io, order.arguments);
  io(order.memory, order.answers, order.generated, order.instrumented, order.holes, order.profile,
     order.purpose, order.at_once);
}

template <class Io, Of<remote::Drafted> T> void fields_of(Io &io, T &drafted) {
  io(drafted.key, drafted.invariants, drafted.places, drafted.remarks, drafted.fold_report,
     drafted.image);
}

template <class Io, Of<core::NativeCall::Type> T> void fields_of(Io &io, T &type) {
  io.choice(type);
}

template <class Io, Of<core::NativeCall> T> void fields_of(Io &io, T &call) {
  io(call.address, call.result, call.types, call.arguments);
  io.require(call.types.size() == call.arguments.size());
}

template <class Io, Of<remote::CallOrder> T> void fields_of(Io &io, T &order) {
  io(order.invariants, order.call);
}

template <class Io, Of<remote::EntryOrder> T> void fields_of(Io &io, T &order) {
  io(order.handler);
  bound_arguments(io, order.arguments);
  io(order.inlined);
}

template <class Io, Of<remote::StubOrder> T> void fields_of(Io &io, T &order) { io(order.handler); }

template <class Io, Of<remote::RotationOrder> T> void fields_of(Io &io, T &order) {
  io(order.handler, order.table, order.slot, order.plan, order.rotation, order.enter, order.next);
}

} // namespace sartor::bytes

namespace sartor::remote {

namespace {

/// Assigns numbers to addresses: equal ones to equal addresses.
class Numbers {
public:
  std::uint64_t of(const void *address) {
    return address ? known_.emplace(address, known_.size() + 1).first->second : 0;
  }

private:
  std::map<const void *, std::uint64_t> known_;
};

// The address is never accessed.
void *as_pointer(std::uint64_t address) {
  return reinterpret_cast<void *>(address); // NOLINT(performance-no-int-to-ptr)
}

} // namespace

template <class T> std::string to_bytes(const T &message) { return bytes::pack(message); }
template <class T> std::optional<T> from_bytes(std::string_view text) {
  return bytes::unpack<T>(text);
}
template <class T> std::optional<T> skim(std::string_view text) {
  return bytes::unpack<T, false>(text);
}

#define SARTOR_MESSAGE(T)                                                                          \
  template std::string to_bytes(const T &);                                                        \
  template std::optional<T> from_bytes(std::string_view);
SARTOR_MESSAGE(Hello)
SARTOR_MESSAGE(core::Toolchain)
SARTOR_MESSAGE(Modules)
SARTOR_MESSAGE(ModuleFile)
SARTOR_MESSAGE(Pipeline)
SARTOR_MESSAGE(DraftOrder)
SARTOR_MESSAGE(Drafted)
SARTOR_MESSAGE(CallOrder)
SARTOR_MESSAGE(std::optional<std::uint64_t>)
SARTOR_MESSAGE(EntryOrder)
SARTOR_MESSAGE(RotationOrder)
SARTOR_MESSAGE(StubOrder)
SARTOR_MESSAGE(base::ContentKey)
SARTOR_MESSAGE(Failure)
#undef SARTOR_MESSAGE
template std::optional<Pipeline> skim(std::string_view);
template std::optional<DraftOrder> skim(std::string_view);

Modules to_modules(std::span<const sartor_module> modules) {
  Modules tables;
  Numbers numbers;
  for (const sartor_module &module : modules) {
    ModuleTable &table = tables.emplace_back();
    table.version = module.version;
    table.source = module.source;
    if (module.version != SARTOR_MODULE_VERSION)
      continue; // its other fields have another format
    table.bitcode.assign(reinterpret_cast<const char *>(module.bitcode), module.bitcode_size);
    for (const sartor_symbol &symbol : std::span(module.symbols, module.symbol_count))
      table.symbols.push_back({symbol.name, numbers.of(symbol.address), numbers.of(symbol.own)});
  }
  return tables;
}

ModuleView::ModuleView(const Modules &modules) {
  for (const ModuleTable &table : modules) {
    auto &symbols = symbols_.emplace_back();
    for (const ModuleTable::Symbol &symbol : table.symbols)
      symbols.push_back({symbol.name.c_str(), as_pointer(symbol.address), as_pointer(symbol.own)});
  }
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const ModuleTable &table = modules[i];
    modules_.push_back({table.version, table.source.c_str(),
                        reinterpret_cast<const unsigned char *>(table.bitcode.data()),
                        table.bitcode.size(), symbols_[i].data(), symbols_[i].size(), nullptr, 0});
  }
}

} // namespace sartor::remote
