# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/study/linux'" plot.gp
# Draws the ticks of a UDP send in Linux, from `folder`/cycles.dat.

data = folder.'/cycles.dat'

set title "A UDP send of Linux 6.1, to a device that drops it"
set xlabel "bytes"
set ylabel "ticks"
set yrange [0:*]
set xrange [-0.6:1.6]
set style data histograms
set style fill solid 0.8 noborder
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd"
set key outside bottom center horizontal noenhanced

draw = "plot data using 2:xtic(1) title '__sys_sendto()' lc rgb '#999999', \
  data using 3 title 'handler, generic' lc rgb '#56b4e9', \
  data using 4 title 'customized' lc rgb '#0072b2'"

set terminal svg size 700,420 dynamic background rgb 'white'
set output folder.'/cycles.svg'
@draw
set terminal pngcairo size 700,420
set output folder.'/cycles.png'
@draw
