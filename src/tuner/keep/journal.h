// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_KEEP_JOURNAL_H
#define SARTOR_TUNER_KEEP_JOURNAL_H

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

#include "base/file_handle.h"
#include "base/result.h"
#include "tuner/keep/trial_keeper.h"

namespace sartor {

/// The trials of explorations in a file of JSON lines, one after the other: a line that says what
/// is explored, one for each trial, and the decision. An exploration whose decision is not there
/// was interrupted, and the next one goes on from its trials: the same strategy with the same seed
/// asks for the same configurations and is told what they came to, until it asks for what was not
/// measured yet. Where the program has closed its descriptor, the file is opened again. For use by
/// one thread.
class Journal final : public TrialKeeper {
public:
  /// What is explored. A file with anything else in it belongs to somebody else.
  struct Subject {
    const SearchSpace &space;
    std::string objective; ///< Its name and bounds.
    std::string strategy;
  };
  /// What an exploration begins with, besides.
  struct Run {
    std::uint64_t seed = 1;
    Configuration incumbent = {}; ///< In force at first.
  };
  /// Writes an event to the event log; `fields` is a JSON object's text.
  using Log = std::function<void(std::string_view event, std::string_view fields)>;

  /// Goes on with the exploration in the file that was interrupted, or begins `fresh`. A last line
  /// that is damaged is cut off, which is told to `log`. Fails with file_error if the file cannot
  /// be read or written or is being written by another exploration, and wrong_journal.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path &path,
                                               const Subject &subject, Run fresh, Log log);

  /// What the exploration that goes on was begun with, or what `fresh` was.
  [[nodiscard]] const Run &run() const noexcept { return run_; }

  /// Trials come back in the order in which they were kept. When another configuration is asked
  /// for, the strategy is not what it was: the rest is cut off, which is told to the log.
  std::optional<Trial> recall(const Configuration &configuration) override;
  /// A full disk is told to the log, once, and nothing more is kept.
  void keep(const Trial &trial) override;
  /// Trials before this cannot be compared with those after it.
  void start_anew() override;
  /// The end of it.
  void decide(const Decision &decision);

private:
  struct Kept {
    Trial trial;
    std::uint64_t offset; ///< Of its line.
  };

  Journal(std::filesystem::path path, base::FileHandle file, Log log)
      : path_(std::move(path)), file_(std::move(file)), log_(std::move(log)) {}
  /// Reads the file, which has this first line for each exploration but for what Run says.
  Result<void> read(const nlohmann::ordered_json &header);
  /// False for what this class has not written. Fails with wrong_journal.
  Result<bool> read_line(const std::string &line, std::uint64_t offset,
                         const nlohmann::ordered_json &header);
  void write(const nlohmann::ordered_json &line);
  /// Opens the file again if the program has closed it. False, after an event, if that fails.
  [[nodiscard]] bool is_open();
  void cut_off(std::uint64_t size);
  void forget_the_rest();
  void tell(std::string_view event, const std::string &message) const;
  [[nodiscard]] std::unexpected<Failure> wrong(std::string message) const;

  const std::filesystem::path path_;
  base::FileHandle file_;
  off_t size_ = 0; ///< Of the file, as it was left.
  const Log log_;
  bool failed_ = false; ///< Nothing can be written any more.
  bool open_ = false;   ///< The last exploration in the file was interrupted.
  Run run_;
  std::deque<Kept> kept_; ///< Not recalled yet.
};

} // namespace sartor

#endif
