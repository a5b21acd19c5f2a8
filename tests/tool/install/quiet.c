/* quiet.c FOLDER GUEST LOCALE: uses the library in a process with the locale LOCALE, whose decimal point may be a comma, and with a
 * handler for each signal. The library must leave locale, handlers and mask alone, print nothing, and write and read
 * numbers with a point. quiet.sh looks at what was printed. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <p5scope/machine.h>
#include <p5scope/profile.h>
#include <p5scope/snapshot.h>

/* Nothing may go to stderr but what fails. */
#define CHECK(x)                                                                                             \
    do {                                                                                                     \
        if (!(x)) {                                                                                          \
            fprintf(stderr, "quiet.c:%d: %s: %s\n", __LINE__, #x, error.message);                            \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static p5_error error;
static char path[4096];

static const char *file(const char *folder, const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void handler(int number)
{
    (void)number;
}

/* Sets or checks the handlers of all signals that can have one. */
static void handlers(bool check)
{
    for (int i = 1; i < SIGRTMAX; i++) {
        struct sigaction action = {.sa_handler = handler}, now;
        if (i == SIGKILL || i == SIGSTOP || (i >= 32 && i < SIGRTMIN))
            continue;
        if (!check)
            sigaction(i, &action, NULL);
        CHECK(sigaction(i, NULL, &now) == 0 && now.sa_handler == handler);
    }
}

/* Everything that can go wrong is an error, not a message or an end. */
static void errors(const char *folder)
{
    p5_model *model;
    p5_machine *machine;
    p5_snapshot_info info = {.size = sizeof info};
    p5_profile *profile;
    p5_counts *counts;
    const p5_machine_options slow = {.size = sizeof slow, .clock_mhz = 0.5};
    CHECK(p5_model_open("none", &model, &error) == P5_ERR_NAME);
    CHECK(p5_model_open(file(folder, "none.ini"), &model, &error) == P5_ERR_IO);
    CHECK(p5_machine_open(&slow, &machine, &error) == P5_ERR_RANGE &&
          strstr(error.message, "0.5 MHz") != NULL);
    CHECK(p5_snapshot_read_info(file(folder, "none"), &info, &error) == P5_ERR_IO);
    CHECK(p5_profile_read(file(folder, "none"), &profile, &error) == P5_ERR_IO);
    CHECK(p5_count_code("\xf4", 1, NULL, &counts, &error) == P5_ERR_STATE);
    p5_snapshot_info_free(&info);
}

static void no_text(void *context, const void *text, size_t size)
{
    (void)context, (void)text, (void)size;
}

/* A machine of a model with a fraction in its clock runs the guest, is profiled, saved and restored. */
static void run(const char *folder, const char *guest)
{
    p5_machine *machine;
    p5_profile *profile;
    p5_run_result result = {.size = sizeof result};
    char model[4096];
    snprintf(model, sizeof model, "%s", file(folder, "model.ini"));
    const p5_machine_options options = {.size = sizeof options, .model = model, .console = no_text};
    const p5_profile_options recorded = {.size = sizeof recorded};
    const p5_limits half = {.size = sizeof half, .max_instructions = 100, .timeout_seconds = 1000.5};
    CHECK(p5_machine_open(&options, &machine, &error) == P5_OK);
    CHECK(p5_model_clock_mhz(p5_machine_model(machine)) == 66.5);
    CHECK(p5_machine_load(machine, guest, NULL, &error) == P5_OK);
    CHECK(p5_profile_start(machine, guest, &recorded, &error) == P5_OK);
    CHECK(p5_machine_run(machine, &half, &result, &error) == P5_OK && result.end == P5_END_INSTRUCTIONS);
    CHECK(p5_machine_save(machine, file(folder, "snapshot"), NULL, &error) == P5_OK);
    CHECK(p5_machine_run(machine, NULL, &result, &error) == P5_OK && result.end == P5_END_EXIT);
    CHECK(p5_profile_take(machine, "guest", "", &profile, &error) == P5_OK);
    static p5_status (*const writers[])(FILE *, const p5_profile *, p5_error *) = {
        p5_profile_write, p5_profile_write_callgrind, p5_profile_write_cachegrind, p5_profile_write_html};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        char name[32];
        snprintf(name, sizeof name, "profile.%zu", i);
        FILE *out = fopen(file(folder, name), "w");
        CHECK(out != NULL && writers[i](out, profile, &error) == P5_OK && fclose(out) == 0);
    }
    p5_profile_free(profile);
    p5_machine_close(machine);
    const p5_machine_options host = {.size = sizeof host, .console = no_text};
    CHECK(p5_machine_restore(file(folder, "snapshot"), &host, &machine, &error) == P5_OK);
    CHECK(p5_model_clock_mhz(p5_machine_model(machine)) == 66.5);
    CHECK(p5_machine_run(machine, NULL, &result, &error) == P5_OK && result.end == P5_END_EXIT);
    p5_machine_close(machine);
}

int main(int argc, char **argv)
{
    sigset_t before, after;
    CHECK(argc == 4 && setlocale(LC_ALL, argv[3]) != NULL);
    handlers(false);
    sigprocmask(SIG_BLOCK, NULL, &before);
    errors(argv[1]);
    run(argv[1], argv[2]);
    handlers(true);
    sigprocmask(SIG_BLOCK, NULL, &after);
    for (int i = 1; i < SIGRTMAX; i++)
        CHECK(sigismember(&before, i) == sigismember(&after, i));
    CHECK(strcmp(setlocale(LC_ALL, NULL), argv[3]) == 0);
    return 0;
}
