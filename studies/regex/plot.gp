# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/regex'" plot.gp
# Draws the speed-up of each pattern over PCRE2's interpreter, from `folder`/ratios.dat.

data = folder.'/ratios.dat'

set title "PCRE2's interpreter with Sartor, and PCRE2's own JIT, over the interpreter"
set ylabel "times as fast"
set logscale y
set yrange [0.5:*]
set style data histograms
set style fill solid 0.8 noborder
set xtics rotate by -35
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd"

draw = "plot data using 2:xtic(1) title 'Sartor' lc rgb '#0072b2', '' using 3 title 'JIT' lc rgb '#999999'"

set terminal svg size 900,420 dynamic background rgb 'white'
set output folder.'/ratios.svg'
@draw
set terminal pngcairo size 900,420
set output folder.'/ratios.png'
@draw
