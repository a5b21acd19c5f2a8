; A fault without an IDT: triple fault. Flat image at 8000h.
        bits 32
        org 8000h
        ud2
