// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/program_source.h"

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
  if (!connection_) {
    auto connected = cli::Connection::open(process_);
    if (!connected)
      return std::unexpected(std::move(connected.error()));
    connection_.emplace(std::move(*connected));
  }
  auto answer = connection_->ask(request);
  if (!answer && answer.error().code == ErrorCode::file_error)
    connection_.reset();
  return answer;
}

Result<void> ProgramSource::read_variants(const Json &status) {
  const std::uint64_t known = cli::variants_mark(status);
  if (known == known_)
    return {};
  auto answer = ask({{"do", "variants"}});
  if (!answer)
    return std::unexpected(std::move(answer.error()));
  variants_ = answer->value("variants", Json::array());
  known_ = known;
  return {};
}

Result<Json> ProgramSource::status() {
  auto status = ask({{"do", "status"}});
  if (!status)
    return status;
  if (auto read = read_variants(*status); !read)
    return std::unexpected(std::move(read.error()));
  for (Json &runtime : status->at("runtimes")) {
    runtime["variants"] = Json::array();
    for (const Json &variant : variants_)
      if (variant.value("runtime", Json()) == runtime.value("id", Json()))
        runtime["variants"].push_back(variant);
  }
  return status;
}

Result<std::string> ProgramSource::events(std::uint64_t after) {
  const auto answer = ask({{"do", "events"}, {"after", after}});
  if (!answer)
    return std::unexpected(answer.error());
  const auto now = status();
  if (!now)
    return std::unexpected(now.error());
  EventLines lines(visit_);
  if (const auto events = answer->find("events"); events != answer->end() && events->is_array())
    for (const Json &event : *events)
      lines.add(event);
  return lines.take() + ",\"next\":" + std::to_string(number_of(*answer, "next", after)) +
         ",\"lost\":" + std::to_string(number_of(*answer, "dropped", 0)) +
         ",\"status\":" + dump_for_html(*now);
}

} // namespace sartor::view
