#include "report/trace_sink.h"
const trace_sink_type trace_vcd = {0};
