# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows: servers, which listen at the loopback interface or at a Unix socket only, and end with the
row."""

import os
import pathlib
import shutil
import signal
import subprocess

from cell import Skip, free_port, listens
from rows import program


@program("Redis", needs=("redis-server", "redis-cli"))
def redis(cell):
    socket = cell.directory / "redis.sock"
    server = cell.start("redis-server", "--port", "0", "--unixsocket", socket, "--dir", cell.directory,
                        "--save", "", "--appendonly", "yes")

    def ask(*words, **options):
        return cell.run("redis-cli", "-s", socket, *words, **options)

    cell.until(lambda: socket.exists() and ask("ping", direct=True, keep=False,
                                               status=None).out == "PONG\n", server, "redis-server")
    ask("set", "key", "value")
    ask("get", "key")
    ask("rpush", "list", *range(200))
    ask("lrange", "list", 10, 20)
    ask("eval", "local s = 0; for i = 1, tonumber(ARGV[1]) do s = (s * 31 + i) % 1000003; "
        "redis.call('hset', KEYS[1], 'f' .. i % 500, s) end; "
        "return {s, redis.call('hlen', KEYS[1]), redis.sha1hex('x'), cjson.encode({1, 2})}",
        1, "hash", 100000)
    ask("eval", "return redis.call('no_such_command')", 0, status=None)
    ask("zadd", "set", 1, "a", 2.5, "b")
    ask("zrange", "set", 0, -1, "withscores")
    ask(input="\n".join(f"setex k{i} 100 {i}" for i in range(500)) + "\ndbsize\n")
    ask("bgrewriteaof", keep=False)
    cell.until(lambda: "aof_rewrite_in_progress:0" in ask("info", "persistence", direct=True,
                                                          keep=False).out, server, "redis-server")
    ask("shutdown", "nosave")
    cell.stop(server, None, "redis-server")
    cell.check("BUG REPORT" not in cell.said(server), "redis-server has crashed")


def certificate(cell):
    cell.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
             "certificate.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost,IP:127.0.0.1", direct=True, keep=False)


def nginx_server(cell, **options):
    """nginx with a page and a large file, in the clear and by TLS. Gives both addresses."""
    certificate(cell)
    cell.write("pages/page.html", "<p>A page.</p>\n" * 1000)
    cell.write("pages/large", bytes(i * 31 % 251 for i in range(1 << 20)))
    for _ in range(5):
        plain, secure = free_port(), free_port()
        user = "user root;" if os.geteuid() == 0 else ""
        cell.write("nginx.conf", f"""
            {user} daemon off; pid {cell.directory}/nginx.pid; worker_processes 2;
            error_log stderr warn;
            events {{ worker_connections 64; }}
            http {{
              types {{ text/html html; }}
              access_log off; root {cell.directory}/pages; server_tokens off; gzip on; sendfile on;
              client_body_temp_path {cell.directory}/body; proxy_temp_path {cell.directory}/proxy;
              fastcgi_temp_path {cell.directory}/fastcgi; uwsgi_temp_path {cell.directory}/uwsgi;
              scgi_temp_path {cell.directory}/scgi;
              server {{ listen 127.0.0.1:{plain};
                        location /again/ {{ proxy_pass http://127.0.0.1:{plain}/; }}
                        location ~ ^/(.)oved {{ return 302 /$1; }} }}
              server {{ listen 127.0.0.1:{secure} ssl; ssl_certificate {cell.directory}/certificate.pem;
                        ssl_certificate_key {cell.directory}/key.pem; }}
            }}""")
        server = cell.start("nginx", "-p", cell.directory, "-c", cell.directory / "nginx.conf", "-e",
                            "stderr", **options)
        cell.until(lambda: listens(plain) and listens(secure) or server.poll() is not None
                   and "in use" in cell.said(server), server, "nginx")
        if server.poll() is None:
            return server, f"http://127.0.0.1:{plain}", f"https://127.0.0.1:{secure}"
    raise Skip("no free port")


def fetch_all(cell, plain, secure, **options):
    trusted = ("--cacert", cell.directory / "certificate.pem")
    for address, how in ((plain, ()), (secure, trusted), (secure, (*trusted, "--tls-max", "1.2"))):
        for page in ("page.html", "large", "nowhere"):
            cell.run("curl", "-sS", "--compressed", *how, "-o", "fetched", "-w",
                     "%{http_code} %{size_download} %{content_type}\n", f"{address}/{page}", **options)
            digest = cell.run("sha256sum", "fetched", direct=True, keep=False)
            cell.note(digest.out)
    cell.run("curl", "-sS", f"{plain}/again/page.html", **options)
    cell.run("curl", "-sS", "-o", "fetched", "-w", "%{http_code}\n", f"{plain}/moved", **options)


@program("nginx", needs=("nginx", "curl", "openssl"), different=((r"127\.0\.0\.1:\d+", "ADDRESS"),))
def nginx(cell):
    server, plain, secure = nginx_server(cell)
    fetch_all(cell, plain, secure, direct=True)
    server.send_signal(signal.SIGHUP)  # starts new workers
    fetch_all(cell, plain, secure, direct=True)
    cell.stop(server, signal.SIGQUIT, "nginx")
    cell.check("exited on signal" not in cell.said(server), "a worker has crashed")


@program("curl", needs=("nginx", "curl", "openssl"), different=((r"127\.0\.0\.1:\d+", "ADDRESS"),))
def curl(cell):
    server, plain, secure = nginx_server(cell, direct=True)
    fetch_all(cell, plain, secure)
    cell.run("curl", "-sS", "--parallel", "-o", "a", f"{plain}/large", "-o", "b", f"{plain}/page.html",
             keep=False)
    cell.run("sha256sum", "a", "b", direct=True)
    cell.run("curl", "-sS", f"file://{cell.directory}/pages/page.html")
    cell.run("curl", "-sS", "-o", "fetched", f"{secure}/page.html", status=60, keep=False)
    cell.run("curl", "-sS", "http://127.0.0.1:1/", status=7, keep=False)
    cell.run("curl", "-sS", "nonsense://x", status=1)
    cell.stop(server, signal.SIGQUIT, "nginx")


@program("OpenSSL, TLS server and client", needs=("openssl",))
def openssl_server(cell):
    certificate(cell)
    for roles in ({"server": False, "client": True}, {"server": True, "client": False}):
        port = free_port()
        server = cell.start("openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert",
                            "certificate.pem", "-key", "key.pem", "-naccept", "1", "-rev",
                            "-no_ticket", direct=not roles["server"])
        cell.until(lambda: "ACCEPT" in cell.said(server), server, "openssl s_server")
        # Its input stays open until the answer has arrived.
        client = cell.start("openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-quiet",
                            "-no_ign_eof", "-CAfile", "certificate.pem", "-verify_return_error",
                            direct=not roles["client"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)
        client.stdin.write(b"hello\n")
        client.stdin.flush()
        cell.note(client.stdout.readline())
        client.stdin.close()
        client.stdout.read()
        cell.stop(client, None, "openssl s_client")
        cell.stop(server, None, "openssl s_server")


QUERIES = """
    create table numbers(n integer primary key, name text, at timestamptz default 'epoch');
    insert into numbers select i, 'number ' || i * 7919 % 20011 from generate_series(1, 20000) i;
    create index by_name on numbers(name);
    analyze numbers;
    select n, name from numbers where name in ('number 7', 'number 42') order by n;
    select n % 7 as seventh, count(*), sum(n::numeric ^ 2), stddev(n)::numeric(12, 4), max(name)
      from numbers group by 1 order by 1;
    set max_parallel_workers_per_gather = 2; set parallel_setup_cost = 0; set parallel_tuple_cost = 0;
    set min_parallel_table_scan_size = 0;
    select count(*) from numbers where md5(name) like 'a%';
    create function caught(x integer) returns text language plpgsql as $$
      begin return 10 / x; exception when division_by_zero then return 'no'; end $$;
    select caught(0), caught(5), sha256('x'), regexp_replace('some words', '(\\w)(\\w*)', '\\2\\1', 'g');
    select jsonb_path_query('{"a": [1, 2, 3]}', '$.a[*] ? (@ > 1)');
    begin; delete from numbers; rollback;
    select count(*) from numbers;
    select nonsense;
    create table documents(d jsonb); insert into documents values ('{"k": 1}');
    create index on documents using gin(d); select * from documents where d @> '{"k": 1}';
    set jit = on; set jit_above_cost = 0; select sum(n * 2 + 1) from numbers where n % 3 = 1;
    """


@program("PostgreSQL", needs=("psql",))
def postgres(cell):
    places = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name))
    if not places:
        raise Skip("there is no PostgreSQL")
    before = ()
    if os.geteuid() == 0:  # it refuses to run as root
        user = cell.unprivileged
        if user is None or not shutil.which("setpriv"):
            raise Skip("root cannot start it, and there is no other user")
        before = ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--")
        for path in (cell.directory, cell.directory / "cache"):
            path.mkdir(exist_ok=True)
            os.chown(path, user.pw_uid, user.pw_gid)
    variables = {"XDG_CACHE_HOME": str(cell.directory / "cache")}
    data = cell.directory / "data"
    options = {"env": variables, "before": before}
    cell.run(places[-1] / "initdb", "-D", data, "-U", "tester", "--auth=trust", "--locale=C",
             "--encoding=UTF8", "--no-sync", keep=False, **options)
    server = cell.start(places[-1] / "postgres", "-D", data, "-k", cell.directory, "-c",
                        "listen_addresses=", "-c", "fsync=off", **options)

    def ask(text, **how):
        return cell.run(places[-1] / "psql", "-X", "-h", cell.directory, "-U", "tester", "-d",
                        "postgres", input=text, **how)

    cell.until(lambda: ask("select 1", direct=True, keep=False, status=None).status == 0, server,
               "postgres")
    ask(QUERIES)
    ask("drop table numbers; create table kept as select 1 as one; checkpoint;", direct=True)
    cell.stop(server, signal.SIGINT, "postgres")
    server = cell.start(places[-1] / "postgres", "-D", data, "-k", cell.directory, "-c",
                        "listen_addresses=", "-c", "fsync=off", **options)
    cell.until(lambda: ask("select 1", direct=True, keep=False, status=None).status == 0, server,
               "postgres")
    ask("select * from kept;", direct=True)
    cell.stop(server, signal.SIGTERM, "postgres")
    cell.check("terminated by signal" not in cell.said(server), "a process of it has crashed")
