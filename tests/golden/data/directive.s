#! case a
#! expects clocks 1
