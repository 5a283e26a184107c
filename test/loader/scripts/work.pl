# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A bit of everything; prints the same each time.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Encode qw(encode decode);
use List::Util qw(sum max reduce shuffle uniq);
use POSIX qw(floor strftime fmod);
use Storable qw(freeze thaw);
use threads;

my %counts;
$counts{ length $1 }++ while "a bb ccc dd e fff gggg" =~ /(\w+)/g;
print join(" ", map { "$_:$counts{$_}" } sort keys %counts), "\n";
my @numbers = map { $_ * 7919 % 10007 } 1 .. 20000;
print sum(@numbers), " ", max(@numbers), " ", scalar(uniq(@numbers)), "\n";
print((reduce { ($a * 31 + $b) % 1000003 } sort { $a <=> $b } @numbers), "\n");
print floor(-2.5), " ", fmod(7, 4), " ", strftime("%Y-%m-%d", gmtime(86400 * 365)), "\n";
print sha256_hex("text" x 1000), " ", length(encode("UTF-8", "\x{20ac}uro")), "\n";
print thaw(freeze({ list => [ 1, 2, 3 ] }))->{list}[2], "\n";
(my $text = "the quick brown fox" x 200) =~ s/(\w)(\w*)/\U$1\E$2/g;
print length($text), " ", substr($text, 0, 20), "\n";
print join(" ", map { $_->join } map { my $n = $_; threads->create(sub { $n * 2 }) } 1 .. 4), "\n";
print eval { die { code => 7 } } // $@->{code}, "\n";
$| = 1;
my $child = fork // die;
exit 3 if $child == 0;
waitpid $child, 0;
print $? >> 8, " ", `echo from a shell`;
