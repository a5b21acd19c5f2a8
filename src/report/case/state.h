/* States that a case expects at the end of its run: a fault, registers, memory. */
#ifndef REPORT_CASE_STATE_H
#define REPORT_CASE_STATE_H

#include "p5tool/report.h"

/* Parses the text at *place, which is the rest of the line after the directive (`expect-fault` and so on),
 * into `state`, whose kind is set. After an error *place points to the word that is wrong. */
p5_status case_state_parse(const char **place, p5_case_state *state, p5_error *error);
/* Returns true if the case expects a fault on conditions->model. */
bool case_states_expect_fault(const p5_case_conditions *conditions);
/* Fills in found[i] for each conditions->states[i] that applies to conditions->model. The case must have run
 * to its end on `machine`. P5_ERR_NAME if the program does not have a label, P5_ERR_RANGE if memory is
 * outside of the case's memory. */
p5_status case_states_find(p5_machine *machine, const p5_case_program *program,
                           const p5_case_conditions *conditions, p5_case_found found[P5_CASE_STATES],
                           p5_error *error);

#endif
