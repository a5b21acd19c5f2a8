; AH = 29h (Ralf Brown's Interrupt List): bits 2 and 3 keep what the block has if there is no name, or no extension; a drive that is not there.
;! dosbox it does not look at the bits
;! output
;! 00 02 03            
;! 00 02 03            
;! 00 02 03            
;! 00 02 03            
;! 00 02 03 !!!!!!!!   
;! 00 02 03 !!!!!!!!   
;! 00 02 03 !!!!!!!!   
;! 00 02 03 !!!!!!!!   
;! 00 02 03         !!!
;! 00 02 03         !!!
;! 00 02 03         !!!
;! 00 02 03         !!!
;! 00 02 03 !!!!!!!!!!!
;! 00 02 03 !!!!!!!!!!!
;! 00 02 03 !!!!!!!!!!!
;! 00 02 03 !!!!!!!!!!!
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 15 03 LONG_NAMEXT
;! 00 04 00         EXT
;! 00 04 00         EXT
;! 00 04 09         EXT
;! 00 04 09         EXT
;! 00 04 00         EXT
;! 00 04 00         EXT
;! 00 04 09         EXT
;! 00 04 09         EXT
;! 00 04 00         EXT
;! 00 04 00         EXT
;! 00 04 09         EXT
;! 00 04 09         EXT
;! 00 04 00         EXT
;! 00 04 00         EXT
;! 00 04 09         EXT
;! 00 04 09         EXT
;! 00 00 00            
;! 00 00 00            
;! 00 00 09            
;! 00 00 09            
;! 00 00 00 !!!!!!!!   
;! 00 00 00 !!!!!!!!   
;! 00 00 09 !!!!!!!!   
;! 00 00 09 !!!!!!!!   
;! 00 00 00         !!!
;! 00 00 00         !!!
;! 00 00 09         !!!
;! 00 00 09         !!!
;! 00 00 00 !!!!!!!!!!!
;! 00 00 00 !!!!!!!!!!!
;! 00 00 09 !!!!!!!!!!!
;! 00 00 09 !!!!!!!!!!!
;! FF 03 19 X          
;! FF 03 19 X          
;! FF 03 19 X          
;! FF 03 19 X          
;! FF 03 19 X          
;! FF 03 19 X          
;! FF 03 19 X          
;! FF 03 19 X          
;! FF 03 19 X       !!!
;! FF 03 19 X       !!!
;! FF 03 19 X       !!!
;! FF 03 19 X       !!!
;! FF 03 19 X       !!!
;! FF 03 19 X       !!!
;! FF 03 19 X       !!!
;! FF 03 19 X       !!!
org 100h
%include "dos.inc"
%include "parse.inc"
        parses
texts:  db 'c:', 0
        db 'c:long_name.extension', 0
        db '.ext', 0
        db '', 0
        db 'y:x', 0
        db '$'
