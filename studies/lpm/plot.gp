# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/lpm'; name='ipv4_a'; what='IPv4, workload A'" plot.gp
# Ticks per lookup over the number of routes, drawn from `folder`/`name`.dat: a line for each size,
# a column for each way to look up, their names in the first line.

data = folder.'/'.name.'.dat'

set title "Longest-prefix match, ".what
set xlabel "routes"
set ylabel "ticks per lookup"
set logscale xy
set format x "%.0f"
set format y "%g"
set xrange [0.8:12500]
set key outside right top noenhanced
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror

stats data skip 1 nooutput
draw = "plot for [column=2:STATS_columns] data using 1:column with linespoints lw 2 pt 7 ps 0.8 title columnheader(column)"

set terminal svg size 900,480 dynamic background rgb 'white'
set output folder.'/'.name.'.svg'
@draw
set terminal pngcairo size 900,480
set output folder.'/'.name.'.png'
@draw
