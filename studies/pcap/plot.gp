# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/pcap'" plot.gp
# Draws the speed-up of each filter with specialized code, alone and including reading the file,
# from `folder`/ratios.dat, in the order of filters.txt.

data = folder.'/ratios.dat'

set title "libpcap with Sartor, over the faster of stock gcc -O2 and clang -O3 -march=native"
set xlabel "filter, by line of filters.txt"
set ylabel "stock / Sartor"
set logscale y 2
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd"
set key top left

draw = "plot data using 0:1 with points pt 7 lc rgb '#0072b2' title 'the filter, packets in memory', data using 0:2 with points pt 6 lc rgb '#d55e00' title 'reading a file', 1 with lines lc rgb '#555555' notitle"

set terminal svg size 900,420 dynamic background rgb 'white'
set output folder.'/ratios.svg'
@draw
set terminal pngcairo size 900,420
set output folder.'/ratios.png'
@draw
