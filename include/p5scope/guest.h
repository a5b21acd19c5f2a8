/* For guests: markers that `p5scope trace` shows and that p5_machine_observe reports. On a real processor,
 * and under p5scope without an observer, they do nothing: three bytes that are an instruction without effect.
 *
 *   #include "p5scope/guest.h"
 *   P5_BEGIN(1);  work();  P5_END(1);
 *
 * The marker is a NOP with prefixes that mean nothing to it, FS and address size (begin: 64 67 90) or GS and
 * address size (end: 65 67 90), with the id in EAX. Every i386 processor executes it in any mode and at any
 * privilege level; a Pentium takes one clock for each prefix and one for the NOP.
 *
 * Bare-metal guests may write the id to a port instead, 1, 2 or 4 bytes: EAh begins, EBh ends. Nothing
 * answers there on a PC. */
#ifndef P5SCOPE_GUEST_H
#define P5SCOPE_GUEST_H

/* The ports, for guests that write them themselves. */
#define P5_BEGIN_PORT 0xEA
#define P5_END_PORT   0xEB

#if defined __GNUC__ && defined __i386__
#define P5_BEGIN(id) __asm__ volatile(".byte 0x64, 0x67, 0x90" : : "a"((unsigned)(id)) : "memory")
#define P5_END(id)   __asm__ volatile(".byte 0x65, 0x67, 0x90" : : "a"((unsigned)(id)) : "memory")
#else /* another compiler or target: no marker */
#define P5_BEGIN(id) ((void)(id))
#define P5_END(id)   ((void)(id))
#endif

#endif
