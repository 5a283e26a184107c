/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Reads JSON returned by the C interface, for programs without a parser of their own. The value is
 * selected by a pointer as in RFC 6901: "/gain/low", "/0/handler"; "" is the whole text. Each call
 * parses the whole text: not for hot code.
 */
#ifndef SARTOR_C_JSON_H
#define SARTOR_C_JSON_H

#include <stddef.h>

#include <sartor/c/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All fail with bad_json if the text is invalid, or has no value or another type there. */

/** A number; true is 1, false is 0. */
sartor_status sartor_json_number(const char *json, const char *pointer, double *out);
/** The text of a string, or the JSON of any other value. Free it with sartor_free(). */
sartor_status sartor_json_text(const char *json, const char *pointer, char **out);
/** The number of elements of a list, or of members of an object. */
sartor_status sartor_json_count(const char *json, const char *pointer, size_t *out);

#ifdef __cplusplus
}
#endif

#endif
