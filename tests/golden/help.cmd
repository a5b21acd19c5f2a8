p5scope --version
p5scope --help
p5scope run --help
p5scope stat --help
p5scope trace --help
p5scope merge --help
p5scope list --help
p5scope msr --help
p5scope check --help
p5scope bench --help
# a screen of help has no more than 50 lines
for v in run stat trace merge list msr check bench; do [ $(p5scope $v --help | wc -l) -le 50 ] || echo $v; done
