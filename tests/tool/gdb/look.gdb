# steps, with a look at everything after each: counts are as without gdb
python
for step in range(150):
    for look in ("info registers", "monitor pmu", "monitor events", "monitor msr", "monitor stat"):
        gdb.execute(look, to_string=True)
    gdb.execute("stepi", to_string=True)
end
monitor pipeline
stepi
monitor pipeline
continue
