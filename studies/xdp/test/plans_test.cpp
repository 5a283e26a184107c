// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that are read from files, and messages about errors in them.
#include <sstream>

#include <arpa/inet.h>
#include <gmock/gmock.h>

#include "balancer_tables.h"
#include "firewall_tables.h"
#include "forward_tables.h"

namespace {

using testing::HasSubstr;

std::string problem_of(const auto &read, const std::string &text) {
  std::istringstream in(text);
  try {
    read(in, "plan");
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  ADD_FAILURE() << "taken: " << text;
  return "";
}

} // namespace

TEST(XdpPlansTest, RoutesAndHops) {
  std::istringstream in("# a comment\n"
                        "hop 1 lo 1500 02:00:00:00:00:01 02:00:00:00:0a:FF\n\n"
                        "route 10.0.0.0/8 1 # another\n"
                        "route 192.0.2.1/32 local\n");
  const xdp::ForwardPlan plan = xdp::read_forward_plan(in, "plan");
  EXPECT_EQ(plan.hops.at(1).interface, 1U);
  EXPECT_EQ(plan.hops.at(1).from[5], 0xff);
  EXPECT_EQ(plan.routes.at({0x0a000000, 8}), 1U);
  EXPECT_EQ(plan.routes.at({0xc0000201, 32}), 0U);
}

TEST(XdpPlansTest, WrongRoutesAreReportedByLine) {
  const std::string hop = "hop 1 lo 1500 02:00:00:00:00:01 02:00:00:00:00:02\n";
  const std::pair<std::string, const char *> wrong[] = {
      {"rout 10.0.0.0/8 1", "neither hop nor route"},
      {"route 10.0.0.0/8", "number of a hop is missing"},
      {"route 10.0.0.1/8 1", "beyond its length"},
      {"route 10.0.0.0/33 1", "no length"},
      {"route 10.0.0.0/8 2", "there is no hop 2"},
      {"route 10.0.0.0/8 300", "no number of a hop"},
      {"route 10.0.0.0/8 1 1", "nothing is expected"},
      {"hop 0 lo 1500 02:00:00:00:00:01 02:00:00:00:00:02", "from 1 on"},
      {"hop 1 lo 1500 02:00:00:00:00:01 02:00:00:00:00:02", "came before"},
      {"hop 2 no-such-one 1500 02:00:00:00:00:01 02:00:00:00:00:02", "no interface no-such-one"},
      {"hop 2 lo 65536 02:00:00:00:00:01 02:00:00:00:00:02", "no MTU"},
      {"hop 2 lo 1500 02:00:00:00:00 02:00:00:00:00:02", "no MAC address"},
      {"hop 2 lo 1500 02:00:00:00:00:01:03 02:00:00:00:00:02", "no MAC address"},
  };
  for (const auto &[line, what] : wrong) {
    const std::string problem = problem_of(xdp::read_forward_plan, hop + line);
    EXPECT_THAT(problem, HasSubstr(what));
    EXPECT_THAT(problem, HasSubstr("plan:2: "));
  }
  EXPECT_THAT(problem_of(xdp::read_forward_plan, "route 10.0.0.0/8 local\nroute 10.0.0.0/8 local"),
              HasSubstr("plan:2: 10.0.0.0/8 came before"));
  std::string many;
  for (int i = 0; i <= max_routes; ++i)
    many += "route 10." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ".0/24 local\n";
  EXPECT_THAT(problem_of(xdp::read_forward_plan, many), HasSubstr("no room"));
}

TEST(XdpPlansTest, WrongRulesAreReportedByLine) {
  const std::pair<std::string, const char *> wrong[] = {
      {"permit inside 0.0.0.0/0 0.0.0.0/0 any", "neither deny nor allow"},
      {"allow within 0.0.0.0/0 0.0.0.0/0 any", "neither inside nor outside"},
      {"allow inside 0.0.0.0 0.0.0.0/0 any", "no network"},
      {"allow inside 0.0.0.0/0 0.0.0.0/0 gre", "no protocol"},
      {"allow inside 0.0.0.0/0 0.0.0.0/0 tcp 90 80", "comes before the first"},
      {"allow inside 0.0.0.0/0 0.0.0.0/0 tcp 65536", "no port"},
      {"allow inside 0.0.0.0/0 0.0.0.0/0 tcp 1 2 3", "nothing is expected"},
      {"allow inside 0.0.0.0/0 0.0.0.0/0", "a protocol is missing"},
  };
  for (const auto &[line, what] : wrong)
    EXPECT_THAT(problem_of(xdp::read_rules, "\n" + line),
                testing::AllOf(HasSubstr(what), HasSubstr("plan:2: ")));
  std::string many;
  for (int i = 0; i <= max_rules; ++i)
    many += "deny inside 0.0.0.0/0 0.0.0.0/0 any\n";
  EXPECT_THAT(problem_of(xdp::read_rules, many), HasSubstr("no room"));
}

TEST(XdpPlansTest, WrongBalancersAreReportedByLine) {
  const std::pair<std::string, const char *> wrong[] = {
      {"backend 1 10.0.0.1", "is none of"},
      {"source 10.0.0", "no address"},
      {"back_end 0 10.0.0.1", "from 1 on"},
      {"back_end 1 10.0.0.1", "another one"},
      {"back_end 256 10.0.0.1", "no number"},
      {"service 192.0.2.1 icmp 80 1", "of tcp or udp"},
      {"service 192.0.2.1 any 80 1", "of tcp or udp"},
      {"service 192.0.2.1 tcp 80 2", "no back end 2"},
      {"service 192.0.2.1 tcp 80 all", "no number"},
  };
  for (const auto &[line, what] : wrong)
    EXPECT_THAT(problem_of(xdp::read_balancer_plan, "back_end 1 10.0.0.9\n" + line),
                testing::AllOf(HasSubstr(what), HasSubstr("plan:2: ")));
  std::string many;
  for (int i = 0; i <= max_services; ++i)
    many += "service 192.0.2.1 tcp 80\n";
  EXPECT_THAT(problem_of(xdp::read_balancer_plan, many), HasSubstr("no room"));
}
