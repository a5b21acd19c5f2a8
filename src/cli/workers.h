/* Runs numbered jobs in a few processes; the answers are delivered in order. If a job crashes its process,
 * that is its answer, and the other jobs continue. */
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of the text of an answer. A whole answer must be small enough for an atomic write to a pipe (PIPE_BUF). */
enum { WORKER_TEXT = 3900 };
typedef struct worker_answer {
    uint32_t job;
    int32_t status;  /* what `work` returned; -1: its process crashed */
    uint32_t signal; /* the signal of the crash; 0: the process exited */
    double seconds;  /* host time of the job */
    char text[WORKER_TEXT];
} worker_answer;

typedef struct worker_jobs {
    size_t count;
    unsigned processes;
    void *context;
    /* Does a job in a worker process; may write a text of less than `size` bytes for `answered`. Returns the
     * answer's status. */
    int32_t (*work)(void *context, size_t job, char *text, size_t size);
    /* Gets each answer in order of jobs, in the calling process. Returns false to cancel all jobs. */
    bool (*answered)(void *context, const worker_answer *answer);
} worker_jobs;

/* Does all jobs. Returns false after a message if processes cannot be created or answers are missing. */
bool workers_run(const worker_jobs *jobs);

#endif
