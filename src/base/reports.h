// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_REPORTS_H
#define SARTOR_BASE_REPORTS_H

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include <sartor/error.hpp>

namespace sartor {
class EventLog;
}

namespace sartor::base {

/// The fields of an event, by name. To make them takes no memory, which may be what is missing.
using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// What concerns the process rather than one runtime goes to all event logs that are added.
void add_log(std::shared_ptr<EventLog> log);
void remove_log(const std::shared_ptr<EventLog> &log);

/// Nothing goes wrong for want of memory, or of a log.
void report(const char *event, Fields fields) noexcept;

/// The program has closed a descriptor of ours: event `descriptor_lost`. `consequence` continues
/// "the program has closed the descriptor, ".
void report_descriptor_lost(ErrorCode code, std::string_view subject,
                            std::string_view consequence) noexcept;

} // namespace sartor::base

#endif
