/* The room for translated code of each engine. On hosts other than x86, Unicorn's code generator keeps where
 * blocks return to in one variable for the process: it is in the first page of the room of whichever engine
 * was opened last. So blocks return through another engine's page, which stays until no engine is open; and
 * no block is generated while the page of a new one is written. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/internal.h"

void REAL(tcg_exec_init)(uc_engine *uc, unsigned long bytes);
void WRAP(tcg_exec_init)(uc_engine *uc, unsigned long bytes);

enum { FIRST_TRANSLATIONS = 1024 };
void __real_qht_init(void *table, void *compare, size_t blocks, unsigned mode);
void __wrap_qht_init(void *table, void *compare, size_t blocks, unsigned mode)
{
    (void)blocks; /* Unicorn would clear room for 32,768 translations; the table grows */
    __real_qht_init(table, compare, FIRST_TRANSLATIONS, mode);
}

/* Unicorn would look for constants in every block. Most code is translated to run a few times, and the time
 * goes elsewhere: straight code takes 0.93 of it without, none more than 1.01. */
void WRAP(tcg_optimize)(uc_translator *s);
void WRAP(tcg_optimize)(uc_translator *s)
{
    (void)s;
}

static bool is_flat(const uc_env *env)
{
    return env->segs[ENGINE_CS].base == 0;
}

const void *REAL(helper_lookup_tb_ptr)(uc_env *env);
static const void *__attribute__((noinline)) find(uc_env *env, found_block *found, uint64_t place)
{
    const void *code = REAL(helper_lookup_tb_ptr)(env);
    engine *e = engine_of(env);
    if (is_flat(env) && (uintptr_t)code > e->translations) { /* else it leads to Unicorn's loop */
        *found = (found_block){place, code};
        e->found_none = false;
    }
    return code;
}

/* The code where a return or an indirect branch led to. Unicorn's own table holds descriptions of blocks: a
 * look at it waits for two lines of the host's memory, and 64 places are all that a page has in it. */
const void *WRAP(helper_lookup_tb_ptr)(uc_env *env);
const void *WRAP(helper_lookup_tb_ptr)(uc_env *env)
{
    engine *e = engine_of(env);
    const uint64_t flags = env->hflags | (env->eflags & UC_BLOCK_EFLAGS), place = env->eip | flags << 32;
    found_block *found = &e->found[(env->eip ^ env->eip / FOUND_BLOCKS) % FOUND_BLOCKS];
    return __builtin_expect(found->place == place && is_flat(env), 1) ? found->code : find(env, found, place);
}

#ifdef __x86_64__

void *__real_mmap64(void *at, size_t bytes, int protection, int flags, int file, int64_t offset);
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, int64_t offset);
/* The room is near this program if there is a place: from afar, each call of translated code would be an
 * indirect one, which hosts predict worse. */
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, int64_t offset)
{
    enum { PROGRAM = 64 << 20, HUGE_PAGE = 2 << 20 };
    if (at == NULL && bytes == ENGINE_TRANSLATIONS && protection & PROT_EXEC)
        at = (void *)(((uintptr_t)__wrap_mmap64 - PROGRAM - ENGINE_TRANSLATIONS) / HUGE_PAGE * HUGE_PAGE);
    return __real_mmap64(at, bytes, protection, flags, file, offset);
}

void WRAP(tcg_exec_init)(uc_engine *uc, unsigned long bytes)
{
    (void)bytes; /* Unicorn would take 1 GB */
    REAL(tcg_exec_init)(uc, ENGINE_TRANSLATIONS);
}

#else

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned open_engines;
static char *left; /* first pages of closed engines; the end of each says which is the next */

void WRAP(tcg_exec_init)(uc_engine *uc, unsigned long bytes)
{
    (void)bytes;
    pthread_rwlock_wrlock(&lock);
    REAL(tcg_exec_init)(uc, ENGINE_TRANSLATIONS);
    open_engines++;
    pthread_rwlock_unlock(&lock);
}

int REAL(tcg_gen_code)(uc_translator *s, uc_translated *tb);
int WRAP(tcg_gen_code)(uc_translator *s, uc_translated *tb)
{
    pthread_rwlock_rdlock(&lock);
    int size = REAL(tcg_gen_code)(s, tb);
    pthread_rwlock_unlock(&lock);
    return size;
}

void WRAP(free_code_gen_buffer)(uc_engine *uc)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), link = page - sizeof left;
    char *room = (char *)uc_translator_field(uc_translator_of(uc), UC_TCG_ROOM);
    pthread_rwlock_wrlock(&lock);
    munmap(room + page, ENGINE_TRANSLATIONS - page);
    memcpy(room + link, &left, sizeof left);
    left = room;
    if (--open_engines == 0) {
        while (left != NULL) {
            room = left;
            memcpy(&left, room + link, sizeof left);
            munmap(room, page);
        }
    }
    pthread_rwlock_unlock(&lock);
}

#endif
