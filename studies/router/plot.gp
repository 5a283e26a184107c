# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/router'" plot.gp
# Draws the data of router_study in `folder`: packets/s over time, and speed-up by size of the fast
# path.

set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set key outside bottom center horizontal
set terminal pngcairo size 1100,520

samples = folder.'/packets.dat'
steps   = folder.'/steps.dat'
stats samples using 1:2 nooutput
top = STATS_max_y * 1.3
set title "A router that fits itself to its destinations"
set xlabel "time [s]"
set ylabel "million packets per second"
set yrange [0:top]
set xrange [0:STATS_max_x]
set output folder.'/packets.png'
plot samples using 1:2 with lines lw 1.2 lc rgb '#1f618d' title 'packets/s of the router', \
  steps using 1:(0):(0):(top) with vectors nohead dt 2 lc rgb '#c0392b' title 'step of the policy', \
  steps using 1:(top * (0.98 - 0.04 * ($0 - 6 * floor($0 / 6)))):(' '.stringcolumn(2)) \
    with labels left noenhanced font ',9' tc rgb '#c0392b' notitle

sizes = folder.'/sizes.dat'
set title "Speedup by size of the fast path (1,024 destinations, equally popular)"
set xlabel "destinations in the fast path"
set ylabel "packets/s, specialized ÷ generic"
set yrange [0:*]
set xrange [-0.5:*]
set xtics ()
set output folder.'/sizes.png'
plot sizes using 0:2:xtic(1) with linespoints lw 1.5 pt 7 lc rgb '#1f618d' \
    title 'before the linear search', \
  sizes using 0:3 with linespoints lw 1.5 pt 7 lc rgb '#c0392b' \
    title 'before a search made from the routes'
