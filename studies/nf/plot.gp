# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/nf'; name='nat'" plot.gp
# Draws the data of nf_study for a function in `folder`: packets/s by batch and phase, and over
# time.

set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set key outside bottom center horizontal
set terminal pngcairo size 1100,520

batches = folder.'/'.name.'_batches.dat'
chosen  = folder.'/'.name.'_chosen.dat'
set title name.": packets by batch"
set xlabel "packets read at once"
set ylabel "million packets per second"
set yrange [0:*]
set xrange [-0.5:8.5]
set output folder.'/'.name.'_batches.png'
plot batches using 0:2:xtic(1) with linespoints lw 1.5 pt 7 lc rgb '#1f618d' title 'external, specialized', \
  batches using 0:3 with lines dt 2 lw 1.5 lc rgb '#1f618d' title 'native', \
  batches using 0:4 with linespoints lw 1.5 pt 7 lc rgb '#1e8449' title 'internal, specialized', \
  batches using 0:5 with lines dt 2 lw 1.5 lc rgb '#1e8449' title 'native', \
  chosen using 1:2 with points pt 6 ps 3 lw 2 lc rgb '#c0392b' title 'chosen'

samples = folder.'/'.name.'_time.dat'
steps   = folder.'/'.name.'_steps.dat'
set xrange [*:*] # the range also affects statistics
set yrange [*:*]
stats samples using 1:2 nooutput
top = STATS_max_y * 1.3
set title name.": a phase by the external port, then one by the internal port"
set xlabel "time [s]"
set yrange [0:top]
set xrange [0:STATS_max_x]
set xtics auto
set output folder.'/'.name.'_time.png'
plot samples using 1:2 with lines lw 1.2 lc rgb '#1f618d' title 'packets/s of the function', \
  steps using 1:(0):(0):(top) with vectors nohead dt 2 lc rgb '#c0392b' title 'phase begins, batch is chosen', \
  steps using 1:(top * (0.98 - 0.05 * ($0 - 4 * floor($0 / 4)))):(' '.stringcolumn(2)) \
    with labels left noenhanced font ',9' tc rgb '#c0392b' notitle
