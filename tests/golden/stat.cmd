p5scope stat --check-laws $GUESTS/hello
p5scope stat -e instructions_executed,data_read:u,data_read:k,pipeline_agi_stalls:c -M pairing $GUESTS/hello
p5scope stat --model p54c-133 -e r16,mmx_instructions_executed_u_pipe $GUESTS/hello
p5scope stat -x, -e 'data_*,clocks' -M cache $GUESTS/hello
p5scope stat -j -e instructions_executed,clocks $GUESTS/hello
p5scope stat -r 3 --table -n --no-big-num $GUESTS/hello
p5scope stat --max-instructions 100 -n $GUESTS/hello
p5scope stat -e clocks -o report --header -x ';' $GUESTS/hello && cat report
p5scope run $GUESTS/arguments a 'b c' -x --help
p5scope run -- $GUESTS/hello
