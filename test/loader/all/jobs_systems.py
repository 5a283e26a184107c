# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs: building, the network, terminals, debuggers."""

from job import Job

_C = """
#include <stdio.h>
int twice(int x) { return 2 * x; }
int main(void) { for (int i = 0; i < 3; ++i) printf("%d\\n", twice(i)); return 0; }
"""
_MAKE = "all: one two\none two: main.c\n\tcc -O1 -o $@ $<\n\t./$@\n.SILENT:\n"
_CMAKE = """cmake_minimum_required(VERSION 3.20)
project(p C)
add_library(l STATIC l.c)
add_executable(m main.c)
target_link_libraries(m l)
"""
_PROTO = 'syntax = "proto3";\npackage p;\nmessage M { string a = 1; repeated int32 n = 2; map<string, M> m = 3; }\n'
_CERTIFICATE = (
    "! openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 20 -subj /CN=localhost "
    "-addext subjectAltName=DNS:localhost"
)
_SERVER = "& openssl s_server -quiet -accept {port} -key key.pem -cert certificate.pem -WWW"
_NGINX = """daemon off; error_log stderr crit; pid nginx.pid; events {} http { access_log off;
client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
server { listen 127.0.0.1:PORT ssl; ssl_certificate certificate.pem; ssl_certificate_key key.pem; root .; gzip on; } }
"""

SYSTEMS = (
    Job("make", ("make -j2 -O", "make -q", "- make none"), {"Makefile": _MAKE, "main.c": _C}, ("make", "cc")),
    Job(
        "CMake and Ninja",
        (
            "cmake -S . -B b -G Ninja",
            "ninja -C b -j1",
            "./b/m",
            "cmake -E sha256sum l.c main.c",
            "ctest --test-dir b -N",
        ),
        {"CMakeLists.txt": _CMAKE, "main.c": _C, "l.c": "int l(void) { return 1; }\n"},
        ("cmake", "ninja", "cc"),
        600,
    ),
    Job(
        "binutils",
        (
            "! gcc -g -O1 -o m main.c",
            "nm m",
            "objdump -d -r m",
            "readelf -aW m",
            "strip -o s m",
            "size m s",
            "strings m",
            "addr2line -e m -f main",
            "eu-readelf -a m",
            "eu-elflint s",
            "patchelf --print-interpreter m",
            "as -o x.o x.s",
            "ld -o x x.o",
            "! ./x",
        ),
        {"main.c": _C, "x.s": ".globl _start\n_start: mov $60, %eax\n xor %edi, %edi\n syscall\n"},
        ("gcc", "eu-readelf", "patchelf"),
    ),
    Job(
        "gdb",
        (
            "! gcc -g -O0 -no-pie -o m main.c",
            "gdb -batch -nx -ex 'break twice' -ex run -ex bt -ex 'print x' -ex 'finish' -ex 'info locals' ./m",
            "gdb -batch -nx -ex 'disassemble twice' -ex 'ptype main' -ex 'python print(gdb.lookup_symbol(\"main\")[0].type)' ./m",
        ),
        {"main.c": _C},
        ("gdb", "gcc"),
    ),
    Job(
        "lldb",
        ("! gcc -g -O0 -no-pie -o m main.c", "lldb-14 -b -o 'image lookup -n twice' -o 'disassemble -n twice' ./m"),
        {"main.c": _C},
        ("lldb-14", "gcc"),
    ),
    Job(
        "valgrind",
        ("! gcc -g -O1 -o m main.c", "/usr/bin/valgrind.bin -q ./m", "strace -e trace=write -o log ./m"),
        {"main.c": _C},
        ("valgrind", "strace", "gcc"),
        environment={"VALGRIND_LIB": "/usr/libexec/valgrind"},
    ),
    Job(
        "protoc and SWIG",
        ("protoc --cpp_out=. --python_out=. m.proto", "swig -python -o w.c m.i"),
        {"m.proto": _PROTO, "m.i": "%module m\nint twice(int x);\n"},
        ("protoc", "swig"),
    ),
    Job(
        "translations",
        ("msgfmt -o m.mo m.po", "msgunfmt m.mo", "ctags -f - --sort=yes main.c", "xgettext -o - --omit-header main.c"),
        {"m.po": 'msgid "a"\nmsgstr "b"\n', "main.c": _C},
        ("msgfmt", "ctags"),
    ),
    Job(
        "spelling",
        ("hunspell -l -d en_US text", "aspell list < text"),
        {"text": "Some wrods are wrnog\n"},
        ("hunspell", "aspell"),
    ),
    Job(
        "TLS by OpenSSL, GnuTLS, curl and Wget",
        (
            _CERTIFICATE,
            _SERVER,
            "curl -sS --cacert certificate.pem https://localhost:{port}/text",
            "wget -q --ca-certificate=certificate.pem -O fetched https://localhost:{port}/text",
            "- wget -nv --ca-certificate=text -O none https://localhost:{port}/text",
            "gnutls-cli --x509cafile=certificate.pem -p {port} localhost < request",
        ),
        {"text": "fetched\n" * 999, "request": "GET /text HTTP/1.0\r\n\r\n"},
        ("openssl", "curl", "wget", "gnutls-cli"),
    ),
    Job(
        "nginx",
        (
            _CERTIFICATE,
            "! sed -i s/PORT/{port}/ nginx.conf",
            "& nginx -p . -c nginx.conf",
            "curl -sS --cacert certificate.pem --http2 https://localhost:{port}/text",
            "curl -sS --compressed --cacert certificate.pem https://localhost:{port}/text",
        ),
        {"text": "fetched\n" * 999, "nginx.conf": _NGINX},
        ("nginx", "openssl", "curl"),
    ),
    Job(
        "OpenSSL",
        (
            "openssl dgst -sha3-512 text",
            "openssl enc -aes-256-cbc -pass pass:w -pbkdf2 -S 0123456789abcdef -in text -out hidden",
            "openssl enc -d -aes-256-cbc -pass pass:w -pbkdf2 -S 0123456789abcdef -in hidden",
            "openssl prime 65537",
            "openssl ciphers -v HIGH",
        ),
        {"text": "text to hide\n" * 999},
        ("openssl",),
    ),
    Job(
        "SSH and GnuPG",
        (
            "ssh-keygen -q -t ed25519 -N '' -C c -f key",
            "ssh-keygen -Y sign -n file -f key text",
            "gpg --homedir . --batch --print-md sha512 text",
            "gpg --homedir . --batch --dearmor < armoured",
            "ssh -G -F none host",
        ),
        {
            "text": "text\n",
            "none": "",
            "armoured": "-----BEGIN PGP MESSAGE-----\n\nowJ4nJvAy8zAxXi8\n-----END PGP MESSAGE-----\n",
        },
        ("ssh-keygen", "gpg"),
    ),
    Job(
        "tmux",
        (
            "tmux -S socket -f /dev/null new-session -d -x 60 -y 10 'echo hello; echo $TERM; sleep 100'",
            "sleep 1",
            "tmux -S socket split-window -h 'seq 3; sleep 100'",
            "sleep 1",
            "tmux -S socket capture-pane -p -t 0",
            "tmux -S socket list-panes -F '#{pane_width} #{pane_height} #{pane_index}'",
            "tmux -S socket kill-server",
        ),
        needs=("tmux",),
    ),
    Job(
        "screen and expect",
        ("expect main.exp", "script -q -e -c 'stty -a; tput cols' log", "screen -ls"),
        {"main.exp": 'spawn -noecho cat\nsend "word\\r"\nexpect -re {word.*word}\nsend \\004\nexpect eof\n'},
        ("expect", "script", "screen"),
    ),
    Job(
        "shells",
        tuple(f"{shell} main.sh" for shell in ("bash", "dash", "zsh", "busybox sh"))
        + ("fish -N main.fish", "tcsh -f main.csh"),
        {
            "main.sh": "trap 'echo ended' EXIT\nf() { for i in 1 2 3; do echo $((i * i)); done; }\nf | sort -r | while read x; do echo \"<$x>\"; done\n"
            "(exit 3); echo $?\nsleep 0.1 & wait $!\necho $?\nsh -c 'kill -TERM $$'; echo $?\ncat <<X\nhere $(echo sub)\nX\n",
            "main.fish": "for i in (seq 3); math $i ^ 2; end; string replace -r '[0-9]+' '#' a12; sh -c 'exit 3'; echo $status\n",
            "main.csh": "foreach i (1 2 3)\n @ j = $i * $i\n echo $j\nend\n",
        },
        ("bash", "dash", "zsh", "busybox", "fish", "tcsh"),
    ),
)
