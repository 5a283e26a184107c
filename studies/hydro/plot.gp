# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='build/studies/hydro'" plot.gp
# Draws sod.png, trials.png and loops.png from what hydro_study left in `folder`.

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

data = folder.'/trials.dat'
stats data nooutput
searches = (STATS_columns - 2) / 2
set output folder.'/trials.png'
set title "The best tiles so far, 24 points"
set xlabel "trials"
set ylabel "times as fast as the default tiles"
set yrange [0:*]
set key bottom right
plot for [i=1:searches] data using 1:(column(1+searches+i)) with steps lw 1.5 lc rgb "#bbbbbb" \
       title (i == 1 ? "random" : ""), \
     for [i=1:searches] data using 1:(column(1+i)) with steps lw 2.5 lc rgb "#0072b2" \
       title (i == 1 ? "Sartor" : ""), \
     data using 1:(column(STATS_columns)) with lines lw 2 dt 2 lc rgb "#d55e00" \
       title "500 trials, random or not"

set output folder.'/loops.png'
set title "Ticks of the loops per iteration, with the tiles that were chosen"
unset xlabel
set ylabel "million ticks"
set style data histograms
set style histogram clustered gap 1
set style fill solid
set boxwidth 0.9
set xtics rotate by -35
set key top right
plot folder.'/loops.dat' using 3:xtic(1) lc rgb "#bbbbbb" title "default tiles", \
     '' using 4 lc rgb "#0072b2" title "chosen", \
     '' using 0:4:2 with labels offset 1.2,0.6 font ",8" notitle
