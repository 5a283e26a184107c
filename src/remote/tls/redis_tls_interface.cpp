// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/build_stamp.h"
#include "core/cache/redis_tls.h"

extern "C" const sartor::core::RedisTlsLibrary sartor_redis_tls_0;
const sartor::core::RedisTlsLibrary sartor_redis_tls_0{{sartor::base::kBuildStamp},
                                                       &sartor::core::connect_tls};
