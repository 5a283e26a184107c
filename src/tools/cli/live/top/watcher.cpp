// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/live/top/watcher.h"

#include <utility>

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

} // namespace

Result<Watcher> Watcher::open(pid_t process) {
  auto connection = Connection::open(process);
  if (!connection)
    return std::unexpected(std::move(connection.error()));
  return Watcher(process, std::move(*connection));
}

Watcher::Watcher(pid_t process, Connection connection) : connection_(std::move(connection)) {
  if (auto samples = Samples::open(process))
    samples_.emplace(std::move(*samples));
  else
    no_samples_ = samples.error().message + " (" + samples.error().remedy + ")";
}

Result<void> Watcher::read_events() {
  for (;;) {
    const auto answer = connection_.ask({{"do", "events"}, {"after", next_event_}});
    if (!answer)
      return std::unexpected(answer.error());
    for (const Json &event : answer->at("events"))
      events_.add(event);
    next_event_ = answer->at("next").get<std::uint64_t>();
    if (answer->at("events").empty())
      return {};
  }
}

Result<void> Watcher::find_code(const Json &status) {
  const std::uint64_t known = variants_mark(status);
  if (known == known_code_)
    return {};
  const auto answer = connection_.ask({{"do", "variants"}});
  if (!answer)
    return std::unexpected(answer.error());
  code_.clear();
  for (const Json &each : answer->at("variants")) {
    const auto begin = each.at("address").get<std::uint64_t>();
    code_[begin] = {begin + each.at("text_bytes").get<std::uint64_t>(),
                    each.at("handler").get<std::string>()};
  }
  known_code_ = known;
  return {};
}

std::map<std::string, double> Watcher::shares() {
  const auto taken = samples_->take();
  std::map<std::string, double> shares;
  for (const std::uint64_t instruction : taken) {
    auto code = code_.upper_bound(instruction);
    if (code == code_.begin())
      continue;
    --code;
    if (instruction < code->second.first)
      shares[code->second.second] += 1.0 / static_cast<double>(taken.size());
  }
  return shares;
}

Result<Snapshot> Watcher::look() {
  auto status = connection_.ask({{"do", "status"}});
  if (!status)
    return std::unexpected(std::move(status.error()));
  if (auto read = read_events(); !read)
    return std::unexpected(std::move(read.error()));
  Snapshot now;
  now.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  now.status = std::move(*status);
  now.events = events_.lines();
  now.no_samples = no_samples_;
  if (samples_) {
    if (auto found = find_code(now.status); !found)
      return std::unexpected(std::move(found.error()));
    now.shares = shares();
  }
  return now;
}

} // namespace sartor::cli
