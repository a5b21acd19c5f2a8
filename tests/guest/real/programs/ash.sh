i=0; s=0
while [ $i -lt 1500 ]; do
  case $((i % 5)) in 0) s=$((s + i));; 1) s=$((s ^ i));; *) t="x$i"; t=${t#x}; s=$((s + ${#t}));; esac
  f() { local a=$1; [ "$a" -gt 5 ] && echo "$a"; }
  i=$((i + 1))
done
echo $s
