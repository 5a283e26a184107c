# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site's servers: nginx, PHP-FPM and MariaDB, started by the stock loader or by sartor-ld."""
import hashlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

HOME = pathlib.Path("/mnt")  # web.sh mounts the study's directory there
SITE = pathlib.Path(__file__).resolve().parent / "site"
DATA, PRISTINE, CACHE = HOME / "data", HOME / "pristine", HOME / "cache"
URL = "http://127.0.0.1"
PATIENCE = 180  # seconds: a strict first start plans the program
WAYS = ["stock", "loader"]
PACKAGES = ["wordpress", "nginx", "php8.2-fpm", "mariadb-server-core"]
SERVERS = {  # in the order of their starts
    "mariadbd": ["/usr/sbin/mariadbd", "--defaults-file=/mnt/etc/my.cnf"],
    "nginx": ["/usr/sbin/nginx", "-e", "/mnt/log/nginx.log", "-c", "/mnt/etc/nginx.conf"],
    "php-fpm": ["/usr/sbin/php-fpm8.2", "-F", "-c", "/mnt/etc/php.ini", "-y", "/mnt/etc/php-fpm.conf"],
}
# The signals that let requests end.
ENDS = {"mariadbd": signal.SIGTERM, "nginx": signal.SIGQUIT, "php-fpm": signal.SIGQUIT}
# These variables decide about configurations and the cache of sartor-ld, and about PHP's extensions.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/mnt/run", "PHP_INI_SCAN_DIR": "",
               "XDG_CACHE_HOME": str(CACHE), "XDG_CONFIG_HOME": "/mnt/run/config"}


class Failed(Exception):
    """The study cannot go on: a server fails, or does not run as it should."""


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], env=ENVIRONMENT, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


def parents():
    """Returns each process that has not ended, with its parent."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[0] != "Z":
                found[int(entry.name)] = int(fields[1])
    return found


DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy the environment names


def answers(path, wanted):
    try:
        with DIRECTLY.open(URL + path, timeout=60) as answer:
            return answer.status == wanted
    except (urllib.error.URLError, OSError):
        return False


def database_answers():
    with socket.socket(socket.AF_UNIX) as database:
        try:
            database.settimeout(10)
            database.connect("/mnt/run/db.sock")
            return len(database.recv(1)) == 1  # it begins with a greeting
        except OSError:
            return False


READY = {"mariadbd": database_answers, "nginx": lambda: answers("/nginx-is-ready", 204),
         "php-fpm": lambda: answers("/php-is-ready", 200)}


class Server:
    def __init__(self, name, way, loader):
        """Starts it, and waits until it answers; `milliseconds` is the time that this takes."""
        self.name, self.way = name, way
        begin = time.monotonic()
        words = SERVERS[name] if way == "stock" else [loader, "--strict", "--", *SERVERS[name]]
        with open(HOME / "log" / f"{name}.out", "ab") as log:
            self.process = subprocess.Popen(words, env=ENVIRONMENT, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            while not READY[name]():
                if self.process.poll() is not None:
                    raise Failed(f"{name} ({way}) has ended with {self.process.returncode}: {self.log()}")
                if time.monotonic() - begin > PATIENCE:
                    raise Failed(f"{name} ({way}) does not answer: {self.log()}")
                time.sleep(0.001)
            self.milliseconds = 1000 * (time.monotonic() - begin)
            self.check()
        except BaseException:
            self.kill()
            raise

    def log(self):
        files = [HOME / "log" / f"{self.name}.out", HOME / "log" / f"{self.name}.log"]
        return "\n".join(file.read_text(errors="replace")[-1000:] for file in files if file.exists())

    def processes(self):
        """Returns the server's process, and those that it has started."""
        left = parents()
        tree = [self.process.pid] if left.get(self.process.pid) == os.getpid() else []
        for process in tree:
            tree += [child for child, parent in left.items() if parent == process]
        return tree

    def check(self):
        """Checks that each process runs the server as planned, or by the stock loader alone: by the files that its
        executable memory is mapped from."""
        program = os.path.realpath(SERVERS[self.name][0])
        for process in self.processes():
            if os.path.realpath(f"/proc/{process}/exe") != program:
                raise Failed(f"process {process} of {self.name} ({self.way}) runs {os.readlink(f'/proc/{process}/exe')}")
            lines = pathlib.Path(f"/proc/{process}/maps").read_text().splitlines()
            files = {line.split(maxsplit=5)[5] for line in lines if "x" in line.split()[1] and "/" in line}
            images = {file for file in files if file.startswith(f"{CACHE}/sartor/ld/")}
            planned = bool(images) and program not in files
            if planned != (self.way == "loader") or (images and not planned):
                raise Failed(f"process {process} of {self.name} ({self.way}) has the code of {sorted(files)}")

    def end(self):
        self.process.send_signal(ENDS[self.name])
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed(f"{self.name} ({self.way}) does not end") from None
        if status != 0:
            raise Failed(f"{self.name} ({self.way}) has ended with {status}: {self.log()}")

    def kill(self):
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


class Site:
    """All servers, started one way. They end with it."""

    def __init__(self, way, loader):
        self.way, self.loader, self.servers = way, loader, {}

    def __enter__(self):
        try:
            for name in SERVERS:
                self.servers[name] = Server(name, self.way, self.loader)
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            self.kill()
            return
        try:
            for name in reversed(SERVERS):
                self.servers.pop(name).end()
        finally:
            self.kill()
        expect_alone()

    def restart(self):
        """Restarts one server after the other; returns the milliseconds that each takes."""
        times = {}
        for name in SERVERS:
            begin = time.monotonic()
            self.servers.pop(name).end()
            self.servers[name] = Server(name, self.way, self.loader)
            times[name] = 1000 * (time.monotonic() - begin)
        return times

    def processes(self):
        return [process for server in self.servers.values() for process in server.processes()]

    def check(self):
        for server in self.servers.values():
            server.check()

    def processor_time(self):
        """Returns the milliseconds of processor time that all processes have used."""
        ticks = 0
        for process in self.processes():
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return 1000 * ticks / os.sysconf("SC_CLK_TCK")

    def kill(self):
        for server in self.servers.values():
            server.kill()
        self.servers.clear()


def expect_alone():
    """Checks that no server's process is left. A planner in the background would be one, too."""
    names = {"mariadbd", "nginx", "php-fpm8.2", "sartor-ld", "sartor-ld-plan"}
    for _ in range(100):
        left = []
        for process in parents():
            try:
                program = os.path.basename(os.readlink(f"/proc/{process}/exe"))
            except OSError:
                continue
            if program in names:
                left.append(f"{process} ({program})")
        if not left:
            return
        time.sleep(0.1)
    raise Failed(f"processes are left: {', '.join(left)}")


def versions():
    return run("dpkg-query", "-W", "-f=${Package} ${Version}\\n", *PACKAGES)


def prepare(posts):
    """Makes the site and its database, unless they are there."""
    for name in ("run", "log", "etc"):
        shutil.rmtree(HOME / name, ignore_errors=True)
        (HOME / name).mkdir()
    (HOME / "run").chmod(0o1777)
    for file in SITE.iterdir():
        shutil.copy(file, HOME / "etc")
    made = HOME / "made"
    content = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(SITE.iterdir()))).hexdigest()
    wanted = f"{versions()}{posts} posts\n{content}\n"
    if made.exists() and made.read_text() == wanted:
        return
    made.unlink(missing_ok=True)
    for directory in (DATA, PRISTINE, HOME / "site"):
        shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree("/usr/share/wordpress", HOME / "site",
                    ignore=shutil.ignore_patterns(".htaccess", "wp-config.php"), ignore_dangling_symlinks=True)
    shutil.copy(SITE / "wp-config.php", HOME / "site")
    PRISTINE.mkdir()
    shutil.chown(PRISTINE, "nobody", "nogroup")
    run("mariadb-install-db", "--defaults-file=/mnt/etc/my.cnf", f"--datadir={PRISTINE}", "--skip-test-db",
        "--auth-root-authentication-method=normal")
    restore()
    database = Server("mariadbd", "stock", None)
    try:
        run("mariadb", "--no-defaults", "--socket=/mnt/run/db.sock", "--user=root", "--execute",
            "CREATE DATABASE wordpress; CREATE USER wordpress@localhost IDENTIFIED BY 'wordpress'; "
            "GRANT ALL ON wordpress.* TO wordpress@localhost")
        said = run("php8.2", "-c", "/mnt/etc/php.ini", "/mnt/etc/content.php", posts)
        if not said.endswith(f"content: {posts} posts\n"):  # WordPress ends with status 0 after most errors
            raise Failed(f"the content is not complete: {said[-2000:]}")
    finally:
        database.end()
    shutil.rmtree(PRISTINE)
    DATA.rename(PRISTINE)
    made.write_text(wanted)


def restore():
    """Gives the database the content that prepare() has made. What was written before is on the disk afterwards, and
    disturbs no measurement."""
    shutil.rmtree(DATA, ignore_errors=True)
    run("cp", "-a", PRISTINE, DATA)
    run("sync", "--file-system", HOME)
