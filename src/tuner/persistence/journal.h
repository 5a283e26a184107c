// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PERSISTENCE_JOURNAL_H
#define SARTOR_TUNER_PERSISTENCE_JOURNAL_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <sartor/search_space.hpp>
#include <sartor/strategy.hpp>

#include "base/file/file_handle.h"
#include "base/life.h"
#include "base/result.h"
#include "tuner/persistence/trial_store.h"

namespace sartor {

/// The trials of explorations in a file of JSON lines, one after the other: a line that describes
/// the exploration, one for each trial, and the decision. An exploration without a decision was
/// interrupted, and the next one resumes from its trials: the same strategy with the same seed asks
/// for the same configurations and gets their recorded results, until it asks for one that was not
/// measured yet. If the program has closed its descriptor, the file is opened again. A child
/// process has no journal. For use by one thread.
class Journal final : public TrialStore, base::Resident {
public:
  /// Releases the file for the next exploration.
  ~Journal() override;
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  /// Subject of an exploration. A file with any other subject is refused.
  struct Subject {
    const SearchSpace &space;
    std::string objective; ///< Its name and bounds.
    std::string strategy;
    /// Whether a trial can be one of the quantity that is compared now. Empty: all are.
    std::function<bool(const Trial &)> is_ours = {};
  };
  /// Other initial state of an exploration.
  struct Run {
    std::uint64_t seed = 1;
    Configuration incumbent = {}; ///< Active at first.
    /// Name of the quantity that trials compare, which may be the cost of the objective's unit.
    std::string compared = {};
  };
  /// Writes an event to the event log; `fields` is a JSON object's text.
  using Log = std::function<void(std::string_view event, std::string_view fields)>;

  /// Resumes the interrupted exploration in the file, or begins `fresh`. Trials of another quantity
  /// than `fresh.compared` are not used: the exploration starts anew. A damaged last line is cut
  /// off. Both are reported to `log`. Fails with file_error if the file cannot be read or written
  /// or is being written by another exploration, and wrong_journal.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path &path,
                                               const Subject &subject, Run fresh, Log log);

  /// Initial state of the resumed exploration, or `fresh`.
  [[nodiscard]] const Run &run() const noexcept { return run_; }

  /// Returns trials in the order in which they were saved. If another configuration is asked for,
  /// the strategy has changed: the remaining trials are cut off, which is reported to the log.
  std::optional<Trial> recall(const Configuration &configuration) override;
  /// A full disk is reported to the log once, and nothing more is saved.
  void save(const Trial &trial) override;
  /// Trials before this cannot be compared with those after it.
  void start_anew() override;
  /// Writes the decision, which ends the exploration.
  void decide(const Decision &decision);

private:
  struct Kept {
    Trial trial;
    std::uint64_t offset; ///< Offset of its line.
  };

  Journal(std::filesystem::path path, base::FileHandle file, Log log);
  void after_fork_in_child() override;
  /// Reads the file. `header` is the expected first line of each exploration, without the fields of
  /// Run.
  Result<void> read(const nlohmann::ordered_json &header);
  /// False for a line that this class has not written. Fails with wrong_journal.
  Result<bool> read_line(const std::string &line, std::uint64_t offset,
                         const nlohmann::ordered_json &header);
  void write(const nlohmann::ordered_json &line);
  /// Opens the file again if the program has closed it. False, after an event, if that fails.
  [[nodiscard]] bool is_open();
  /// Does not use the trials that were read if they cannot be compared with those to come.
  void leave_others(const Subject &subject, const std::string &compared);
  void cut_off(std::uint64_t size);
  void forget_the_rest();
  void log_message(std::string_view event, const std::string &message) const;
  [[nodiscard]] std::unexpected<Failure> wrong(std::string message) const;

  const std::filesystem::path path_;
  base::FileHandle file_;
  off_t size_ = 0; ///< Size of the file after the last write.
  const Log log_;
  bool failed_ = false; ///< Nothing can be written any more.
  bool open_ = false;   ///< The last exploration in the file was interrupted.
  Run run_;
  std::deque<Kept> kept_; ///< Not recalled yet.
};

} // namespace sartor

#endif
