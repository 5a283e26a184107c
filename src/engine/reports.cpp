// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/reports.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/mutex.h"
#include "observe/event_log.h"
#include "observe/no_cancel.h"

namespace sartor::engine {

namespace {

struct Logs {
  Mutex mutex;
  std::vector<std::shared_ptr<EventLog>> logs SARTOR_GUARDED_BY(mutex);
};

Logs &logs() {
  static auto *instance = new Logs; // threads report until the process has ended
  return *instance;
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
  const observe::NoCancel no_cancel;
  try {
    const MutexLock lock(logs().mutex);
    if (logs().logs.empty()) // a JSON object takes memory even to go, and may not throw then
      return;
    auto json = nlohmann::ordered_json::object();
    for (const auto &[name, value] : fields)
      json[std::string(name)] = value;
    for (const auto &log : logs().logs)
      log->append(event, json);
  } catch (...) { // no memory: as good as a full disk
  }
}

} // namespace sartor::engine
