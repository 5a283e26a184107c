# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/device'; cut=8; restored=14; seconds=24" plot.gp
# Draws code size and time of each request of the devices, and when the line was down.

architectures = "aarch64 armv7 riscv64"
colour(i) = word("#1f618d #c0392b #1e8449", i)
data(i) = folder.'/'.word(architectures, i).'.dat'

set terminal pngcairo size 1100,760
set output folder.'/requests.png'
set multiplot layout 2,1 title "Packet filters for three devices, from one server"
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set xrange [0:seconds]
set key outside bottom center horizontal maxcols 3
set object 1 rect from cut, graph 0 to restored, graph 1 fc rgb "#bbbbbb" fs solid 0.35 noborder behind
set label 1 "no line" at (cut + restored) / 2.0, graph 0.92 center

set ylabel "code of a variant [bytes]"
set logscale y
set yrange [20:*]
unset key
plot for [i=1:words(architectures)] data(i) using 1:4 with points pt 7 ps 0.9 lc rgb colour(i) title word(architectures, i)

set key outside bottom center horizontal maxcols 3
set xlabel "time [s]"
set ylabel "request [ms]"
set yrange [1:*]
plot for [i=1:words(architectures)] data(i) using 1:5 with points pt 7 ps 0.9 lc rgb colour(i) title word(architectures, i), \
     for [i=1:words(architectures)] data(i) using 1:8 with points pt 6 ps 1.2 lc rgb colour(i) \
       title word(architectures, i).': RTT × (calls + pages + code ÷ window)'
unset multiplot
