define(`forloop', `pushdef(`$1', `$2')_forloop($@)popdef(`$1')')dnl
define(`_forloop', `$4`'ifelse($1, `$3', `', `define(`$1', incr($1))$0($@)')')dnl
define(`fib', `ifelse(eval($1<2),1,$1,`eval(fib(decr($1))+fib(eval($1-2)))')')dnl
forloop(`i', 1, 1500, `i squared is eval(i*i) len(i) translit(`hello i', `a-z', `A-Z') regexp(`abcdef i', `\(d.f\)', `\1')
')
fib(17)
