// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/control.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <sartor/metrics.hpp>

#include "base/reports.h"
#include "base/text/json.h"
#include "base/thread/thread.h"
#include "runtime/assumptions/quasi_invariants.h"
#include "runtime/jit/thread_pool.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostEventsInAnswer = 512;

std::unexpected<Failure> bad_request(std::string subject, std::string message, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_argument, std::move(subject), std::move(message), std::move(remedy)});
}

/// A field that is a text; empty if there is none.
Result<std::string> text_field(const Json &request, const char *name) {
  const auto field = request.find(name);
  if (field == request.end())
    return std::string();
  if (!field->is_string())
    return bad_request(name, "is not a text", "write it in quotation marks");
  return field->get<std::string>();
}

Result<std::string> required_text(const Json &request, const char *name) {
  auto text = text_field(request, name);
  if (text && text->empty())
    return bad_request(name, "is missing", "add this field to the request");
  return text;
}

std::string program_path() {
  std::error_code error; // without /proc
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

std::vector<std::shared_ptr<runtime::QuasiInvariantState>>
quasi_invariants_named(const std::string &name) {
  auto all = runtime::QuasiInvariants::instance().all();
  std::erase_if(all, [&](const auto &each) { return each->name() != name; });
  return all;
}

Json rows_of_quasi_invariants() {
  Json rows = Json::array();
  for (const auto &each : runtime::QuasiInvariants::instance().all()) {
    const QuasiInvariantFigures figures = each->figures();
    rows.push_back(
        {{"name", each->name()},
         {"valid", each->valid()},
         {"held", figures.held},
         {"invalidated", figures.invalidated},
         {"refused", figures.refused},
         {"reinforced", figures.reinforced},
         {"unseen", figures.unseen},
         {"made", figures.made},
         {"held_callers", figures.held_callers},
         {"valid_seconds", static_cast<double>(figures.valid_nanoseconds) * 1e-9},
         {"invalidation_seconds", static_cast<double>(figures.invalidation_nanoseconds) * 1e-9}});
  }
  return rows;
}

Json row_of_compile_queue() {
  const runtime::PoolStatus status = runtime::ThreadPool::instance().status();
  Json running = Json::array();
  for (const auto &each : status.running)
    running.push_back({{"kind", each.job.kind},
                       {"handler", each.job.handler},
                       {"configuration", Json::parse(each.job.configuration.json())},
                       {"text", each.job.handler + each.job.configuration.text()},
                       {"tier", each.tier == core::Tier::quick ? "quick" : "full"},
                       {"seconds", std::chrono::duration<double>(each.since_begin).count()}});
  return {{"waiting", status.waiting}, {"running", std::move(running)}};
}

} // namespace

class Control::InUse {
public:
  explicit InUse(Control &control) : control_(control) {
    const base::MutexLock lock(control_.mutex_);
    ++control_.users_;
    runtimes = control_.runtimes_;
    explorers = control_.explorers_;
    kernel_handlers = control_.kernel_handlers_;
  }
  ~InUse() {
    const base::MutexLock lock(control_.mutex_);
    if (--control_.users_ == 0)
      control_.unused_.notify_all();
  }
  InUse(const InUse &) = delete;
  InUse &operator=(const InUse &) = delete;

  std::vector<ControlledRuntime *> runtimes;
  std::vector<ControlledExplorer *> explorers;
  std::map<unsigned, ControlledKernelHandlers *> kernel_handlers;

private:
  Control &control_;
};

Control &Control::instance() {
  static auto *control = new Control; // never destroyed: runtimes may be static objects
  return *control;
}

Control::Control() { base::add(*this); }

void Control::add(ControlledRuntime &runtime) {
  const base::MutexLock lock(mutex_);
  runtimes_.push_back(&runtime);
}

void Control::add(ControlledExplorer &explorer) {
  const base::MutexLock lock(mutex_);
  explorers_.push_back(&explorer);
}

void Control::add(ControlledKernelHandlers &handlers) {
  const base::MutexLock lock(mutex_);
  kernel_handlers_.emplace(++last_kernel_handlers_, &handlers);
}

void Control::remove(ControlledRuntime &runtime) {
  const base::MutexLock lock(mutex_);
  std::erase(runtimes_, &runtime);
  while (users_ != 0)
    unused_.wait(mutex_);
}

void Control::remove(ControlledExplorer &explorer) {
  const base::MutexLock lock(mutex_);
  std::erase(explorers_, &explorer);
  while (users_ != 0)
    unused_.wait(mutex_);
}

void Control::remove(ControlledKernelHandlers &handlers) {
  const base::MutexLock lock(mutex_);
  std::erase_if(kernel_handlers_, [&](const auto &each) { return each.second == &handlers; });
  while (users_ != 0)
    unused_.wait(mutex_);
}

void Control::after_fork_in_child() {
  const base::MutexLock lock(mutex_);
  users_ = 0; // the thread that obeys commands does not exist here
  unused_.forget_waiters();
}

std::string Control::answer(std::string_view request) {
  auto obeyed = obey(request);
  Json answer{{"version", kVersion}, {"ok", obeyed.has_value()}};
  if (obeyed) {
    for (auto &[name, value] : obeyed->items())
      answer[name] = std::move(value);
  } else {
    answer["error"] = to_json(obeyed.error());
  }
  return sartor::dump(answer);
}

Result<Json> Control::obey(std::string_view request) {
  // Used by its thread while the process exits.
  static const auto &commands =
      *new std::map<std::string, Command>{{"status", &Control::do_status},
                                          {"variants", &Control::do_variants},
                                          {"events", &Control::do_events},
                                          {"metrics", &Control::do_metrics},
                                          {"dump", &Control::do_dump},
                                          {"off", &Control::do_off},
                                          {"on", &Control::do_on},
                                          {"pin", &Control::do_pin},
                                          {"unpin", &Control::do_unpin},
                                          {"explore", &Control::do_explore},
                                          {"invalidate", &Control::do_invalidate}};
  const auto json = parse_json(request);
  if (!json)
    return std::unexpected(Failure{ErrorCode::bad_json, "request", json.error().message,
                                   R"(write {"version":1,"do":"status"} in one line)"});
  if (!json->is_object() || json->value("version", Json()) != kVersion)
    return bad_request("version", "is not " + std::to_string(kVersion),
                       "use a `sartor` of the same version as the program's library");
  const auto what = required_text(*json, "do");
  if (!what)
    return std::unexpected(what.error());
  const auto command = commands.find(*what);
  if (command == commands.end())
    return bad_request(*what, "is no command",
                       "the reference page of the control socket lists the commands");
  return (this->*command->second)(*json);
}

Json Control::status() {
  const InUse used(*this);
  Json runtimes = Json::array();
  for (ControlledRuntime *each : used.runtimes)
    runtimes.push_back(each->status());
  Json explorers = Json::array();
  for (ControlledExplorer *each : used.explorers)
    explorers.push_back(each->status());
  Json kernel_handlers = Json::array();
  for (const auto &[number, each] : used.kernel_handlers)
    kernel_handlers.push_back({{"id", number}, {"handlers", each->status()}});
  const std::chrono::duration<double> uptime = std::chrono::steady_clock::now() - begun_;
  return {{"pid", getpid()},
          {"program", program_path()},
          {"sartor", SARTOR_VERSION},
          {"uptime_seconds", uptime.count()},
          {"runtimes", std::move(runtimes)},
          {"explorers", std::move(explorers)},
          {"kernel_handlers", std::move(kernel_handlers)},
          {"compile_queue", row_of_compile_queue()},
          {"quasi_invariants", rows_of_quasi_invariants()}};
}

Result<Json> Control::do_status(const Json & /*request*/) { return status(); }

Result<Json> Control::do_variants(const Json & /*request*/) {
  const InUse used(*this);
  Json variants = Json::array();
  for (ControlledRuntime *each : used.runtimes)
    for (Json &variant : each->variants())
      variants.push_back(std::move(variant));
  return Json{{"variants", std::move(variants)}};
}

Result<Json> Control::do_events(const Json &request) {
  const auto after = request.find("after");
  if (after != request.end() && !after->is_number_unsigned())
    return bad_request("after", "is not a number of an event",
                       "write the number that the last answer has as `next`, or 0");
  const auto page =
      events_->lines(after == request.end() ? 0 : after->get<std::uint64_t>(), kMostEventsInAnswer);
  Json events = Json::array();
  for (const std::string &line : page.lines)
    if (auto event = parse_json(line))
      events.push_back(std::move(*event));
  return Json{{"events", std::move(events)}, {"next", page.next}, {"dropped", page.dropped}};
}

Result<Json> Control::do_metrics(const Json & /*request*/) { return Json{{"text", metrics()}}; }

Result<Json> Control::do_dump(const Json &request) {
  const auto name = required_text(request, "variant");
  if (!name)
    return std::unexpected(name.error());
  const InUse used(*this);
  for (ControlledRuntime *each : used.runtimes)
    if (auto found = each->dump(*name))
      return std::move(*found);
  return bad_request(*name, "is no variant in memory", "list them with `sartor variants PID`");
}

Result<Json> Control::change(const std::function<Result<void>(ControlledRuntime &)> &how) {
  const InUse used(*this);
  std::optional<Failure> refused;
  bool accepted = false;
  for (ControlledRuntime *each : used.runtimes)
    if (auto outcome = how(*each))
      accepted = true;
    else
      refused = std::move(outcome.error());
  if (accepted)
    for (ControlledExplorer *each : used.explorers)
      each->overrides_changed();
  else if (refused)
    return std::unexpected(std::move(*refused));
  else
    return bad_request("runtime", "does not exist in this process", "wait until it has opened one");
  return Json::object();
}

Result<Json> Control::do_off(const Json &request) {
  const auto name = text_field(request, "name");
  if (!name)
    return std::unexpected(name.error());
  return change([&](ControlledRuntime &runtime) { return runtime.switch_off(*name); });
}

Result<Json> Control::do_on(const Json &request) {
  const auto name = text_field(request, "name");
  if (!name)
    return std::unexpected(name.error());
  return change([&](ControlledRuntime &runtime) { return runtime.switch_on(*name); });
}

Result<Json> Control::do_pin(const Json &request) {
  const auto field = request.find("configuration");
  if (field == request.end() || !field->is_object())
    return bad_request("configuration", "is missing, or no object",
                       R"(write settings by label, such as {"B":16})");
  try {
    const auto configuration = Configuration::from_json(sartor::dump(*field));
    return change([&](ControlledRuntime &runtime) { return runtime.pin(configuration); });
  } catch (const Error &error) {
    return std::unexpected(error.failure());
  }
}

Result<Json> Control::do_unpin(const Json & /*request*/) {
  return change([](ControlledRuntime &runtime) { return runtime.unpin(); });
}

Result<Json> Control::do_explore(const Json & /*request*/) {
  const InUse used(*this);
  const auto begun = std::ranges::count_if(
      used.explorers, [](ControlledExplorer *each) { return each->explore(); });
  if (begun == 0)
    return bad_request("explore", "no explorer of the process waits for changes of the workload",
                       "start() one, or wait until the exploration under way has ended");
  return Json{{"explorers", begun}};
}

// On a thread of its own: an invalidation waits for calls of handlers, and commands must not.
Result<Json> Control::do_invalidate(const Json &request) {
  const auto name = required_text(request, "name");
  if (!name)
    return std::unexpected(name.error());
  auto named = quasi_invariants_named(*name);
  if (named.empty())
    return bad_request(*name, "is no quasi-invariant of the process",
                       "list them with `sartor top`");
  auto thread = base::Thread::start("sartor-command", [named = std::move(named)] {
    for (const auto &each : named)
      each->leave_alone({});
  });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  thread->detach();
  base::report("operator", {{"did", "invalidate"}, {"name", *name}});
  return Json::object();
}

} // namespace sartor
