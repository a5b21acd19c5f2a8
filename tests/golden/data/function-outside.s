	.globl outside
outside: call printf
	ret
