/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * A search space, for strategies in C: the counterpart of search_space.hpp. Strategies are given it
 * as JSON; this reads it. A configuration is also a *place*: for each dimension 0 for generic, or
 * 1 + the index of its setting.
 */
#ifndef SARTOR_SEARCH_SPACE_H
#define SARTOR_SEARCH_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** From one thread at a time. */
typedef struct sartor_places sartor_places;

/** `space` as sartor_search_space() and strategies have it; `seed` is of sartor_places_random().
 *  Free it with sartor_places_free(). */
sartor_status sartor_places_read(const char *space, uint64_t seed, sartor_places **out);
/** Null is allowed. */
void sartor_places_free(sartor_places *places);

/** The dimensions: as many as a place has numbers. 0 for null. */
size_t sartor_places_dimensions(const sartor_places *places);
/** Null where there is no such dimension, as for null; valid as long as `places`. */
const char *sartor_places_label(const sartor_places *places, size_t dimension);
/** The settings of a dimension, without generic: its numbers are 0 to this. */
uint32_t sartor_places_settings(const sartor_places *places, size_t dimension);
/** 1 if neighbouring settings are alike, as numbers are. */
int sartor_places_is_ordered(const sartor_places *places, size_t dimension);
/** The constraints, as sartor_constrain() takes them. Free it with sartor_free(). */
sartor_status sartor_places_constraints(const sartor_places *places, char **json);

/** Combinations of all settings and generic, allowed or not; UINT64_MAX stands for that or more. */
uint64_t sartor_places_combinations(const sartor_places *places);
/** 1 if the place keeps to the settings and the constraints. */
int sartor_places_allows(const sartor_places *places, const uint32_t *place);
/** One that is allowed, at random, as SearchSpace::random(). */
sartor_status sartor_places_random(sartor_places *places, uint32_t *place);
/** All configurations that are allowed, as a JSON list, the generic one first. Fails with
 *  bad_objective if there are more than `most`. Free it with sartor_free(). */
sartor_status sartor_places_all(const sartor_places *places, size_t most, char **json);

/** The configuration of a place. Free it with sartor_free(). */
sartor_status sartor_places_configuration(const sartor_places *places, const uint32_t *place,
                                          char **configuration);
/** The place of a configuration; fails with value_outside_choices if it is in no place. */
sartor_status sartor_places_find(const sartor_places *places, const char *configuration,
                                 uint32_t *place);

#ifdef __cplusplus
}
#endif

#endif
