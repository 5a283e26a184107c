// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/fleet/fleet.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <sartor/strategies.hpp>

#include "base/text/value_json.h"
#include "tuner/evidence/interval.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

/// Longer than the store's own timeouts.
constexpr auto kAnswerWithin = 15s;
/// Interval of checks whether other replicas have ended their trials.
constexpr auto kLookEvery = 100ms;
/// Shortest interval between attempts to connect, so that they do not take all of a processor.
constexpr std::chrono::milliseconds kShortestRetry = 1ms;
/// Longest time to wait for anything: the clock can represent no end of a much longer one.
constexpr std::chrono::milliseconds kLongestWait = std::chrono::years(1);
/// Number of consecutive proposals outside of the constraints before this replica draws one itself.
constexpr std::size_t kMostRefused = 20;
/// Half the width of a 95 % interval, in standard errors of the mean.
constexpr double kErrors = 1.96;

Failure garbage(std::string why) {
  return {ErrorCode::store_unreachable, "sidecar", "answers something else: " + std::move(why),
          "see whether it is Sartor's sidecar, of this version"};
}

/// Calls `read` with the answer. Exceptions of `read` become failures.
template <class Read> Result<void> read_answer(const std::string &text, Read &&read) {
  try {
    const Json answer = or_throw(parse_json(text));
    if (answer.contains("error"))
      return std::unexpected(Failure{ErrorCode::store_unreachable, "sidecar",
                                     answer.at("error").get<std::string>(),
                                     "the replica goes on alone, and tries again"});
    read(answer);
    return {};
  } catch (const Json::exception &error) {
    return std::unexpected(garbage(error.what()));
  } catch (const Error &error) { // from Configuration
    return std::unexpected(garbage(error.what()));
  }
}

Configuration configuration_in(const Json &json) {
  return Configuration::from_json(dump(json.at("configuration")));
}

Estimate estimate(double score, double error, std::size_t sample_count) {
  return {score, score - kErrors * error, score + kErrors * error, sample_count};
}

/// The value that is reported to the study: the logarithm of the ratio to the score of the
/// reference, so that it does not depend on the load of the replica.
double reported(double score, double reference) {
  return reference != 0 ? advantage(score, reference) : score;
}

/// JSON has only finite numbers.
bool is_reportable(const Trial &trial) {
  return std::isfinite(trial.score) && std::isfinite(trial.reference) &&
         std::isfinite(reported(trial.score, trial.reference));
}

/// Zero if it is not known.
double error_of(const Trial &trial) {
  const bool is_share = trial.reference != 0 && trial.score != 0;
  const double error = is_share ? trial.error / std::fabs(trial.score) : trial.error;
  return std::isfinite(error) ? error : 0;
}

/// The inverse of reported().
double score_of(double value, double reference) {
  if (reference == 0)
    return value;
  return better_by(value, reference);
}

FleetOptions complete(FleetOptions options) {
  if (options.replica.empty()) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    options.replica = std::string(host) + ":" + std::to_string(getpid());
  }
  options.patience = std::min(options.patience, kLongestWait);
  options.retry = std::clamp(options.retry, kShortestRetry, kLongestWait);
  return options;
}

std::unique_ptr<Strategy> make_alone(const SearchSpace &space, const FleetOptions &options) {
  return options.alone ? options.alone(space)
                       : local_search(space, {options.most_trials, options.seed});
}

} // namespace

FleetSearch::FleetSearch(SearchSpace space, FleetOptions options, std::string content, Log log)
    : space_(std::move(space)), options_(complete(std::move(options))),
      content_(std::move(content)), log_(std::move(log)), alone_(make_alone(space_, options_)),
      random_(options_.seed ^ std::hash<std::string>()(options_.replica)) {
  base::add(*this);
  if (auto thread = base::Thread::start("sartor-fleet", [this] { run(); }))
    thread_ = std::move(*thread);
  else // without the fleet
    log_("fleet_lost", dump({{"study", options_.study}, {"message", thread.error().text()}}));
  if (!thread_.is_here()) {
    link_ = Link::lost;
    ended_ = true;
  }
}

FleetSearch::~FleetSearch() {
  base::remove(*this);
  {
    Lock lock(mutex_.native());
    stopping_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, options_.patience, [&] { return ended_; });
    if (socket_)
      socket_->hang_up();
  }
  thread_.join();
}

void FleetSearch::after_fork_in_child() {
  new (&changed_) std::condition_variable; // without the waiters of the parent
  link_ = Link::lost;
  stopping_ = ended_ = true;
  socket_.reset();
}

void FleetSearch::exit_begins() {
  const Lock lock(mutex_.native());
  stopping_ = true;
  if (socket_)
    socket_->hang_up();
  changed_.notify_all();
}

bool FleetSearch::has_ended() {
  const Lock lock(mutex_.native());
  return ended_;
}

// Functions for the explorer.

std::optional<Configuration> FleetSearch::ask() {
  {
    Lock lock(mutex_.native());
    // If the last wait was in vain, this does not wait.
    waited_in_vain_ = !changed_.wait_for(lock, options_.patience, [&] {
      return stopping_ || waited_in_vain_ || link_ == Link::lost ||
             (link_ == Link::joined && (!ready_.empty() || (done_ && !waits_for_others())));
    }) || waited_in_vain_;
    if (!ready_.empty()) {
      Proposal next = std::move(ready_.front());
      ready_.pop_front();
      measuring_.emplace(next.configuration, next.id);
      changed_.notify_all();
      return std::move(next.configuration);
    }
    if (done_) {
      log_best();
      // The best was found by other replicas; its score on this machine is known only after a trial
      // here.
      if (reported_ > 0 || !best_ || !measuring_.empty() || !space_.allows(best_->configuration))
        return std::nullopt;
      measuring_.emplace(best_->configuration, std::nullopt);
      return best_->configuration;
    }
  }
  return alone_->ask();
}

void FleetSearch::tell(const Trial &trial) {
  alone_->tell(trial);
  const Lock lock(mutex_.native());
  ++reported_;
  if (trial.reference != 0 && std::isfinite(trial.reference))
    reference_ = trial.reference;
  Result result{std::nullopt, trial};
  result.trial.failed = trial.failed || !is_reportable(trial);
  if (const auto mine = measuring_.find(trial.configuration); mine != measuring_.end()) {
    result.id = mine->second;
    measuring_.erase(mine);
  }
  if (result.id || (!result.trial.failed && space_.allows(trial.configuration)))
    results_.push_back(std::move(result));
  changed_.notify_all();
}

Decision FleetSearch::best() const {
  Decision own = alone_->best();
  const Lock lock(mutex_.native());
  if (!best_ || !space_.allows(best_->configuration))
    return own;
  const Decision best = best_here();
  if (reported_ == 0 || knows_best())
    return best;
  return own.estimate.mean > best.estimate.mean ? own : best;
}

void FleetSearch::log_best() const {
  if (best_)
    log_("fleet_best", dump({{"study", options_.study}, {"text", best_->configuration.text()}}));
}

Decision FleetSearch::best_here() const {
  Decision best = *best_;
  for (double *each : {&best.estimate.mean, &best.estimate.low, &best.estimate.high})
    *each = score_of(*each, reference_);
  return best;
}

// Communication with the sidecar.

std::size_t FleetSearch::wanted() const {
  const std::size_t ahead = std::max<std::size_t>(measuring_.size(), 1);
  return done_ || ready_.size() >= ahead ? 0 : ahead - ready_.size();
}

bool FleetSearch::waits_for_others() const {
  return others_running_ > 0 || !knows_best() || !results_.empty();
}

void FleetSearch::run() {
  try {
    talk();
  } catch (const std::exception &error) { // the program must go on
    log_("fleet_lost", dump({{"study", options_.study}, {"message", error.what()}}));
  }
  const Lock lock(mutex_.native());
  link_ = Link::lost;
  ended_ = true;
  changed_.notify_all();
}

void FleetSearch::talk() {
  Lock lock(mutex_.native());
  while (!stopping_ || (link_ == Link::joined && !results_.empty())) {
    if (link_ == Link::joined) {
      if (auto worked = work(lock); !worked)
        leave(worked.error(), lock);
      continue;
    }
    lock.unlock();
    auto joined = join();
    lock.lock();
    if (joined) {
      link_ = Link::joined;
      done_ = false;
      best_as_of_.reset();
      changed_.notify_all();
    } else {
      leave(joined.error(), lock);
    }
  }
}

Result<void> FleetSearch::join() {
  auto socket = LineSocket::connect(options_.socket);
  if (!socket)
    return std::unexpected(std::move(socket.error()));
  {
    const Lock lock(mutex_.native());
    if (stopping_)
      return std::unexpected(garbage("is not waited for"));
    socket_.emplace(std::move(*socket));
  }
  const auto answer = socket_->exchange(dump({{"open",
                                               {{"space", Json::parse(space_.json())},
                                                {"study", options_.study},
                                                {"content", content_},
                                                {"replica", options_.replica},
                                                {"sampler", options_.sampler},
                                                {"seed", options_.seed},
                                                {"most_trials", options_.most_trials}}}}),
                                        kAnswerWithin);
  if (!answer)
    return std::unexpected(answer.error());
  auto opened = read_answer(*answer, [](const Json &json) { json.at("ok").get<bool>(); });
  if (opened)
    log_("fleet_joined", dump({{"study", options_.study}, {"replica", options_.replica}}));
  return opened;
}

/// Ids are not valid on another connection, so running trials are reported by their configurations.
void FleetSearch::leave(const Failure &why, Lock &lock) {
  socket_.reset();
  ready_.clear();
  for (auto &[configuration, id] : measuring_)
    id.reset();
  std::erase_if(results_,
                [](const Result &result) { return result.refused || result.trial.failed; });
  for (Result &result : results_)
    result.id.reset();
  if (std::exchange(link_, Link::lost) != Link::lost && !stopping_)
    log_("fleet_lost", dump({{"study", options_.study}, {"message", why.text()}}));
  changed_.notify_all();
  changed_.wait_for(lock, options_.retry, [&] { return stopping_; });
}

/// Does the next piece of work, or waits for one.
Result<void> FleetSearch::work(Lock &lock) {
  if (!results_.empty())
    return send_result(lock);
  if (const std::size_t count = wanted(); count > 0)
    return fetch(count, lock);
  if (!knows_best())
    return look_at_best(lock);
  const auto something = [&] { return stopping_ || !results_.empty() || wanted() > 0; };
  if (!done_ || others_running_ == 0) {
    changed_.wait(lock, [&] { return something() || !knows_best(); });
    return {};
  }
  if (!changed_.wait_for(lock, kLookEvery, something))
    return fetch(0, lock);
  return {};
}

Result<std::string> FleetSearch::exchange(const std::string &line, Lock &lock) {
  lock.unlock(); // only this thread changes socket_
  auto answer = socket_->exchange(line, kAnswerWithin);
  lock.lock();
  return answer;
}

Result<void> FleetSearch::send_result(Lock &lock) {
  const Result &result = results_.front();
  Json outcome = Json::object();
  if (result.id)
    outcome["id"] = *result.id;
  else
    outcome["configuration"] = Json::parse(result.trial.configuration.json());
  if (result.refused)
    outcome["refused"] = true;
  else if (result.trial.failed)
    outcome["failed"] = true;
  else
    outcome.update({{"score", reported(result.trial.score, result.trial.reference)},
                    {"error", error_of(result.trial)}});
  const auto answer = exchange(dump({{"tell", std::move(outcome)}}), lock);
  if (!answer)
    return std::unexpected(answer.error());
  auto read = read_answer(*answer, [](const Json &json) { json.at("ok").get<bool>(); });
  if (read)
    results_.pop_front();
  return read;
}

Result<void> FleetSearch::fetch(std::size_t count, Lock &lock) {
  const auto answer = exchange(dump({{"ask", count}}), lock);
  if (!answer)
    return std::unexpected(answer.error());
  return read_answer(*answer, [&](const Json &json) {
    std::vector<Proposal> proposals;
    for (const Json &trial : json.at("trials"))
      proposals.push_back({trial.at("id").get<std::int64_t>(), configuration_in(trial)});
    done_ = json.at("done").get<bool>();
    if (std::exchange(others_running_, json.at("running").get<std::size_t>()) > 0 && done_)
      best_as_of_.reset(); // they may have found something better
    waited_in_vain_ = false;
    for (Proposal &proposal : proposals) {
      if (space_.allows(proposal.configuration)) {
        refused_in_a_row_ = 0;
        ready_.push_back(std::move(proposal));
        continue;
      }
      results_.push_back({proposal.id, {.configuration = std::move(proposal.configuration)}, true});
      done_ = false; // the budget has room for another one
      if (++refused_in_a_row_ % kMostRefused == 0)
        ready_.push_back({std::nullopt, space_.at(space_.random(random_))});
    }
    changed_.notify_all();
  });
}

Result<void> FleetSearch::look_at_best(Lock &lock) {
  const std::size_t as_of = reported_;
  const auto answer = exchange(R"({"best":true})", lock);
  if (!answer)
    return std::unexpected(answer.error());
  return read_answer(*answer, [&](const Json &json) {
    if (const Json &best = json.at("best"); !best.is_null())
      best_ = {configuration_in(best),
               estimate(best.at("score").get<double>(), best.at("error").get<double>(), 1)};
    best_as_of_ = as_of;
    changed_.notify_all();
  });
}

std::unique_ptr<Strategy> fleet_search(const Runtime &runtime, const SearchSpace &space,
                                       FleetOptions options) {
  // Shares are comparable only if they refer to the same active configuration.
  std::string content = runtime.content();
  if (const Configuration active = runtime.configuration(); active != Configuration())
    content += " against " + active.text();
  return std::make_unique<FleetSearch>(space, std::move(options), std::move(content),
                                       [&runtime](std::string_view event, std::string_view fields) {
                                         runtime.log_event(event, fields);
                                       });
}

} // namespace sartor
