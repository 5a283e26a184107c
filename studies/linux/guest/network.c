/* SPDX-License-Identifier: GPL-2.0-only */
#include <arpa/inet.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest.h"

static void set_address(struct sockaddr *to, const char *address, uint16_t port) {
  struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
  in.sin_addr.s_addr = inet_addr(address);
  memcpy(to, &in, sizeof in);
}

static int control(unsigned long request, void *argument) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const int result = ioctl(fd, request, argument);
  close(fd);
  return result;
}

static int set_flag(const char *name, int is_up) {
  struct ifreq request = {0};
  strcpy(request.ifr_name, name);
  if (control(SIOCGIFFLAGS, &request) != 0)
    return -1;
  request.ifr_flags = (short)(is_up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
  return control(SIOCSIFFLAGS, &request);
}

void up(const char *name, const char *address) {
  struct ifreq request = {0};
  strcpy(request.ifr_name, name);
  set_address(&request.ifr_addr, address, 0);
  if (control(SIOCSIFADDR, &request) != 0)
    fail("address");
  set_address(&request.ifr_addr, "255.255.255.0", 0);
  if (strcmp(name, "lo") != 0 && control(SIOCSIFNETMASK, &request) != 0)
    fail("netmask");
  if (set_flag(name, 1) != 0)
    fail("up");
}

void down(const char *name) {
  if (set_flag(name, 0) != 0)
    fail("down");
}

int set_mtu(const char *name, int mtu) {
  struct ifreq request = {0};
  strcpy(request.ifr_name, name);
  request.ifr_mtu = mtu;
  return control(SIOCSIFMTU, &request);
}

static int change_route(unsigned long request, const char *name) {
  char device[IFNAMSIZ];
  struct rtentry route = {.rt_flags = RTF_UP, .rt_dev = device};
  strcpy(device, name);
  set_address(&route.rt_dst, "10.2.0.0", 0);
  set_address(&route.rt_genmask, "255.255.0.0", 0);
  return control(request, &route);
}

int set_route(const char *name) { return change_route(SIOCADDRT, name); }
int unset_route(const char *name) { return change_route(SIOCDELRT, name); }

int connect_to(int fd, const char *address, uint16_t port) {
  struct sockaddr to;
  set_address(&to, address, port);
  return connect(fd, &to, sizeof to);
}

int udp_to(const char *address, uint16_t port) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr from;
  set_address(&from, "0.0.0.0", 7000);
  if (fd < 0 || bind(fd, &from, sizeof from) != 0 || connect_to(fd, address, port) != 0)
    fail("socket");
  return fd;
}
