/* The buffer for translated code (code_buffer.c). */
#ifndef ENGINE_UNICORN_CODE_BUFFER_H
#define ENGINE_UNICORN_CODE_BUFFER_H

enum { ENGINE_TRANSLATIONS = 128 << 20 }; /* bytes of the buffer */

#endif
