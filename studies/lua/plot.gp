# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/lua'" plot.gp
# Draws the speed-up of each program with Sartor in the interpreter, from `folder`/ratios.dat.

data = folder.'/ratios.dat'

set title "Lua with Sartor, over the faster of stock gcc -O2 and clang -O3 -march=native"
set ylabel "stock / Sartor"
set yrange [0:*]
set style fill solid 0.8 noborder
set boxwidth 0.7
set xtics rotate by -35
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd"
unset key

draw = "plot data using 0:2:xtic(1) with boxes lc rgb '#0072b2', 1 with lines lc rgb '#555555'"

set terminal svg size 900,420 dynamic background rgb 'white'
set output folder.'/ratios.svg'
@draw
set terminal pngcairo size 900,420
set output folder.'/ratios.png'
@draw
