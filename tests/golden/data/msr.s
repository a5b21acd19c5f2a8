#! msr cesr 96
#! msr pmc9 0
#! expect clocks 1
