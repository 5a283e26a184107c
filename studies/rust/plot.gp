# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/rust'" plot.gp
# Draws ticks for each lookup by the number of rules.

colour(i) = word("#c0392b #1f618d #b9770e #1e8449", i)
names = "'Rust, generic' 'Rust, specialized' 'C, generic' 'C, specialized'"

set terminal pngcairo size 900,560
set output folder.'/ticks.png'
set title "A forwarding table as a list, searched in Rust and in C"
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set xlabel "rules"
set ylabel "ticks for each look-up"
set logscale y
set key left top
plot for [i=1:2] folder.'/ticks.dat' using 1:(column(3*i-1)):(column(3*i)):(column(3*i+1)) with yerrorlines \
       pt 7 ps 0.8 lw 2 lc rgb colour(i) title word(names, i), \
     for [i=3:4] folder.'/ticks.dat' using 1:(column(3*i-1)):(column(3*i)):(column(3*i+1)) with yerrorlines \
       pt 6 ps 0.8 lw 2 dt 2 lc rgb colour(i) title word(names, i)
