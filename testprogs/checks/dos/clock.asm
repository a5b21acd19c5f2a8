; AH = 2Ah-2Dh: the date with its weekday and the time are the board's clock's, 1999-12-31 23:59:50, a Friday. 2Bh and 2Dh set it, which INT 1Ah shows, and
; refuse with AL = FFh what does not exist.
;! options --rtc 1999-12-31T23:59:50
;! dosbox its clock is the host's
;! output
;! 2A 0005 07CF 0C1F
;! 2C 173B 0032
;! 29 February 0000
;! 2A again 0002 07D0 021D
;! 12:34:56 0000
;! 2C again 0C22 0038
;! 1A date 2000 0229
;! 1A time 1234 0056
;! 1A ticks 000C
;! 29 February 1999 00FF
;! 1979 00FF
;! 2100 00FF
;! month 13 00FF
;! day 0 00FF
;! 24:00 00FF
;! minute 60 00FF
;! second 60 00FF
;! hundredth 100 00FF
;! 2A at last 0002 07D0 021D
org 100h
%include "dos.inc"
%include "report.inc"
%macro get_date 1
        mov ah, 2ah
        int 21h
        and ax, 0ffh
        report %1, ax, cx, dx
%endmacro
%macro get_time 1
        mov ah, 2ch
        int 21h
        mov dl, dh              ; seconds
        mov dh, 0
        report %1, cx, dx
%endmacro
%macro set 4                    ; function, CX, DX, name
        mov cx, %2
        mov dx, %3
        mov ax, %1 * 256 + 55h
        int 21h
        and ax, 0ffh
        report %4, ax
%endmacro
        get_date "2A"
        get_time "2C"
        set 2bh, 2000, 021dh, "29 February"
        get_date "2A again"
        set 2dh, 0c22h, 3800h, "12:34:56"
        get_time "2C again"
        mov ah, 4
        int 1ah
        report "1A date", cx, dx
        mov ah, 2
        int 1ah
        mov dl, dh
        mov dh, 0
        report "1A time", cx, dx
        mov ah, 0
        int 1ah
        report "1A ticks", cx
        set 2bh, 1999, 021dh, "29 February 1999"
        set 2bh, 1979, 0101h, "1979"
        set 2bh, 2100, 0101h, "2100"
        set 2bh, 2000, 0d01h, "month 13"
        set 2bh, 2000, 0100h, "day 0"
        set 2dh, 1800h, 0, "24:00"
        set 2dh, 003ch, 0, "minute 60"
        set 2dh, 0, 3c00h, "second 60"
        set 2dh, 0, 100, "hundredth 100"
        get_date "2A at last"
        finish
        hexadecimal
        reports
