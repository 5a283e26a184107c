// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SERVER_BY_SERVER_H
#define SARTOR_TEST_SERVER_BY_SERVER_H

#include <sartor/sartor.hpp>

#include "server_process.h"

/// Options of a client with a key.
inline sartor::Options by_tcp(const ServerProcess &server) {
  return {
      .compiler = sartor::CompilerLocation::server,
      .compiler_server = {server.tcp(), server.file("server.pub"), server.file("clients/one.key")}};
}

/// Options of a client on the same machine.
inline sartor::Options by_socket(const ServerProcess &server) {
  return {.compiler = sartor::CompilerLocation::server,
          .compiler_server = {server.local(), {}, {}}};
}

#endif
