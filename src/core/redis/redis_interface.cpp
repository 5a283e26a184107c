// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that Sartor uses of libsartor-redis.
#include "base/build_stamp.h"
#include "core/redis/redis_link.h"

extern "C" const sartor::core::RedisLibrary sartor_redis_0;
const sartor::core::RedisLibrary sartor_redis_0{{sartor::base::kBuildStamp},
                                                &sartor::core::HiredisLink::connect};
