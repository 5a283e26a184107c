// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Asio without Boost. Debian 12's release supports coroutines only with clang's experimental
/// header; current clang has the standard ones.
#ifndef MATMUL_ASIO_H
#define MATMUL_ASIO_H

#define ASIO_STANDALONE
#define ASIO_HAS_CO_AWAIT 1
#define ASIO_HAS_STD_COROUTINE 1

#include <asio.hpp>

#endif
