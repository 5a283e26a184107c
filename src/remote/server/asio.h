// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asio without Boost. Its release in Debian 12 knows coroutines only from clang's experimental
// header; clang has the standard ones by now.
#ifndef SARTOR_REMOTE_SERVER_ASIO_H
#define SARTOR_REMOTE_SERVER_ASIO_H

#define ASIO_STANDALONE
#define ASIO_HAS_CO_AWAIT 1
#define ASIO_HAS_STD_COROUTINE 1

#include <asio.hpp>
#include <asio/ssl.hpp>

#endif
