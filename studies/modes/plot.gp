# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/modes'" plot.gp
# Draws ticks for each allocation over time, from `folder`/timeline.dat: with one thread, with a
# second one, and afterwards.

data = folder.'/timeline.dat'

set title "malloc() and free() of musl, on one of one or two threads"
set xlabel "milliseconds"
set ylabel "ticks for each allocation and release"
set logscale y
set key outside right top Left reverse noenhanced
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set object 1 rectangle from 200, graph 0 to 400, graph 1 fc rgb "#f4f0e6" fs noborder behind
set label 1 "a second thread" at 300, graph 0.96 center tc rgb "#555555"

set linetype 1 lw 1.5 lc rgb "#555555"
set linetype 2 lw 1.5 lc rgb "#0072b2"

draw = "plot data using 1:2 with lines title columnheader(2), data using 1:3 with lines title columnheader(3)"

set terminal svg size 900,420 dynamic background rgb 'white'
set output folder.'/timeline.svg'
@draw
set terminal pngcairo size 900,420
set output folder.'/timeline.png'
@draw
