// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/code_listener.h"

#include <cstdio>
#include <string>

#include <unistd.h>

namespace sartor::jit {

using namespace llvm;
using namespace llvm::orc;

namespace {

void append_perf_map(const std::string &lines) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  if (std::FILE *file = std::fopen(path.c_str(), "a")) {
    std::fwrite(lines.data(), 1, lines.size(), file);
    std::fclose(file);
  }
}

std::string perf_map_lines(jitlink::LinkGraph &graph) {
  std::string lines;
  for (const jitlink::Symbol *symbol : graph.defined_symbols()) {
    if (!symbol->hasName() || !symbol->isCallable() || symbol->getSize() == 0)
      continue;
    char place[64];
    std::snprintf(place, sizeof place, "%llx %llx ",
                  static_cast<unsigned long long>(symbol->getAddress().getValue()),
                  static_cast<unsigned long long>(symbol->getSize()));
    lines += place + (*symbol->getName()).str() + "\n";
  }
  return lines;
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

void CodeListener::observe(const JITDylib &dylib, jitlink::LinkGraph &graph) {
  std::size_t bytes = 0;
  for (const auto &section : graph.sections())
    for (const jitlink::Block *block : section.blocks())
      bytes += block->getSize();
  const std::lock_guard lock(mutex_);
  sizes_[&dylib] += bytes;
  if (write_perf_map_)
    append_perf_map(perf_map_lines(graph));
}

std::size_t CodeListener::take_size(const JITDylib &dylib) {
  const std::lock_guard lock(mutex_);
  auto found = sizes_.find(&dylib);
  if (found == sizes_.end())
    return 0;
  const std::size_t bytes = found->second;
  sizes_.erase(found);
  return bytes;
}

} // namespace sartor::jit
