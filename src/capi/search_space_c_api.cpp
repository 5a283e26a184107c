// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: search spaces, for strategies in C.
#include <sartor/c/search_space.h>

#include <algorithm>
#include <random>

#include <sartor/search_space.hpp>

#include "base/text/value_json.h"
#include "capi/c_api.h"

using sartor::copy_for_c;
using sartor::guarded;
using sartor::need;

struct sartor_coordinates {
  sartor::SearchSpace space;
  std::mt19937_64 generator;

  [[nodiscard]] sartor::SearchSpace::Coordinates coordinates(const uint32_t *numbers) const {
    return {numbers, numbers + space.dimensions().size()};
  }
  /// Returns null if there is none.
  static const sartor::Dimension *dimension(const sartor_coordinates *places, size_t index) {
    return places && index < places->space.dimensions().size() ? &places->space.dimensions()[index]
                                                               : nullptr;
  }
};

extern "C" {

sartor_status sartor_coordinates_read(const char *space, uint64_t seed, sartor_coordinates **out) {
  return guarded([&] {
    need(space, "space", out, "out");
    *out = new sartor_coordinates{sartor::SearchSpace::from_json(space), std::mt19937_64(seed)};
  });
}

void sartor_coordinates_free(sartor_coordinates *places) { delete places; }

size_t sartor_coordinates_dimensions(const sartor_coordinates *places) {
  return places ? places->space.dimensions().size() : 0;
}

const char *sartor_coordinates_label(const sartor_coordinates *places, size_t dimension) {
  const sartor::Dimension *const known = sartor_coordinates::dimension(places, dimension);
  return known ? known->label.c_str() : nullptr;
}

uint32_t sartor_coordinates_settings(const sartor_coordinates *places, size_t dimension) {
  const sartor::Dimension *const known = sartor_coordinates::dimension(places, dimension);
  return known ? static_cast<uint32_t>(known->settings.size()) : 0;
}

int sartor_coordinates_is_ordered(const sartor_coordinates *places, size_t dimension) {
  const sartor::Dimension *const known = sartor_coordinates::dimension(places, dimension);
  return known && known->is_ordered ? 1 : 0;
}

sartor_status sartor_coordinates_constraints(const sartor_coordinates *places, char **json) {
  return guarded([&] {
    need(places, "places", json, "json");
    *json = copy_for_c(places->space.constraints().json());
  });
}

uint64_t sartor_coordinates_combinations(const sartor_coordinates *places) {
  return places ? places->space.combinations() : 0;
}

int sartor_coordinates_allows(const sartor_coordinates *places, const uint32_t *coordinates) {
  return places && coordinates && places->space.allows(places->coordinates(coordinates)) ? 1 : 0;
}

sartor_status sartor_coordinates_random(sartor_coordinates *places, uint32_t *coordinates) {
  return guarded([&] {
    need(places, "places", coordinates, "place");
    std::ranges::copy(places->space.random(places->generator), coordinates);
  });
}

sartor_status sartor_coordinates_all(const sartor_coordinates *places, size_t most, char **json) {
  return guarded([&] {
    need(places, "places", json, "json");
    auto all = nlohmann::ordered_json::array();
    for (const sartor::Configuration &one : places->space.all(most))
      all.push_back(nlohmann::ordered_json::parse(one.json()));
    *json = copy_for_c(sartor::dump(all));
  });
}

sartor_status sartor_coordinates_configuration(const sartor_coordinates *places,
                                               const uint32_t *coordinates, char **configuration) {
  return guarded([&] {
    need(places, "places", coordinates, "place", configuration, "configuration");
    const auto &dimensions = places->space.dimensions();
    for (size_t i = 0; i < dimensions.size(); ++i)
      if (coordinates[i] > dimensions[i].settings.size())
        throw sartor::Error({sartor::ErrorCode::value_outside_choices, dimensions[i].label,
                             "has no setting " + std::to_string(coordinates[i]),
                             "give at most " + std::to_string(dimensions[i].settings.size())});
    *configuration = copy_for_c(places->space.at(places->coordinates(coordinates)).json());
  });
}

sartor_status sartor_coordinates_find(const sartor_coordinates *places, const char *configuration,
                                      uint32_t *coordinates) {
  return guarded([&] {
    need(places, "places", configuration, "configuration", coordinates, "place");
    const auto given = sartor::Configuration::from_json(configuration);
    const auto found = places->space.coordinates_of(given);
    if (!found)
      throw sartor::Error({sartor::ErrorCode::value_outside_choices, given.text(),
                           "sets something to what the space does not have",
                           "see sartor_coordinates_all()"});
    std::ranges::copy(*found, coordinates);
  });
}
}
