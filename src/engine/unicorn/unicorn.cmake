# Links Debian's libunicorn.a (2.0.1.post1) with the functions below replaced by src/engine. The package's shared library cannot be used: its
# stores cost 100 ns each, its paging does not translate, and its functions cannot be replaced.

# Replaced: calls from other object files of the archive go to __wrap_NAME.
set(P5_UNICORN_WRAPPED
  # translation and the run loop
  gen_intermediate_code cpu_exec cpu_loop_exit_noexc cpu_abort
  # memory management
  tlb_flush tlb_flush_page tlb_protect_code tlb_unprotect_code get_page_addr_code
  cpu_ldub_code cpu_lduw_code cpu_ldl_code
  # accesses of translated code
  helper_ret_ldub_mmu helper_le_lduw_mmu helper_le_ldul_mmu helper_le_ldq_mmu
  helper_ret_stb_mmu helper_le_stw_mmu helper_le_stl_mmu helper_le_stq_mmu
  # what is generated for references and x87 instructions
  tcg_gen_qemu_ld_i32 tcg_gen_qemu_ld_i64 tcg_gen_qemu_st_i32 tcg_gen_qemu_st_i64 tcg_gen_callN tcg_gen_op3
  # accesses of helper functions for an instruction
  cpu_ldub_data_ra cpu_ldsw_data_ra cpu_lduw_data_ra cpu_ldl_data_ra cpu_ldq_data_ra
  cpu_stb_data_ra cpu_stw_data_ra cpu_stl_data_ra cpu_stq_data_ra
  # accesses of microcode
  cpu_ldub_mmuidx_ra cpu_lduw_mmuidx_ra cpu_ldl_mmuidx_ra
  cpu_stb_mmuidx_ra cpu_stw_mmuidx_ra cpu_stl_mmuidx_ra
  # instructions that look outside
  helper_rdtsc helper_rdpmc helper_rdmsr helper_wrmsr helper_cpuid helper_write_crN helper_lmsw helper_clts helper_invlpg
  helper_set_dr helper_get_dr helper_hlt helper_inb helper_inw helper_inl helper_outb helper_outw helper_outl
  # segmentation, far transfers, debug traps
  helper_load_seg helper_ltr helper_ljmp_protected helper_lcall_protected helper_lcall_real helper_lret_protected helper_iret_protected
  helper_iret_real helper_write_eflags helper_single_step
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
  helper_fdivr_ST0_FT0 helper_fdivr_STN_ST0 helper_fcom_ST0_FT0 helper_fucom_ST0_FT0 helper_flds_FT0 helper_fldl_FT0
  helper_fildl_FT0 helper_fldz_FT0 helper_fmov_FT0_STN
  helper_fsqrt helper_frndint helper_f2xm1 helper_fsin helper_fcos helper_fscale helper_fprem helper_fprem1 helper_fpatan
  helper_fyl2x helper_fyl2xp1 helper_fptan helper_fsincos helper_fxtract helper_fabs_ST0 helper_fchs_ST0 helper_fxam_ST0
  helper_flds_ST0 helper_fldl_ST0 helper_fildl_ST0 helper_fildll_ST0 helper_fldt_ST0 helper_fbld_ST0 helper_fpush
  helper_fld1_ST0 helper_fldl2t_ST0 helper_fldl2e_ST0 helper_fldpi_ST0 helper_fldlg2_ST0 helper_fldln2_ST0 helper_fldz_ST0
  helper_fmov_ST0_STN helper_fsts_ST0 helper_fstl_ST0 helper_fist_ST0 helper_fistl_ST0 helper_fistll_ST0 helper_fstt_ST0
  helper_fbst_ST0 helper_fmov_STN_ST0 helper_fxchg_ST0_STN helper_fpop
  helper_fldcw helper_fincstp helper_fdecstp helper_ffree_STN helper_fstenv helper_fldenv helper_fsave helper_frstor
  helper_fninit helper_fwait helper_fnstsw helper_fclex helper_enter_mmx helper_emms
  # which use x87 registers themselves
  helper_fistt_ST0 helper_fisttl_ST0 helper_fisttll_ST0 helper_fxsave helper_fxrstor helper_xsave helper_xsaveopt helper_xrstor)
# Called from src/engine.
set(P5_UNICORN_CALLED
  raise_exception_err_ra cpu_loop_exit cpu_x86_update_cr0 cpu_x86_update_cr3
  cpu_x86_update_cr4 cpu_cc_compute_all page_collection_lock page_collection_unlock tb_invalidate_phys_page_fast
  tb_invalidate_phys_range tb_flush cpu_restore_state tcg_func_start tcg_emit_op tcg_op_remove
  tcg_const_i64 tcg_temp_free_internal)

find_library(P5_UNICORN_ARCHIVE NAMES libunicorn.a)
pkg_check_modules(P5_UNICORN unicorn)
if(NOT P5_UNICORN_ARCHIVE OR NOT P5_UNICORN_FOUND)
  message(FATAL_ERROR "libunicorn.a is missing: install libunicorn-dev (2.0.1)")
endif()
if(NOT P5_UNICORN_VERSION MATCHES "^2\\.0\\.1")
  message(FATAL_ERROR "libunicorn is ${P5_UNICORN_VERSION}; p5scope needs exactly 2.0.1 (it replaces internal functions of that version)")
endif()
if(NOT P5_UNICORN_SYMBOLS_CHECKED STREQUAL "${P5_UNICORN_ARCHIVE} ${P5_UNICORN_WRAPPED} ${P5_UNICORN_CALLED}")
  execute_process(COMMAND ${CMAKE_NM} --defined-only --extern-only ${P5_UNICORN_ARCHIVE} OUTPUT_VARIABLE symbols ERROR_QUIET)
  foreach(name IN LISTS P5_UNICORN_WRAPPED P5_UNICORN_CALLED)
    if(NOT symbols MATCHES " T ${name}_x86_64\n")
      message(FATAL_ERROR "${P5_UNICORN_ARCHIVE} lacks ${name}_x86_64: it is not the 2.0.1 that p5scope needs")
    endif()
  endforeach()
  set(P5_UNICORN_SYMBOLS_CHECKED "${P5_UNICORN_ARCHIVE} ${P5_UNICORN_WRAPPED} ${P5_UNICORN_CALLED}" CACHE INTERNAL "")
endif()

list(TRANSFORM P5_UNICORN_WRAPPED REPLACE "(.+)" "-Wl,--wrap=\\1_x86_64" OUTPUT_VARIABLE wraps)
target_link_options(p5_engine INTERFACE ${wraps} -Wl,--wrap=qemu_system_reset_request)
# The archive needs what replaces its functions: a cycle of two static libraries, which CMake repeats on the link line.
add_library(unicorn_archive STATIC IMPORTED)
set_target_properties(unicorn_archive PROPERTIES IMPORTED_LOCATION ${P5_UNICORN_ARCHIVE}
                      INTERFACE_LINK_LIBRARIES "p5_engine;Threads::Threads;m")
target_link_libraries(p5_engine PRIVATE unicorn_archive)
