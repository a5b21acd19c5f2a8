p5scope msr
p5scope msr --model p54c-133
p5scope msr cesr
p5scope msr cesr 0x00c300d6
p5scope msr cesr 0x0133029f
p5scope msr cesr --ctr0 data_read:u
p5scope msr cesr --ctr0 r16:uk --ctr1 data_read_miss
p5scope msr cesr 0x00c300d6 ES1=0x19 cc1=7
p5scope msr tr12 NBP=1 SE=1
p5scope msr tr12 5
p5scope msr 0x10 0x123456789abcdef0
p5scope msr ctr1 0xffffffffff
p5scope msr ctr1 0x10000000000
p5scope msr cesrr
p5scope msr cesr ES9=1
p5scope msr cesr ES0=64
p5scope msr cesr CC0=x
p5scope msr tr12 --ctr0 data_read
p5scope msr cesr --ctr0 r2b.1
p5scope msr cesr --ctr0 data_raed
p5scope msr --model p54c-133 cesr --ctr0 r2d.0
p5scope msr cesr 1 2
p5scope msr --monitor p6 perfevtsel0 --ctr0 instructions_executed:u
p5scope msr --monitor p7
p5scope msr --monitor p6 perfevtsel0 ANY=1
