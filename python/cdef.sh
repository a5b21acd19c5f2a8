#!/bin/sh
# cdef.sh HEADER...: the declarations of the public headers as cffi reads them: without comments, directives and what is for C++.
set -eu
for header; do
    ${CC:-cc} -fpreprocessed -dD -E -P -x c "$header" 2>/dev/null | sed '/^#ifdef __cplusplus/,/^#endif/d; /^ *#/d'
done
