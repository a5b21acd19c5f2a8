#! expect clocks 1
#! expect data_raed 1
