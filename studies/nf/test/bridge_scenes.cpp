// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bridge_scenes.h"

#include <set>

namespace nf {

namespace {

/// The address of one of few stations.
Mac some_station(std::mt19937_64 &random) {
  return {static_cast<std::uint8_t>(random() % 16 == 0 ? 3 : 2),
          0,
          0,
          0,
          0,
          static_cast<std::uint8_t>(random() % 60)};
}

} // namespace

Frame between_few_stations(std::mt19937_64 &random, NfSide) {
  Frame frame{
      .source = 1, .destination = 2, .to = some_station(random), .from = some_station(random)};
  if (random() % 16 == 0)
    frame.to = {1, 0x80, 0xc2, 0, 0, static_cast<std::uint8_t>(random() % 32)};
  return frame;
}

std::string bridge_configuration(std::mt19937_64 &random) {
  const auto mac = [&] {
    return "\"02:00:00:00:00:" + std::to_string(10 + random() % 30) + "\"\n";
  };
  const auto side = [&] {
    return std::string(random() % 2 ? "side = \"external\"\n" : "side = \"internal\"\n");
  };
  std::string text = "[bridge]\nageing = " + std::to_string(1 + random() % 60) + '\n';
  text += "mtu = " + std::to_string(random() % 8 ? 1500 : 68) + '\n';
  std::set<std::string> stations;
  while (stations.size() < random() % 6)
    stations.insert("[[bridge.station]]\nmac = " + mac());
  for (const std::string &station : stations)
    text += station + side();
  for (std::size_t filters = random() % 8; filters > 0; --filters) {
    text += "[[bridge.filter]]\n";
    if (random() % 2)
      text += "source = " + mac();
    if (random() % 2)
      text += "destination = " + mac();
    if (random() % 2)
      text += "type = 0x0800\n";
    if (random() % 2)
      text += side();
    text += random() % 3 ? "action = \"discard\"\n" : "action = \"forward\"\n";
  }
  return text;
}

} // namespace nf
