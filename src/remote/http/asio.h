// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asio without Boost and without TLS, which needs OpenSSL (remote/server/asio.h). Its release in
// Debian 12 supports clang's coroutines only by the experimental header; clang now has the standard
// one.
#ifndef SARTOR_REMOTE_HTTP_ASIO_H
#define SARTOR_REMOTE_HTTP_ASIO_H

#define ASIO_STANDALONE
#define ASIO_HAS_CO_AWAIT 1
#define ASIO_HAS_STD_COROUTINE 1

#include <asio.hpp>

#endif
