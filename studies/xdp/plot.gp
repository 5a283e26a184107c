# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/xdp'; name='forward'" plot.gp
# Draws for one handler ns per packet and packets/s over the share of popular inputs, and packets/s
# over time with the actions taken. Missing measurements are not drawn.

set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set key outside bottom center horizontal noenhanced
set datafile missing '?'
set terminal pngcairo size 1100,520

equal = folder.'/shares-'.name.'-equal.dat'
zipf = folder.'/shares-'.name.'-zipf.dat'
generic = '#1f618d'
special = '#c0392b'

set output folder.'/shares-'.name.'.png'
set multiplot layout 1,2 title name noenhanced
set xlabel "share of packets to popular ones"
set xrange [0:1]
set yrange [0:*]
set title "nanoseconds a packet"
plot equal using 1:2:3:4 with yerrorlines lw 1.5 pt 7 lc rgb generic title 'generic', \
  equal using 1:($5):($6):($7) with yerrorlines lw 1.5 pt 7 lc rgb special title 'specialized', \
  zipf using 1:($5):($6):($7) with yerrorlines lw 1.5 dt 2 pt 6 lc rgb special title 'specialized, Zipf'
set title "million packets per second"
plot equal using 1:(1000 / $2) with linespoints lw 1.5 pt 7 lc rgb generic title 'generic', \
  equal using 1:(1000 / $5) with linespoints lw 1.5 pt 7 lc rgb special title 'specialized', \
  zipf using 1:(1000 / $5) with linespoints lw 1.5 dt 2 pt 6 lc rgb special title 'specialized, Zipf'
unset multiplot

samples = folder.'/packets-'.name.'.dat'
steps = folder.'/steps-'.name.'.dat'
set xrange [*:*]
set yrange [*:*]
stats samples using 1:2 nooutput
top = STATS_max_y * 1.3
set title name noenhanced
set xlabel "time [s]"
set ylabel "million packets per second"
set yrange [0:top]
set xrange [0:STATS_max_x]
set output folder.'/packets-'.name.'.png'
plot samples using 1:2 with lines lw 1.2 lc rgb generic title 'packets/s', \
  steps using 1:(0):(0):(top) with vectors nohead dt 2 lc rgb special title 'what is done', \
  steps using 1:(top * (0.98 - 0.04 * ($0 - 6 * floor($0 / 6)))):(' '.stringcolumn(2)) \
    with labels left noenhanced font ',9' tc rgb special notitle
