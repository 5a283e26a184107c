// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/answers.h"

#include <cstring>
#include <utility>

#include "value/bytes.h"

namespace sartor::bytes {

template <class Io, Of<server::Answer::Call> T> void fields_of(Io &io, T &call) {
  io.choice(call.kind, remote::Kind::hello, remote::kLastKind);
  io(call.order);
  io(call.result);
}

template <class Io, Of<server::Answer> T> void fields_of(Io &io, T &answer) {
  io(answer.calls);
  io.choice(answer.kind, remote::Kind::hello, remote::kLastKind);
  io(answer.body);
}

} // namespace sartor::bytes

namespace sartor::server {

namespace {

/// Of an entry, besides its bytes.
constexpr std::size_t kEntryBytes = 256;

std::size_t size_of(const Answer &answer) {
  std::size_t bytes = kEntryBytes + answer.body.size();
  for (const auto &[kind, order, result] : answer.calls)
    bytes += order.size() + result.size();
  return bytes;
}

} // namespace

std::string pack(const Answer &answer) { return bytes::pack(answer); }

std::shared_ptr<const Answer> unpack_answer(std::string_view bytes) {
  auto answer = bytes::unpack<Answer>(bytes);
  return answer ? std::make_shared<const Answer>(std::move(*answer)) : nullptr;
}

std::size_t Answers::Hash::operator()(const Key &key) const {
  std::size_t hash = 0;
  std::memcpy(&hash, key.data(), sizeof hash);
  return hash;
}

asio::awaitable<std::optional<Answers::Found>> Answers::find(Key key) {
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    co_return Found{known->second->answer, Origin::memory};
  }
  if (!disk_ && !shared_)
    co_return std::nullopt;
  const auto look = [this, key]() -> asio::awaitable<std::optional<Found>> {
    if (const auto bytes = disk_ ? disk_->find(key) : std::nullopt)
      if (auto answer = unpack_answer(*bytes))
        co_return Found{std::move(answer), Origin::disk};
    if (const auto bytes = shared_ ? shared_->find(key) : std::nullopt)
      if (auto answer = unpack_answer(*bytes))
        co_return Found{std::move(answer), Origin::shared};
    co_return std::nullopt;
  };
  auto found = co_await asio::co_spawn(threads_, look, asio::use_awaitable);
  if (found)
    keep(key, found->answer);
  co_return found;
}

void Answers::insert(const Key &key, std::shared_ptr<const Answer> answer,
                     const store::StoredInfo &info, bool lasts) {
  keep(key, answer);
  if (lasts && (disk_ || shared_))
    asio::post(threads_, [this, key, answer = std::move(answer), info] {
      const std::string bytes = pack(*answer);
      if (disk_)
        disk_->insert(key, info, bytes);
      if (shared_)
        shared_->insert(key, info, bytes);
    });
}

void Answers::keep(const Key &key, std::shared_ptr<const Answer> answer) {
  const std::size_t size = size_of(*answer);
  if (size > most_bytes_)
    return;
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    bytes_ -= known->second->bytes;
    entries_.erase(known->second);
    by_key_.erase(known);
  }
  entries_.push_front({key, std::move(answer), size});
  by_key_.emplace(key, entries_.begin());
  bytes_ += size;
  while (bytes_ > most_bytes_) {
    bytes_ -= entries_.back().bytes;
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

} // namespace sartor::server
