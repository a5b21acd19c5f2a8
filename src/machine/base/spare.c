#include "machine/base/spare.h"

#include "machine/state.h"

void spare_init(spare_time *spare)
{
    pthread_mutex_init(&spare->lock, NULL);
}

void spare_free(spare_time *spare)
{
    pthread_mutex_destroy(&spare->lock);
}

void spare_add(p5_machine *machine, spare_work *work)
{
    spare_time *spare = &machine->spare;
    pthread_mutex_lock(&spare->lock);
    work->next = spare->first;
    spare->first = work;
    pthread_mutex_unlock(&spare->lock);
}

void spare_remove(p5_machine *machine, spare_work *work)
{
    spare_time *spare = &machine->spare;
    pthread_mutex_lock(&spare->lock);
    for (spare_work **at = &spare->first; *at != NULL; at = &(*at)->next)
        if (*at == work) {
            *at = work->next;
            break;
        }
    pthread_mutex_unlock(&spare->lock);
}

bool spare_use(p5_machine *machine, bool executes)
{
    spare_time *spare = &machine->spare;
    bool done = false;
    if (pthread_mutex_trylock(&spare->lock) != 0)
        return false;
    if (executes && spare->first != NULL)
        engine_settle(machine->engine);
    for (spare_work *work = spare->first; work != NULL && !done; work = work->next)
        done = work->some(work->context);
    pthread_mutex_unlock(&spare->lock);
    return done;
}
