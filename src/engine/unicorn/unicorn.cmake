# Links libunicorn.a, Unicorn 2.0.1 or 2.1.1, with the functions below replaced by src/engine. The shared library cannot be used: its stores
# cost 100 ns each, its paging does not translate, and its functions cannot be replaced. layout_gen.c finds out
# the archive's internal layout during the build, whatever version it claims to be.
set(P5_UNICORN_SOURCE "" CACHE PATH "Unicorn's source tree, to build libunicorn.a from; empty: the installed one is used")
set(P5_UNICORN_FLAGS "" CACHE STRING "More compiler options for P5_UNICORN_SOURCE; P5_SANITIZE adds its own")

# The replaced functions: calls from other object files of the archive go to __wrap_NAME.
set(P5_UNICORN_WRAPPED
  # translation and the run loop
  gen_intermediate_code tcg_optimize cpu_exec helper_lookup_tb_ptr cpu_loop_exit_noexc tcg_exec_init
  # memory management
  tlb_flush tlb_flush_page tlb_protect_code tlb_unprotect_code get_page_addr_code
  cpu_ldub_code cpu_lduw_code cpu_ldl_code
  # accesses of translated code
  helper_ret_ldub_mmu helper_le_lduw_mmu helper_le_ldul_mmu helper_le_ldq_mmu
  helper_ret_stb_mmu helper_le_stw_mmu helper_le_stl_mmu helper_le_stq_mmu
  # generation of code for references, x87 instructions and the start of a block
  tcg_gen_qemu_ld_i32 tcg_gen_qemu_ld_i64 tcg_gen_qemu_st_i32 tcg_gen_qemu_st_i64 tcg_gen_callN tcg_gen_op3
  uc_add_inline_hook
  tcg_gen_rotl_i32 tcg_gen_bswap32_i64
  # accesses of helper functions for an instruction
  cpu_ldub_data_ra cpu_ldsw_data_ra cpu_lduw_data_ra cpu_ldl_data_ra cpu_ldq_data_ra
  cpu_stb_data_ra cpu_stw_data_ra cpu_stl_data_ra cpu_stq_data_ra
  # accesses of microcode
  cpu_ldub_mmuidx_ra cpu_lduw_mmuidx_ra cpu_ldl_mmuidx_ra
  cpu_stb_mmuidx_ra cpu_stw_mmuidx_ra cpu_stl_mmuidx_ra
  # instructions that use state outside the engine
  helper_rdtsc helper_rdpmc helper_rdmsr helper_wrmsr helper_cpuid helper_write_crN helper_lmsw helper_clts helper_invlpg
  helper_set_dr helper_get_dr helper_hlt helper_inb helper_inw helper_inl helper_outb helper_outw helper_outl
  # segmentation, far transfers, debug traps
  helper_load_seg helper_ltr helper_ljmp_protected helper_lcall_protected helper_lcall_real helper_lret_protected helper_iret_protected
  helper_iret_real helper_read_eflags helper_write_eflags helper_single_step helper_pause
  # a division that the host cannot do
  helper_idivl_EAX
  # instructions whose clocks depend on their operands
  helper_paddsb_mmx helper_paddsw_mmx helper_paddusb_mmx helper_paddusw_mmx
  helper_psubsb_mmx helper_psubsw_mmx helper_psubusb_mmx helper_psubusw_mmx
  helper_packsswb_mmx helper_packuswb_mmx helper_packssdw_mmx
  # the other MMX instructions
  helper_movl_mm_T0_mmx
  helper_paddb_mmx helper_paddw_mmx helper_paddl_mmx helper_psubb_mmx helper_psubw_mmx helper_psubl_mmx
  helper_pmaddwd_mmx helper_pmulhw_mmx helper_pmullw_mmx
  helper_pcmpeqb_mmx helper_pcmpeqw_mmx helper_pcmpeql_mmx helper_pcmpgtb_mmx helper_pcmpgtw_mmx helper_pcmpgtl_mmx
  helper_pand_mmx helper_pandn_mmx helper_por_mmx helper_pxor_mmx
  helper_psllw_mmx helper_pslld_mmx helper_psllq_mmx helper_psrlw_mmx helper_psrld_mmx helper_psrlq_mmx helper_psraw_mmx helper_psrad_mmx
  helper_punpcklbw_mmx helper_punpcklwd_mmx helper_punpckldq_mmx helper_punpckhbw_mmx helper_punpckhwd_mmx helper_punpckhdq_mmx
  # x87
  helper_fadd_ST0_FT0 helper_fadd_STN_ST0 helper_fsub_ST0_FT0 helper_fsub_STN_ST0 helper_fsubr_ST0_FT0
  helper_fsubr_STN_ST0 helper_fmul_ST0_FT0 helper_fmul_STN_ST0 helper_fdiv_ST0_FT0 helper_fdiv_STN_ST0
  helper_fdivr_ST0_FT0 helper_fdivr_STN_ST0 helper_fcom_ST0_FT0 helper_fucom_ST0_FT0 helper_fcomi_ST0_FT0 helper_fucomi_ST0_FT0
  helper_flds_FT0 helper_fldl_FT0
  helper_fildl_FT0 helper_fldz_FT0 helper_fmov_FT0_STN
  helper_fsqrt helper_frndint helper_f2xm1 helper_fsin helper_fcos helper_fscale helper_fprem helper_fprem1 helper_fpatan
  helper_fyl2x helper_fyl2xp1 helper_fptan helper_fsincos helper_fxtract helper_fabs_ST0 helper_fchs_ST0 helper_fxam_ST0
  helper_flds_ST0 helper_fldl_ST0 helper_fildl_ST0 helper_fildll_ST0 helper_fldt_ST0 helper_fbld_ST0 helper_fpush
  helper_fld1_ST0 helper_fldl2t_ST0 helper_fldl2e_ST0 helper_fldpi_ST0 helper_fldlg2_ST0 helper_fldln2_ST0 helper_fldz_ST0
  helper_fmov_ST0_STN helper_fsts_ST0 helper_fstl_ST0 helper_fist_ST0 helper_fistl_ST0 helper_fistll_ST0 helper_fstt_ST0
  helper_fbst_ST0 helper_fmov_STN_ST0 helper_fxchg_ST0_STN helper_fpop
  helper_fldcw helper_fincstp helper_fdecstp helper_ffree_STN helper_fstenv helper_fldenv helper_fsave helper_frstor
  helper_fninit helper_fwait helper_fnstsw helper_fclex helper_enter_mmx helper_emms
  # other instructions that use x87 registers
  helper_fistt_ST0 helper_fisttl_ST0 helper_fisttll_ST0 helper_fxsave helper_fxrstor helper_xsave helper_xsaveopt helper_xrstor)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$") # code_buffer.c
  target_link_options(p5_engine INTERFACE -Wl,--wrap=mmap64)
else()
  list(APPEND P5_UNICORN_WRAPPED tcg_gen_code free_code_gen_buffer)
endif()
# The functions that src/engine calls.
set(P5_UNICORN_CALLED
  raise_exception_err_ra cpu_loop_exit cpu_x86_update_cr0 cpu_x86_update_cr3
  cpu_x86_update_cr4 cpu_cc_compute_all page_collection_lock page_collection_unlock tb_invalidate_phys_page_fast
  tb_invalidate_phys_range tb_flush cpu_restore_state tcg_func_start tcg_emit_op tcg_op_remove
  tcg_const_i64 tcg_const_i32 tcg_temp_free_internal tcg_gen_subfi_i32 tcg_gen_rotr_i32 tcg_gen_andi_i64)

if(P5_UNICORN_SOURCE)
  include(src/engine/unicorn/source.cmake)
else()
  find_library(P5_UNICORN_ARCHIVE NAMES libunicorn.a)
  find_path(P5_UNICORN_INCLUDE unicorn/unicorn.h)
  if(NOT P5_UNICORN_ARCHIVE OR NOT P5_UNICORN_INCLUDE)
    message(FATAL_ERROR "libunicorn.a is missing: install libunicorn-dev, or name Unicorn's source (2.0.1 or 2.1.1) with -DP5_UNICORN_SOURCE=")
  endif()
  set(P5_UNICORN_BUILT_ARCHIVE ${P5_UNICORN_ARCHIVE})
  set(P5_UNICORN_HEADERS ${P5_UNICORN_INCLUDE})
endif()

# p5_unicorn_wrap(TARGET SCOPE NAME...): redirects calls of these functions to __wrap_NAME.
function(p5_unicorn_wrap target scope)
  list(TRANSFORM ARGN REPLACE "(.+)" "-Wl,--wrap=\\1_x86_64" OUTPUT_VARIABLE wraps)
  target_link_options(${target} ${scope} ${wraps})
endfunction()

# Checks that the archive has every function, and makes unicorn_layout.h, which has the offsets in its structures.
add_executable(unicorn_layout_gen src/engine/unicorn/layout_gen.c)
target_include_directories(unicorn_layout_gen PRIVATE src)
target_include_directories(unicorn_layout_gen SYSTEM PRIVATE ${P5_UNICORN_HEADERS})
target_link_libraries(unicorn_layout_gen PRIVATE ${P5_UNICORN_BUILT_ARCHIVE} Threads::Threads m)
set_target_properties(unicorn_layout_gen PROPERTIES LINK_DEPENDS ${P5_UNICORN_BUILT_ARCHIVE})
p5_unicorn_wrap(unicorn_layout_gen PRIVATE tlb_flush cpu_x86_update_cr0 tcg_global_mem_new_internal tcg_gen_op3 gen_intermediate_code
                cpu_loop_exit_restore tcg_exec_init)
target_link_options(unicorn_layout_gen PRIVATE -Wl,--wrap=g_hash_table_new_full)
add_custom_command(OUTPUT ${P5_GENERATED}/unicorn_layout.h
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DARCHIVE=${P5_UNICORN_BUILT_ARCHIVE} "-DNAMES=${P5_UNICORN_WRAPPED};${P5_UNICORN_CALLED}"
          -DPROGRAM=$<TARGET_FILE:unicorn_layout_gen> -DOUTPUT=${P5_GENERATED}/unicorn_layout_gen.symbols
          -P ${CMAKE_SOURCE_DIR}/src/engine/unicorn/symbols.cmake
  COMMAND unicorn_layout_gen ${P5_GENERATED}/unicorn_layout_gen.symbols ${P5_GENERATED}/unicorn_layout.h
  DEPENDS unicorn_layout_gen ${P5_UNICORN_BUILT_ARCHIVE} src/engine/unicorn/symbols.cmake
  COMMENT "What libunicorn.a is like inside" VERBATIM)
add_custom_target(unicorn_layout DEPENDS ${P5_GENERATED}/unicorn_layout.h)
if(TARGET unicorn_source)
  add_dependencies(unicorn_layout_gen unicorn_source)
endif()
add_dependencies(p5_engine unicorn_layout)
target_include_directories(p5_engine SYSTEM PUBLIC ${P5_UNICORN_HEADERS})

p5_unicorn_wrap(p5_engine INTERFACE ${P5_UNICORN_WRAPPED})
target_link_options(p5_engine INTERFACE -Wl,--wrap=qemu_system_reset_request -Wl,--wrap=qht_init)
# The archive needs the functions that replace its own. This is a cycle of two static libraries, so CMake repeats them on the link line.
add_library(unicorn_archive STATIC IMPORTED)
set_target_properties(unicorn_archive PROPERTIES IMPORTED_LOCATION ${P5_UNICORN_BUILT_ARCHIVE}
                      INTERFACE_LINK_LIBRARIES "p5_engine;Threads::Threads;m")
target_link_libraries(p5_engine PRIVATE unicorn_archive)
