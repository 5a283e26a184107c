// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/source.h"

#include <algorithm>

#include "tools/view/log_file.h"

namespace sartor::view {

Result<std::string> LogSource::events(std::uint64_t after) {
  const auto log = LogFile::open(log_);
  if (!log)
    return std::unexpected(log.error());
  const auto size = log->size();
  if (!size)
    return std::unexpected(size.error());
  const bool is_other = file_ && *file_ != log->identity();
  if (is_other || *size < end_ - begin_)
    begin_ = ++end_;
  file_ = log->identity();
  const bool restarted = after < begin_ || after - begin_ > *size;
  const std::uint64_t from = restarted ? 0 : after - begin_;
  EventLines lines(visit_);
  const auto next = log->read(from, LogFile::LastLine::waited_for, lines);
  if (!next)
    return std::unexpected(next.error());
  end_ = std::max(end_, begin_ + *next);
  return lines.take() + ",\"next\":" + std::to_string(begin_ + *next) +
         ",\"more\":" + (*next > from && *next < *size ? "true" : "false") +
         ",\"restarted\":" + (restarted ? "true" : "false");
}

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
