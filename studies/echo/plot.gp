# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/echo'" plot.gp
# Draws the data of echo_study in `folder`: latencies by throughput, throughput by batch.

set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set key outside bottom center horizontal
set terminal pngcairo size 1100,520
array colors[5] = ['#c0392b', '#1f618d', '#27ae60', '#8e44ad', '#555555']

latencies = folder.'/latencies.dat'
stats folder.'/bound.dat' using 1 nooutput
bound = STATS_max
stats latencies using 1:3 nooutput
compared = STATS_blocks
set title "Latencies of answers over TCP, a thousand connections, open loop; rx/queues/qman, the chosen ones first"
set xlabel "million answers per second of the server's core"
set ylabel "microseconds"
set logscale y
set output folder.'/latencies.png'
plot for [i = 1:compared] latencies index i-1 using 1:3 with linespoints lw 1.5 pt 7 ps 0.6 lc rgb colors[i] \
    title columnheader(1).' p99', \
  for [i = 1:compared] latencies index i-1 using 1:4 with lines dt 3 lw 1.2 lc rgb colors[i] title i == 1 ? 'p99.9' : '', \
  for [i = 1:compared] latencies index i-1 using 1:2 with lines dt 2 lw 1.2 lc rgb colors[i] title i == 1 ? 'median' : '', \
  bound with lines lw 1 lc rgb '#555555' title 'bound on p99', \
  folder.'/chosen.dat' using 2:3 with points pt 9 ps 2 lc rgb '#c0392b' title 'chosen, at full load'

batches = folder.'/batches.dat'
unset logscale y
set title "Throughput at full load, by batch; larger points keep the bound on p99"
set xlabel "rx batch (within it: qman batch 1, 4, 16, 64)"
set ylabel "million answers per second of the server's core"
place(rx, qman) = log(rx) / log(4) + 0.18 * (log(qman) / log(4) - 1.5)
set xrange [-0.6:3.6]
set yrange [0:*]
set xtics ('1' 0, '4' 1, '16' 2, '64' 3)
set output folder.'/batches.png'
plot for [i = 0:3] batches using ($2 == 4**i ? place($1, $3) : NaN):4:(0.7 + $6) with points pt 7 ps variable \
    lc rgb colors[i + 1] title sprintf('queues batch %d', 4**i), \
  folder.'/chosen.dat' using (place($1, $5)):2 with points pt 6 ps 3 lw 2 lc rgb '#c0392b' title 'chosen', \
  folder.'/chosen.dat' using (place($1, $5)):2:4 with labels offset 0,-1.3 tc rgb '#c0392b' notitle
