// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asio with TLS.
#ifndef SARTOR_REMOTE_SERVER_ASIO_H
#define SARTOR_REMOTE_SERVER_ASIO_H

#include "remote/http/asio.h"

#include <asio/ssl.hpp>

#endif
