# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows: programs that come to an end by themselves."""

import pathlib
import shutil

from cell import Skip
from rows import program

SCRIPTS = pathlib.Path(__file__).parent / "scripts"


@program("Python", needs=("python3",))
def python(cell):
    cell.run("python3", "-I", SCRIPTS / "work.py")


@program("Perl", needs=("perl",))
def perl(cell):
    cell.run("perl", SCRIPTS / "work.pl")


@program("Node.js", needs=("node",))
def node(cell):
    cell.run("node", SCRIPTS / "work.js")


@program("JVM", needs=("java",))
def java(cell):
    # The Debian package's Java is used if there are others; a source file runs where there is a compiler.
    homes = sorted(pathlib.Path("/usr/lib/jvm").glob("java-*-openjdk-*/bin/java"))
    command = str(homes[-1]) if homes else "java"
    modules = cell.run(command, "--list-modules", direct=True, keep=False)
    cell.run(command, "-Xshare:auto", "-version")
    if "jdk.compiler" not in modules.out:
        raise Skip("the JVM has no compiler")
    for options in ([], ["-Xint"], ["-XX:+UseSerialGC", "-Xss2m"]):
        cell.run(command, "-Xmx256m", *options, SCRIPTS / "Work.java", "40" if options else "400",
                 keep=not options)


@program("bash", needs=("bash",))
def bash(cell):
    cell.run("bash", SCRIPTS / "work.sh")


# Its assembly code jumps through tables in data.
@program("GMP", needs=("factor", "gawk"))
def gmp(cell):
    cell.run("factor", "123456789012345678901234567890123456789012", str(2**67 - 1))
    cell.run("gawk", "-M", "BEGIN { print 7^5000 % 10^60, 3^4000 }")
    if shutil.which("ruby"):
        cell.run("ruby", "-e", "puts 7**5000, (7**3000).digits.sum, 3**999 / 7**99")
    if shutil.which("guile"):
        cell.run("guile", "--no-auto-compile", "-c", "(display (quotient (expt 3 2000) (expt 7 99)))")
    if shutil.which("emacs"):
        cell.run("emacs", "--batch", "-Q", "--eval", "(princ (expt 7 2000))")


@program("the C compiler", needs=("gcc",))
def compiler(cell):
    source = cell.write("source.c", "double twice(double x) { return __builtin_sin(0.3) * x + 1e300 * 1.5; }\n")
    cc1 = cell.run("gcc", "-print-prog-name=cc1", direct=True, keep=False).out.strip()
    cell.run(cc1, "-quiet", "-O2", source, "-o", "-")


@program("git", needs=("git",))
def git(cell):
    who = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat"}
    for role in ("AUTHOR", "COMMITTER"):
        who |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.org",
                f"GIT_{role}_DATE": "2020-01-01T00:00:00Z"}
    repository = cell.directory / "repository"

    def run(*words):
        cell.run("git", *words, env=who, cwd=repository)

    cell.run("git", "init", "-q", "-b", "main", repository, env=who)
    for number in range(20):
        cell.write(f"repository/file{number}", f"line {number}\n" * (50 + number))
    run("add", ".")
    run("commit", "-q", "-m", "first")
    run("checkout", "-q", "-b", "other")
    cell.write("repository/file3", "changed\n" * 60)
    run("commit", "-q", "-a", "-m", "second")
    run("log", "--stat", "--format=%H %s", "-p", "--all")
    run("grep", "-n", "-E", "line (7|9)$", "HEAD~1")
    run("gc", "-q")
    run("fsck", "--strict")
    cell.run("git", "clone", "-q", repository, "clone", env=who)
    cell.run("git", "-C", "clone", "rev-parse", "HEAD", "HEAD^{tree}", env=who)
    cell.run("git", "archive", "--format=tar", "HEAD", "file3", env=who, cwd=repository)


@program("SQLite", needs=("sqlite3",))
def sqlite(cell):
    cell.run("sqlite3", "store.db", input="""
        create table numbers(n integer primary key, square integer, name text);
        with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 20000)
          insert into numbers select n, n * n, printf('number %05d', n * 7919 % 20000) from counted;
        create index by_name on numbers(name);
        create virtual table words using fts5(word);
        insert into words select name from numbers where n < 1000;
        """)
    cell.run("sqlite3", "store.db", input="""
        explain query plan select * from numbers where name = 'number 00042';
        select * from numbers where name = 'number 00042';
        select n % 10, count(*), sum(square), avg(square), max(name) from numbers group by 1 order by 2, 1;
        select a.n, b.n from numbers a join numbers b on b.n = a.square where a.n < 100 order by 1;
        select count(*) from words where words match '07919';
        select json_group_array(n) from numbers where n < 5; select round(sqrt(2), 6);
        pragma integrity_check;
        """)


@program("OpenSSL", needs=("openssl",))
def openssl(cell):
    text = cell.write("text", "text to hide\n" * 10000)
    for digest in ("sha256", "sha3-512", "blake2b512"):
        cell.run("openssl", "dgst", "-" + digest, text)
    for cipher in ("aes-256-cbc", "chacha20"):
        secret = ("-pass", "pass:word", "-pbkdf2", "-S", "0123456789abcdef")
        cell.run("openssl", "enc", "-" + cipher, *secret, "-in", text, "-out", "hidden")
        cell.run("openssl", "dgst", "-sha256", "hidden")
        cell.run("openssl", "enc", "-d", "-" + cipher, *secret, "-in", "hidden", "-out", "shown")
        cell.run("cmp", text, "shown", direct=True)
    for key in ("rsa:2048", "ec"):
        curve = ("-pkeyopt", "ec_paramgen_curve:P-256") if key == "ec" else ()
        cell.run("openssl", "req", "-x509", "-newkey", key, *curve, "-nodes", "-keyout", "key.pem",
                 "-out", "certificate.pem", "-days", "2", "-subj", "/CN=localhost", keep=False)
        cell.run("openssl", "verify", "-CAfile", "certificate.pem", "certificate.pem")
        cell.run("openssl", "dgst", "-sha256", "-sign", "key.pem", "-out", "signature", text)
        public = cell.run("openssl", "x509", "-in", "certificate.pem", "-pubkey", "-noout", keep=False)
        cell.write("public.pem", public.out)
        cell.run("openssl", "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", text)


@program("ImageMagick", needs=("convert", "identify"))
def imagemagick(cell):
    cell.run("convert", "-size", "200x150", "gradient:red-blue", "-swirl", "90", "first.png")
    cell.run("convert", "first.png", "-resize", "50%", "-blur", "0x2", "-rotate", "30", "second.jpg")
    cell.run("convert", "first.png", "-colorspace", "gray", "-edge", "1", "third.gif")
    for name in ("first.png", "second.jpg", "third.gif"):
        cell.run("identify", "-format", "%m %w %h %#\n", name)


def compression(title, command, packed, levels):
    @program(title, needs=(command,))
    def run(cell):
        text = cell.write("text", "".join(f"{i * i % 7919} line of text {i}\n" for i in range(60000)))
        for level in levels:
            cell.run(command, "-q", "-k", "-f", *level, text)
            cell.run("sha256sum", f"text.{packed}", direct=True)
            cell.run(command, "-q", "-t", f"text.{packed}")
            unpacked = cell.run(command, "-d", "-c", f"text.{packed}", keep=False)
            cell.check(unpacked.out == text.read_text(), "unpacks to something else")


compression("zstd", "zstd", "zst", (["-3"], ["-12", "-T2"], ["-1", "--long"]))
compression("xz", "xz", "xz", (["-1"], ["-3", "-T2"]))


@program("sort", needs=("sort",))
def sort(cell):
    text = "".join(f"{i * 7919 % 20011} {i * 31 % 97}.{i % 10}e{i % 5} line\n" for i in range(20000))
    cell.write("text", text)
    for how in (["-n"], ["-k2g", "-s"], ["--parallel=2", "-u", "-k2,2"], ["-R", "--random-source=text"]):
        cell.run("sort", *how, "text")
        cell.run("sort", *how, "text", env={"LC_ALL": "C"})
