/* Models: a processor core, its clock and its board, described by an INI file (see p5scope-model(5)). */
#ifndef P5SCOPE_MODEL_H
#define P5SCOPE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "p5scope/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the names of the built-in models, NULL-terminated: "p55c-200", "p54c-133", ... The first is the
 * default. */
const char *const *p5_model_names(void);

/* Opens a built-in model by name, or a model file if `name` contains '/' or ends in ".ini". The caller closes
 * it. P5_ERR_NAME: there is no such model, section or key, with similar names as a hint; P5_ERR_IO: the file cannot be
 * read; P5_ERR_SYNTAX or P5_ERR_RANGE: a line of it is wrong, with its number; P5_ERR_MEMORY. *model is NULL after an
 * error. */
p5_status p5_model_open(const char *name, p5_model **model, p5_error *error);
void p5_model_close(p5_model *model);

/* Returns the name by which it was opened, without folder and .ini. */
const char *p5_model_name(const p5_model *model);
unsigned p5_model_family(const p5_model *model);       /* P5_FAMILY_P54C or P5_FAMILY_P55C */
unsigned p5_model_monitor(const p5_model *model);      /* 0, P5_MONITOR_P6 or P5_MONITOR_ARCH3 */
unsigned p5_model_counter_bits(const p5_model *model); /* 40 or 48 */
/* Replaces the monitor: "p5", "p6" or "arch3", with counters of 40, 40 and 48 bits. */
p5_status p5_model_set_monitor(p5_model *model, const char *text, p5_error *error);
double p5_model_clock_mhz(const p5_model *model); /* core clock */
/* Changes the core clock (and the bus clock with it) for reports and guest time. P5_ERR_RANGE outside 1..1000
 * MHz. */
p5_status p5_model_set_clock(p5_model *model, double mhz, p5_error *error);
/* Puts another bus master on the board: KIND[,KEY=VALUE...] with the keys of the model file's section
 * [agent]. The errors of this and the next two functions are those of p5_model_open for a line of the file. */
p5_status p5_model_set_agent(p5_model *model, const char *text, p5_error *error);
/* Wires PM0 and PM1 on the board: PIN=TO[,PIN=TO], where PIN is pm0 or pm1 and TO is none, nmi or irq0 to
 * irq15, as in the model file's section [pins]. */
p5_status p5_model_set_wires(p5_model *model, const char *text, p5_error *error);
/* Sets the bus cycles that the board answers with BUSCHK#: CYCLE,address=ADDRESS, where CYCLE is read, write,
 * code, in, out or none, as in the model file's section [check]. */
p5_status p5_model_set_check(p5_model *model, const char *text, p5_error *error);
uint32_t p5_model_signature(const p5_model *model); /* CPUID leaf 1 EAX */

/* Calls `visit` for every field of the model (section, key, value as text, explanation) in file order. */
void p5_model_fields(const p5_model *model,
                     void (*visit)(void *context, const char *section, const char *key, const char *value,
                                   const char *meaning),
                     void *context);

#ifdef __cplusplus
}
#endif
#endif
