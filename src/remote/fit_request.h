// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_FIT_REQUEST_H
#define SARTOR_REMOTE_FIT_REQUEST_H

#include <map>
#include <string>
#include <vector>

#include "observe/result.h"
#include "remote/device_message.h"
#include "remote/message.h"
#include "space/bound_arguments.h"
#include "space/module.h"

namespace sartor::remote {

// Requests as a compiler reads them: every field has been compared with the module that the request
// is about, and values are as its points and parameters hold them. They fail with what
// fit(Configuration) and fit_arguments() fail with; with unknown_handler; and with server_refused,
// whose subject is the field, where no client of this build sends such a thing.

Result<DraftOrder> fit_request(DraftOrder order, const point::HandlerModule &module);
Result<EntryOrder> fit_request(EntryOrder order, const point::HandlerModule &module);
Result<RotationOrder> fit_request(RotationOrder order, const point::HandlerModule &module);

/// A device's customization in the types of the module.
struct FittedCustomization {
  std::string handler; ///< As the module names it.
  Configuration configuration;
  BoundArguments arguments;
  std::vector<Customization::Region> regions; ///< Sorted by address, disjoint.
};
Result<FittedCustomization> fit_request(const Customization &wanted,
                                        const point::HandlerModule &module);

Result<void> check_request(const Pipeline &pipeline);
Result<void> check_request(const ModuleFile &file);
Result<void> check_request(const Hello &hello);
Result<void> check_request(const DeviceHello &hello);

} // namespace sartor::remote

#endif
