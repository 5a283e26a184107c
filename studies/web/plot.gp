# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/study/web'" plot.gp
# Draws each quantity's ratio with its interval from `folder`/ratios.dat.

data = folder.'/ratios.dat'

set title "WordPress with nginx, PHP-FPM and MariaDB started by sartor-ld, over the stock loader"
set ylabel "sartor-ld / stock"
set yrange [0:*]
set style fill solid 0.8 noborder
set boxwidth 0.7
set xtics rotate by 35 right noenhanced
set lmargin 14
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd"
unset key

draw = "plot data using 0:2:xtic(1) with boxes lc rgb '#0072b2', data using 0:2:3:4 with yerrorbars pt 0 lc rgb '#222222', 1 with lines lc rgb '#555555'"

set terminal svg size 1200,520 dynamic background rgb 'white'
set output folder.'/ratios.svg'
@draw
set terminal pngcairo size 1200,520
set output folder.'/ratios.png'
@draw
