// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/code_listener.h"

#include "jit/near_memory.h"
#include "jit/perf_map.h"

namespace sartor::jit {

using namespace llvm;
using namespace llvm::orc;

namespace {

std::vector<PerfMap::Function> functions_of(jitlink::LinkGraph &graph) {
  std::vector<PerfMap::Function> functions;
  for (const jitlink::Symbol *symbol : graph.defined_symbols()) {
    if (!symbol->hasName() || !symbol->isCallable() || symbol->getSize() == 0)
      continue;
    functions.push_back(
        {symbol->getAddress().getValue(), symbol->getSize(), (*symbol->getName()).str()});
  }
  return functions;
}

} // namespace

void CodeListener::modifyPassConfig(MaterializationResponsibility &responsibility,
                                    jitlink::LinkGraph &, jitlink::PassConfiguration &passes) {
  const JITDylib &dylib = responsibility.getTargetJITDylib();
  passes.PostFixupPasses.push_back([this, &dylib](jitlink::LinkGraph &graph) {
    observe(dylib, graph);
    return llvm::Error::success();
  });
}

// Pages belong to one protection each.
void CodeListener::observe(const JITDylib &dylib, jitlink::LinkGraph &graph) {
  Size size;
  std::map<MemProt, std::size_t> segments;
  for (const auto &section : graph.sections())
    for (const jitlink::Block *block : section.blocks()) {
      size.bytes += block->getSize();
      segments[section.getMemProt()] += block->getSize();
    }
  for (const auto &[protection, bytes] : segments)
    size.paged += in_pages(bytes);
  const std::lock_guard lock(mutex_);
  sizes_[&dylib].bytes += size.bytes;
  sizes_[&dylib].paged += size.paged;
  if (write_perf_map_)
    PerfMap::instance().add(functions_of(graph));
}

CodeListener::Size CodeListener::take_size(const JITDylib &dylib) {
  const std::lock_guard lock(mutex_);
  auto found = sizes_.find(&dylib);
  return found == sizes_.end() ? Size{} : sizes_.extract(found).mapped();
}

} // namespace sartor::jit
