#!/bin/sh
# Sorts the numbers of an array with bitonic.x1k, one pass per run: sort.sh IN.npy OUT.npy WIDTH HEIGHT
# The array holds one float per element; width and height are powers of two. CTM names the program to run (default: ctm).
set -eu
ctm=${CTM:-ctm}
here=$(dirname "$0")
in=$1 out=$2 width=$3 height=$4 next=${2%.npy}.next.npy
count=$((width * height))
cp "$in" "$out"
length=2
while [ "$length" -le "$count" ]; do
    distance=$((length / 2))
    while [ "$distance" -ge 1 ]; do
        "$ctm" run "$here/bitonic.x1k" --domain "${width}x$height" --input "0=$out" --output "0=$next" \
            --const "0=$width,$(awk "BEGIN { print 1 / $width }"),$distance,$length"
        mv "$next" "$out"
        distance=$((distance / 2))
    done
    length=$((length * 2))
done
