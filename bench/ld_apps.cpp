// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ld_apps.h"

#include <cstdio>
#include <stdexcept>
#include <utility>

#include <signal.h>
#include <unistd.h>

namespace sartor::bench {

namespace {

const std::string kSql = R"text(
create table numbers(n integer primary key, square integer, name text);
with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 120000)
  insert into numbers select n, n * n, printf('number %06d', n * 7919 % 120000) from counted;
create index by_name on numbers(name);
select n % 10, count(*), sum(square), avg(square), max(upper(name)) from numbers group by 1 order by 2;
select count(*) from numbers a join numbers b on b.name = printf('number %06d', a.n);
select count(*) from numbers where name like '%77%' and length(replace(name, '7', '')) > 3;
update numbers set name = substr(name, 8) || name where n % 3 = 0;
)text";

const std::string kPython = R"text(
import bisect, collections, hashlib, json, math, random, re, struct, zlib
source = random.Random(1)
words = [''.join(source.choice('abcdefgh') for _ in range(source.randrange(3, 9))) for _ in range(30000)]
counts = collections.Counter(words)
text = json.dumps([{'word': word, 'count': count} for word, count in counts.items()])
again = json.loads(text)
total = sum(math.sqrt(entry['count']) for entry in again)
found = re.findall(r'"(\w*abc\w*)"', text)
ordered = sorted(words)
places = [bisect.bisect(ordered, word) for word in words]
packed = b''.join(struct.pack('<id', place, math.log1p(place)) for place in places)
digest = hashlib.sha256(zlib.compress(packed, 1)).hexdigest()
sieve = bytearray([1]) * 400000
for i in range(2, 632):
    if sieve[i]:
        for j in range(i * i, len(sieve), i):
            sieve[j] = 0
print(total, len(found), digest, sum(sieve))
)text";

const std::string kPerl = R"text(
use List::Util qw(sum reduce);
use POSIX qw(floor fmod);
my ($seed, %counts, @words) = (1);
for (1 .. 50000) {
  $seed = ($seed * 1103515245 + 12345) % 2147483648;
  push @words, sprintf("%x-%d", $seed % 5003, floor(fmod($seed, 97)));
}
$counts{$_}++ for @words;
my @order = sort { $counts{$b} <=> $counts{$a} || $a cmp $b } keys %counts;
my $text = join(" ", @words);
my $hits = () = $text =~ /\b[0-9a-f]*a[0-9]+-(\d+)\b/g;
$text =~ s/(\d)-(\d)/$2-$1/g;
print scalar(@order), " $hits ", length($text), " ", (sum map { $counts{$_} } @order[0 .. 9]), " ",
  (reduce { ($a * 31 + length $b) % 1000003 } 0, @words), "\n";
)text";

const std::string kLua = R"text(
for i = 1, 60000 do redis.call('hset', 'h' .. i % 100, 'f' .. i % 50, i) end
return redis.call('hlen', 'h1')
)text";

std::string text_of(std::size_t lines) {
  std::string text;
  std::size_t state = 1;
  for (std::size_t i = 0; i < lines; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string((state >> 33) % 5003) + " some words in line " + std::to_string(i) +
            (state >> 60 == 0 ? " and more\n" : "\n");
  }
  return text;
}

/// A stream for git fast-import: many small changes of some files.
std::string history() {
  std::string stream;
  for (std::size_t commit = 0; commit < 2000; ++commit) {
    std::string content = text_of(200 + commit % 200);
    content.insert(content.size() / 2, "changed by " + std::to_string(commit) + "\n");
    stream += "commit refs/heads/main\ncommitter A <a@example.org> " +
              std::to_string(1577836800 + commit) + " +0000\ndata 7\nchange\n\n";
    stream += "M 100644 inline file" + std::to_string(commit % 20) + "\ndata " +
              std::to_string(content.size()) + "\n" + content + "\n";
  }
  return stream;
}

App runs(std::string name, Words command, const std::string &input = {}) {
  return {std::move(name), [command = std::move(command), input](const Way &way) {
            const OnOneProcessor together;
            return run(way.command(command), {.input = input}).cpu;
          }};
}

/// The server's time for what two clients ask of it: many small requests, and a script.
double serve(const Place &place, const Way &way) {
  const std::string socket = place.file("redis-" + way.name + ".sock");
  const pid_t server = [&] {
    const OnOneProcessor together;
    return start(way.command({"redis-server", "--port", "0", "--unixsocket", socket, "--dir",
                              place.path(), "--save", "", "--appendonly", "no"}));
  }();
  try {
    for (int i = 0; wait_for(start({"redis-cli", "-s", socket, "ping"})).status != 0; ++i) {
      if (i == 500)
        throw std::runtime_error("redis-server does not answer");
      usleep(10'000);
    }
    run({"redis-benchmark", "-s", socket, "-q", "-n", "60000", "-r", "10000", "-P", "8", "-c", "10",
         "-t", "set,get,lpush,sadd,hset,zadd"});
    run({"redis-cli", "-s", socket, "eval", kLua, "0"});
    wait_for(start({"redis-cli", "-s", socket, "shutdown", "nosave"}));
    const Spent spent = wait_for(server);
    if (spent.status != 0)
      throw std::runtime_error("redis-server has failed");
    return spent.cpu;
  } catch (...) {
    kill(server, SIGKILL);
    wait_for(server);
    throw;
  }
}

} // namespace

std::vector<App> prepare_apps(const Place &place) {
  std::vector<App> apps;
  const auto add = [&](const std::string &program, App app) {
    if (is_there(program))
      apps.push_back(std::move(app));
    else
      std::printf("%s: is not there\n", program.c_str());
  };

  place.write("work.sql", kSql);
  add("sqlite3", runs("sqlite3", {"sqlite3", ":memory:"}, place.file("work.sql")));

  place.write("work.py", kPython);
  add("/usr/bin/python3",
      runs("python3", {"/usr/bin/python3", "-S", "-E", "-I", place.file("work.py")}));

  if (is_there("redis-cli") && is_there("redis-benchmark"))
    add("redis-server", {"redis", [&](const Way &way) { return serve(place, way); }});

  const std::string text = text_of(900'000);
  place.write("text", text);
  place.write("text3", text + text + text);
  add("zstd", runs("zstd", {"zstd", "-q", "-6", "-c", "--single-thread", place.file("text")}));
  // In lines of text, through a chain of filters.
  add("openssl", runs("openssl", {"openssl", "enc", "-aes-256-cbc", "-a", "-pbkdf2", "-pass",
                                  "pass:word", "-in", place.file("text3")}));

  if (is_there("git")) {
    const std::string repository = place.file("repository");
    place.write("history", history());
    run({"git", "init", "-q", "--bare", "-b", "main", repository});
    run({"git", "-C", repository, "fast-import", "--quiet"}, {.input = place.file("history")});
    add("git", runs("git", {"git", "-C", repository, "log", "--stat", "-p", "main"}));
  }

  place.write("work.pl", kPerl);
  add("/usr/bin/perl", runs("perl", {"/usr/bin/perl", place.file("work.pl")}));
  return apps;
}

} // namespace sartor::bench
