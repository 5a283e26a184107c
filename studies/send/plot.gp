# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gnuplot -e "folder='...'" plot.gp
set terminal pngcairo size 900,500
set output folder."/cycles.png"
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.8 border -1
set ylabel "cycles from the socket call to the driver"
set xlabel "message"
set yrange [0:*]
set grid y
set key top left
plot folder."/cycles.dat" using 3:xtic(1) title "lwIP as it is", '' using 4 title "specialized"
