/* The buffer for translated code of each engine, and two other settings of Unicorn's translator. The functions named
 * WRAP(x) and __wrap_x replace function x of Unicorn or of the C library (mmap64), which is REAL(x) or __real_x.
 *
 * On hosts other than x86, all engines of the process share one variable of Unicorn's code generator: the address of
 * the code to which blocks return. That code lies at the beginning of the buffer of the engine that was opened last, in
 * its first page. So blocks may return through another engine's page. Therefore first pages stay mapped until no engine
 * is open, and no block is generated while a new engine writes its first page. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/area.h"
#include "engine/unicorn/code_buffer.h"
#include "engine/unicorn/inside.h"

void REAL(tcg_exec_init)(uc_engine *uc, unsigned long bytes);
void WRAP(tcg_exec_init)(uc_engine *uc, unsigned long bytes);

enum { FIRST_TRANSLATIONS = 1024 }; /* entries of a new table of translated blocks */
void __real_qht_init(void *table, void *compare, size_t blocks, unsigned mode);
void __wrap_qht_init(void *table, void *compare, size_t blocks, unsigned mode)
{
    (void)blocks; /* Unicorn would clear 32,768 entries; the table grows */
    __real_qht_init(table, compare, FIRST_TRANSLATIONS, mode);
}

/* Omits Unicorn's optimisation, which searches every block for constants. Most code runs only a few times after
 * translation. Without the optimisation, straight code takes 0.93 of the time, and no program more than 1.01. */
void WRAP(tcg_optimize)(uc_translator *s);
void WRAP(tcg_optimize)(uc_translator *s)
{
    (void)s;
}

#ifdef __x86_64__

void *__real_mmap64(void *at, size_t bytes, int protection, int flags, int file, int64_t offset);
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, int64_t offset);
/* Places the buffer close to this program if possible. Otherwise each call from translated code to this program would
 * be an indirect one, which hosts predict worse. Other mappings of the process come here, too, and are not changed. */
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, int64_t offset)
{
    enum { PROGRAM = 64 << 20 /* bytes before this function, more than the program has */ };
    const uintptr_t here = (uintptr_t)__wrap_mmap64, below = PROGRAM + ENGINE_TRANSLATIONS;
    /* Valgrind loads libraries at low addresses, below which there is no room. */
    if (at == NULL && bytes == ENGINE_TRANSLATIONS && protection & PROT_EXEC && here > below)
        at = (void *)((here - below) / HUGE_PAGE * HUGE_PAGE);
    return __real_mmap64(at, bytes, protection, flags, file, offset);
}

void WRAP(tcg_exec_init)(uc_engine *uc, unsigned long bytes)
{
    (void)bytes; /* Unicorn would take 1 GB */
    REAL(tcg_exec_init)(uc, ENGINE_TRANSLATIONS);
}

#else

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* for writing: while first pages appear or go */
static unsigned open_engines;
/* List of the first pages of closed engines; the last word of each page links to the next. */
static char *closed_pages;

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

/* Called when an engine closes. Unmaps its buffer except for the first page, and all first pages if no engine is open
 * now. */
void WRAP(free_code_gen_buffer)(uc_engine *uc)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), link = page - sizeof closed_pages;
    char *buffer = (char *)uc_translator_field(uc_translator_of(uc), UC_TCG_CODE);
    pthread_rwlock_wrlock(&lock);
    munmap(buffer + page, ENGINE_TRANSLATIONS - page);
    memcpy(buffer + link, &closed_pages, sizeof closed_pages);
    closed_pages = buffer;
    if (--open_engines == 0) {
        while (closed_pages != NULL) {
            buffer = closed_pages;
            memcpy(&closed_pages, buffer + link, sizeof closed_pages);
            munmap(buffer, page);
        }
    }
    pthread_rwlock_unlock(&lock);
}

#endif
