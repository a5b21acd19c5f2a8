/* States that a case expects at the end of its run: a fault, registers, memory. */
#ifndef REPORT_CASE_STATE_H
#define REPORT_CASE_STATE_H

#include "p5tool/report.h"

/* Parses the text at *place, what follows the directive, into `state`, whose kind is set. After an error
 * *place is where it is. */
p5_status case_state_parse(const char **place, p5_case_state *state, p5_error *error);
/* Returns true if a fault is expected on the model of the conditions. */
bool case_states_expect_fault(const p5_case_conditions *conditions);
/* Fills in found[i] for each state that is expected on the model. The case has run to its end. P5_ERR_NAME if
 * the program does not have a label, P5_ERR_RANGE if memory is outside of the case's memory. */
p5_status case_states_find(p5_machine *machine, const p5_case_program *program,
                           const p5_case_conditions *conditions, p5_case_found found[P5_CASE_STATES],
                           p5_error *error);

#endif
