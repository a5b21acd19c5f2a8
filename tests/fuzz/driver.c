/* The main program of a fuzzer that is built without libFuzzer:
 *
 *   fuzz_x [--seed N] [--images M] [--seconds S] [--batch K] [--state FILE] [--keep FOLDER] [FOLDER|FILE...]
 *
 * Runs the given inputs, then M inputs made from the seeds N, N + 1 ..., or as many as fit into S seconds. An input is a
 * given one with changes, or random bytes; it depends only on its seed and the given inputs. Each K inputs run in a
 * process of their own, so that the fuzzer reports a crash and continues. `fuzz_x --seed N --images 1` repeats an input;
 * --keep writes the inputs that crash to files. --state reads the first seed from FILE, writes the next one to it, and
 * adds up what was seen. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { INPUT_MAX = 16384, CORPUS_MAX = 4096, HANG_SECONDS = 20, WAIT_SECONDS = 300, CRASHES_MAX = 50 };

typedef struct input {
    uint8_t *data;
    size_t size;
    char *name;
} input;

/* One line of a state file, and of the report. */
typedef struct totals {
    uint64_t next_seed, inputs, instructions, crashes, hangs, past_milliseconds, grown_kilobytes, descriptors;
    uint64_t seconds, peak_kilobytes;
} totals;

/* Memory that a batch shares with its parent. */
typedef struct batch {
    volatile uint64_t done; /* inputs */
    volatile bool over;
    fuzz_figures figures;
    uint64_t grown_kilobytes, descriptors;
} batch;

typedef struct campaign {
    const char *name, *keep;
    input corpus[CORPUS_MAX];
    unsigned corpus_count;
    uint64_t batch_size;
    batch *shared;
    totals now;
    uint8_t data[INPUT_MAX];
} campaign;

static uint64_t random_state = 1;

static uint64_t below(uint64_t n)
{
    return n == 0 ? 0 : (fuzz_random(&random_state) >> 11) % n;
}

/* ---- inputs -------------------------------------------------------------------------------------------- */

static void random_bytes(uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(fuzz_random(&random_state) >> 32);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', ' ', '\n', ',', ':', '='};
    size_t at = below(size), length = 1 + below(8);
    if (length > size - at)
        length = size - at;
    switch (size == 0 ? 4 : below(8)) {
    case 0:
        data[at] ^= (uint8_t)(1u << below(8));
        return size;
    case 1:
        data[at] = edges[below(sizeof edges)];
        return size;
    case 2:
        memset(data + at, edges[below(5)], length);
        return size;
    case 3: /* removes some bytes */
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 4: /* inserts some bytes */
        length = 1 + below(16);
        if (length > most - size)
            length = most - size;
        memmove(data + at + length, data + at, size - at);
        random_bytes(data + at, length);
        return size + length;
    case 5: { /* copies one part over another */
        size_t from = below(size);
        length = 1 + below(size - (from > at ? from : at));
        memmove(data + at, data + from, length);
        return size;
    }
    case 6: { /* adds up to 16 to a number, or subtracts it */
        uint32_t value = 0;
        memcpy(&value, data + at, length < 4 ? length : 4);
        value += (uint32_t)below(33) - 16;
        memcpy(data + at, &value, length < 4 ? length : 4);
        return size;
    }
    default:
        random_bytes(data + at, length);
        return size;
    }
}

static size_t mutate(uint8_t *data, size_t size, size_t most)
{
    return LLVMFuzzerCustomMutator != NULL
               ? LLVMFuzzerCustomMutator(data, size, most, (unsigned)fuzz_random(&random_state))
               : LLVMFuzzerMutate(data, size, most);
}

/* Makes the input of a seed. Returns its size. */
static size_t input_of(campaign *c, uint64_t seed)
{
    random_state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (unsigned i = 0; i < 8; i++)
        fuzz_random(&random_state);
    size_t size = 0;
    if (c->corpus_count == 0 || below(2) == 0) {
        size = below(4) == 0 ? below(INPUT_MAX) : below(512);
        random_bytes(c->data, size);
        return LLVMFuzzerCustomMutator != NULL ? mutate(c->data, size, INPUT_MAX) : size;
    }
    const input *from = &c->corpus[below(c->corpus_count)];
    size = from->size;
    memcpy(c->data, from->data, size);
    for (uint64_t count = 1 + below(below(4) == 0 ? 64 : 6); count > 0; count--)
        size = mutate(c->data, size, INPUT_MAX);
    return size;
}

static void corpus_add_file(campaign *c, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    if (c->corpus_count < CORPUS_MAX) {
        input *added = &c->corpus[c->corpus_count++];
        added->data = malloc(INPUT_MAX);
        added->name = strdup(path);
        if (added->data == NULL || added->name == NULL)
            abort();
        added->size = fread(added->data, 1, INPUT_MAX, file);
    }
    fclose(file);
}

/* Adds files in the order of their names, so that a seed gives the same input everywhere. */
static void corpus_add(campaign *c, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 && errno == ENOENT)
        return; /* no input has been kept yet */
    if (!S_ISDIR(about.st_mode)) {
        corpus_add_file(c, path);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            corpus_add_file(c, inside);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* ---- batches ------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t descriptors_open(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* Returns the resident memory in KB. */
static uint64_t memory_used(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

/* Gets input number `number` of the campaign: a given one, or that of a seed. Returns its size. */
static size_t input_take(campaign *c, bool given, uint64_t number)
{
    if (!given)
        return input_of(c, number);
    memcpy(c->data, c->corpus[number].data, c->corpus[number].size);
    return c->corpus[number].size;
}

static void batch_run(campaign *c, bool given, uint64_t first, uint64_t count)
{
    /* The first inputs fill permanent pools and tables. */
    enum { WARM = 8 };
    uint64_t memory = 0, descriptors = 0;
    for (uint64_t i = 0; i < count; i++) {
        size_t size = input_take(c, given, first + i);
        uint8_t *exact =
            malloc(size + (size == 0)); /* of this size, so that the address sanitizer finds overruns */
        if (exact == NULL)
            abort();
        memcpy(exact, c->data, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
        if (i + 1 == WARM) {
            memory = memory_used();
            descriptors = descriptors_open();
        }
        c->shared->figures = fuzz_figures_now;
        c->shared->done = i + 1;
    }
    if (count > WARM) {
        uint64_t after = memory_used();
        c->shared->grown_kilobytes = after > memory ? after - memory : 0;
        uint64_t open_after = descriptors_open();
        c->shared->descriptors = open_after > descriptors ? open_after - descriptors : 0;
    }
    c->shared->over = true;
}

static void tell(campaign *c, bool given, uint64_t number, const char *what)
{
    size_t size = input_take(c, given, number);
    if (given)
        printf("%s: %s: %s\n", c->name, c->corpus[number].name, what);
    else
        printf("%s: --seed %" PRIu64 " --images 1: %s\n", c->name, number, what);
    if (c->keep != NULL && !given) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s-%" PRIu64, c->keep, c->name, number);
        FILE *file = fopen(path, "wb");
        if (file != NULL) {
            fwrite(c->data, 1, size, file);
            fclose(file);
        }
    }
    fflush(stdout);
}

static double seconds_used(pid_t child)
{
    clockid_t clock;
    struct timespec used = {0};
    if (clock_getcpuclockid(child, &clock) == 0)
        clock_gettime(clock, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* Waits for a batch and checks that it makes progress. Returns the status of waitpid. An input hangs if it takes
 * more than HANG_SECONDS of processor time, or more than WAIT_SECONDS in all, which suffice on a busy host, too. */
static int batch_wait(campaign *c, pid_t child, bool *hung)
{
    uint64_t done = 0;
    double since = seconds_now(), used = 0;
    *hung = false;
    for (;;) {
        int status;
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
        if (c->shared->done != done) {
            done = c->shared->done;
            since = seconds_now();
            used = seconds_used(child);
        } else if (!*hung && (seconds_used(child) - used > (double)HANG_SECONDS ||
                              seconds_now() - since > (double)WAIT_SECONDS)) {
            *hung = true;
            kill(child, SIGABRT); /* an abort, so that a debugger or a core file shows where */
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

/* Runs `count` inputs from `first` on in a process of their own. Returns how many of them ran, including one that
 * ended the process. */
static uint64_t batch_fork(campaign *c, bool given, uint64_t first, uint64_t count)
{
    memset(c->shared, 0, sizeof *c->shared);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) {
        batch_run(c, given, first, count);
        exit(0); /* the leak sanitizer checks now */
    }
    bool hung;
    int status = batch_wait(c, child, &hung);
    const batch *b = c->shared;
    totals *t = &c->now;
    t->instructions += b->figures.instructions;
    uint64_t past = (uint64_t)(b->figures.past_limit * 1000);
    t->past_milliseconds = past > t->past_milliseconds ? past : t->past_milliseconds;
    t->grown_kilobytes = b->grown_kilobytes > t->grown_kilobytes ? b->grown_kilobytes : t->grown_kilobytes;
    t->descriptors += b->descriptors;
    t->inputs += b->done;
    if (b->descriptors != 0)
        printf("%s: descriptors stay open: %" PRIu64 " after %" PRIu64 " inputs from %" PRIu64 "\n", c->name,
               b->descriptors, count, first);
    if (status == 0)
        return count;
    char what[64];
    snprintf(what, sizeof what,
             hung                  ? "hangs"
             : WIFSIGNALED(status) ? "ended by signal %d"
                                   : "exit status %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (b->over) { /* leaks, found at the end */
        printf("%s: %s after %" PRIu64 " inputs from %" PRIu64 "\n", c->name, what, count, first);
        t->crashes++;
        return count;
    }
    tell(c, given, first + b->done, what);
    t->inputs++;
    *(hung ? &t->hangs : &t->crashes) += 1;
    return b->done + 1;
}

/* ---- the campaign -------------------------------------------------------------------------------------- */

static const char state_format[] =
    "next-seed %" SCNu64 " inputs %" SCNu64 " instructions %" SCNu64 " crashes %" SCNu64 " hangs %" SCNu64
    " past-ms %" SCNu64 " grown-kb %" SCNu64 " descriptors %" SCNu64 " seconds %" SCNu64 " peak-kb %" SCNu64
    "\n";

static void state_read(const char *path, totals *t)
{
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    if (file == NULL)
        return;
    if (fscanf(file, state_format, &t->next_seed, &t->inputs, &t->instructions, &t->crashes, &t->hangs,
               &t->past_milliseconds, &t->grown_kilobytes, &t->descriptors, &t->seconds,
               &t->peak_kilobytes) != 10) {
        fprintf(stderr, "%s: not a state of a campaign\n", path);
        exit(2);
    }
    fclose(file);
}

static void state_write(FILE *file, const totals *t)
{
    fprintf(file,
            "next-seed %" PRIu64 " inputs %" PRIu64 " instructions %" PRIu64 " crashes %" PRIu64
            " hangs %" PRIu64 " past-ms %" PRIu64 " grown-kb %" PRIu64 " descriptors %" PRIu64
            " seconds %" PRIu64 " peak-kb %" PRIu64 "\n",
            t->next_seed, t->inputs, t->instructions, t->crashes, t->hangs, t->past_milliseconds,
            t->grown_kilobytes, t->descriptors, t->seconds, t->peak_kilobytes);
}

static void state_add(const char *path, const totals *now)
{
    totals t = {0};
    state_read(path, &t);
    t.next_seed = now->next_seed;
    t.inputs += now->inputs;
    t.instructions += now->instructions;
    t.crashes += now->crashes;
    t.hangs += now->hangs;
    t.descriptors += now->descriptors;
    t.seconds += now->seconds;
    t.past_milliseconds =
        now->past_milliseconds > t.past_milliseconds ? now->past_milliseconds : t.past_milliseconds;
    t.grown_kilobytes = now->grown_kilobytes > t.grown_kilobytes ? now->grown_kilobytes : t.grown_kilobytes;
    t.peak_kilobytes = now->peak_kilobytes > t.peak_kilobytes ? now->peak_kilobytes : t.peak_kilobytes;
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    state_write(file, &t);
    fclose(file);
}

static void campaign_run(campaign *c, uint64_t images, double seconds)
{
    double begin = seconds_now();
    for (uint64_t done = 0; done < c->corpus_count;)
        done += batch_fork(c, true, done, c->corpus_count - done);
    for (uint64_t done = 0; done < images && c->now.crashes + c->now.hangs < CRASHES_MAX;) {
        if (seconds > 0 && seconds_now() - begin >= seconds)
            break;
        uint64_t count = images - done < c->batch_size ? images - done : c->batch_size;
        count = batch_fork(c, false, c->now.next_seed, count);
        c->now.next_seed += count;
        done += count;
    }
    c->now.seconds = (uint64_t)(seconds_now() - begin);
    struct rusage children; /* ru_maxrss is that of the largest one */
    getrusage(RUSAGE_CHILDREN, &children);
    c->now.peak_kilobytes = (uint64_t)children.ru_maxrss;
}

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0') {
        fprintf(stderr, "'%s' is not a number\n", text);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"seed", 1, NULL, 's'},
                                            {"images", 1, NULL, 'i'},
                                            {"seconds", 1, NULL, 't'},
                                            {"batch", 1, NULL, 'b'},
                                            {"state", 1, NULL, 'f'},
                                            {"keep", 1, NULL, 'k'},
                                            {0}};
    static campaign c;
    const char *name = strrchr(argv[0], '/'), *state = NULL;
    uint64_t images = UINT64_MAX, seconds = 0;
    c.name = name != NULL ? name + 1 : argv[0];
    c.batch_size = 200;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 's':
            c.now.next_seed = number(optarg);
            break;
        case 'i':
            images = number(optarg);
            break;
        case 't':
            seconds = number(optarg);
            break;
        case 'b':
            c.batch_size = number(optarg);
            break;
        case 'f':
            state = optarg;
            break;
        case 'k':
            c.keep = optarg;
            break;
        default:
            return 2;
        }
    if (images == UINT64_MAX && seconds == 0)
        images = 0;
    if (state != NULL) {
        totals before = {0};
        state_read(state, &before);
        c.now.next_seed = before.next_seed;
    }
    for (int i = optind; i < argc; i++)
        corpus_add(&c, argv[i]);
    c.shared = mmap(NULL, sizeof *c.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c.shared == MAP_FAILED)
        return 2;
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* clearing huge pages for each machine would take long */
    fuzz_folder(); /* this process removes it, so that a batch that crashes leaves no files */
    campaign_run(&c, images, (double)seconds);
    if (state != NULL)
        state_add(state, &c.now);
    state_write(stdout, &c.now);
    for (unsigned i = 0; i < c.corpus_count; i++) {
        free(c.corpus[i].data);
        free(c.corpus[i].name);
    }
    return c.now.crashes + c.now.hangs + c.now.descriptors != 0;
}
