/* Which segment register a data reference goes through: by the instruction's opcode, its prefixes and the
 * base of its address. Manual: segment-override prefixes, default segments, string instructions. */
#include "engine/internal.h"

/* Default segment of a ModRM operand: SS with BP, EBP or ESP as base. */
static engine_segment_name modrm_segment(const uint8_t *modrm, bool address32)
{
    unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7;
    enum { ESP = 4, EBP = 5 };
    if (!address32)
        return rm == 2 || rm == 3 || (rm == 6 && mod != 0) ? ENGINE_SS : ENGINE_DS;
    if (rm == ESP)
        rm = modrm[1] & 7;
    return rm == ESP || (rm == EBP && mod != 0) ? ENGINE_SS : ENGINE_DS;
}

static bool stack_only(bool escape, uint8_t opcode)
{
    if (escape)
        return (opcode & 0xf6) == 0xa0; /* PUSH and POP of FS and GS */
    if (opcode < 0x40)
        return (opcode & 7) >= 6 && (opcode & 0xe6) == 0x06; /* PUSH and POP of the others */
    return (opcode >= 0x50 && opcode <= 0x61) || opcode == 0x68 || opcode == 0x6a || opcode == 0x9a ||
           opcode == 0x9c || opcode == 0x9d || (opcode >= 0xc2 && opcode <= 0xc3) ||
           (opcode >= 0xc8 && opcode <= 0xcf) || opcode == 0xe8;
}

/* The segment of the `nth` access of the instruction at `bytes`. */
engine_segment_name guard_segment_of(const uint8_t *bytes, bool code32, bool write, unsigned nth)
{
    int override = -1;
    bool address32 = code32, escape = false;
    for (;; bytes++) {
        switch (*bytes) {
        case 0x26:
            override = ENGINE_ES;
            continue;
        case 0x2e:
            override = ENGINE_CS;
            continue;
        case 0x36:
            override = ENGINE_SS;
            continue;
        case 0x3e:
            override = ENGINE_DS;
            continue;
        case 0x64:
            override = ENGINE_FS;
            continue;
        case 0x65:
            override = ENGINE_GS;
            continue;
        case 0x67:
            address32 = !code32;
            continue;
        case 0x66:
        case 0xf0:
        case 0xf2:
        case 0xf3:
            continue;
        default:
            break;
        }
        break;
    }
    uint8_t opcode = *bytes++;
    if (opcode == 0x0f) {
        escape = true;
        opcode = *bytes++;
    }
    if (stack_only(escape, opcode))
        return ENGINE_SS;
    engine_segment_name operand = override >= 0 ? (engine_segment_name) override : ENGINE_DS;
    if (!escape) {
        switch (opcode) {
        case 0x6c: /* INS, STOS, SCAS */
        case 0x6d:
        case 0xaa:
        case 0xab:
        case 0xae:
        case 0xaf:
            return ENGINE_ES;
        case 0xa4: /* MOVS */
        case 0xa5:
            return write ? ENGINE_ES : operand;
        case 0xa6: /* CMPS: Unicorn reads the second string first */
        case 0xa7:
            return nth == 0 ? ENGINE_ES : operand;
        case 0x6e: /* OUTS, LODS, MOV moffs, XLAT */
        case 0x6f:
        case 0xac:
        case 0xad:
        case 0xa0:
        case 0xa1:
        case 0xa2:
        case 0xa3:
        case 0xd7:
            return operand;
        case 0x8f: /* POP m */
            if (!write)
                return ENGINE_SS;
            break;
        case 0xff: /* CALL m, CALL far m, PUSH m */
            if (write && ((*bytes >> 3 & 7) == 2 || (*bytes >> 3 & 7) == 3 || (*bytes >> 3 & 7) == 6))
                return ENGINE_SS;
            break;
        default:
            break;
        }
    }
    return override >= 0 ? operand : modrm_segment(bytes, address32);
}
