# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
use List::Util qw(sum reduce);
use POSIX qw(floor fmod);
my ($seed, %counts, @words) = (1);
for (1 .. 50000) {
  $seed = ($seed * 1103515245 + 12345) % 2147483648;
  push @words, sprintf("%x-%d", $seed % 5003, floor(fmod($seed, 97)));
}
$counts{$_}++ for @words;
my @order = sort { $counts{$b} <=> $counts{$a} || $a cmp $b } keys %counts;
my $text = join(" ", @words);
my $hits = () = $text =~ /\b[0-9a-f]*a[0-9]+-(\d+)\b/g;
$text =~ s/(\d)-(\d)/$2-$1/g;
print scalar(@order), " $hits ", length($text), " ", (sum map { $counts{$_} } @order[0 .. 9]), " ",
  (reduce { ($a * 31 + length $b) % 1000003 } 0, @words), "\n";
