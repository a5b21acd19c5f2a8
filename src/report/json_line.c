#include "report/json_line.h"

#include <stddef.h>

const char json_line_parts[] =
    "SELECT j ->> '$.p5scope', j ->> '$.model', j ->> '$.\"clock-mhz\"', j ->> '$.options', j ->> "
    "'$.command', j ->> '$.\"guest-sha256\"', "
    "j ->> '$.event', j ->> '$.value', j ->> '$.mode', "
    "j ->> '$.metric', j ->> '$.\"metric-value\"', j ->> '$.\"metric-unit\"', "
    "json_type(j, '$.summary'), j ->> '$.summary.clocks', j ->> '$.summary.instructions', "
    "j ->> '$.summary.seconds', j ->> '$.summary.ending', j ->> '$.summary.rows', "
    "j ->> '$.interval', j ->> '$.row', j ->> '$.kind', j ->> '$.label', j ->> '$.clock', "
    "j ->> '$.instructions', j ->> '$.address', j ->> '$.cpl', j ->> '$.number', "
    "j ->> '$.cesr', j ->> '$.ctr0', j ->> '$.ctr1', j -> '$.registers', json_type(j, '$.deltas'), j -> "
    "'$.identity', j FROM "
    "(SELECT ?1 AS j) WHERE json_valid(j)";

const char *line_text(sqlite3_stmt *parts, int column, const char *otherwise)
{
    const unsigned char *text = sqlite3_column_text(parts, column);
    return text != NULL ? (const char *)text : otherwise;
}

bool line_has(sqlite3_stmt *parts, int column)
{
    return sqlite3_column_type(parts, column) != SQLITE_NULL;
}
