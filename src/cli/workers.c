/* Worker processes: each takes the next job from shared memory and writes its answer to a pipe. */
#include "cli/workers.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/host_clock.h"

_Static_assert(sizeof(worker_answer) <= PIPE_BUF, "an answer must go through a pipe in one piece");

enum { MOST_WORKERS = 256, NO_JOB = UINT32_MAX };

/* Memory shared by all processes. */
typedef struct job_queue {
    _Atomic uint32_t next;                  /* the first job that no worker has taken */
    _Atomic uint32_t current[MOST_WORKERS]; /* the job that each worker does; NO_JOB between two jobs */
} job_queue;

typedef struct pool {
    const worker_jobs *jobs;
    job_queue *shared;
    pid_t pid[MOST_WORKERS]; /* 0 = none */
    int answers[2];          /* the pipe: read end, write end */
    worker_answer **waiting; /* by job: answers that came before those of earlier jobs */
    size_t delivered;        /* number of jobs whose answers were delivered */
    bool cancelled;          /* `answered` has cancelled the other jobs */
    bool ended;              /* no more answers are taken: cancelled, or memory ran out */
} pool;

/* Does jobs in the process of worker number `self` until there are none left, and ends the process. */
static _Noreturn void work(const pool *p, unsigned self)
{
    close(p->answers[0]);
    for (;;) {
        uint32_t job = atomic_fetch_add(&p->shared->next, 1);
        if (job >= p->jobs->count)
            break;
        atomic_store(&p->shared->current[self], job);
        worker_answer answer;
        memset(&answer, 0, sizeof answer);
        answer.job = job;
        double start = host_clock();
        answer.status = p->jobs->work(p->jobs->context, job, answer.text, sizeof answer.text);
        answer.seconds = host_clock() - start;
        if (write(p->answers[1], &answer, sizeof answer) != (ssize_t)sizeof answer)
            _exit(1);
        atomic_store(&p->shared->current[self], NO_JOB);
    }
    _exit(0);
}

static bool start_worker(pool *p, unsigned self)
{
    atomic_store(&p->shared->current[self], NO_JOB);
    pid_t pid = fork();
    if (pid == 0)
        work(p, self);
    if (pid < 0)
        return false;
    p->pid[self] = pid;
    return true;
}

/* Stores an answer until its turn, and delivers all answers whose turn it is. Ignores a second answer of a job: a
 * worker may crash after it has written one. */
static void take(pool *p, const worker_answer *answer)
{
    if (answer->job >= p->jobs->count || p->waiting[answer->job] != NULL || answer->job < p->delivered)
        return;
    worker_answer *copy = malloc(sizeof *copy);
    if (copy == NULL) {
        p->ended = true;
        return;
    }
    *copy = *answer;
    copy->text[sizeof copy->text - 1] = '\0';
    p->waiting[answer->job] = copy;
    while (p->delivered < p->jobs->count && p->waiting[p->delivered] != NULL && !p->ended) {
        worker_answer *turn = p->waiting[p->delivered];
        p->waiting[p->delivered++] = NULL;
        if (!p->jobs->answered(p->jobs->context, turn))
            p->ended = p->cancelled = true;
        free(turn);
    }
}

/* Reads answers until every worker has ended, which closes the pipe, or no more answers are taken. */
static void read_answers(pool *p)
{
    worker_answer answer;
    size_t got = 0;
    while (!p->ended) {
        ssize_t part = read(p->answers[0], (char *)&answer + got, sizeof answer - got);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return;
        got += (size_t)part;
        if (got < sizeof answer)
            continue;
        got = 0;
        take(p, &answer);
    }
}

/* Waits for all workers. For the job of a worker that crashed, takes an answer with the status -1 and the signal
 * (0: the process exited). Returns true if any worker crashed. */
static bool collect_workers(pool *p)
{
    bool crashed = false;
    for (unsigned i = 0; i < MOST_WORKERS; i++) {
        int status;
        if (p->pid[i] == 0)
            continue;
        if (p->ended)
            kill(p->pid[i], SIGTERM);
        while (waitpid(p->pid[i], &status, 0) < 0 && errno == EINTR)
            ;
        p->pid[i] = 0;
        uint32_t job = atomic_load(&p->shared->current[i]);
        if (job == NO_JOB || p->ended)
            continue;
        crashed = true;
        worker_answer answer;
        memset(&answer, 0, sizeof answer);
        answer.job = job;
        answer.status = -1;
        answer.signal = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0;
        take(p, &answer);
    }
    return crashed;
}

/* Starts workers and takes their answers. If a worker crashes, starts new ones, which continue with the next job.
 * Returns false if no worker can be started. */
static bool run_pool(pool *p)
{
    unsigned processes = p->jobs->processes < MOST_WORKERS ? p->jobs->processes : MOST_WORKERS;
    do {
        if (pipe(p->answers) != 0)
            return false;
        bool started = false;
        for (unsigned i = 0; i < processes; i++)
            started |= start_worker(p, i);
        close(p->answers[1]);
        if (started)
            read_answers(p);
        close(p->answers[0]);
        if (!started)
            return false;
    } while (collect_workers(p) && !p->ended);
    return true;
}

bool workers_run(const worker_jobs *jobs)
{
    pool p = {.jobs = jobs};
    fflush(NULL); /* so that buffered output is printed once, not by every process */
    /* + 1: NULL means that memory is out, even without jobs */
    p.waiting = calloc(jobs->count + 1, sizeof *p.waiting);
    p.shared = mmap(NULL, sizeof *p.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool done = p.waiting != NULL && p.shared != MAP_FAILED && run_pool(&p);
    if (!done)
        fprintf(stderr, "p5scope: cannot start worker processes: %s\n", strerror(errno));
    else if (!p.cancelled && p.delivered < jobs->count) {
        done = false;
        fprintf(
            stderr,
            "p5scope: the answers of %zu of %zu worker jobs are missing: no memory, or a worker was killed\n",
            jobs->count - p.delivered, jobs->count);
    }
    if (p.shared != MAP_FAILED)
        munmap(p.shared, sizeof *p.shared);
    for (size_t i = 0; p.waiting != NULL && i < jobs->count; i++)
        free(p.waiting[i]);
    free(p.waiting);
    return done;
}
