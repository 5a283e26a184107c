# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs: data, files and packing."""

from job import Job

_LINES = "".join(f"{i * i % 7919} line of text {i}\n" for i in range(20000))
_TABLE = "name,group,value\n" + "".join(f"n{i},g{i % 5},{i * 37 % 101}\n" for i in range(200))
_SQL = """create table t(n integer primary key, s text, v real);
with recursive c(n) as (select 1 union all select n + 1 from c where n < 5000)
  insert into t select n, 'row ' || (n * 7919 % 5000), n / 7.0 from c;
create index i on t(s);
select n % 7, count(*), sum(v), max(s) from t group by 1; select * from t where s = 'row 42';
explain query plan select * from t where s = 'row 42'; pragma integrity_check;
"""
_POSTGRES = """create table t(n int primary key, s text)
insert into t select n, 'row ' || (n * 7919 % 5000) from generate_series(1, 5000) n
select n % 7 as r, count(*), max(s), avg(n) from t group by 1 order by 1
select to_tsvector('english', 'running dogs'), '{"a": [1, 2]}'::jsonb -> 'a', regexp_replace('a12', '[0-9]+', '#')
"""
_GIT = """[user]
  name = A
  email = a@example.org
[init]
  defaultBranch = main
"""


def _packer(name, *steps):
    return Job(name, steps, {"text": _LINES}, (name,))


DATA = (
    Job(
        "SQLite",
        ("sqlite3 store.db < main.sql", "sqlite3 -json store.db 'select avg(v), total(n) from t'"),
        {"main.sql": _SQL},
        ("sqlite3",),
    ),
    Job(
        "PostgreSQL",
        (
            "! {postgres}/initdb -A trust -N -E UTF8 --locale=C -D data",
            "{postgres}/postgres --single -D data template1 < main.sql",
        ),
        {"main.sql": _POSTGRES},
        ("pg_ctlcluster",),
        600,
    ),
    Job(
        "Redis",
        (
            "& redis-server --port {port} --save '' --daemonize no",
            "redis-cli -p {port} < commands",
            "redis-benchmark -q -p {port} -n 100 -t none",
            "redis-cli -p {port} shutdown nosave",
        ),
        {
            "commands": "set a 1\nincrby a 41\nrpush l 3 1 2\nsort l\nhset h x 1 y 2\nhgetall h\n"
            'eval \'return redis.call("get", "a") * 2\' 0\n'
        },
        ("redis-server", "redis-cli"),
    ),
    Job(
        "git",
        (
            "git init -q r",
            "git -C r add .",
            "git -C r commit -q -m first --date=2020-01-01T00:00:00Z",
            "git -C r log --stat --format=%s%n%T -p",
            "git clone -q r copy",
            "git -C copy gc -q",
            "git -C copy fsck --strict",
            "git -C copy archive --format=tar HEAD -o ../x.tar",
            "git -C r grep -n -E 'text 1(7|9)$'",
        ),
        {"r/text": _LINES, "r/other": _TABLE, ".gitconfig": _GIT},
        ("git",),
        environment={"GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z", "GIT_CONFIG_NOSYSTEM": "1"},
    ),
    Job(
        "Subversion and Mercurial",
        (
            "svnadmin create store",
            "/usr/bin/python3 /usr/bin/hg init r",
            "/usr/bin/python3 /usr/bin/hg -R r add r/text",
            "/usr/bin/python3 /usr/bin/hg -R r commit -u a -d '0 0' -m first",
            "/usr/bin/python3 /usr/bin/hg -R r log -p",
        ),
        {"r/text": _TABLE},
        ("svnadmin", "hg"),
    ),
    Job(
        "jq",
        (
            "jq -c 'group_by(.g) | map({g: .[0].g, n: length, s: (map(.v) | add / length)})' main.json",
            "jq -r '.[] | @base64 | ascii_downcase' main.json",
            "- jq . wrong.json",
        ),
        {"main.json": str([{"g": i % 5, "v": i * 1.5} for i in range(300)]).replace("'", '"'), "wrong.json": '{"a": }'},
        ("jq",),
    ),
    Job(
        "datamash and Miller",
        (
            "datamash -t, --header-in -s -g 2 mean 3 median 3 sstdev 3 < table.csv",
            "mlr --icsv --ojson stats1 -a mean,p50,count -f value -g group table.csv",
        ),
        {"table.csv": _TABLE},
        ("datamash", "mlr"),
    ),
    Job(
        "rrdtool",
        (
            "rrdtool create a.rrd --start 1000000000 --step 60 DS:x:GAUGE:120:U:U RRA:AVERAGE:0.5:1:50",
            "rrdtool update a.rrd 1000000060:1 1000000120:5 1000000180:7",
            "rrdtool fetch a.rrd AVERAGE -s 1000000000 -e 1000000240",
        ),
        needs=("rrdtool",),
    ),
    Job(
        "tar",
        (
            "tar --sort=name --mtime=@0 -cf a.tar d",
            "tar --sort=name --mtime=@0 --zstd -cf a.tar.zst d",
            "tar -tvf a.tar.zst",
            "tar -xf a.tar --one-top-level=e",
            "cpio -itv < a.tar",
            "- tar -xf text",
        ),
        {"d/text": _LINES, "d/e/table": _TABLE, "text": "no archive"},
        ("tar", "zstd", "cpio"),
    ),
    _packer(
        "zstd",
        "zstd -q -19 --single-thread text",
        "zstd -q -T2 -3 -o t2.zst text",
        "zstd -q -t text.zst t2.zst",
        "zstd -q -d -c text.zst",
        "zstd -q --train -B4096 -o dictionary text",
    ),
    _packer(
        "xz",
        "xz -k -6 text",
        "xz -k -T2 --block-size=65536 -c text",
        "xz -t text.xz",
        "xz -lvv text.xz",
        "- xz -t text",
    ),
    Job(
        "packers",
        (
            "gzip -n -k -9 text",
            "gzip -t text.gz",
            "bzip2 -k text",
            "bzip2 -t text.bz2",
            "lz4 -q -9 text text.lz4",
            "lz4 -q -d -c text.lz4",
            "brotli -k text",
            "brotli -t text.br",
            "pigz -n -k -11 -c text",
            "lzip -k text",
            "lzip -t text.lz",
            "zip -q -X a.zip text.gz",
            "unzip -t a.zip",
            "/usr/lib/p7zip/7z a -bd -bso0 -mmt=1 a.7z text",
            "/usr/lib/p7zip/7z t -bd a.7z",
        ),
        {"text": _LINES},
        ("bzip2", "lz4", "brotli", "pigz", "lzip", "zip", "unzip", "7z"),
    ),
    Job(
        "rsync",
        (
            "rsync -a --stats --out-format='%n %l' a/ b/",
            "rsync -a --checksum -i --delete a/ b/",
            "rsync -rn --list-only a/",
        ),
        {"a/text": _LINES, "a/d/table": _TABLE},
        ("rsync",),
    ),
    Job(
        "sorting",
        (
            "sort -n text",
            "sort -k4,4r -k1,1n --parallel=2 text",
            "sort -R --random-source=text text",
            "uniq -c text",
            "comm text text",
            "join -t, table table",
            "cut -d, -f2 table",
            "tr a-z A-Z < text",
            "sha512sum text table",
            "od -t x1z table",
            "split -n 3 text part",
            "factor 123456789012345678901234567890",
            "numfmt --to=iec 123456789",
            "du -b text",
            "shuf --random-source=text table",
        ),
        {"text": _LINES, "table": _TABLE},
        ("sort",),
    ),
    Job(
        "searching",
        (
            "grep -n -E 'text 1(7|9)9$' text",
            "grep -c -P '(\\d)\\1' text",
            "sed -n -E 's/([0-9]+) line/<\\1>/p;20q' text",
            "find . -type f -size +1k -name 't*'",
            "rg -n --sort=path 'text 1(7|9)9$' .",
            "fdfind -j1 t .",
            "- diff -u text other",
            "mawk '{ s += $1 } END { print s }' text",
            "xargs -n3 echo < words",
        ),
        {"text": _LINES, "other": _LINES.replace("line of text 77\n", "changed\n"), "words": "a b c d\n"},
        ("rg", "fdfind", "mawk"),
    ),
    Job(
        "file systems",
        (
            "! truncate -s 8M image",
            "mkfs.ext4 -q -F -U 00000000-0000-0000-0000-000000000001 image",
            "e2fsck -fn image",
            "dumpe2fs -h image",
            "mksquashfs d fs.squashfs -quiet -no-progress -all-time 0 -mkfs-time 0 -processors 1",
            "unsquashfs -n -d out fs.squashfs",
            "qemu-img create -q -f qcow2 disk 16M",
            "qemu-img check disk",
        ),
        {"d/text": _LINES},
        ("mkfs.ext4", "mksquashfs", "qemu-img"),
    ),
)
