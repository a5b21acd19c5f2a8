#! msr cesr 96
#! msr CESR 0
#! expect clocks 1
