<?php
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
$state = 1;
$words = [];
for ($i = 0; $i < 300000; ++$i) {
  $state = ($state * 1103515245 + 12345) % 2147483648;
  $words[] = sprintf("%x-%d", $state % 5003, $state % 97);
}
$counts = array_count_values($words);
arsort($counts);
$text = implode(" ", $words);
$found = preg_match_all('/\b[0-9a-f]*a\d+-(\d+)\b/', $text);
$turned = preg_replace('/(\d)-(\d)/', '$2-$1', $text);
$again = json_decode(json_encode($counts), true);
ksort($again);
$sum = 0.0;
foreach ($again as $word => $count)
  $sum += sqrt($count) * strlen(str_replace("-", "", strtoupper($word)));
$digest = "";
foreach (array_chunk($words, 50) as $some)
  $digest = hash("sha256", $digest . serialize($some));
printf("%d %d %d %.6f %s\n", count($counts), $found, strlen($turned), $sum, $digest);
