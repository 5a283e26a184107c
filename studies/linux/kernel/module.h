/* SPDX-License-Identifier: GPL-2.0-only */
/* Included in front of each file of the handler module. */
