/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Reads what the C interface tells as JSON, for programs that have no reader of their own. What is
 * wanted is said by a pointer as in RFC 6901: "/gain/low", "/0/handler"; "" is all of it. Each call
 * reads all of the text: for looking, not for the hot path.
 */
#ifndef SARTOR_JSON_H
#define SARTOR_JSON_H

#include <stddef.h>

#include <sartor/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All fail with bad_json where the text is none, has nothing there, or something else. */

/** A number; true is 1, false is 0. */
sartor_status sartor_json_number(const char *json, const char *pointer, double *out);
/** The text of a string, the JSON of anything else. Free it with sartor_free(). */
sartor_status sartor_json_text(const char *json, const char *pointer, char **out);
/** How many elements a list has, or members an object. */
sartor_status sartor_json_count(const char *json, const char *pointer, size_t *out);

#ifdef __cplusplus
}
#endif

#endif
