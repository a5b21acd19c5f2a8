#! expect clocks 1
        call nowhere
