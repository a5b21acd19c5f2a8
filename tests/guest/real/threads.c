/* threads: four of them add up under a mutex, and one waits for them by a condition. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static unsigned sum, done;
static __thread unsigned own;

static void *add(void *number)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        sum += (unsigned)(size_t)number;
        pthread_mutex_unlock(&lock);
        own++;
    }
    pthread_mutex_lock(&lock);
    done += own == ROUNDS;
    pthread_cond_signal(&all_done);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *wait_for_all(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (done < THREADS)
        pthread_cond_wait(&all_done, &lock);
    pthread_mutex_unlock(&lock);
    return &sum;
}

int main(void)
{
    pthread_t waiter, threads[THREADS];
    void *result;
    if (pthread_create(&waiter, NULL, wait_for_all, NULL) != 0)
        return 1;
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, add, (void *)(i + 1)) != 0)
            return 2;
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(waiter, &result);
    printf("threads %u\n", *(unsigned *)result); /* 500 * (1 + 2 + 3 + 4) */
    return 11;
}
