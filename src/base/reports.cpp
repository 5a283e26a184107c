// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/reports.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/event_log.h"
#include "base/text/json.h"
#include "base/thread/mutex.h"
#include "base/thread/no_cancel.h"

namespace sartor::base {

namespace {

struct Logs {
  Mutex mutex;
  std::vector<std::shared_ptr<EventLog>> logs SARTOR_GUARDED_BY(mutex);
};

Logs &logs() {
  static auto *instance = new Logs; // never destroyed: threads report until the process has ended
  return *instance;
}

template <class Make> void report_made(const char *event, const Make &make) noexcept {
  const NoCancel no_cancel;
  try {
    const MutexLock lock(logs().mutex);
    if (logs().logs.empty()) // even moving a JSON object allocates, and must not throw then
      return;
    const nlohmann::ordered_json json = make();
    for (const auto &log : logs().logs)
      log->append(event, json);
  } catch (...) { // out of memory: treated like a full disk
  }
}

} // namespace

void add_log(std::shared_ptr<EventLog> log) {
  const MutexLock lock(logs().mutex);
  logs().logs.push_back(std::move(log));
}

void remove_log(const std::shared_ptr<EventLog> &log) {
  const MutexLock lock(logs().mutex);
  std::erase(logs().logs, log);
}

void report(const char *event, Fields fields) noexcept {
  report_made(event, [&] {
    auto json = nlohmann::ordered_json::object();
    for (const auto &[name, value] : fields)
      json[std::string(name)] = value;
    return json;
  });
}

void report(const char *event, const Failure &failure) noexcept {
  report_made(event, [&] { return to_json(failure); });
}

void report_descriptor_lost(ErrorCode code, std::string_view subject,
                            std::string_view consequence) noexcept {
  report_made("descriptor_lost", [&] {
    return to_json({code, std::string(subject),
                    "the program has closed the descriptor, " + std::string(consequence),
                    "close only what the program has opened itself"});
  });
}

} // namespace sartor::base
