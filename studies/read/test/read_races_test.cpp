// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread reads by specialized code while another invalidates its quasi-invariants, by each call
// that may do so.
#include <atomic>
#include <cerrno>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "read_images.h"

namespace {

using namespace std::chrono_literals;
using files::Client;
using files::FileService;
using files::From;
using files::RecordLocking;

/// The time limit for any event, also on a loaded machine.
constexpr auto kPatience = 60s;
/// The size of each write, and of the largest reads.
constexpr std::size_t kPiece = 2048;
constexpr std::size_t kLittle = 64;
/// The offset at which other clients write and lock.
constexpr std::uint64_t kElsewhere = 16'384;
constexpr int kRandomInvalidations = 300;

/// Invalidates a quasi-invariant, on which active code must not depend until `end` is called.
struct Breaker {
  const char *name;
  long quasi_invariant;
  std::function<void()> begin;
  std::function<void()> end;
};

class ReadRaces : public testing::Test {
protected:
  ReadRaces() { make_test_image(image_); }

  void start() {
    service_ = std::make_unique<FileService>(image_, kBuffers, runtime_, eager());
    reader_ = &service_->add_client();
    other_ = &service_->add_client();
    descriptor_ = static_cast<int>(service_->open(*reader_, "/words", files::kReading));
    ASSERT_GE(descriptor_, 0);
    thread_ = std::jthread([this](const std::stop_token &stop) { read_on(stop); });
  }

  // Each read must return a piece of the file as it was at one time.
  void read_on(const std::stop_token &stop) {
    std::vector<std::uint64_t> piece(kPiece / sizeof(std::uint64_t));
    for (unsigned i = 0; !stop.stop_requested(); ++i) {
      if (unhurried_)
        std::this_thread::sleep_for(300us);
      const unsigned locked = lockings_;
      const std::size_t bytes = i % 32 == 0 ? kPiece : kLittle;
      const long got = service_->read(*reader_, descriptor_, piece.data(), bytes);
      if (got == 0)
        service_->lseek(*reader_, descriptor_, 0, From::beginning);
      if (got > 0 && got % 8 == 0)
        look_at(piece, static_cast<std::size_t>(got) / 8, locked % 2 == 1 && locked == lockings_);
      else if (got != 0 && got != -EAGAIN && got != -EBADF)
        ++wrong_;
    }
  }

  void look_at(const std::vector<std::uint64_t> &piece, std::size_t count, bool is_locked) {
    ++reads_;
    constexpr std::uint64_t kOffset = (std::uint64_t{1} << 40U) - 1;
    std::size_t first = 0; // the first word outside a hole
    while (first < count && piece[first] == 0)
      ++first;
    if (first == count)
      return;
    const std::uint64_t begin = (piece[first] & kOffset) - 8 * first;
    for (std::size_t i = first; i < count; ++i) {
      const std::uint64_t offset = begin + 8 * i;
      const bool begins = i == first || offset % kPiece == 0; // of a piece that is written at once
      if (piece[i] == 0 ? !begins && piece[i - 1] != 0
                        : (piece[i] & kOffset) != offset ||
                              (!begins && piece[i] >> 40U != piece[i - 1] >> 40U))
        ++wrong_;
    }
    if (is_locked && begin < kElsewhere + kPiece && kElsewhere < begin + 8 * count)
      ++wrong_;
  }

  testing::AssertionResult becomes_active(long quasi_invariants) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while ((FileService::active_quasi_invariants(*reader_, descriptor_) & quasi_invariants) !=
           quasi_invariants) {
      if (std::chrono::steady_clock::now() > end)
        return testing::AssertionFailure()
               << "active: " << FileService::active_quasi_invariants(*reader_, descriptor_);
      std::this_thread::sleep_for(1ms);
    }
    return testing::AssertionSuccess();
  }

  void write_elsewhere(std::uint64_t writer) {
    const long to = service_->open(*other_, "/words", files::kWriting);
    service_->lseek(*other_, static_cast<int>(to), kElsewhere, From::beginning);
    service_->write(*other_, static_cast<int>(to), words(kElsewhere, kPiece, writer).data(),
                    kPiece);
    service_->close(*other_, static_cast<int>(to));
  }

  void read_by(Client &client, const char *path) {
    std::string to(kPiece, '\0');
    const int from = static_cast<int>(service_->open(client, path, files::kReading));
    while (service_->read(client, from, to.data(), to.size()) > 0)
      ;
    service_->close(client, from);
  }

  // The lowest descriptor is free.
  void open_again() {
    if (service_->open(*reader_, "/words", files::kReading) != descriptor_)
      ++wrong_;
  }

  std::vector<Breaker> breakers();

  files::ScratchFolder folder_;
  std::filesystem::path image_ = folder_.path() / "image";
  sartor::Runtime runtime_;
  std::unique_ptr<FileService> service_;
  Client *reader_ = nullptr;
  Client *other_ = nullptr;
  Client *child_ = nullptr;
  int descriptor_ = -1;
  long held_ = -1;
  std::uint64_t writer_ = 0;
  std::atomic<bool> unhurried_ = false; ///< Slows the reader, so that short events are not missed.
  std::atomic<unsigned> lockings_ = 0;  ///< Odd while a part of the file is locked.
  std::atomic<std::uint64_t> reads_ = 0;
  std::atomic<std::uint64_t> wrong_ = 0;
  std::jthread thread_;
};

std::vector<Breaker> ReadRaces::breakers() {
  const auto open = [this](unsigned mode) {
    return [this, mode] { held_ = service_->open(*other_, "/words", mode); };
  };
  const auto close = [this] { service_->close(*other_, static_cast<int>(held_)); };
  return {
      {"fork", files::kNoSharingOfOffset,
       [this] {
         std::string to(kPiece, '\0');
         child_ = &service_->fork(*reader_);
         service_->read(*child_, descriptor_, to.data(), to.size());
       },
       [this] { service_->end(*child_); }},
      {"thread", files::kNoSharingOfOffset,
       [this] {
         service_->attach(*reader_);
         std::string to(kPiece, '\0');
         for (int i = 0; i < 20; ++i)
           service_->read(*reader_, descriptor_, to.data(), to.size());
       },
       [this] { service_->detach(*reader_); }},
      {"dup", files::kNoSharingOfOffset, [this] { held_ = service_->dup(*reader_, descriptor_); },
       [this] { service_->close(*reader_, static_cast<int>(held_)); }},
      {"open", files::kNoSharingOfInode, open(files::kReading), close},
      {"open to write", files::kReadOnly, open(files::kWriting), close},
      {"write", files::kReadOnly,
       [this, open] {
         open(files::kWriting)();
         write_elsewhere(++writer_);
       },
       close},
      {"lock", files::kNoLocks,
       [this, open] {
         open(files::kWriting)();
         service_->lock(*other_, static_cast<int>(held_), kElsewhere, kElsewhere + kPiece,
                        RecordLocking::exclusive);
         ++lockings_;
         std::this_thread::sleep_for(1ms);
       },
       [this, close] {
         ++lockings_;
         close();
       }},
      {"truncate", files::kNoHoles,
       [this] {
         service_->truncate("/words", kElsewhere);
         service_->truncate("/words", kWordsBytes);
       },
       [this] {
         for (std::uint64_t at = kElsewhere; at < kWordsBytes; at += kPiece) {
           const int to = static_cast<int>(service_->open(*other_, "/words", files::kWriting));
           service_->lseek(*other_, to, static_cast<std::int64_t>(at), From::beginning);
           service_->write(*other_, to, words(at, kPiece, writer_).data(), kPiece);
           service_->close(*other_, to);
         }
       }},
      {"close", files::kOpen,
       [this] {
         service_->attach(*reader_);
         service_->close(*reader_, descriptor_);
       },
       [this] {
         open_again();
         service_->detach(*reader_);
       }},
      {"remount", 0, [this] { service_->remount(true); }, [this] { service_->remount(false); }},
      {"seek", 0,
       [this] {
         service_->attach(*reader_);
         service_->lseek(*reader_, descriptor_, kElsewhere, From::beginning);
       },
       [this] { service_->detach(*reader_); }},
      {"replace", 0, [this] { read_by(*other_, "/large"); }, [] {}},
  };
}

TEST_F(ReadRaces, EachQuasiInvariantIsInvalidatedInMidRead) {
  unhurried_ = true;
  start();
  for (const Breaker &breaker : breakers()) {
    ASSERT_TRUE(becomes_active(files::kAllQuasiInvariants)) << breaker.name;
    const std::uint64_t before = reads_;
    while (reads_ == before)
      std::this_thread::yield();
    breaker.begin();
    if (breaker.quasi_invariant != 0)
      EXPECT_EQ(
          FileService::active_quasi_invariants(*reader_, descriptor_) & breaker.quasi_invariant, 0)
          << breaker.name;
    std::this_thread::sleep_for(5ms);
    breaker.end();
    EXPECT_EQ(wrong_, 0U) << breaker.name;
  }
  EXPECT_TRUE(becomes_active(files::kAllQuasiInvariants));
}

TEST_F(ReadRaces, QuasiInvariantsAreInvalidatedAtRandom) {
  start();
  const std::vector<Breaker> all = breakers();
  std::mt19937_64 random(1); // NOLINT(*-random-generator-seed): runs can be repeated
  for (int i = 0; i < kRandomInvalidations; ++i) {
    if (i % 50 == 0)
      ASSERT_TRUE(becomes_active(files::kOpen));
    const Breaker &breaker = all[random() % all.size()];
    breaker.begin();
    if (random() % 4 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 5'000));
    breaker.end();
    if (random() % 4 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    ASSERT_EQ(wrong_, 0U) << breaker.name << ", break " << i;
  }
  EXPECT_GT(reads_, 0U);
}

} // namespace
