// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "routes.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>

namespace lpm {

namespace {

using Fault = RouteError::Fault;

std::unexpected<RouteError> wrong(Fault fault, std::size_t line, const std::string &message) {
  return std::unexpected(RouteError{fault, line, message});
}

/// Parses all of `text` as a number.
template <class T> bool read_number(std::string_view text, T &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Route i of the list came from line `lines[i]`.
template <class Address>
std::expected<std::vector<Route<Address>>, RouteError>
checked(const std::vector<Route<Address>> &routes, const std::vector<std::size_t> &lines) {
  std::vector<std::size_t> order(routes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(
      order, {}, [&](std::size_t i) { return std::tuple(routes[i].prefix, routes[i].length, i); });
  std::vector<Route<Address>> sorted;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Route<Address> &route = routes[order[k]];
    const std::size_t line = lines[order[k]];
    if (route.length > bits<Address>)
      return wrong(Fault::length_out_of_range, line,
                   text(route) + ": the length is at most " + std::to_string(bits<Address>));
    if ((route.prefix & ~mask<Address>(route.length)) != 0)
      return wrong(Fault::host_bits, line,
                   text(route) + ": bits are set behind the prefix; write " +
                       text(static_cast<Address>(route.prefix & mask<Address>(route.length))));
    if (route.hop > kLastHop)
      return wrong(Fault::hop_out_of_range, line,
                   text(route) + ": the next hop is at most " + std::to_string(kLastHop));
    if (!sorted.empty() && sorted.back().prefix == route.prefix &&
        sorted.back().length == route.length)
      return wrong(Fault::duplicate, line,
                   text(route) + ": already there, as number " +
                       std::to_string(lines[order[k - 1]]));
    sorted.push_back(route);
  }
  return sorted;
}

} // namespace

template <class Address>
std::expected<RouteSet<Address>, RouteError>
RouteSet<Address>::make(std::vector<Route<Address>> routes) {
  std::vector<std::size_t> numbers(routes.size());
  std::iota(numbers.begin(), numbers.end(), 1);
  auto sorted = checked(routes, numbers);
  if (!sorted)
    return std::unexpected(sorted.error());
  RouteSet set;
  set.routes_ = std::move(*sorted);
  return set;
}

template <class Address>
std::expected<RouteSet<Address>, RouteError> RouteSet<Address>::parse(std::istream &stream) {
  std::vector<Route<Address>> routes;
  std::vector<std::size_t> lines;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string prefix;
    std::string hop;
    std::string rest;
    if (!(words >> prefix))
      continue;
    Route<Address> route;
    const std::size_t slash = prefix.find('/');
    const auto address = parse_address<Address>(prefix.substr(0, slash));
    if (!(words >> hop) || (words >> rest) || slash == std::string::npos || !address ||
        !read_number(std::string_view(prefix).substr(slash + 1), route.length) ||
        !read_number(hop, route.hop))
      return wrong(Fault::syntax, number,
                   "line " + std::to_string(number) + ": \"" + line +
                       "\" is not \"prefix/length hop\"");
    route.prefix = *address;
    routes.push_back(route);
    lines.push_back(number);
  }
  auto sorted = checked(routes, lines);
  if (!sorted)
    return std::unexpected(sorted.error());
  RouteSet set;
  set.routes_ = std::move(*sorted);
  return set;
}

template <class Address>
std::expected<RouteSet<Address>, RouteError>
RouteSet<Address>::read(const std::filesystem::path &file) {
  std::ifstream stream(file);
  if (!stream)
    return wrong(Fault::unreadable, 0, file.string() + ": cannot be read");
  auto set = parse(stream);
  if (!set)
    set.error().message = file.string() + ": " + set.error().message;
  return set;
}

template <class Address> std::uint32_t RouteSet<Address>::default_hop() const {
  return !routes_.empty() && routes_.front().length == 0 ? routes_.front().hop : kNoRoute;
}

template <class Address> std::vector<unsigned> RouteSet<Address>::lengths() const {
  std::set<unsigned, std::greater<>> lengths;
  for (const Route<Address> &route : routes_)
    if (route.length != 0)
      lengths.insert(route.length);
  return {lengths.begin(), lengths.end()};
}

template <class Address> std::uint32_t RouteSet<Address>::lookup(Address address) const {
  const Route<Address> *best = nullptr;
  for (const Route<Address> &route : routes_)
    if ((address & mask<Address>(route.length)) == route.prefix &&
        (!best || route.length > best->length))
      best = &route;
  return best ? best->hop : kNoRoute;
}

template <class Address> std::string text(const Route<Address> &route) {
  return text(route.prefix) + "/" + std::to_string(route.length) + " " + std::to_string(route.hop);
}

template class RouteSet<Address4>;
template class RouteSet<Address6>;
template std::string text(const Route<Address4> &);
template std::string text(const Route<Address6> &);

} // namespace lpm
