// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server.h"

#include <fstream>
#include <stdexcept>

namespace postgres {

namespace {

const std::string kSource = STUDY_POSTGRES_SOURCE;

std::string without_newline(std::string line) {
  while (line.ends_with('\n'))
    line.pop_back();
  return line;
}

} // namespace

Server::Server(const std::string &name, const std::string &provider, const std::string &settings,
               std::size_t orders)
    : process_({"/usr/bin/env", "PGSARTOR_SETTINGS=" + settings, kSource + "/cluster.sh",
                STUDY_POSTGRES_SERVERS "/" + name, provider, kSource + "/serve.sh",
                std::to_string(orders), STUDY_POSTGRES_VIEW}),
      host_(without_newline(process_.line())) {
  if (host_.empty())
    throw std::runtime_error("the server " + name + " cannot be started");
}

Server::~Server() {
  try {
    process_.go();
    process_.wait();
  } catch (const std::runtime_error &) {
    // It has ended.
  }
}

Session::Session(const Server &server, const std::string &settings)
    : connection_(PQconnectdb(("host=" + server.host() + " user=postgres dbname=postgres").c_str()),
                  PQfinish) {
  if (PQstatus(connection_.get()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  schedule_ = "/proc/" + std::to_string(PQbackendPID(connection_.get())) + "/schedstat";
  (void)ask("SET max_parallel_workers_per_gather = 0; " + settings);
}

std::string Session::ask(const std::string &statements) const {
  const std::unique_ptr<PGresult, void (*)(PGresult *)> result(
      PQexec(connection_.get(), statements.c_str()), PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  std::string rows;
  for (int row = 0; row < PQntuples(result.get()); ++row)
    for (int column = 0; column < PQnfields(result.get()); ++column) {
      rows += PQgetvalue(result.get(), row, column);
      rows += column + 1 < PQnfields(result.get()) ? '|' : '\n';
    }
  return rows;
}

double Session::processor_time() const {
  double nanoseconds = 0;
  if (!(std::ifstream(schedule_) >> nanoseconds))
    throw std::runtime_error("the kernel does not tell processor times in " + schedule_);
  return nanoseconds / 1e6;
}

} // namespace postgres
