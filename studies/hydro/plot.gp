# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/hydro'" plot.gp
# Draws sod.png and plans.png from the data of hydro_study in `folder`.

set terminal pngcairo size 900,480
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd"

set output folder.'/sod.png'
set title "Sod's shock tube at t = 0.2"
set xlabel "x"
set ylabel "density"
set key top right
plot folder.'/sod800.dat' using 1:3 with lines lw 2 lc rgb "#555555" title "exact", \
     folder.'/sod100.dat' using 1:2 with points pt 6 ps 0.8 lc rgb "#d55e00" title "100 cells", \
     folder.'/sod400.dat' using 1:2 with lines lw 1.5 lc rgb "#0072b2" title "400 cells"

set output folder.'/plans.png'
set title "Ticks of an iteration"
unset xlabel
set ylabel "million ticks"
set yrange [0:*]
set style fill solid
set boxwidth 0.8
set xtics rotate by -35
set rmargin 12
unset key
plot folder.'/plans.dat' using 0:2:xtic(1) with boxes lc rgb "#0072b2"
