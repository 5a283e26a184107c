// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/clients/newcomers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sartor::server {

Newcomers::Place::Place(Newcomers &newcomers, Wire &wire, std::function<bool()> has_begun)
    : newcomers_(newcomers), wire_(wire), has_begun_(std::move(has_begun)) {
  auto &places = newcomers_.places_;
  bool has_memory = charge_.add(newcomers_.account_, kConnectionBytes).has_value();
  while (!places.empty() && (places.size() >= newcomers_.most_ || !has_memory)) {
    newcomers_.drop_one();
    has_memory = has_memory || charge_.add(newcomers_.account_, kConnectionBytes).has_value();
  }
  lost_ = !has_memory;
  if (lost_)
    wire_.close();
  else
    at_ = places.insert(places.end(), this);
}

Newcomers::Place::~Place() {
  if (!lost_)
    newcomers_.places_.erase(at_);
}

// The memory of the closed connection is about to be released, by the coroutine that finds it
// closed.
void Newcomers::drop_one() {
  const auto is_silent = [](Place *each) { return !each->has_begun_(); };
  const auto silent = std::ranges::count_if(places_, is_silent);
  const bool drops_silent = 2 * silent >= std::ssize(places_);
  const auto chosen = std::ranges::find(places_, drops_silent, is_silent);
  Place &place = **chosen;
  places_.erase(chosen);
  place.lost_ = true;
  place.charge_.release();
  place.wire_.close();
}

} // namespace sartor::server
