// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/quarantine_key.h"

#include "base/build_stamp.h"

namespace sartor::core {

QuarantineKey quarantine_key(const HandlerModule &module, const Context &context,
                             const Pipeline &pipeline, const Making &making) {
  QuarantineKey key{{},
                    context.handler,
                    context.configuration.json(),
                    making.builds.empty() ? base::kBuildStamp : making.builds,
                    making.processor};
  if (const auto same = request_key(module, context, pipeline, making))
    key.hash = *same;
  else
    key.hash =
        base::hash_of({"quarantine 1", key.build, key.processor, module.identity, module.replaced,
                       context.handler, context.configuration.text(), pipeline.passes});
  return key;
}

} // namespace sartor::core
