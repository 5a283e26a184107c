// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search spaces, for strategies in C.
#include <sartor/search_space.h>

#include <algorithm>
#include <random>

#include <sartor/search_space.hpp>

#include "base/value_json.h"
#include "capi/c_api.h"

using sartor::copy_for_c;
using sartor::guarded;
using sartor::need;

struct sartor_places {
  sartor::SearchSpace space;
  std::mt19937_64 generator;

  [[nodiscard]] sartor::SearchSpace::Place place(const uint32_t *numbers) const {
    return {numbers, numbers + space.dimensions().size()};
  }
  /// Null where there is none.
  static const sartor::Dimension *dimension(const sartor_places *places, size_t index) {
    return places && index < places->space.dimensions().size() ? &places->space.dimensions()[index]
                                                               : nullptr;
  }
};

extern "C" {

sartor_status sartor_places_read(const char *space, uint64_t seed, sartor_places **out) {
  return guarded([&] {
    need(space, "space");
    need(out, "out");
    *out = new sartor_places{sartor::SearchSpace::from_json(space), std::mt19937_64(seed)};
  });
}

void sartor_places_free(sartor_places *places) { delete places; }

size_t sartor_places_dimensions(const sartor_places *places) {
  return places ? places->space.dimensions().size() : 0;
}

const char *sartor_places_label(const sartor_places *places, size_t dimension) {
  const sartor::Dimension *const known = sartor_places::dimension(places, dimension);
  return known ? known->label.c_str() : nullptr;
}

uint32_t sartor_places_settings(const sartor_places *places, size_t dimension) {
  const sartor::Dimension *const known = sartor_places::dimension(places, dimension);
  return known ? static_cast<uint32_t>(known->settings.size()) : 0;
}

int sartor_places_is_ordered(const sartor_places *places, size_t dimension) {
  const sartor::Dimension *const known = sartor_places::dimension(places, dimension);
  return known && known->is_ordered ? 1 : 0;
}

sartor_status sartor_places_constraints(const sartor_places *places, char **json) {
  return guarded([&] {
    need(places, "places");
    need(json, "json");
    *json = copy_for_c(places->space.constraints().json());
  });
}

uint64_t sartor_places_combinations(const sartor_places *places) {
  return places ? places->space.combinations() : 0;
}

int sartor_places_allows(const sartor_places *places, const uint32_t *place) {
  return places && place && places->space.allows(places->place(place)) ? 1 : 0;
}

sartor_status sartor_places_random(sartor_places *places, uint32_t *place) {
  return guarded([&] {
    need(places, "places");
    need(place, "place");
    std::ranges::copy(places->space.random(places->generator), place);
  });
}

sartor_status sartor_places_all(const sartor_places *places, size_t most, char **json) {
  return guarded([&] {
    need(places, "places");
    need(json, "json");
    auto all = nlohmann::ordered_json::array();
    for (const sartor::Configuration &one : places->space.all(most))
      all.push_back(nlohmann::ordered_json::parse(one.json()));
    *json = copy_for_c(sartor::dump(all));
  });
}

sartor_status sartor_places_configuration(const sartor_places *places, const uint32_t *place,
                                          char **configuration) {
  return guarded([&] {
    need(places, "places");
    need(place, "place");
    need(configuration, "configuration");
    const auto &dimensions = places->space.dimensions();
    for (size_t i = 0; i < dimensions.size(); ++i)
      if (place[i] > dimensions[i].settings.size())
        throw sartor::Error({sartor::ErrorCode::value_outside_choices, dimensions[i].label,
                             "has no setting " + std::to_string(place[i]),
                             "it has " + std::to_string(dimensions[i].settings.size())});
    *configuration = copy_for_c(places->space.at(places->place(place)).json());
  });
}

sartor_status sartor_places_find(const sartor_places *places, const char *configuration,
                                 uint32_t *place) {
  return guarded([&] {
    need(places, "places");
    need(configuration, "configuration");
    need(place, "place");
    const auto given = sartor::Configuration::from_json(configuration);
    const auto found = places->space.place_of(given);
    if (!found)
      throw sartor::Error({sartor::ErrorCode::value_outside_choices, given.text(),
                           "sets something to what the space does not have",
                           "see sartor_places_all()"});
    std::ranges::copy(*found, place);
  });
}
}
