# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/lpm'; name='ipv4_a'; what='IPv4, workload A'" plot.gp
# Draws ticks per lookup over the number of routes from `folder`/`name`.dat, which has a line for
# each size and a column for each lookup method, with their names in the first line.

data = folder.'/'.name.'.dat'

set title "Longest-prefix match, ".what
set xlabel "routes beside the default route"
set ylabel "ticks per lookup"
set logscale xy
set format x "%.0f"
set format y "%g"
set xrange [0.8:12500]
set key outside right top Left reverse noenhanced
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror

# Grey is the baseline; a line close to another one is dashed and drawn above it, with open points.
set linetype 1 lw 2.5 pt 7 ps 0.9 lc rgb "#555555"
set linetype 2 lw 2.5 pt 5 ps 0.9 lc rgb "#009e73"
set linetype 3 lw 2.5 pt 9 ps 1.0 lc rgb "#cc79a7"
set linetype 4 lw 2.5 pt 7 ps 0.9 lc rgb "#0072b2"
set linetype 5 lw 2.5 pt 5 ps 0.9 lc rgb "#d55e00"
set linetype 6 lw 1.5 pt 6 ps 1.6 lc rgb "#56b4e9" dt 2
set linetype 7 lw 1.5 pt 4 ps 1.6 lc rgb "#000000" dt 2

stats data skip 1 nooutput
draw = "plot for [column=2:STATS_columns] data using 1:column with linespoints lt column-1 title columnheader(column)"

set terminal svg size 900,480 dynamic background rgb 'white'
set output folder.'/'.name.'.svg'
@draw
set terminal pngcairo size 900,480
set output folder.'/'.name.'.png'
@draw
