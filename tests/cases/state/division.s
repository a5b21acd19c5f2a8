#! note A quotient of more than 32 bits: #DE, which has no error code. EDX:EAX keep their values.
#! models p55c-200 p54c-133
#! expect-fault #DE at bad
#! expect-register edx 2
#! expect-register eax 0xffffffff
        mov edx,2
        mov eax,-1
        mov ebx,2
bad:    div ebx
