/* Applies a macro to each argument: EACH(f, x, a, b) is f(x, a), f(x, b). There may be up to 40 arguments,
 * and they may result from EACH, too. f itself cannot use EACH. `x` is passed to every call. */
#ifndef BASE_EACH_H
#define BASE_EACH_H

#define EACH(f, x, ...)                                                                                      \
    EACH_PASTE(EACH_, EACH_COUNT(__VA_ARGS__, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26,    \
                                 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, \
                                 5, 4, 3, 2, 1, ))                                                           \
    (f, x, __VA_ARGS__)
/* Removes the parentheses of an argument: EACH_UNPACK (a, b) is a, b. */
#define EACH_UNPACK(...) __VA_ARGS__
/* Joins two tokens after both have been expanded. */
#define EACH_PASTE(a, b)  EACH_PASTE_(a, b)
#define EACH_PASTE_(a, b) a##b
/* Expands to its 41st argument. EACH passes its own arguments and then 40 to 1, so this is the number of EACH's
 * arguments. The empty argument after 1 is for the `...` here, which must not be missing. */
#define EACH_COUNT(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,     \
                   a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, \
                   a38, a39, a40, n, ...)                                                                    \
    n
#define EACH_1(f, x, a)       f(x, a)
#define EACH_2(f, x, a, ...)  f(x, a), EACH_1(f, x, __VA_ARGS__)
#define EACH_3(f, x, a, ...)  f(x, a), EACH_2(f, x, __VA_ARGS__)
#define EACH_4(f, x, a, ...)  f(x, a), EACH_3(f, x, __VA_ARGS__)
#define EACH_5(f, x, a, ...)  f(x, a), EACH_4(f, x, __VA_ARGS__)
#define EACH_6(f, x, a, ...)  f(x, a), EACH_5(f, x, __VA_ARGS__)
#define EACH_7(f, x, a, ...)  f(x, a), EACH_6(f, x, __VA_ARGS__)
#define EACH_8(f, x, a, ...)  f(x, a), EACH_7(f, x, __VA_ARGS__)
#define EACH_9(f, x, a, ...)  f(x, a), EACH_8(f, x, __VA_ARGS__)
#define EACH_10(f, x, a, ...) f(x, a), EACH_9(f, x, __VA_ARGS__)
#define EACH_11(f, x, a, ...) f(x, a), EACH_10(f, x, __VA_ARGS__)
#define EACH_12(f, x, a, ...) f(x, a), EACH_11(f, x, __VA_ARGS__)
#define EACH_13(f, x, a, ...) f(x, a), EACH_12(f, x, __VA_ARGS__)
#define EACH_14(f, x, a, ...) f(x, a), EACH_13(f, x, __VA_ARGS__)
#define EACH_15(f, x, a, ...) f(x, a), EACH_14(f, x, __VA_ARGS__)
#define EACH_16(f, x, a, ...) f(x, a), EACH_15(f, x, __VA_ARGS__)
#define EACH_17(f, x, a, ...) f(x, a), EACH_16(f, x, __VA_ARGS__)
#define EACH_18(f, x, a, ...) f(x, a), EACH_17(f, x, __VA_ARGS__)
#define EACH_19(f, x, a, ...) f(x, a), EACH_18(f, x, __VA_ARGS__)
#define EACH_20(f, x, a, ...) f(x, a), EACH_19(f, x, __VA_ARGS__)
#define EACH_21(f, x, a, ...) f(x, a), EACH_20(f, x, __VA_ARGS__)
#define EACH_22(f, x, a, ...) f(x, a), EACH_21(f, x, __VA_ARGS__)
#define EACH_23(f, x, a, ...) f(x, a), EACH_22(f, x, __VA_ARGS__)
#define EACH_24(f, x, a, ...) f(x, a), EACH_23(f, x, __VA_ARGS__)
#define EACH_25(f, x, a, ...) f(x, a), EACH_24(f, x, __VA_ARGS__)
#define EACH_26(f, x, a, ...) f(x, a), EACH_25(f, x, __VA_ARGS__)
#define EACH_27(f, x, a, ...) f(x, a), EACH_26(f, x, __VA_ARGS__)
#define EACH_28(f, x, a, ...) f(x, a), EACH_27(f, x, __VA_ARGS__)
#define EACH_29(f, x, a, ...) f(x, a), EACH_28(f, x, __VA_ARGS__)
#define EACH_30(f, x, a, ...) f(x, a), EACH_29(f, x, __VA_ARGS__)
#define EACH_31(f, x, a, ...) f(x, a), EACH_30(f, x, __VA_ARGS__)
#define EACH_32(f, x, a, ...) f(x, a), EACH_31(f, x, __VA_ARGS__)
#define EACH_33(f, x, a, ...) f(x, a), EACH_32(f, x, __VA_ARGS__)
#define EACH_34(f, x, a, ...) f(x, a), EACH_33(f, x, __VA_ARGS__)
#define EACH_35(f, x, a, ...) f(x, a), EACH_34(f, x, __VA_ARGS__)
#define EACH_36(f, x, a, ...) f(x, a), EACH_35(f, x, __VA_ARGS__)
#define EACH_37(f, x, a, ...) f(x, a), EACH_36(f, x, __VA_ARGS__)
#define EACH_38(f, x, a, ...) f(x, a), EACH_37(f, x, __VA_ARGS__)
#define EACH_39(f, x, a, ...) f(x, a), EACH_38(f, x, __VA_ARGS__)
#define EACH_40(f, x, a, ...) f(x, a), EACH_39(f, x, __VA_ARGS__)

#endif
