// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_ENGINE_REPORTS_H
#define SARTOR_ENGINE_REPORTS_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sartor {
class EventLog;
}

namespace sartor::engine {

/// The fields of an event, by name.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// What concerns the process rather than one runtime goes to all event logs that are added.
void add_log(std::shared_ptr<EventLog> log);
void remove_log(const std::shared_ptr<EventLog> &log);

/// Nothing goes wrong for want of memory, or of a log.
void report(const char *event, const Fields &fields) noexcept;

} // namespace sartor::engine

#endif
