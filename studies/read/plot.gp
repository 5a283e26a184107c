# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/read'" plot.gp
# Draws the speed-up of specialized reads: by size, and by the set of valid quasi-invariants.

set terminal pngcairo size 1100,460
set output folder.'/read.png'
set multiplot layout 1,2 title "read() of an open file in the cache: generic ÷ specialized, ticks"
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set yrange [0.9:*]
set key top right

set logscale x 2
set xrange [0.7:400000]
set xtics ("1" 1, "64" 64, "1 Ki" 1024, "8 Ki" 8192, "64 Ki" 65536, "256 Ki" 262144)
set xlabel "bytes"
plot folder.'/sizes.dat' index 0 using 2:3:4:5 with yerrorlines pt 7 lc rgb "#1f618d" title "blocks of 1 KiB", \
     folder.'/sizes.dat' index 1 using 2:3:4:5 with yerrorlines pt 7 lc rgb "#c0392b" title "blocks of 4 KiB"

unset logscale x
set xrange [*:*]
unset xlabel
set style data histogram
set style fill solid 0.8 noborder
set xtics rotate by -20 ("all hold" 0, "open twice" 1, "… to write" 2, "… and locked" 3, "offset shared" 4)
plot folder.'/facts.dat' using 2 lc rgb "#1f618d" title "1 byte", '' using 3 lc rgb "#1e8449" title "8 KiB", \
     '' using 4 lc rgb "#c0392b" title "64 KiB"
unset multiplot
