// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_FLEET_FLEET_H
#define SARTOR_TUNER_FLEET_FLEET_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <sartor/fleet.hpp>

#include "base/life.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "tuner/fleet/line_socket.h"

namespace sartor {

/// The strategy of fleet_search(). Its own thread communicates with the sidecar; ask() waits for it
/// while it has joined a study, for at most `patience`.
class FleetSearch final : public Strategy, base::Resident {
public:
  /// Takes an event's name and its fields as JSON, on any thread.
  using Log = std::function<void(std::string_view event, std::string_view fields)>;

  /// `content` identifies the handler module and the kind of machine.
  FleetSearch(SearchSpace space, FleetOptions options, std::string content, Log log);
  /// Sends the remaining results, for at most `patience`.
  ~FleetSearch() override;
  FleetSearch(const FleetSearch &) = delete;
  FleetSearch &operator=(const FleetSearch &) = delete;

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  [[nodiscard]] Decision best() const override;

private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  enum class Link : unsigned char { joining, joined, lost };

  struct Proposal {
    std::optional<std::int64_t> id; ///< Id of the sidecar; nothing if this replica has drawn the
                                    ///< proposal.
    Configuration configuration;
  };
  struct Result {
    std::optional<std::int64_t> id;
    Trial trial;
    bool refused = false;
  };

  void run();
  void talk();
  sartor::Result<void> join();
  sartor::Result<void> work(Lock &lock);
  void leave(const Failure &why, Lock &lock);
  sartor::Result<std::string> exchange(const std::string &line, Lock &lock);
  sartor::Result<void> send_result(Lock &lock);
  sartor::Result<void> fetch(std::size_t count, Lock &lock);
  sartor::Result<void> look_at_best(Lock &lock);
  void log_best() const;
  [[nodiscard]] Decision best_here() const;
  [[nodiscard]] std::size_t wanted() const;
  [[nodiscard]] bool waits_for_others() const;
  [[nodiscard]] bool knows_best() const { return best_as_of_ == reported_; }
  /// Continues without the fleet: the connection is the parent's.
  void after_fork_in_child() override;
  void exit_begins() override;
  bool has_ended() override;

  const SearchSpace space_;
  const FleetOptions options_;
  const std::string content_;
  const Log log_;
  const std::unique_ptr<Strategy> alone_; ///< Used by the explorer's thread only.

  mutable base::Mutex mutex_; ///< Guards what follows.
  std::condition_variable changed_;
  Link link_ = Link::joining;
  bool stopping_ = false;
  bool ended_ = false; ///< The thread has ended its work.
  std::optional<LineSocket> socket_;
  std::deque<Proposal> ready_;
  std::multimap<Configuration, std::optional<std::int64_t>> measuring_;
  std::deque<Result> results_;            ///< Results not yet sent to the sidecar.
  bool done_ = false;                     ///< All of the study's trials have begun,
  std::size_t others_running_ = 0;        ///< and so many of other replicas are still running.
  std::optional<std::size_t> best_as_of_; ///< Value of reported_ when best_ was asked for.
  std::optional<Decision> best_;          ///< Best of the fleet, in the study's scores.
  double reference_ = 0;                  ///< Reference of our scores; 0 before the first.
  std::size_t reported_ = 0;              ///< Trials reported by this replica.
  std::size_t refused_in_a_row_ = 0;
  bool waited_in_vain_ = false; ///< The next wait is skipped until a proposal comes.
  std::mt19937_64 random_;

  base::Thread thread_; ///< Last: it uses all of the above.
};

} // namespace sartor

#endif
