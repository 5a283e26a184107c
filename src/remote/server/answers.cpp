// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/answers.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"

namespace sartor::bytes {

template <class Io, Of<server::Answer::Call> T> void fields_of(Io &io, T &call) {
  io.choice(call.kind);
  io(call.order, call.result);
}

template <class Io, Of<server::Answer> T> void fields_of(Io &io, T &answer) {
  io(answer.calls);
  io.choice(answer.kind);
  io(answer.body);
}

} // namespace sartor::bytes

namespace sartor::server {

namespace {

/// The number of copies of an answer that is stored: packed, and as a stored value.
constexpr std::size_t kCopies = 2;

} // namespace

std::size_t size_of(const Answer &answer) {
  std::size_t bytes = kEntryBytes + answer.body.size();
  for (const auto &[kind, order, result] : answer.calls)
    bytes += kCallBytes + order.size() + result.size();
  return bytes;
}

std::string pack(const Answer &answer) { return bytes::pack(answer); }

std::optional<Answer> unpack_answer(std::string_view bytes) { return bytes::unpack<Answer>(bytes); }

asio::awaitable<std::optional<Answers::Found>> Answers::find(Key key, Account &account) {
  if (auto known = kept_.find(key))
    co_return Found{std::move(known), Origin::memory};
  if (!disk_ && !shared_)
    co_return std::nullopt;
  using Read = std::pair<Answer, Origin>;
  const std::uint64_t purges = purges_;
  const auto look = [this, key]() -> asio::awaitable<std::optional<Read>> {
    if (const auto bytes = disk_ ? disk_->find(key) : std::nullopt)
      if (auto answer = unpack_answer(*bytes))
        co_return Read{std::move(*answer), Origin::disk};
    if (const auto bytes = shared_ ? shared_->find(key) : std::nullopt)
      if (auto answer = unpack_answer(*bytes))
        co_return Read{std::move(*answer), Origin::shared};
    co_return std::nullopt;
  };
  auto read = co_await asio::co_spawn(threads_, look, asio::use_awaitable);
  if (!read)
    co_return std::nullopt;
  Charge charge;
  if (!charge.add(account, size_of(read->first)))
    co_return std::nullopt;
  auto answer = charged(std::move(charge), std::move(read->first));
  if (purging_ == 0 && purges == purges_) // otherwise it may be one of those that were removed
    keep(key, account, answer);
  co_return Found{std::move(answer), read->second};
}

void Answers::insert(const Key &key, Account &account, std::shared_ptr<const Answer> answer,
                     const core::StoredInfo &info, bool lasts) {
  keep(key, account, answer);
  const std::size_t size = size_of(*answer);
  if (!lasts || (!disk_ && !shared_) || size > most_.stored)
    return;
  Charge copies;
  if (!copies.add(account, kCopies * size))
    return;
  asio::post(threads_, [this, key, answer = std::move(answer), info, copies = std::move(copies),
                        purges = purges_.load()] {
    const std::string bytes = pack(*answer);
    const base::MutexLock lock(storing_);
    if (purges != purges_)
      return;
    if (disk_)
      disk_->insert(key, info, bytes);
    if (shared_)
      shared_->insert(key, info, bytes);
  });
}

std::set<Answers::Key> Answers::remove_from_memory(const Choice &choice,
                                                   const std::set<Key> &stored) {
  const auto removed = kept_.erase_if([&](const Key &key, const Account &account) {
    const bool is_meant =
        choice.key ? key == *choice.key : choice.is_all() || account.client() == choice.client;
    return is_meant || stored.contains(key);
  });
  return {removed.begin(), removed.end()};
}

std::set<Answers::Key> Answers::remove_from_disk(const Choice &choice) {
  if (!disk_)
    return {};
  if (choice.key)
    return disk_->erase(*choice.key) ? std::set{*choice.key} : std::set<Key>();
  const auto erased = disk_->erase_if([&](const core::StoredInfo &info) {
    return choice.is_all() || info.variant == choice.client;
  });
  return {erased.begin(), erased.end()};
}

std::uint64_t Answers::remove_from_shared(const Choice &choice, const std::set<Key> &keys) {
  if (!shared_)
    return 0;
  if (choice.is_all())
    return shared_->erase_all();
  return static_cast<std::uint64_t>(
      std::ranges::count_if(keys, [this](const Key &key) { return shared_->erase(key); }));
}

asio::awaitable<remote::Purged> Answers::purge(Choice choice) {
  ++purges_;
  ++purging_;
  const auto from_disk = [&]() -> asio::awaitable<std::set<Key>> {
    const base::MutexLock lock(storing_); // an answer that is being stored is removed as well
    co_return remove_from_disk(choice);
  };
  std::set<Key> keys = co_await asio::co_spawn(threads_, from_disk, asio::use_awaitable);
  remote::Purged purged{0, keys.size(), 0};
  // An answer that was read from the disk has no client.
  std::set<Key> in_memory = remove_from_memory(choice, keys);
  purged.memory = in_memory.size();
  keys.merge(std::move(in_memory));
  if (choice.key)
    keys.insert(*choice.key);
  const auto from_shared = [&]() -> asio::awaitable<std::uint64_t> {
    co_return remove_from_shared(choice, keys);
  };
  purged.shared = co_await asio::co_spawn(threads_, from_shared, asio::use_awaitable);
  ++purges_;
  --purging_;
  co_return purged;
}

void Answers::keep(const Key &key, const Account &account, std::shared_ptr<const Answer> answer) {
  const std::size_t size = size_of(*answer);
  if (size > most_.all)
    return;
  kept_.insert(key, account, std::move(answer), size);
  while (kept_.bytes() > most_.all && kept_.drop_one(nullptr))
    ;
}

} // namespace sartor::server
