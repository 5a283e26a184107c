// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/quarantine_key.h"

#include <set>
#include <string>

#include "base/build_stamp.h"
#include "core/quarantine/memory_content.h"

namespace sartor::core {

namespace {

/// The bound arguments and the memory that they lead to, without addresses of this process.
std::string content_of(const HandlerModule &module, const Context &context) {
  const Result<Reached> *memory = context.memory ? &context.memory->read() : nullptr;
  const MemoryContent content(memory && *memory ? **memory : Reached{});
  const std::set<unsigned> addresses = address_arguments(module, context);
  std::string all = content.hash();
  for (const auto &[index, argument] : context.arguments)
    all += " " + std::to_string(index) + "=" +
           (addresses.contains(index)
                ? content.place_of(static_cast<std::uintptr_t>(argument.value().bits()))
                : argument.text());
  return all;
}

} // namespace

QuarantineKey quarantine_key(const HandlerModule &module, const Context &context,
                             const Pipeline &pipeline, const Making &making) {
  QuarantineKey key{{},
                    {},
                    context.handler,
                    context.configuration.json(),
                    making.builds.empty() ? base::kBuildStamp : making.builds,
                    making.processor};
  if (const auto same = request_key(module, context, pipeline, making)) {
    key.hash = key.family = *same;
    return key;
  }
  key.family =
      base::hash_of({"quarantine 1", key.build, key.processor, module.identity, module.replaced,
                     context.handler, context.configuration.text(), pipeline.passes});
  key.hash = base::hash_of({base::to_text(key.family), content_of(module, context)});
  return key;
}

} // namespace sartor::core
