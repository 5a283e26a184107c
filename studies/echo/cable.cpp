// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cable.h"

#include <algorithm>

namespace sartor::echo {

namespace {

std::uint32_t receive(void *user, EchoFrame *frames, std::uint32_t most) {
  Frames &from = static_cast<Cable *>(user)->to_server;
  std::uint32_t count = 0;
  for (; count < most && !from.is_empty(); ++count)
    frames[count] = from.take();
  return count;
}

void send(void *user, const std::uint8_t *frame, std::uint32_t size) {
  Frames &to = static_cast<Cable *>(user)->to_clients;
  if (to.is_full() || size > Frames::longest)
    return;
  std::copy_n(frame, size, to.room().begin());
  to.push(size);
}

void flush(void * /*user*/) {} // frames are delivered at once

} // namespace

EchoPort Cable::port() { return {receive, send, flush, this}; }

} // namespace sartor::echo
