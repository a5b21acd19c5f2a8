/* The installed libraries print and read numbers with a decimal point, whatever locale the process has chosen. The
 * linker sends their calls of these functions of the C library here (--wrap): each runs in the locale "C", and the
 * thread's own locale is back when it returns. The program itself never sets a locale and needs none of this. */
#define _GNU_SOURCE /* vasprintf, vdprintf */
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t begin(void)
{
    pthread_once(&once, make);
    return uselocale(c_locale); /* 0, for want of memory, changes nothing */
}

/* WRAP(result type, name, (parameters), (arguments)): the function of that name, in the locale "C". */
#define WRAP(T, name, parameters, arguments)                                                                 \
    T __real_##name parameters;                                                                              \
    T __wrap_##name parameters;                                                                              \
    T __wrap_##name parameters                                                                               \
    {                                                                                                        \
        locale_t before = begin();                                                                           \
        T result = __real_##name arguments;                                                                  \
        uselocale(before);                                                                                   \
        return result;                                                                                       \
    }

/* The same for a function with `...` after `format`, by its variant `v` that takes a list. */
#define WRAP_LIST(name, v, parameters, ...)                                                                  \
    int __wrap_##name parameters;                                                                            \
    int __wrap_##name parameters                                                                             \
    {                                                                                                        \
        va_list list;                                                                                        \
        va_start(list, format);                                                                              \
        locale_t before = begin();                                                                           \
        int result = v(__VA_ARGS__, list);                                                                   \
        uselocale(before);                                                                                   \
        va_end(list);                                                                                        \
        return result;                                                                                       \
    }

WRAP(double, strtod, (const char *text, char **end), (text, end))
WRAP(int, vfprintf, (FILE * to, const char *format, va_list list), (to, format, list))
WRAP(int, vsnprintf, (char *to, size_t size, const char *format, va_list list), (to, size, format, list))
WRAP(int, vasprintf, (char **to, const char *format, va_list list), (to, format, list))
WRAP_LIST(printf, vprintf, (const char *format, ...), format)
WRAP_LIST(fprintf, vfprintf, (FILE * to, const char *format, ...), to, format)
WRAP_LIST(dprintf, vdprintf, (int to, const char *format, ...), to, format)
WRAP_LIST(sprintf, vsprintf, (char *to, const char *format, ...), to, format)
WRAP_LIST(snprintf, vsnprintf, (char *to, size_t size, const char *format, ...), to, size, format)
WRAP_LIST(asprintf, vasprintf, (char **to, const char *format, ...), to, format)

/* What the compiler calls instead with _FORTIFY_SOURCE. */
int __vfprintf_chk(FILE *to, int flag, const char *format, va_list list);
int __vprintf_chk(int flag, const char *format, va_list list);
int __vdprintf_chk(int to, int flag, const char *format, va_list list);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list list);
int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list list);
int __vasprintf_chk(char **to, int flag, const char *format, va_list list);
WRAP(int, __vfprintf_chk, (FILE * to, int flag, const char *format, va_list list), (to, flag, format, list))
WRAP(int, __vsnprintf_chk, (char *to, size_t size, int flag, size_t room, const char *format, va_list list),
     (to, size, flag, room, format, list))
WRAP(int, __vasprintf_chk, (char **to, int flag, const char *format, va_list list), (to, flag, format, list))
WRAP_LIST(__printf_chk, __vprintf_chk, (int flag, const char *format, ...), flag, format)
WRAP_LIST(__fprintf_chk, __vfprintf_chk, (FILE * to, int flag, const char *format, ...), to, flag, format)
WRAP_LIST(__dprintf_chk, __vdprintf_chk, (int to, int flag, const char *format, ...), to, flag, format)
WRAP_LIST(__sprintf_chk, __vsprintf_chk, (char *to, int flag, size_t room, const char *format, ...), to, flag,
          room, format)
WRAP_LIST(__snprintf_chk, __vsnprintf_chk,
          (char *to, size_t size, int flag, size_t room, const char *format, ...), to, size, flag, room,
          format)
WRAP_LIST(__asprintf_chk, __vasprintf_chk, (char **to, int flag, const char *format, ...), to, flag, format)
