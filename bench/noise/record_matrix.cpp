// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Records the matrix server (examples/matrix_server) under its load generator, which
/// runs in another process: `record_matrix NAME SECONDS WATCHED_SECONDS` writes NAME.variants and
/// NAME.watched.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include <sartor/sartor.hpp>

#include "asio.h"
#include "matmul.h"
#include "record.h"
#include "server.h"
#include "start.h"

namespace {

using namespace sartor;
constexpr std::uint64_t side = 256;
constexpr std::uint64_t usual_block = 16;

Configuration tile(std::uint64_t block, bool with_side) {
  Configuration configuration;
  if (block > 0)
    configuration.set("B", unguarded(block));
  if (with_side)
    configuration.set("N", side);
  return configuration;
}

void run(const std::string &name, bench::Lengths lengths) {
  Runtime runtime;
  matmul::Counters counters;
  asio::io_context io(1);
  matmul::Server server(io, 0, runtime.handler<&multiply_stripe>(), usual_block, counters,
                        [](std::uint64_t) {});
  const std::string port = std::to_string(server.port());
  std::jthread loop([&] { io.run(); });
  {
    // The load is longer than needed; it is ended after the recording.
    const auto load = matmul::start_load(port, 2 * (lengths.variants + lengths.watched) + 60,
                                         {side}, false, name + ".load");
    bench::record({runtime,
                   Objective::rate_of(counters.madds),
                   {tile(0, false), tile(8, false), tile(16, false), tile(32, false),
                    tile(16, true), tile(32, true), tile(64, true)}},
                  name, lengths);
  }
  io.stop();
}

} // namespace

int main(int count, char **values) {
  if (count != 4) {
    std::fprintf(stderr, "usage: record_matrix NAME SECONDS WATCHED_SECONDS\n");
    return 2;
  }
  try {
    run(values[1], {std::strtod(values[2], nullptr), std::strtod(values[3], nullptr)});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "record_matrix: %s\n", error.what());
    return 1;
  }
}
