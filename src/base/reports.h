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

/// The fields of an event, by name. Creating them allocates no memory, which may be exhausted.
using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// Adds an event log. Events of the process, rather than of one runtime, go to all added logs.
void add_log(std::shared_ptr<EventLog> log);
void remove_log(const std::shared_ptr<EventLog> &log);

/// Never fails: an event is dropped if memory is exhausted or there is no log.
void report(const char *event, Fields fields) noexcept;
void report(const char *event, const Failure &failure) noexcept;

/// Reports that the program has closed a descriptor of Sartor: event `descriptor_lost`.
/// `consequence` continues "the program has closed the descriptor, ".
void report_descriptor_lost(ErrorCode code, std::string_view subject,
                            std::string_view consequence) noexcept;

} // namespace sartor::base

#endif
