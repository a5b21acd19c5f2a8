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
p5scope stat --help=machine
p5scope trace --help=guest
p5scope merge --help=guest
p5scope help diff
p5scope msr -h
p5scope help stat guest | head -3
