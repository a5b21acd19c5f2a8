; AH = 2Ah-2Dh: the date with its weekday and the time are the board's clock's, 1999-12-31 23:59:50, a Friday; they cannot be set.
;! options --rtc 1999-12-31T23:59:50
;! dosbox its clock is the host's
;! output
;! 2A 0005 07CF 0C1F
;! 2C 173B 0032
;! 2B 00FF
;! 2D 00FF
;! 2A again 0005 07CF 0C1F
org 100h
%include "dos.inc"
%include "report.inc"
        mov ah, 2ah
        int 21h
        and ax, 0ffh
        report "2A", ax, cx, dx
        mov ah, 2ch
        int 21h
        mov dl, dh              ; seconds
        mov dh, 0
        report "2C", cx, dx
        mov cx, 1980
        mov dx, 0101h
        mov ah, 2bh
        int 21h
        and ax, 0ffh
        report "2B", ax
        mov cx, 0
        mov dx, 0
        mov ah, 2dh
        int 21h
        and ax, 0ffh
        report "2D", ax
        mov ah, 2ah
        int 21h
        and ax, 0ffh
        report "2A again", ax, cx, dx
        finish
        hexadecimal
        reports
