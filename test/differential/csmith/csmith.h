/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Header for programs of csmith, replacing csmith's own runtime: its safe operations, and
 * observe_number() in place of its checksum. */
#ifndef SARTOR_TEST_DIFFERENTIAL_CSMITH_H
#define SARTOR_TEST_DIFFERENTIAL_CSMITH_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define STATIC static
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(name) (safe_##name)
#include <csmith/safe_math.h>

#include "../program.h"

#define transparent_crc(value, name, flag) observe_number((unsigned long long)(value))
#define transparent_crc_bytes(bytes, size, name, flag) observe(bytes, (size_t)(size))

#endif
