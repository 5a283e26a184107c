// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/build_stamp.h"
#include "store/redis_tls.h"

extern "C" const sartor::store::RedisTlsLibrary sartor_redis_tls_0;
const sartor::store::RedisTlsLibrary sartor_redis_tls_0{{sartor::engine::kBuildStamp},
                                                        &sartor::store::connect_tls};
