# the monitors of later processors: what `monitor pmu` and `monitor msr` show of them
break main
continue
monitor pmu
monitor msr
continue
