// SPDX-License-Identifier: GPL-2.0-only
/* Guards at devices: before what has an event before it, else after it. */
#include <linux/init.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>

#include "guards.h"

static int device_event(struct notifier_block *block, unsigned long event, void *info)
{
	if (sartor_context_count > 0)
		sartor_change_device(netdev_notifier_info_to_dev(info));
	return NOTIFY_DONE;
}

static struct notifier_block device_events = { .notifier_call = device_event };

static int __init sartor_guards_init(void)
{
	return register_netdevice_notifier(&device_events);
}
late_initcall(sartor_guards_init);
