/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SARTOR_HOST_SYSTEM_H
#define SARTOR_HOST_SYSTEM_H

#include <sartor/device/device.h>

/* Memory and connections of a device runtime in User-Mode Linux, for one thread that connects. */
extern const struct sartor_device_system sartor_host_system;

#endif
