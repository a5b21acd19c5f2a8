#! models p55c-200 p54c-233
#! expect clocks 1
