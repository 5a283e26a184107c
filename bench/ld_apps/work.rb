# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Strings, hashes and numbers that fit no register.
state = 1
words = Array.new(80_000) do
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  "#{(state % 5003).to_s(16)}-#{state % 97}"
end
counts = Hash.new(0)
words.each { |word| counts[word] += 1 }
order = counts.sort_by { |word, count| [-count, word] }
text = words.join(' ')
found = text.scan(/\b[0-9a-f]*a\d+-(\d+)\b/).size
turned = text.gsub(/(\d)-(\d)/) { "#{$2}-#{$1}" }
power = (1..1500).reduce(1) { |product, n| product * n } % (7**300 - 2)
digits = (3**20000).to_s.each_char.sum(&:to_i)
symbols = words.first(20_000).map { |word| word.tr('-', '_').to_sym }.uniq.size
puts [order.first(3).inspect, found, turned.length, power % 1_000_003, digits, symbols].join(' ')
