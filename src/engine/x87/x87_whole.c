/* Finds the function that replaces two calls in generated code, which execute parts of an x87 instruction
 * (x87_whole.h). */
#include "engine/x87/x87_whole.h"

/* If `function` makes a reference of generated code, returns its number in the tables: LOADS_* or STORES_*, + USERS
 * with user privilege, + REALS in real or V86 mode. Returns any other function unchanged. */
static uintptr_t reference_kind(uintptr_t function)
{
    static const access_mode modes[2] = {ACCESS_PROTECTED, ACCESS_REAL};
    for (unsigned i = 0; i < 4; i++) {
        unsigned user = i % 2;
        /* the index is log2 of the size in bytes, + 4 for a load with sign extension */
        access_load *const *loads = access_loads[modes[i / 2]][user];
        access_store *const *stores = access_stores[modes[i / 2]][user];
        uintptr_t more = (user ? USERS : 0u) + (i / 2 != 0 ? REALS : 0u);
        if (function == ADDRESS(loads[5])) /* an integer operand */
            return LOADS_WORD + more;
        if (function == ADDRESS(loads[1])) /* FLDCW */
            return LOADS_CONTROL + more;
        if (function == ADDRESS(loads[2]))
            return LOADS_DWORD + more;
        if (function == ADDRESS(loads[3]))
            return LOADS_QWORD + more;
        for (unsigned size = 1; size < 4; size++) {
            if (function == ADDRESS(stores[size]))
                return STORES_WORD + size - 1 + more;
        }
    }
    return function;
}

/* Returns the row for calls of `first` and then `second`, or NULL. */
const emit_pair *x87_find_pair(uintptr_t first, uintptr_t second)
{
    static const x87_pairs *const tables[] = {&x87_whole_operations, &x87_whole_moves, &x87_whole_control};
    first = reference_kind(first);
    second = reference_kind(second);
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const emit_pair *row = tables[t]->rows; row < tables[t]->rows + tables[t]->count; row++)
            if (row->first == first && row->second == second)
                return row;
    return NULL;
}
