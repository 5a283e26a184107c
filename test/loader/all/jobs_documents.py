# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs: pictures, sound and texts."""

from job import Job

_SOUND = "-f lavfi -i sine=frequency=440:duration=1"
_FILM = "-f lavfi -i testsrc=size=160x120:rate=10:duration=1"
_EXACT = "-nostdin -v error -y -fflags +bitexact"
_OUT = "-flags +bitexact -map_metadata -1 -threads 1"
_TEXT = "# Title\n\nSome *text* with `code`, and:\n\n- one\n- two[^1]\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[^1]: A note.\n\n$x^2$\n"
_HTML = (
    "<html><body><p id=p>before</p><canvas id=c></canvas><script>let s = 0; for (let i = 0; i < 1e5; i++) s += i % 7;"
    "document.getElementById('p').textContent = 'after ' + s + ' ' + /b+/.exec('abbb') + ' ' + 2n ** 99n;</script></body></html>\n"
)

DOCUMENTS = (
    Job(
        "ffmpeg",
        (
            f"ffmpeg {_EXACT} {_SOUND} {_OUT} sound.flac",
            f"ffmpeg {_EXACT} -i sound.flac {_OUT} -c:a aac sound.m4a",
            f"ffmpeg {_EXACT} {_FILM} {_OUT} -c:v libx264 -pix_fmt yuv420p film.mp4",
            f"ffmpeg {_EXACT} {_FILM} {_OUT} -c:v libvpx-vp9 -b:v 90k film.webm",
            f"ffmpeg {_EXACT} -i film.mp4 -vf scale=80:60,hue=s=0 {_OUT} -f framemd5 -",
            "ffprobe -v error -show_streams -of json film.webm",
        ),
        needs=("ffmpeg", "ffprobe"),
        seconds=600,
    ),
    Job(
        "sound",
        (
            "sox -R -n -c 1 -r 22050 -b 16 tone.wav synth 1 sine 440",
            "flac -s -8 -o tone.flac tone.wav",
            "flac -s -t tone.flac",
            "lame --quiet -b 64 tone.wav tone.mp3",
            "oggenc -Q -s 7 -o tone.ogg tone.wav",
            "oggdec -Q -o back.wav tone.ogg",
        ),
        needs=("sox", "flac", "lame", "oggenc"),
    ),
    Job(
        "ImageMagick",
        (
            "convert -size 120x90 gradient:red-blue -swirl 90 first.ppm",
            "convert first.ppm -resize 50% -blur 0x2 second.jpg",
            "convert first.ppm -colorspace gray -edge 1 third.ppm",
            "identify -format '%m %w %h %#\\n' second.jpg third.ppm",
        ),
        needs=("convert", "identify"),
    ),
    Job(
        "pictures",
        (
            "! convert -size 120x90 plasma:red-blue -seed 1 first.ppm",
            "! convert -size 120x90 gradient:red-blue even.ppm",
            "cjpeg -quality 70 -outfile even.jpg even.ppm",
            "djpeg -outfile back.ppm even.jpg",
            "cwebp -quiet even.ppm -o even.webp",
            "dwebp -quiet even.webp -ppm -o web.ppm",
            "gm convert even.ppm -rotate 33 turned.ppm",
            "pnmtopng even.ppm",
            "potrace -s -o shape.svg even.ppm",
        ),
        needs=("convert", "cjpeg", "cwebp", "gm", "pnmtopng", "potrace"),
    ),
    Job(
        "gnuplot",
        ("gnuplot main.gp",),
        {
            "main.gp": "set terminal svg\nset output 'plot.svg'\nset samples 500\n"
            "plot sin(x)/x, besj0(x) with points\nset output 'surface.svg'\nsplot x**2-y**2\n"
        },
        ("gnuplot",),
    ),
    Job(
        "Graphviz",
        tuple(f"{program} -Tsvg graph.dot" for program in ("dot", "neato", "circo")),
        {"graph.dot": "digraph { a -> {b c d} -> e; subgraph cluster_x { f -> g } e -> f; g -> a [label=back] }\n"},
        ("dot",),
    ),
    Job(
        "groff",
        ("groff -t -e -Tutf8 -ms main.ms", "groff -Tps -ms main.ms"),
        {
            "main.ms": ".TL\nTitle\n.PP\nText which is filled and adjusted, with a table:\n.TS\nbox; l r.\na\t1\nb\t22\n.TE\n.EQ\nx sup 2 over y\n.EN\n"
        },
        ("groff",),
    ),
    Job(
        "Ghostscript",
        (
            "gs -q -dBATCH -dNOPAUSE -sDEVICE=ppmraw -r40 -sOutputFile=page.ppm main.ps",
            "gs -q -dBATCH -dNOPAUSE -sDEVICE=txtwrite -sOutputFile=- main.ps",
            "gs -q -dNODISPLAY -dBATCH sums.ps",
        ),
        {
            "main.ps": "%!\n/Helvetica findfont 30 scalefont setfont 72 500 moveto (Some text) show 100 100 200 80 rectfill showpage\n",
            "sums.ps": "2 sqrt = 1 1 20 { dup mul 65537 mod 3 add } for == \n",
        },
        ("gs",),
    ),
    Job(
        "PDF",
        (
            "! gs -q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -sOutputFile=main.pdf main.ps",
            "pdftotext main.pdf -",
            "pdftoppm -r 30 main.pdf page",
            "qpdf --deterministic-id --linearize main.pdf other.pdf",
            "qpdf --check other.pdf",
            "mutool draw -q -r 30 -o page.pnm other.pdf",
        ),
        {"main.ps": "%!\n/Times-Roman findfont 30 scalefont setfont 72 500 moveto (Some text) show showpage\n"},
        ("gs", "pdftotext", "qpdf", "mutool"),
    ),
    Job(
        "pandoc",
        (
            "pandoc -s --metadata title=T -o main.html main.md",
            "pandoc -t native main.md",
            "pandoc -t latex main.md",
            "pandoc -f html -t rst main.html",
        ),
        {"main.md": _TEXT},
        ("pandoc",),
        600,
    ),
    Job(
        "TeX",
        ("pdftex -ini -interaction=nonstopmode main.tex",),
        {
            "main.tex": "\\catcode`\\{=1 \\catcode`\\}=2 \\catcode`\\#=6 "
            "\\def\\a#1{\\immediate\\write16{[#1]}}\\count1=7 \\multiply\\count1 by 191 \\a{\\the\\count1}\\end\n"
        },
        ("pdftex",),
        environment={"TEXINPUTS": "."},
    ),
    Job(
        "SVG",
        ("rsvg-convert -f png -o picture.png picture.svg", "rsvg-convert -f svg -o other.svg picture.svg"),
        {
            "picture.svg": "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'><circle cx='40' cy='30' r='20' fill='red'/>"
            "<text x='5' y='20'>text</text></svg>\n"
        },
        ("rsvg-convert",),
    ),
    Job(
        "XML and HTML",
        (
            "xmllint --format main.xml",
            "xmllint --xpath //b/@n main.xml",
            "xsltproc main.xsl main.xml",
            "- tidy -q -asxml main.html",
        ),
        {
            "main.xml": "<a><b n='1'>x</b><b n='2'/></a>\n",
            "main.html": "<title>t</title><p>a<p>b\n",
            "main.xsl": "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:template match='/'>"
            "<xsl:for-each select='//b'><xsl:sort select='@n' order='descending'/>[<xsl:value-of select='@n'/>]</xsl:for-each>"
            "</xsl:template></xsl:stylesheet>\n",
        },
        ("xmllint", "xsltproc"),
    ),
    Job(
        "Chromium",
        (
            "/usr/lib/chromium/chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
            "--user-data-dir=profile --virtual-time-budget=2000 --dump-dom file:///proc/self/cwd/page.html",
            "! rm -r profile",  # databases, different each time
        ),
        {"page.html": _HTML},
        ("chromium",),
        600,
    ),
    Job(
        "w3m and lynx",
        ("w3m -dump -T text/html page.html", "lynx -dump -nolist page.html"),
        {"page.html": _HTML},
        ("w3m", "lynx"),
    ),
    Job(
        "Emacs",
        ("emacs --batch -Q -l main.el",),
        {
            "main.el": """
        (require 'json) (require 'org) (princ (expt 7 300)) (princ (json-encode '((a . 1) (b . [1 2]))))
        (with-temp-buffer (insert "* one\\n** two\\n| a | b |\\n|-+-|\\n| 10 | 2 |\\n") (org-mode) (org-table-map-tables 'org-table-align)
          (princ (buffer-string)) (write-region (point-min) (point-max) "out.org"))
        (byte-compile-file "other.el") (princ (condition-case e (car 1) (error e)))
        """,
            "other.el": ";;; -*- lexical-binding: t -*-\n(defun f (x) (let ((y x)) (lambda () (setq y (1+ y)))))\n",
        },
        ("emacs",),
    ),
    Job(
        "Vim",
        ("vim -u NONE -N -es -S main.vim text",),
        {
            "main.vim": "%s/\\v(\\w+) (\\w+)/\\2 \\1/g\n%sort!\nput =string(sqrt(2.0))\n"
            "g/one/normal Ahere\nset ff=dos\nwq\n",
            "text": "one two\nthree four\nfive six\n",
        },
        ("vim",),
    ),
)
