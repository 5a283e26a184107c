// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As remote/server/asio.h, without TLS, so that the command does not need OpenSSL.
#ifndef SARTOR_TOOLS_VIEW_ASIO_H
#define SARTOR_TOOLS_VIEW_ASIO_H

#define ASIO_STANDALONE
#define ASIO_HAS_CO_AWAIT 1
#define ASIO_HAS_STD_COROUTINE 1

#include <asio.hpp>

#endif
