/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The half that is a program of the host: the device runtime of Sartor in this
 * process. Weak, since a kernel without it is the generic one. None of these
 * waits for the server: a thread of the host talks to it.
 */
#ifndef SARTOR_HOST_H
#define SARTOR_HOST_H

/* Ranges of memory, at most. */
enum { SARTOR_MOST_INVARIANTS = 1024 };

/* Returns zero unless the host half is linked and has an address and keys. */
int sartor_host_open(const char *server, const char *keys);
/* Numbers invariants from 0 on; negative: an error. */
int sartor_host_declare(const void *memory, unsigned long size);
int sartor_host_revoke(unsigned int invariant);
/* Returns a binding; 0: none. */
unsigned int sartor_host_customize(const char *handler, const void *sock, unsigned long size,
				   const void *msg);
void sartor_host_cancel(unsigned int binding);
/* Returns specialized code that has arrived, which stays until leave(); null if none has. */
void *sartor_host_enter(unsigned int binding, void **inside);
void sartor_host_leave(void *inside);
/* Changes when an answer has arrived. */
extern unsigned long sartor_host_answers;

struct sartor_host_figures {
	unsigned long variant_bytes, pages, request_ns, requests;
};
void sartor_host_figures(struct sartor_host_figures *figures);
/* Copies the last line of text that the runtime has reported. */
void sartor_host_report(char *text, unsigned long size);

#endif
