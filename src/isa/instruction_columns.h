/* The columns of instructions.tsv, in order. That file explains them. */
#ifndef ISA_INSTRUCTION_COLUMNS_H
#define ISA_INSTRUCTION_COLUMNS_H

// clang-format off
enum {
    OPCODES, MNEMONIC, OPERANDS, MODELS, SIZE, CLOCKS, LATENCY, PAIR, UNIT, FP, BRANCH, COST, VALUE, INT_OVERLAP,
    FP_OVERLAP, PUSH, DATA, READS, WRITES, ADDRESS, FLAGS, TRAITS, CONFIDENCE, SOURCE, NOTES, COLUMNS
};
// clang-format on
static const char *const column_names[COLUMNS] = {
    "opcodes", "mnemonic", "operands", "models", "size",        "clocks",     "latency", "pair", "unit",
    "fp",      "branch",   "cost",     "value",  "int_overlap", "fp_overlap", "push",    "data", "reads",
    "writes",  "address",  "flags",    "traits", "confidence",  "source",     "notes"};

#endif
