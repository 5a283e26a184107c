/* SPDX-License-Identifier: GPL-2.0-only */
int interface(void);
int interface(void) { return 0; }
