/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * A search space, for strategies in C: the counterpart of search_space.hpp. Strategies receive it
 * as JSON; this reads it. Coordinates are another form of a configuration: for each dimension 0 for
 * generic, or 1 + the index of its setting.
 */
#ifndef SARTOR_C_SEARCH_SPACE_H
#define SARTOR_C_SEARCH_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/c/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Use it from one thread at a time. */
typedef struct sartor_coordinates sartor_coordinates;

/** `space` is a result of sartor_search_space() or an argument of a strategy; `seed` is for
 *  sartor_coordinates_random(). Free it with sartor_coordinates_free(). */
sartor_status sartor_coordinates_read(const char *space, uint64_t seed, sartor_coordinates **out);
/** Null is allowed. */
void sartor_coordinates_free(sartor_coordinates *places);

/** The number of dimensions, which is the number of coordinates. 0 for null. */
size_t sartor_coordinates_dimensions(const sartor_coordinates *places);
/** Null if there is no such dimension, and for null; valid as long as `places`. */
const char *sartor_coordinates_label(const sartor_coordinates *places, size_t dimension);
/** The number of settings of a dimension, without generic: coordinates are 0 to this number. */
uint32_t sartor_coordinates_settings(const sartor_coordinates *places, size_t dimension);
/** 1 if neighboring settings are similar, as numbers are. */
int sartor_coordinates_is_ordered(const sartor_coordinates *places, size_t dimension);
/** The constraints, in the format of sartor_constrain(). Free it with sartor_free(). */
sartor_status sartor_coordinates_constraints(const sartor_coordinates *places, char **json);

/** Number of combinations of all settings and generic, allowed or not; UINT64_MAX stands for that
 *  or more. */
uint64_t sartor_coordinates_combinations(const sartor_coordinates *places);
/** 1 if the coordinates have settings of the dimensions and satisfy the constraints. */
int sartor_coordinates_allows(const sartor_coordinates *places, const uint32_t *coordinates);
/** Random coordinates that are allowed, see SearchSpace::random(). */
sartor_status sartor_coordinates_random(sartor_coordinates *places, uint32_t *coordinates);
/** All allowed configurations, as a JSON list, the generic one first. Fails with bad_objective if
 *  there are more than `most`. Free it with sartor_free(). */
sartor_status sartor_coordinates_all(const sartor_coordinates *places, size_t most, char **json);

/** The configuration of coordinates. Free it with sartor_free(). */
sartor_status sartor_coordinates_configuration(const sartor_coordinates *places,
                                               const uint32_t *coordinates, char **configuration);
/** The coordinates of a configuration; fails with value_outside_choices if it has none. */
sartor_status sartor_coordinates_find(const sartor_coordinates *places, const char *configuration,
                                      uint32_t *coordinates);

#ifdef __cplusplus
}
#endif

#endif
