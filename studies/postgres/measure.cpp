// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "measured_program.h"
#include "server.h"
#include "take_turns.h"

namespace postgres {

namespace {

namespace fs = std::filesystem;

// The smallest cost of plans for which PostgreSQL asks the provider.
constexpr const char *kProviderSettings = "jit_above_cost = 1000\n";
constexpr const char *kSettings = "shared_buffers = 1GB\n"
                                  "work_mem = 256MB\n"
                                  "autovacuum = off\n"
                                  "max_wal_size = 4GB\n";
// A query is warm if no variant for it has been pending in a run, after the least number of runs.
constexpr std::size_t kLeastRuns = 4;
constexpr std::size_t kMostRuns = 60;
constexpr const char *kPending = "SELECT shape, evaluations FROM sartor_jit_activity "
                                 "WHERE status IN ('requested', 'measured') ORDER BY shape";
constexpr const char *kActivity =
    "SELECT shape, status, steps, evaluations, gain, gain_low, gain_high, saved_ns, why "
    "FROM sartor_jit_activity WHERE status <> 'counted' ORDER BY evaluations DESC";

constexpr int kTransactions = 2000;
constexpr int kAccounts = 200'000; // in pgbench's tables of scale 2

class MeasuredQuery {
public:
  MeasuredQuery(const Server &server, const std::string &settings, std::string text)
      : session_(server, settings), text_(std::move(text)), result_(session_.ask(text_)) {}

  [[nodiscard]] const std::string &result() const { return result_; }
  [[nodiscard]] double run() const {
    const double before = session_.processor_time();
    (void)session_.ask(text_);
    return session_.processor_time() - before;
  }

private:
  Session session_;
  std::string text_;
  std::string result_;
};

/// The transactions of pgbench's own scripts, which pgbench calls "select only" and "simple
/// update".
class Transactions {
public:
  Transactions(const Server &server, const std::string &settings, bool updates)
      : session_(server, settings), updates_(updates) {}

  [[nodiscard]] double run() const {
    const double before = session_.processor_time();
    for (int i = 0; i < kTransactions; ++i)
      updates_ ? update() : select();
    return session_.processor_time() - before;
  }

private:
  void select() const {
    (void)session_.ask("SELECT abalance FROM pgbench_accounts WHERE aid = " + account());
  }
  void update() const {
    const std::string aid = account();
    (void)session_.ask("BEGIN");
    (void)session_.ask("UPDATE pgbench_accounts SET abalance = abalance + 7 WHERE aid = " + aid);
    (void)session_.ask("SELECT abalance FROM pgbench_accounts WHERE aid = " + aid);
    (void)session_.ask("INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) "
                       "VALUES (3, 1, " +
                       aid + ", 7, CURRENT_TIMESTAMP)");
    (void)session_.ask("END");
  }
  [[nodiscard]] std::string account() const {
    return std::to_string(std::uniform_int_distribution(1, kAccounts)(random_));
  }

  Session session_;
  bool updates_;
  mutable std::mt19937_64 random_{1};
};

void warm(const MeasuredQuery &query, const Session &view) {
  std::string pending;
  for (std::size_t run = 1; run <= kMostRuns; ++run) {
    (void)query.run();
    std::string now = view.ask(kPending);
    if (run >= kLeastRuns && now == pending)
      return;
    pending = std::move(now);
  }
}

std::string content(const fs::path &file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// With jit = off, a server loads no provider. `off` runs in the server that has Sartor's, so that
/// both read the same memory.
Query measure(const fs::path &file, const Server &stock, const Server &ours, std::size_t rounds) {
  Query made;
  made.name = file.stem();
  const std::string text = content(file);
  const std::array<MeasuredQuery, 3> programs = {MeasuredQuery(ours, "SET jit = off", text),
                                                 MeasuredQuery(stock, "SET jit = on", text),
                                                 MeasuredQuery(ours, "SET jit = on", text)};
  warm(programs[2], Session(ours, "SET jit = off"));
  const std::array<Samples *, 3> samples = {&made.off, &made.on, &made.sartor};
  studies::compare(made.name, programs, samples, rounds);
  return made;
}

Query measure_transactions(bool updates, const Server &stock, const Server &ours,
                           std::size_t rounds) {
  Query made;
  made.name = updates ? "pgbench_update" : "pgbench_select";
  const std::array<Transactions, 3> programs = {Transactions(ours, "SET jit = off", updates),
                                                Transactions(stock, "SET jit = on", updates),
                                                Transactions(ours, "SET jit = on", updates)};
  for (const Transactions &each : programs)
    (void)each.run();
  const std::array<Samples *, 3> samples = {&made.off, &made.on, &made.sartor};
  sartor::bench::take_turns(programs, samples, rounds);
  return made;
}

} // namespace

const Samples &Query::stock() const {
  return sartor::bench::median(off).value < sartor::bench::median(on).value ? off : on;
}

bool Query::is_scan() const {
  return name.starts_with("scan_") || name == "late" || name == "aggregate";
}

Measured measure(std::size_t orders, std::size_t rounds) {
  if (const char *wanted = std::getenv("STUDY_POSTGRES_ORDERS"); wanted && *wanted)
    orders = std::stoul(wanted);
  // On small tables, variants are requested after as many runs as on large ones.
  const std::string heat = "sartor_jit.heat = " + std::to_string(orders * 4 / 3) + "\n";
  const Server stock("stock", "stock", kSettings, orders);
  const Server ours("sartor", STUDY_POSTGRES_PROVIDER, kSettings + (kProviderSettings + heat),
                    orders);
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(STUDY_POSTGRES_SOURCE "/queries"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  Measured measured;
  for (const fs::path &file : files)
    measured.queries.push_back(measure(file, stock, ours, rounds));
  for (const bool updates : {false, true})
    measured.queries.push_back(measure_transactions(updates, stock, ours, rounds));
  measured.activity = Session(ours, "SET jit = off").ask(kActivity);
  return measured;
}

} // namespace postgres
