#!/bin/sh
# Adds up all elements of a square array with reduce.x1k, halving its sides: sum.sh IN.npy OUT.npy SIDE
# The side is a power of two. CTM names the program to run (default: ctm).
set -eu
ctm=${CTM:-ctm}
here=$(dirname "$0")
in=$1 out=$2 side=$3 next=${2%.npy}.next.npy
cp "$in" "$out"
while [ "$side" -gt 1 ]; do
    side=$((side / 2))
    "$ctm" run "$here/reduce.x1k" --domain "${side}x$side" --input "0=$out" --output "0=$next"
    mv "$next" "$out"
done
