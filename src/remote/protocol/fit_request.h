// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_FIT_REQUEST_H
#define SARTOR_REMOTE_PROTOCOL_FIT_REQUEST_H

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/space/bound_arguments.h"
#include "core/space/module.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/message.h"

namespace sartor::remote {

// Requests as a compiler reads them: every field has been compared with the module that the request
// is about, and values are in the form in which its points and parameters hold them. These
// functions fail as fit(Configuration) and fit_arguments() do; with unknown_handler; and with
// server_refused, whose subject is the field, if no client of this build sends such a request.

Result<DraftOrder> fit_request(DraftOrder order, const core::HandlerModule &module);
Result<EntryOrder> fit_request(EntryOrder order, const core::HandlerModule &module);
Result<RotationOrder> fit_request(RotationOrder order, const core::HandlerModule &module);
Result<StubOrder> fit_request(StubOrder order, const core::HandlerModule &module);

/// A device's customization in the types of the module.
struct FittedCustomization {
  std::string handler; ///< The module's name of the handler.
  Configuration configuration;
  BoundArguments arguments;
  std::vector<Customization::Region> regions; ///< Sorted by address, disjoint.
};
Result<FittedCustomization> fit_request(const Customization &wanted,
                                        const core::HandlerModule &module);

Result<void> check_request(const Pipeline &pipeline);
Result<void> check_request(const ModuleFile &file);
Result<void> check_request(const Hello &hello);
Result<void> check_request(const DeviceHello &hello);

} // namespace sartor::remote

#endif
