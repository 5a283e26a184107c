// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/program_source.h"

#include <utility>

#include "tools/view/event_lines.h"

namespace sartor::view {

namespace {

using Json = nlohmann::ordered_json;

std::uint64_t number_of(const Json &from, const char *field, std::uint64_t otherwise) {
  const auto found = from.find(field);
  return found != from.end() && found->is_number_unsigned() ? found->get<std::uint64_t>()
                                                            : otherwise;
}

} // namespace

Result<Json> ProgramSource::ask(const Json &request) {
  if (!socket_) {
    auto connected = ControlSocket::connect(process_);
    if (!connected)
      return std::unexpected(std::move(connected.error()));
    socket_.emplace(std::move(*connected));
  }
  auto answer = socket_->ask(request);
  if (!answer && answer.error().code == ErrorCode::file_error)
    socket_.reset();
  return answer;
}

Result<Json> ProgramSource::status() { return ask({{"version", 1}, {"do", "status"}}); }

Result<std::string> ProgramSource::events(std::uint64_t after) {
  const auto answer = ask({{"version", 1}, {"do", "events"}, {"after", after}});
  if (!answer)
    return std::unexpected(answer.error());
  const auto now = status();
  if (!now)
    return std::unexpected(now.error());
  EventLines lines;
  if (const auto events = answer->find("events"); events != answer->end() && events->is_array())
    for (const Json &event : *events)
      lines.add(event);
  const std::uint64_t first = number_of(*answer, "first", after);
  return lines.take() + ",\"next\":" + std::to_string(number_of(*answer, "next", after)) +
         ",\"lost\":" + std::to_string(first > after ? first - after : 0) +
         ",\"status\":" + dump_for_html(*now);
}

} // namespace sartor::view
