/* Numbered jobs, done by a few processes; the answers come back in order. A job that takes its process down
 * is reported as such, and the rest goes on. */
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Small enough that a pipe takes it in one piece (PIPE_BUF). */
enum { WORKER_TEXT = 3900 };
typedef struct worker_answer {
    uint32_t job;
    int32_t status;  /* what the job returned; -1 = its process crashed */
    uint32_t signal; /* of the crash */
    double seconds;
    char text[WORKER_TEXT];
} worker_answer;

typedef struct worker_jobs {
    size_t count;
    unsigned processes;
    void *context;
    /* Does a job in a worker process; may write text for the user into `text`. */
    int32_t (*work)(void *context, size_t job, char *text, size_t size);
    /* Told of each answer in order of jobs, in the calling process. False ends it all. */
    bool (*answered)(void *context, const worker_answer *answer);
} worker_jobs;

/* Does all jobs. False after a message if processes cannot be made. */
bool workers_run(const worker_jobs *jobs);

#endif
