# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/demo'" plot.gp
# Draws throughput over time from the data files of matmul_demo in `folder`.

samples   = folder.'/throughput.dat'
phases    = folder.'/phases.dat'
decisions = folder.'/decisions.dat'
explorations = folder.'/explorations.dat'

set title "A matrix server that tunes itself"
set xlabel "time [s]"
set ylabel "throughput [G multiply-adds per second]"
set key outside bottom center horizontal maxcols 5
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror

stats samples using 1:2 nooutput
top = STATS_max_y * 1.25
set xrange [0:STATS_max_x]
set yrange [0:top]

draw = "plot \
  explorations using 1:(0):1:2:(0):(top) with boxxyerror fs solid 0.25 noborder lc rgb '#f5c242' \
    title 'exploring', \
  phases using 1:(0):(0):(top) with vectors nohead lc rgb '#444444' lw 1.5 title 'the workload changes', \
  decisions using 1:(0):(0):(top * 0.86) with vectors nohead dt 2 lc rgb '#c0392b' title 'switch', \
  phases using 1:3:($2-$1):(0) with vectors nohead lw 2 dt 3 lc rgb '#7f8c8d' title 'generic code', \
  samples using 1:2 with lines lw 1.2 lc rgb '#1f618d' title 'throughput', \
  phases using 1:(top * 0.97):(sprintf(' N = %s', strcol(4))) with labels left noenhanced notitle, \
  decisions using 1:(top * 0.90):(' '.strcol(3)) with labels left noenhanced tc rgb '#c0392b' notitle"

set terminal svg size 1100,520 dynamic background rgb 'white'
set output folder.'/throughput.svg'
@draw
set terminal pngcairo size 1100,520
set output folder.'/throughput.png'
@draw
