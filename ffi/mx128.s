	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 5
	.text
	.protected	k                       ; -- Begin function k
	.globl	k
	.p2align	8
	.type	k,@function
k:                                      ; @k
; %bb.0:
	s_mov_b64 s[6:7], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx2 s[42:43], s[6:7], 0x38
	s_load_dword s18, s[6:7], 0xb8
	s_load_dwordx4 s[52:55], s[6:7], 0x158
	s_load_dword s46, s[6:7], 0x170
	s_mov_b32 s20, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s18, 0xff
	s_cbranch_scc0 .LBB0_46
; %bb.1:
	s_load_dwordx4 s[8:11], s[6:7], 0xd8
	s_load_dwordx2 s[4:5], s[6:7], 0x118
	s_load_dwordx4 s[12:15], s[6:7], 0xbc
	s_load_dword s48, s[6:7], 0xcc
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[4:5], 0
	s_cbranch_scc1 .LBB0_3
; %bb.2:
	v_mov_b32_e32 v1, 0
	global_load_dword v1, v1, s[4:5]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s20, v1
.LBB0_3:
	s_cmp_lg_u32 s3, 1
	s_cselect_b64 s[16:17], -1, 0
	s_cmp_eq_u32 s3, 1
	s_cselect_b32 s33, 2, 0
	s_add_i32 s47, s13, s33
	s_mul_i32 s48, s48, s47
	s_cmp_lt_i32 s48, 1
	s_mov_b32 s11, 0
	s_cbranch_scc1 .LBB0_39
; %bb.4:
	v_cvt_f32_u32_e32 v1, s47
	s_bfe_u32 s4, s18, 0x80008
	s_min_i32 s11, s20, s12
	s_cmp_gt_i32 s20, -1
	s_cselect_b32 s49, s11, 0
	v_rcp_iflag_f32_e32 v1, v1
	s_load_dwordx2 s[18:19], s[6:7], 0xf8
	s_load_dword s5, s[6:7], 0xd0
	s_cmp_gt_i32 s49, 0
	s_cselect_b64 s[20:21], -1, 0
	s_min_i32 s50, s49, s12
	s_bitcmp1_b32 s4, 0
	s_cselect_b64 s[22:23], -1, 0
	s_cmp_eq_u32 s3, 2
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	s_cselect_b64 s[24:25], -1, 0
	s_cmp_lg_u32 s3, 2
	v_cvt_u32_f32_e32 v1, v1
	s_cselect_b64 s[26:27], -1, 0
	s_waitcnt lgkmcnt(0)
	s_bitcmp1_b32 s5, 0
	s_cselect_b64 s[28:29], -1, 0
	s_ashr_i32 s51, s15, 31
	s_add_u32 s30, s15, -1
	s_addc_u32 s31, s51, -1
	s_sub_i32 s4, 0, s47
	v_readfirstlane_b32 s5, v1
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_mov_b32 s59, 0
	s_mov_b32 s56, s15
	s_add_i32 s15, s5, s4
	s_mov_b32 s11, 0
	s_mov_b32 s57, 0
	s_branch .LBB0_8
.LBB0_5:                                ;   in Loop: Header=BB0_8 Depth=1
	s_or_b64 exec, exec, s[4:5]
.LBB0_6:                                ;   in Loop: Header=BB0_8 Depth=1
	v_mul_lo_u32 v2, v6, s9
.LBB0_7:                                ;   in Loop: Header=BB0_8 Depth=1
	s_or_b64 exec, exec, s[34:35]
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	v_and_b32_e32 v3, 63, v3
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v4, v3, 2, -4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_ne_u32_e32 vcc, 0, v3
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0xffe0
	v_and_b32_e32 v5, 63, v5
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_lshl_add_u32 v3, v5, 2, -8
	ds_bpermute_b32 v3, v3, v2
	v_cmp_lt_u32_e32 vcc, 1, v5
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v4
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_lshl_add_u32 v4, v3, 2, -16
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 3, v3
	;;#ASMSTART
	;;#ASMEND
	v_readlane_b32 s59, v1, 63
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v5
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 7, v3
	s_movk_i32 s4, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 15, v3
	s_movk_i32 s4, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 31, v3
	s_min_i32 s4, s58, 64
	s_add_i32 s57, s4, s57
	s_cmp_lt_i32 s57, s48
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_add_u32_e32 v2, s11, v2
	s_nop 0
	v_readlane_b32 s11, v2, 63
	s_cbranch_scc0 .LBB0_39
.LBB0_8:                                ; =>This Loop Header: Depth=1
                                        ;     Child Loop BB0_12 Depth 2
	s_mul_hi_u32 s4, s57, s15
	s_mul_i32 s5, s4, s47
	s_sub_i32 s5, s57, s5
	s_add_i32 s34, s4, 1
	s_sub_i32 s35, s5, s47
	s_cmp_ge_u32 s5, s47
	s_cselect_b32 s4, s34, s4
	s_cselect_b32 s5, s35, s5
	s_add_i32 s34, s4, 1
	s_cmp_ge_u32 s5, s47
	s_cselect_b32 s60, s34, s4
	s_mul_i32 s34, s60, s47
	s_cmp_lg_u32 s57, s34
	s_mov_b32 s36, 0
	s_cbranch_scc1 .LBB0_15
; %bb.9:                                ;   in Loop: Header=BB0_8 Depth=1
	s_andn2_b64 vcc, exec, s[20:21]
	s_cbranch_vccnz .LBB0_14
; %bb.10:                               ;   in Loop: Header=BB0_8 Depth=1
	s_mul_i32 s35, s60, s12
	s_and_b64 s[4:5], s[22:23], exec
	s_cselect_b32 s35, s35, 0
	s_mov_b32 s37, 0
	s_branch .LBB0_12
.LBB0_11:                               ;   in Loop: Header=BB0_12 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v4, v0
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, -4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_ne_u32_e32 vcc, 0, v2
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0xffe0
	v_and_b32_e32 v4, 63, v4
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_min_u32_e32 v1, s14, v1
	v_lshl_add_u32 v2, v4, 2, -8
	ds_bpermute_b32 v2, v2, v1
	v_cmp_lt_u32_e32 vcc, 1, v4
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v4, v0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_add_u32_e32 v1, v2, v1
	v_and_b32_e32 v2, 63, v3
	v_min_u32_e32 v1, s14, v1
	v_lshl_add_u32 v3, v2, 2, -16
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 3, v2
	;;#ASMSTART
	;;#ASMEND
	s_sub_i32 s5, s14, s36
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_and_b32_e32 v2, 63, v4
	v_min_u32_e32 v1, s14, v1
	v_lshl_add_u32 v3, v2, 2, s4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 7, v2
	s_movk_i32 s4, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s14, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 15, v2
	s_movk_i32 s4, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s14, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 31, v2
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_min_u32_e32 v1, s14, v1
	s_nop 0
	v_readlane_b32 s4, v1, 63
	s_add_i32 s36, s4, s36
	s_cmp_lt_i32 s4, s5
	s_cselect_b32 s36, s36, s14
	s_add_i32 s37, s37, 64
	s_cmp_lt_i32 s37, s49
	s_cbranch_scc0 .LBB0_14
.LBB0_12:                               ;   Parent Loop BB0_8 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 63, v1
	v_add_u32_e32 v1, s37, v2
	v_cmp_gt_i32_e32 vcc, s50, v1
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB0_11
; %bb.13:                               ;   in Loop: Header=BB0_12 Depth=2
	s_add_i32 s38, s35, s37
	v_add_u32_e32 v2, s38, v2
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[18:19]
	global_load_dword v1, v[2:3], off
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v2, s14, v1
	v_cmp_lt_i32_e32 vcc, -1, v1
	s_nop 1
	v_cndmask_b32_e32 v1, 0, v2, vcc
	s_branch .LBB0_11
.LBB0_14:                               ;   in Loop: Header=BB0_8 Depth=1
	s_and_b64 s[4:5], s[24:25], exec
	s_cselect_b32 s59, s36, 0
.LBB0_15:                               ;   in Loop: Header=BB0_8 Depth=1
	s_sub_i32 s34, s57, s34
	v_mov_b32_e32 v1, v0
	s_sub_i32 s58, s13, s34
	;;#ASMSTART
	;;#ASMEND
	s_add_i32 s58, s58, s33
	v_and_b32_e32 v1, 63, v1
	v_cmp_gt_i32_e32 vcc, s58, v1
	v_mov_b32_e32 v3, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB0_31
; %bb.16:                               ;   in Loop: Header=BB0_8 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_and_b64 vcc, exec, s[26:27]
	v_and_b32_e32 v1, 63, v1
	v_add_u32_e32 v1, s34, v1
	s_cbranch_vccz .LBB0_23
; %bb.17:                               ;   in Loop: Header=BB0_8 Depth=1
	v_cmp_ne_u32_e32 vcc, 0, v1
	s_mov_b64 s[34:35], 0
	v_mov_b32_e32 v3, s36
	s_mov_b64 s[36:37], 0
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[38:39], vcc
	s_cbranch_execz .LBB0_24
; %bb.18:                               ;   in Loop: Header=BB0_8 Depth=1
	v_cmp_ge_i32_e32 vcc, s13, v1
	s_mov_b64 s[40:41], 0
	v_mov_b32_e32 v3, s14
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[36:37], vcc
	s_cbranch_execz .LBB0_22
; %bb.19:                               ;   in Loop: Header=BB0_8 Depth=1
	v_add_u32_e32 v3, s49, v1
	v_cmp_ge_i32_e32 vcc, s12, v3
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[44:45], vcc
	s_xor_b64 s[44:45], exec, s[44:45]
; %bb.20:                               ;   in Loop: Header=BB0_8 Depth=1
	s_mul_i32 s61, s60, s12
	s_add_i32 s61, s61, -1
	s_and_b64 s[62:63], s[22:23], exec
	s_cselect_b32 s61, s61, -1
	s_mov_b64 s[40:41], exec
	v_add_u32_e32 v2, s61, v3
; %bb.21:                               ;   in Loop: Header=BB0_8 Depth=1
	s_or_b64 exec, exec, s[44:45]
	v_mov_b32_e32 v3, 0
	s_and_b64 s[40:41], s[40:41], exec
.LBB0_22:                               ;   in Loop: Header=BB0_8 Depth=1
	s_or_b64 exec, exec, s[36:37]
	s_and_b64 s[36:37], s[40:41], exec
	s_or_b64 exec, exec, s[38:39]
	s_and_b64 vcc, exec, s[34:35]
	s_cbranch_vccnz .LBB0_25
	s_branch .LBB0_28
.LBB0_23:                               ;   in Loop: Header=BB0_8 Depth=1
	s_mov_b64 s[36:37], 0
                                        ; implicit-def: $vgpr3
                                        ; implicit-def: $vgpr2
	s_cbranch_execnz .LBB0_25
	s_branch .LBB0_28
.LBB0_24:                               ;   in Loop: Header=BB0_8 Depth=1
	s_or_b64 exec, exec, s[38:39]
	s_and_b64 vcc, exec, s[34:35]
	s_cbranch_vccz .LBB0_28
.LBB0_25:                               ;   in Loop: Header=BB0_8 Depth=1
	v_add_u32_e32 v1, s49, v1
	v_cmp_gt_i32_e32 vcc, s12, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[34:35], vcc
; %bb.26:                               ;   in Loop: Header=BB0_8 Depth=1
	s_mul_i32 s60, s60, s12
	s_and_b64 s[38:39], s[22:23], exec
	s_cselect_b32 s38, s60, 0
	v_add_u32_e32 v2, s38, v1
	s_or_b64 s[36:37], s[36:37], exec
; %bb.27:                               ;   in Loop: Header=BB0_8 Depth=1
	s_or_b64 exec, exec, s[34:35]
	v_mov_b32_e32 v3, 0
.LBB0_28:                               ;   in Loop: Header=BB0_8 Depth=1
	s_and_saveexec_b64 s[34:35], s[36:37]
	s_cbranch_execz .LBB0_30
; %bb.29:                               ;   in Loop: Header=BB0_8 Depth=1
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[18:19]
	global_load_dword v1, v[2:3], off
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v2, s14, v1
	v_cmp_lt_i32_e32 vcc, -1, v1
	s_nop 1
	v_cndmask_b32_e32 v3, 0, v2, vcc
.LBB0_30:                               ;   in Loop: Header=BB0_8 Depth=1
	s_or_b64 exec, exec, s[34:35]
.LBB0_31:                               ;   in Loop: Header=BB0_8 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_sub_i32 s4, s14, s59
	v_and_b32_e32 v2, 63, v2
	v_min_i32_e32 v1, s4, v3
	v_lshl_add_u32 v3, v2, 2, -4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_ne_u32_e32 vcc, 0, v2
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s5, 0xffe0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_and_b32_e32 v2, 63, v4
	v_min_u32_e32 v1, s4, v1
	v_lshl_add_u32 v3, v2, 2, -8
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 1, v2
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s4, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, -16
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 3, v2
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s4, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s5
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 7, v2
	s_movk_i32 s5, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s4, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s5
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 15, v2
	s_movk_i32 s5, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s4, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s5
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 31, v2
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	v_min_u32_e32 v1, s4, v1
	;;#ASMSTART
	;;#ASMEND
	v_add_u32_e32 v1, s59, v1
	v_and_b32_e32 v3, 63, v2
	v_lshl_add_u32 v2, v3, 2, -4
	ds_bpermute_b32 v4, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 63, v2
	v_cmp_gt_i32_e32 vcc, s58, v2
	v_mov_b32_e32 v2, 0
	s_and_saveexec_b64 s[34:35], vcc
	s_cbranch_execz .LBB0_7
; %bb.32:                               ;   in Loop: Header=BB0_8 Depth=1
	v_mov_b32_e32 v2, s59
	v_cmp_eq_u32_e32 vcc, 0, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, v4, v2, vcc
	s_and_b64 vcc, exec, s[16:17]
	s_cbranch_vccz .LBB0_34
; %bb.33:                               ;   in Loop: Header=BB0_8 Depth=1
	v_cmp_eq_u32_e32 vcc, v1, v2
	v_mov_b32_e32 v3, s8
	s_and_b64 s[4:5], vcc, s[28:29]
	v_cndmask_b32_e64 v6, v3, 0, s[4:5]
	s_cbranch_execnz .LBB0_6
	s_branch .LBB0_35
.LBB0_34:                               ;   in Loop: Header=BB0_8 Depth=1
                                        ; implicit-def: $vgpr6
.LBB0_35:                               ;   in Loop: Header=BB0_8 Depth=1
	v_sub_u32_e32 v2, v1, v2
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], s[30:31], 0, v[2:3]
	v_or_b32_e32 v5, s51, v3
	v_mov_b32_e32 v4, 0
	v_cmp_ne_u64_e32 vcc, 0, v[4:5]
                                        ; implicit-def: $vgpr6_vgpr7
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[36:37], exec, s[4:5]
	s_cbranch_execz .LBB0_37
; %bb.36:                               ;   in Loop: Header=BB0_8 Depth=1
	s_ashr_i32 s38, s51, 31
	s_add_u32 s4, s56, s38
	s_mov_b32 s39, s38
	s_addc_u32 s5, s51, s38
	s_xor_b64 s[40:41], s[4:5], s[38:39]
	v_cvt_f32_u32_e32 v5, s40
	v_cvt_f32_u32_e32 v6, s41
	s_sub_u32 s4, 0, s40
	s_subb_u32 s5, 0, s41
	v_mov_b32_e32 v9, v4
	v_fmamk_f32 v5, v6, 0x4f800000, v5
	v_rcp_f32_e32 v5, v5
	s_mov_b32 s63, 0
	v_mul_f32_e32 v5, 0x5f7ffffc, v5
	v_mul_f32_e32 v6, 0x2f800000, v5
	v_trunc_f32_e32 v6, v6
	v_fmamk_f32 v5, v6, 0xcf800000, v5
	v_cvt_u32_f32_e32 v6, v6
	v_cvt_u32_f32_e32 v5, v5
	v_readfirstlane_b32 s39, v6
	v_readfirstlane_b32 s44, v5
	s_mul_i32 s45, s4, s39
	s_mul_hi_u32 s60, s4, s44
	s_mul_i32 s59, s5, s44
	s_add_i32 s45, s60, s45
	s_add_i32 s45, s45, s59
	s_mul_i32 s61, s4, s44
	s_mul_i32 s60, s44, s45
	s_mul_hi_u32 s62, s44, s61
	s_mul_hi_u32 s59, s44, s45
	s_add_u32 s60, s62, s60
	s_addc_u32 s59, 0, s59
	s_mul_hi_u32 s64, s39, s61
	s_mul_i32 s61, s39, s61
	s_add_u32 s60, s60, s61
	s_mul_hi_u32 s62, s39, s45
	s_addc_u32 s59, s59, s64
	s_addc_u32 s60, s62, 0
	s_mul_i32 s45, s39, s45
	s_add_u32 s45, s59, s45
	s_addc_u32 s59, 0, s60
	s_add_u32 s44, s44, s45
	s_addc_u32 s39, s39, s59
	s_mul_i32 s45, s4, s39
	s_mul_hi_u32 s59, s4, s44
	s_add_i32 s45, s59, s45
	s_mul_i32 s5, s5, s44
	s_add_i32 s45, s45, s5
	s_mul_i32 s4, s4, s44
	s_mul_hi_u32 s59, s39, s4
	s_mul_i32 s60, s39, s4
	s_mul_i32 s62, s44, s45
	s_mul_hi_u32 s4, s44, s4
	s_mul_hi_u32 s61, s44, s45
	s_add_u32 s4, s4, s62
	s_addc_u32 s61, 0, s61
	s_add_u32 s4, s4, s60
	s_mul_hi_u32 s5, s39, s45
	s_addc_u32 s4, s61, s59
	s_addc_u32 s5, s5, 0
	s_mul_i32 s45, s39, s45
	s_add_u32 s4, s4, s45
	v_ashrrev_i32_e32 v6, 31, v3
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v7, v6
	s_add_u32 s44, s44, s4
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[6:7]
	s_addc_u32 s39, s39, s5
	v_xor_b32_e32 v10, v2, v6
	v_xor_b32_e32 v7, v3, v6
	v_mad_u64_u32 v[2:3], s[4:5], v10, s39, 0
	v_mul_hi_u32 v8, v10, s44
	v_lshl_add_u64 v[2:3], v[8:9], 0, v[2:3]
	v_mad_u64_u32 v[8:9], s[4:5], v7, s44, 0
	v_add_co_u32_e32 v2, vcc, v2, v8
	v_mad_u64_u32 v[4:5], s[4:5], v7, s39, 0
	s_nop 0
	v_addc_co_u32_e32 v2, vcc, v3, v9, vcc
	v_mov_b32_e32 v3, s63
	s_nop 0
	v_addc_co_u32_e32 v5, vcc, 0, v5, vcc
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[4:5]
	v_mul_lo_u32 v8, s41, v2
	v_mul_lo_u32 v9, s40, v3
	v_mad_u64_u32 v[4:5], s[4:5], s40, v2, 0
	v_add3_u32 v11, v5, v9, v8
	v_sub_u32_e32 v5, v7, v11
	v_mov_b32_e32 v8, s41
	v_sub_co_u32_e32 v10, vcc, v10, v4
	s_nop 1
	v_subb_co_u32_e64 v4, s[4:5], v5, v8, vcc
	v_subrev_co_u32_e64 v5, s[4:5], s40, v10
	s_nop 1
	v_subbrev_co_u32_e64 v4, s[4:5], 0, v4, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s41, v4
	s_nop 1
	v_cndmask_b32_e64 v8, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s40, v5
	s_nop 1
	v_cndmask_b32_e64 v5, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s41, v4
	s_nop 1
	v_cndmask_b32_e64 v12, v8, v5, s[4:5]
	v_lshl_add_u64 v[4:5], v[2:3], 0, 2
	v_lshl_add_u64 v[8:9], v[2:3], 0, 1
	v_subb_co_u32_e32 v3, vcc, v7, v11, vcc
	v_cmp_le_u32_e32 vcc, s41, v3
	s_nop 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s40, v10
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s41, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v12
	s_nop 1
	v_cndmask_b32_e32 v4, v8, v4, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_xor_b32_e32 v3, s38, v6
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_xor_b32_e32 v2, v2, v3
	v_sub_co_u32_e32 v6, vcc, v2, v3
                                        ; implicit-def: $vgpr2_vgpr3
.LBB0_37:                               ;   in Loop: Header=BB0_8 Depth=1
	s_andn2_saveexec_b64 s[4:5], s[36:37]
	s_cbranch_execz .LBB0_5
; %bb.38:                               ;   in Loop: Header=BB0_8 Depth=1
	v_cvt_f32_u32_e32 v3, s56
	s_sub_i32 s36, 0, s56
	v_rcp_iflag_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v4, s36, v3
	v_mul_hi_u32 v4, v3, v4
	v_add_u32_e32 v3, v3, v4
	v_mul_hi_u32 v3, v2, v3
	v_mul_lo_u32 v4, v3, s56
	v_sub_u32_e32 v2, v2, v4
	v_add_u32_e32 v5, 1, v3
	v_subrev_u32_e32 v4, s56, v2
	v_cmp_le_u32_e32 vcc, s56, v2
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_add_u32_e32 v4, 1, v3
	v_cmp_le_u32_e32 vcc, s56, v2
	s_nop 1
	v_cndmask_b32_e32 v6, v3, v4, vcc
	s_branch .LBB0_5
.LBB0_39:
	s_cmp_eq_u32 s52, 0
	s_cselect_b64 s[8:9], -1, 0
	s_cmp_eq_u32 s11, 0
	s_cselect_b64 s[12:13], -1, 0
	s_or_b64 s[8:9], s[8:9], s[12:13]
	s_mov_b32 s4, 0
	s_and_b64 vcc, exec, s[8:9]
	s_cbranch_vccnz .LBB0_47
; %bb.40:
	s_cmp_lt_i32 s11, s53
	s_mov_b32 s4, s11
	s_cbranch_scc1 .LBB0_42
; %bb.41:
	v_cvt_f32_u32_e32 v1, s53
	s_sub_i32 s4, 0, s53
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s5, v1
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_add_i32 s5, s5, s4
	s_mul_hi_u32 s4, s11, s5
	s_mul_i32 s4, s4, s53
	s_sub_i32 s4, s11, s4
	s_sub_i32 s5, s4, s53
	s_cmp_ge_u32 s4, s53
	s_cselect_b32 s4, s5, s4
	s_sub_i32 s5, s4, s53
	s_cmp_ge_u32 s4, s53
	s_cselect_b32 s4, s5, s4
.LBB0_42:
	s_ashr_i32 s13, s52, 31
	s_mov_b32 s12, s52
	s_mul_i32 s8, s4, s10
	s_mul_hi_i32 s9, s4, s10
	v_mov_b64_e32 v[2:3], s[12:13]
	v_cmp_lt_i64_e32 vcc, s[8:9], v[2:3]
	s_and_b64 s[12:13], vcc, exec
	s_cselect_b32 s8, s8, s52
	s_cmp_eq_u32 s4, 0
	s_cselect_b64 s[12:13], -1, 0
	s_lshl_b32 s9, s4, 1
	s_cmp_gt_i32 s9, s8
	s_cselect_b64 s[14:15], -1, 0
	s_or_b64 s[12:13], s[12:13], s[14:15]
	s_mov_b32 s5, 0
	s_and_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB0_48
; %bb.43:
	s_cmp_lg_u32 s3, 2
	s_cbranch_scc1 .LBB0_45
; %bb.44:
	v_cvt_f32_u32_e32 v1, s4
	s_sub_i32 s3, 0, s4
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s5, v1
	s_mul_i32 s3, s3, s5
	s_mul_hi_u32 s3, s5, s3
	s_add_i32 s5, s5, s3
	s_mul_hi_u32 s3, s8, s5
	s_mul_i32 s3, s3, s4
	s_sub_i32 s3, s8, s3
	s_sub_i32 s5, s3, s4
	s_cmp_ge_u32 s3, s4
	s_cselect_b32 s3, s5, s3
	s_sub_i32 s5, s3, s4
	s_cmp_ge_u32 s3, s4
	s_cselect_b32 s3, s5, s3
	s_sub_i32 s8, s8, s3
.LBB0_45:
	s_sub_i32 s11, s11, s4
	s_mov_b32 s5, s8
	s_branch .LBB0_49
.LBB0_46:
                                        ; implicit-def: $vgpr10
	s_cbranch_execnz .LBB0_50
	s_branch .LBB0_70
.LBB0_47:
	s_mov_b32 s5, 0
	s_branch .LBB0_49
.LBB0_48:
	s_mov_b32 s4, 0
.LBB0_49:
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v2, s11
	v_and_b32_e32 v1, 63, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	v_mov_b32_e32 v3, s4
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cmp_eq_u32_e32 vcc, 1, v1
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_mov_b32_e32 v3, s5
	v_cmp_eq_u32_e32 vcc, 2, v1
	v_add_u32_e32 v1, -3, v1
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_cmp_lt_u32_e32 vcc, 4, v1
	s_nop 1
	v_cndmask_b32_e32 v10, 0, v2, vcc
	s_branch .LBB0_70
.LBB0_50:
	s_load_dwordx2 s[4:5], s[6:7], 0x138
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[4:5], 0
	s_cbranch_scc1 .LBB0_68
; %bb.51:
	v_readfirstlane_b32 s3, v0
	s_cmp_gt_u32 s3, 63
	s_cbranch_scc1 .LBB0_67
; %bb.52:
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx2 s[12:13], s[4:5], 0x138
	s_load_dword s3, s[4:5], 0xa0
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[12:13], 0
	s_cbranch_scc1 .LBB0_64
; %bb.53:
	s_load_dword s17, s[4:5], 0x90
	s_load_dwordx4 s[8:11], s[4:5], 0x120
	s_load_dword s16, s[4:5], 0x148
	s_load_dwordx2 s[6:7], s[4:5], 0x150
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v2, 0
	v_and_b32_e32 v1, 63, v1
	v_cmp_eq_u32_e64 s[4:5], 0, v1
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[14:15], s[4:5]
	s_cbranch_execz .LBB0_55
; %bb.54:
	global_load_dword v1, v2, s[12:13] sc1
.LBB0_55:
	s_or_b64 exec, exec, s[14:15]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s14, v1, 0
	s_cmp_lg_u32 s14, 0
	s_cbranch_scc1 .LBB0_63
; %bb.56:
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_u32_e32 v1, s16
	s_sub_i32 s14, 0, s16
	s_mul_i32 s15, s7, s17
	s_add_i32 s6, s16, s6
	v_rcp_iflag_f32_e32 v1, v1
	s_add_i32 s6, s6, -1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s17, v1
	s_mul_i32 s14, s14, s17
	s_mul_hi_u32 s14, s17, s14
	s_add_i32 s17, s17, s14
	s_mul_hi_u32 s14, s6, s17
	s_mul_i32 s17, s14, s16
	s_sub_i32 s6, s6, s17
	s_add_i32 s18, s14, 1
	s_sub_i32 s17, s6, s16
	s_cmp_ge_u32 s6, s16
	s_cselect_b32 s14, s18, s14
	s_cselect_b32 s6, s17, s6
	s_add_i32 s17, s14, 1
	s_cmp_ge_u32 s6, s16
	s_cselect_b32 s6, s17, s14
	s_cmp_eq_u32 s7, 0
	s_cselect_b32 s14, s6, s15
	s_cmp_lt_i32 s14, 1
	s_mov_b32 s15, 2
	s_cbranch_scc1 .LBB0_60
; %bb.57:
	v_mov_b32_e32 v3, 0
	global_load_dword v1, v3, s[10:11]
	v_and_b32_e32 v4, 63, v2
	s_mov_b32 s10, 0
.LBB0_58:                               ; =>This Inner Loop Header: Depth=1
	v_add_u32_e32 v5, s10, v4
	v_mov_b32_e32 v8, s10
	v_cmp_gt_i32_e32 vcc, s14, v5
	v_add_u32_e32 v9, 64, v5
	v_add_u32_e32 v10, 0x80, v5
	v_cndmask_b32_e32 v2, v8, v5, vcc
	v_cmp_gt_i32_e32 vcc, s14, v9
	v_add_u32_e32 v5, 0xc0, v5
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[8:9]
	v_cndmask_b32_e32 v2, v8, v9, vcc
	v_cmp_gt_i32_e32 vcc, s14, v10
	v_cmp_gt_i32_e64 s[6:7], s14, v5
	global_load_dword v9, v[6:7], off sc0 sc1
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[8:9]
	v_cndmask_b32_e32 v2, v8, v10, vcc
	global_load_dword v10, v[6:7], off sc0 sc1
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[8:9]
	v_cndmask_b32_e64 v2, v8, v5, s[6:7]
	global_load_dword v5, v[6:7], off sc0 sc1
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[8:9]
	global_load_dword v2, v[6:7], off sc0 sc1
	s_waitcnt vmcnt(3)
	v_cmp_ne_u32_e32 vcc, v9, v1
	s_waitcnt vmcnt(2)
	v_cmp_ne_u32_e64 s[6:7], v10, v1
	s_or_b64 s[6:7], vcc, s[6:7]
	s_waitcnt vmcnt(1)
	v_cmp_ne_u32_e32 vcc, v5, v1
	s_or_b64 s[6:7], s[6:7], vcc
	s_waitcnt vmcnt(0)
	v_cmp_ne_u32_e32 vcc, v2, v1
	s_or_b64 s[6:7], s[6:7], vcc
	v_cndmask_b32_e64 v2, 0, 1, s[6:7]
	v_cmp_ne_u32_e32 vcc, 0, v2
	s_cmp_eq_u64 vcc, 0
	s_cselect_b64 s[6:7], -1, 0
	s_addk_i32 s10, 0x100
	s_cmp_lt_i32 s10, s14
	s_cselect_b64 s[18:19], -1, 0
	s_and_b64 s[18:19], s[6:7], s[18:19]
	s_and_b64 vcc, exec, s[18:19]
	s_cbranch_vccnz .LBB0_58
; %bb.59:
	s_and_b64 s[6:7], s[6:7], exec
	s_cselect_b32 s15, 2, 1
.LBB0_60:
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB0_62
; %bb.61:
	v_mov_b32_e32 v2, s15
	global_atomic_cmpswap v1, v3, v[2:3], s[12:13] sc0
.LBB0_62:
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v1, 0
	s_cmp_eq_u32 s4, 0
	s_cselect_b32 s14, s15, s4
.LBB0_63:
	s_cmp_eq_u32 s14, 2
	s_waitcnt lgkmcnt(0)
	s_cselect_b32 s3, s3, s16
.LBB0_64:
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v1, 63, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[4:5], vcc
; %bb.65:
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, s3
	ds_write_b32 v1, v2
; %bb.66:
	s_or_b64 exec, exec, s[4:5]
.LBB0_67:
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v1
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s3, v1
	s_branch .LBB0_69
.LBB0_68:
	s_load_dword s3, s[6:7], 0xa0
.LBB0_69:
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v10, s3
.LBB0_70:
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dword s3, s[4:5], 0xb8
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s3, 0xff
	s_cbranch_scc0 .LBB0_76
; %bb.71:
	s_and_b32 s3, 0xffff, s3
	s_cmp_lg_u32 s3, 2
	s_cselect_b64 s[6:7], -1, 0
	v_cndmask_b32_e64 v1, 0, 1, s[6:7]
	v_readlane_b32 s9, v10, 2
	v_readfirstlane_b32 s3, v1
	v_readlane_b32 s8, v10, 0
	s_lshl_b32 s3, s9, s3
	s_add_i32 s3, s3, s8
	s_cbranch_execnz .LBB0_73
.LBB0_72:
	s_load_dword s3, s[4:5], 0xa8
	s_load_dword s6, s[4:5], 0xb0
	s_waitcnt lgkmcnt(0)
	s_lshl1_add_u32 s3, s6, s3
.LBB0_73:
	s_cmp_lt_i32 s54, 1
	s_cselect_b64 s[6:7], -1, 0
	s_cmp_gt_i32 s54, 0
	s_mov_b32 s33, 0
	s_cselect_b64 s[56:57], -1, 0
	s_and_b64 vcc, exec, s[6:7]
	s_cbranch_vccnz .LBB0_79
; %bb.74:
	v_cvt_f32_u32_e32 v1, s55
	s_sub_i32 s4, 0, s55
	s_getreg_b32 s5, hwreg(HW_REG_XCC_ID, 0, 4)
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s8, v1
	s_mul_i32 s4, s4, s8
	s_mul_hi_u32 s4, s8, s4
	s_add_i32 s4, s8, s4
	s_mul_hi_u32 s8, s5, s4
	s_mul_i32 s8, s8, s55
	s_sub_i32 s5, s5, s8
	s_sub_i32 s8, s5, s55
	s_cmp_ge_u32 s5, s55
	s_cselect_b32 s5, s8, s5
	s_sub_i32 s8, s5, s55
	s_cmp_ge_u32 s5, s55
	s_cselect_b32 s8, s8, s5
	s_cmp_le_u32 s55, s54
	s_cbranch_scc0 .LBB0_77
; %bb.75:
	s_mul_hi_u32 s5, s54, s4
	s_mul_i32 s9, s5, s55
	s_sub_i32 s9, s54, s9
	s_add_i32 s10, s5, 1
	s_sub_i32 s11, s9, s55
	s_cmp_ge_u32 s9, s55
	s_cselect_b32 s5, s10, s5
	s_cselect_b32 s9, s11, s9
	s_add_i32 s10, s5, 1
	s_cmp_ge_u32 s9, s55
	s_cselect_b32 s5, s10, s5
	v_cvt_f32_u32_e32 v1, s5
	s_mul_hi_u32 s4, s2, s4
	s_mul_i32 s10, s4, s55
	s_sub_i32 s10, s2, s10
	v_rcp_iflag_f32_e32 v1, v1
	s_add_i32 s11, s4, 1
	s_sub_i32 s12, s10, s55
	s_cmp_ge_u32 s10, s55
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_cselect_b32 s4, s11, s4
	s_cselect_b32 s10, s12, s10
	s_add_i32 s11, s4, 1
	s_cmp_ge_u32 s10, s55
	s_cselect_b32 s4, s11, s4
	s_sub_i32 s10, 0, s5
	v_readfirstlane_b32 s11, v1
	s_mul_i32 s10, s10, s11
	s_mul_hi_u32 s10, s11, s10
	s_add_i32 s11, s11, s10
	s_mul_hi_u32 s10, s4, s11
	s_mul_i32 s10, s10, s5
	s_sub_i32 s4, s4, s10
	s_sub_i32 s10, s4, s5
	s_cmp_ge_u32 s4, s5
	s_cselect_b32 s4, s10, s4
	s_sub_i32 s10, s4, s5
	s_cmp_ge_u32 s4, s5
	s_mul_i32 s9, s5, s8
	s_cselect_b32 s4, s10, s4
	s_add_i32 s33, s4, s9
	s_cbranch_execz .LBB0_78
	s_branch .LBB0_79
.LBB0_76:
                                        ; implicit-def: $sgpr3
	s_branch .LBB0_72
.LBB0_77:
                                        ; implicit-def: $sgpr33
.LBB0_78:
	v_cvt_f32_u32_e32 v1, s54
	s_sub_i32 s4, 0, s54
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s5, v1
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_add_i32 s5, s5, s4
	s_mul_hi_u32 s4, s8, s5
	s_mul_i32 s4, s4, s54
	s_sub_i32 s4, s8, s4
	s_sub_i32 s5, s4, s54
	s_cmp_ge_u32 s4, s54
	s_cselect_b32 s4, s5, s4
	s_sub_i32 s5, s4, s54
	s_cmp_ge_u32 s4, s54
	s_cselect_b32 s33, s5, s4
.LBB0_79:
	s_andn2_b64 vcc, exec, s[56:57]
	v_mov_b32_e32 v11, 0
	s_cbranch_vccnz .LBB0_85
; %bb.80:
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v11, 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB0_84
; %bb.81:
	s_mov_b64 s[10:11], exec
	v_mbcnt_lo_u32_b32 v1, s10, 0
	v_mbcnt_hi_u32_b32 v1, s11, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB0_83
; %bb.82:
	s_cmp_ge_i32 s33, s54
	s_cselect_b32 s12, s54, 0
	s_sub_i32 s12, s33, s12
	s_lshl_b32 s12, s12, 6
	s_ashr_i32 s13, s12, 31
	s_lshl_b64 s[12:13], s[12:13], 2
	s_add_u32 s12, s42, s12
	s_addc_u32 s13, s43, s13
	s_bcnt1_i32_b64 s10, s[10:11]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s10
	global_atomic_add v2, v2, v3, s[12:13] sc0
.LBB0_83:
	s_or_b64 exec, exec, s[8:9]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s8, v2
	s_nop 1
	v_add_u32_e32 v11, s8, v1
.LBB0_84:
	s_or_b64 exec, exec, s[4:5]
.LBB0_85:
	s_and_b64 vcc, exec, s[56:57]
	s_cbranch_vccz .LBB0_117
; %bb.86:
	v_mov_b32_e32 v1, v0
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v124, 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	v_mov_b32_e32 v1, v11
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB0_119
; %bb.87:
	s_add_i32 s34, s33, 1
	s_mov_b64 s[10:11], 0
	v_mov_b32_e32 v124, 0
	v_mov_b32_e32 v1, v11
                                        ; implicit-def: $sgpr12_sgpr13
                                        ; implicit-def: $vgpr12
	s_branch .LBB0_90
.LBB0_88:                               ;   in Loop: Header=BB0_90 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_cmp_lt_i32_e32 vcc, v1, v14
	s_andn2_b64 s[4:5], s[12:13], exec
	s_and_b64 s[12:13], vcc, exec
	s_or_b64 s[12:13], s[4:5], s[12:13]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v7
.LBB0_89:                               ;   in Loop: Header=BB0_90 Depth=1
	s_or_b64 exec, exec, s[14:15]
	s_and_b64 s[4:5], exec, s[12:13]
	s_or_b64 s[10:11], s[4:5], s[10:11]
	v_mov_b32_e32 v12, v6
	s_andn2_b64 exec, exec, s[10:11]
	s_cbranch_execz .LBB0_118
.LBB0_90:                               ; =>This Loop Header: Depth=1
                                        ;     Child Loop BB0_103 Depth 2
	v_cmp_gt_i32_e32 vcc, s54, v124
	v_mov_b32_e32 v6, -1
	s_or_b64 s[12:13], s[12:13], exec
	s_and_saveexec_b64 s[14:15], vcc
	s_cbranch_execz .LBB0_89
; %bb.91:                               ;   in Loop: Header=BB0_90 Depth=1
	v_add_u32_e32 v2, s33, v124
	v_mov_b32_e32 v3, s54
	v_cmp_le_i32_e32 vcc, s54, v2
	v_mov_b32_e32 v6, 0
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_sub_u32_e32 v8, v2, v3
	v_mad_i64_i32 v[4:5], s[4:5], v8, s3, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr2_vgpr3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[16:17], exec, s[4:5]
	s_cbranch_execz .LBB0_93
; %bb.92:                               ;   in Loop: Header=BB0_90 Depth=1
	s_add_u32 s4, s54, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[18:19], s[4:5], 0
	v_cvt_f32_u32_e32 v2, s18
	v_cvt_f32_u32_e32 v3, s19
	s_sub_u32 s4, 0, s18
	s_subb_u32 s5, 0, s19
	v_mov_b32_e32 v15, v6
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_mov_b32 s20, 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s21, v3
	v_readfirstlane_b32 s22, v2
	s_mul_i32 s23, s4, s21
	s_mul_hi_u32 s25, s4, s22
	s_mul_i32 s24, s5, s22
	s_add_i32 s23, s25, s23
	s_add_i32 s23, s23, s24
	s_mul_i32 s26, s4, s22
	s_mul_i32 s25, s22, s23
	s_mul_hi_u32 s27, s22, s26
	s_mul_hi_u32 s24, s22, s23
	s_add_u32 s25, s27, s25
	s_addc_u32 s24, 0, s24
	s_mul_hi_u32 s28, s21, s26
	s_mul_i32 s26, s21, s26
	s_add_u32 s25, s25, s26
	s_mul_hi_u32 s27, s21, s23
	s_addc_u32 s24, s24, s28
	s_addc_u32 s25, s27, 0
	s_mul_i32 s23, s21, s23
	s_add_u32 s23, s24, s23
	s_addc_u32 s24, 0, s25
	s_add_u32 s22, s22, s23
	s_addc_u32 s21, s21, s24
	s_mul_i32 s23, s4, s21
	s_mul_hi_u32 s24, s4, s22
	s_add_i32 s23, s24, s23
	s_mul_i32 s5, s5, s22
	s_add_i32 s23, s23, s5
	s_mul_i32 s4, s4, s22
	s_mul_hi_u32 s24, s21, s4
	s_mul_i32 s25, s21, s4
	s_mul_i32 s27, s22, s23
	s_mul_hi_u32 s4, s22, s4
	s_mul_hi_u32 s26, s22, s23
	s_add_u32 s4, s4, s27
	s_addc_u32 s26, 0, s26
	s_add_u32 s4, s4, s25
	s_mul_hi_u32 s5, s21, s23
	s_addc_u32 s4, s26, s24
	s_addc_u32 s5, s5, 0
	s_mul_i32 s23, s21, s23
	s_add_u32 s4, s4, s23
	v_ashrrev_i32_e32 v2, 31, v5
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v3, v2
	s_add_u32 s22, s22, s4
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[2:3]
	s_addc_u32 s21, s21, s5
	v_xor_b32_e32 v9, v4, v2
	v_xor_b32_e32 v3, v5, v2
	v_mad_u64_u32 v[4:5], s[4:5], v9, s21, 0
	v_mul_hi_u32 v14, v9, s22
	v_lshl_add_u64 v[4:5], v[14:15], 0, v[4:5]
	v_mad_u64_u32 v[14:15], s[4:5], v3, s22, 0
	v_add_co_u32_e32 v4, vcc, v4, v14
	v_mad_u64_u32 v[6:7], s[4:5], v3, s21, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v15, vcc
	v_mov_b32_e32 v5, s20
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v13, s19, v4
	v_mul_lo_u32 v14, s18, v5
	v_mad_u64_u32 v[6:7], s[4:5], s18, v4, 0
	v_add3_u32 v13, v7, v14, v13
	v_sub_u32_e32 v7, v3, v13
	v_mov_b32_e32 v14, s19
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v14, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s18, v9
	v_subb_co_u32_e32 v3, vcc, v3, v13, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s19, v6
	v_cmp_le_u32_e32 vcc, s19, v3
	s_nop 0
	v_cndmask_b32_e64 v14, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s18, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s19, v6
	s_nop 1
	v_cndmask_b32_e64 v16, v14, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[14:15], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s18, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s19, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v16
	s_nop 1
	v_cndmask_b32_e32 v5, v14, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v2
	v_sub_co_u32_e32 v2, vcc, v3, v2
                                        ; implicit-def: $vgpr4_vgpr5
.LBB0_93:                               ;   in Loop: Header=BB0_90 Depth=1
	s_or_saveexec_b64 s[4:5], s[16:17]
	v_cvt_f32_u32_e32 v13, s54
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB0_95
; %bb.94:                               ;   in Loop: Header=BB0_90 Depth=1
	v_rcp_iflag_f32_e32 v2, v13
	s_sub_i32 s16, 0, s54
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s16, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, v4, v2
	v_mul_lo_u32 v3, v2, s54
	v_sub_u32_e32 v3, v4, v3
	v_add_u32_e32 v5, 1, v2
	v_subrev_u32_e32 v4, s54, v3
	v_cmp_le_u32_e32 vcc, s54, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s54, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
.LBB0_95:                               ;   in Loop: Header=BB0_90 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v3, 1, v8
	v_mad_i64_i32 v[4:5], s[4:5], v3, s3, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr8_vgpr9
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[16:17], exec, s[4:5]
	s_cbranch_execz .LBB0_97
; %bb.96:                               ;   in Loop: Header=BB0_90 Depth=1
	s_add_u32 s4, s54, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[18:19], s[4:5], 0
	v_cvt_f32_u32_e32 v3, s18
	v_cvt_f32_u32_e32 v7, s19
	s_sub_u32 s4, 0, s18
	s_subb_u32 s5, 0, s19
	v_ashrrev_i32_e32 v8, 31, v5
	v_fmamk_f32 v3, v7, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	v_mov_b32_e32 v9, v8
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[8:9]
	v_xor_b32_e32 v9, v4, v8
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v7, 0x2f800000, v3
	v_trunc_f32_e32 v7, v7
	v_fmamk_f32 v3, v7, 0xcf800000, v3
	v_cvt_u32_f32_e32 v7, v7
	v_cvt_u32_f32_e32 v3, v3
	v_mov_b32_e32 v15, v6
	s_mov_b32 s20, 0
	v_readfirstlane_b32 s21, v7
	v_readfirstlane_b32 s22, v3
	s_mul_i32 s23, s4, s21
	s_mul_hi_u32 s25, s4, s22
	s_mul_i32 s24, s5, s22
	s_add_i32 s23, s25, s23
	s_add_i32 s23, s23, s24
	s_mul_i32 s26, s4, s22
	s_mul_i32 s25, s22, s23
	s_mul_hi_u32 s27, s22, s26
	s_mul_hi_u32 s24, s22, s23
	s_add_u32 s25, s27, s25
	s_addc_u32 s24, 0, s24
	s_mul_hi_u32 s28, s21, s26
	s_mul_i32 s26, s21, s26
	s_add_u32 s25, s25, s26
	s_mul_hi_u32 s27, s21, s23
	s_addc_u32 s24, s24, s28
	s_addc_u32 s25, s27, 0
	s_mul_i32 s23, s21, s23
	s_add_u32 s23, s24, s23
	s_addc_u32 s24, 0, s25
	s_add_u32 s22, s22, s23
	s_addc_u32 s21, s21, s24
	s_mul_i32 s23, s4, s21
	s_mul_hi_u32 s24, s4, s22
	s_add_i32 s23, s24, s23
	s_mul_i32 s5, s5, s22
	s_add_i32 s23, s23, s5
	s_mul_i32 s4, s4, s22
	s_mul_hi_u32 s24, s21, s4
	s_mul_i32 s25, s21, s4
	s_mul_i32 s27, s22, s23
	s_mul_hi_u32 s4, s22, s4
	s_mul_hi_u32 s26, s22, s23
	s_add_u32 s4, s4, s27
	s_addc_u32 s26, 0, s26
	s_add_u32 s4, s4, s25
	s_mul_hi_u32 s5, s21, s23
	s_addc_u32 s4, s26, s24
	s_addc_u32 s5, s5, 0
	s_mul_i32 s23, s21, s23
	s_add_u32 s4, s4, s23
	s_addc_u32 s5, 0, s5
	s_add_u32 s22, s22, s4
	s_addc_u32 s21, s21, s5
	v_xor_b32_e32 v3, v5, v8
	v_mad_u64_u32 v[4:5], s[4:5], v9, s21, 0
	v_mul_hi_u32 v14, v9, s22
	v_lshl_add_u64 v[4:5], v[14:15], 0, v[4:5]
	v_mad_u64_u32 v[14:15], s[4:5], v3, s22, 0
	v_add_co_u32_e32 v4, vcc, v4, v14
	v_mad_u64_u32 v[6:7], s[4:5], v3, s21, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v15, vcc
	v_mov_b32_e32 v5, s20
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v14, s19, v4
	v_mul_lo_u32 v15, s18, v5
	v_mad_u64_u32 v[6:7], s[4:5], s18, v4, 0
	v_add3_u32 v16, v7, v15, v14
	v_sub_u32_e32 v7, v3, v16
	v_mov_b32_e32 v14, s19
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v14, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s18, v9
	v_subb_co_u32_e32 v3, vcc, v3, v16, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s19, v6
	v_cmp_le_u32_e32 vcc, s19, v3
	s_nop 0
	v_cndmask_b32_e64 v14, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s18, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s19, v6
	s_nop 1
	v_cndmask_b32_e64 v17, v14, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[14:15], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s18, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s19, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v17
	s_nop 1
	v_cndmask_b32_e32 v5, v14, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v8, vcc, v3, v8
                                        ; implicit-def: $vgpr4_vgpr5
.LBB0_97:                               ;   in Loop: Header=BB0_90 Depth=1
	s_andn2_saveexec_b64 s[4:5], s[16:17]
	s_cbranch_execz .LBB0_99
; %bb.98:                               ;   in Loop: Header=BB0_90 Depth=1
	v_rcp_iflag_f32_e32 v3, v13
	s_sub_i32 s16, 0, s54
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v5, s16, v3
	v_mul_hi_u32 v5, v3, v5
	v_add_u32_e32 v3, v3, v5
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v5, v3, s54
	v_sub_u32_e32 v4, v4, v5
	v_add_u32_e32 v6, 1, v3
	v_subrev_u32_e32 v5, s54, v4
	v_cmp_le_u32_e32 vcc, s54, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s54, v4
	s_nop 1
	v_cndmask_b32_e32 v8, v3, v5, vcc
.LBB0_99:                               ;   in Loop: Header=BB0_90 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_sub_u32_e32 v14, v8, v2
	v_cmp_ge_i32_e32 vcc, v1, v14
                                        ; implicit-def: $vgpr6
                                        ; implicit-def: $vgpr7
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[16:17], exec, s[4:5]
	s_cbranch_execz .LBB0_115
; %bb.100:                              ;   in Loop: Header=BB0_90 Depth=1
	v_add_u32_e32 v2, 1, v124
	v_add_lshl_u32 v16, s34, v124, 6
	s_mov_b64 s[18:19], 0
                                        ; implicit-def: $sgpr20_sgpr21
                                        ; implicit-def: $sgpr24_sgpr25
                                        ; implicit-def: $sgpr22_sgpr23
	s_branch .LBB0_103
.LBB0_101:                              ;   in Loop: Header=BB0_103 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_lshlrev_b32_e32 v3, 6, v17
	v_sub_u32_e32 v4, v16, v3
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[4:5], v[4:5], 2, s[42:43]
	global_load_dword v3, v[4:5], off sc1
	v_sub_u32_e32 v6, v2, v8
	s_andn2_b64 s[4:5], s[24:25], exec
	v_add_u32_e32 v2, 1, v15
	s_andn2_b64 s[22:23], s[22:23], exec
	v_add_u32_e32 v16, 64, v16
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, v3, v6
	s_and_b64 s[24:25], vcc, exec
	s_or_b64 s[24:25], s[4:5], s[24:25]
.LBB0_102:                              ;   in Loop: Header=BB0_103 Depth=2
	s_or_b64 exec, exec, s[26:27]
	s_and_b64 s[4:5], exec, s[24:25]
	s_or_b64 s[18:19], s[4:5], s[18:19]
	s_andn2_b64 s[4:5], s[20:21], exec
	s_and_b64 s[20:21], s[22:23], exec
	s_or_b64 s[20:21], s[4:5], s[20:21]
	s_andn2_b64 exec, exec, s[18:19]
	s_cbranch_execz .LBB0_112
.LBB0_103:                              ;   Parent Loop BB0_90 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	v_mov_b32_e32 v15, v2
	v_cmp_gt_i32_e32 vcc, s54, v15
	s_or_b64 s[22:23], s[22:23], exec
	s_or_b64 s[24:25], s[24:25], exec
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr4_vgpr5
	s_and_saveexec_b64 s[26:27], vcc
	s_cbranch_execz .LBB0_102
; %bb.104:                              ;   in Loop: Header=BB0_103 Depth=2
	v_add_u32_e32 v2, s33, v15
	v_mov_b32_e32 v3, s54
	v_cmp_le_i32_e32 vcc, s54, v2
	v_mov_b32_e32 v6, 0
	s_nop 0
	v_cndmask_b32_e32 v17, 0, v3, vcc
	v_sub_u32_e32 v8, v2, v17
	v_add_u32_e32 v2, 1, v8
	v_mad_i64_i32 v[4:5], s[4:5], v2, s3, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr2_vgpr3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[28:29], exec, s[4:5]
	s_cbranch_execz .LBB0_106
; %bb.105:                              ;   in Loop: Header=BB0_103 Depth=2
	s_add_u32 s4, s54, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[30:31], s[4:5], 0
	v_cvt_f32_u32_e32 v2, s30
	v_cvt_f32_u32_e32 v3, s31
	s_sub_u32 s4, 0, s30
	s_subb_u32 s5, 0, s31
	v_mov_b32_e32 v19, v6
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_mov_b32 s35, 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s36, v3
	v_readfirstlane_b32 s37, v2
	s_mul_i32 s38, s4, s36
	s_mul_hi_u32 s40, s4, s37
	s_mul_i32 s39, s5, s37
	s_add_i32 s38, s40, s38
	s_add_i32 s38, s38, s39
	s_mul_i32 s41, s4, s37
	s_mul_i32 s40, s37, s38
	s_mul_hi_u32 s44, s37, s41
	s_mul_hi_u32 s39, s37, s38
	s_add_u32 s40, s44, s40
	s_addc_u32 s39, 0, s39
	s_mul_hi_u32 s45, s36, s41
	s_mul_i32 s41, s36, s41
	s_add_u32 s40, s40, s41
	s_mul_hi_u32 s44, s36, s38
	s_addc_u32 s39, s39, s45
	s_addc_u32 s40, s44, 0
	s_mul_i32 s38, s36, s38
	s_add_u32 s38, s39, s38
	s_addc_u32 s39, 0, s40
	s_add_u32 s37, s37, s38
	s_addc_u32 s36, s36, s39
	s_mul_i32 s38, s4, s36
	s_mul_hi_u32 s39, s4, s37
	s_add_i32 s38, s39, s38
	s_mul_i32 s5, s5, s37
	s_add_i32 s38, s38, s5
	s_mul_i32 s4, s4, s37
	s_mul_hi_u32 s39, s36, s4
	s_mul_i32 s40, s36, s4
	s_mul_i32 s44, s37, s38
	s_mul_hi_u32 s4, s37, s4
	s_mul_hi_u32 s41, s37, s38
	s_add_u32 s4, s4, s44
	s_addc_u32 s41, 0, s41
	s_add_u32 s4, s4, s40
	s_mul_hi_u32 s5, s36, s38
	s_addc_u32 s4, s41, s39
	s_addc_u32 s5, s5, 0
	s_mul_i32 s38, s36, s38
	s_add_u32 s4, s4, s38
	v_ashrrev_i32_e32 v2, 31, v5
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v3, v2
	s_add_u32 s37, s37, s4
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[2:3]
	s_addc_u32 s36, s36, s5
	v_xor_b32_e32 v9, v4, v2
	v_xor_b32_e32 v3, v5, v2
	v_mad_u64_u32 v[4:5], s[4:5], v9, s36, 0
	v_mul_hi_u32 v18, v9, s37
	v_lshl_add_u64 v[4:5], v[18:19], 0, v[4:5]
	v_mad_u64_u32 v[18:19], s[4:5], v3, s37, 0
	v_add_co_u32_e32 v4, vcc, v4, v18
	v_mad_u64_u32 v[6:7], s[4:5], v3, s36, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v19, vcc
	v_mov_b32_e32 v5, s35
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v18, s31, v4
	v_mul_lo_u32 v19, s30, v5
	v_mad_u64_u32 v[6:7], s[4:5], s30, v4, 0
	v_add3_u32 v20, v7, v19, v18
	v_sub_u32_e32 v7, v3, v20
	v_mov_b32_e32 v18, s31
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v18, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s30, v9
	v_subb_co_u32_e32 v3, vcc, v3, v20, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s31, v6
	v_cmp_le_u32_e32 vcc, s31, v3
	s_nop 0
	v_cndmask_b32_e64 v18, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s30, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s31, v6
	s_nop 1
	v_cndmask_b32_e64 v21, v18, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[18:19], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s30, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s31, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v21
	s_nop 1
	v_cndmask_b32_e32 v5, v18, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v2
	v_sub_co_u32_e32 v2, vcc, v3, v2
                                        ; implicit-def: $vgpr4_vgpr5
.LBB0_106:                              ;   in Loop: Header=BB0_103 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[28:29]
	s_cbranch_execz .LBB0_108
; %bb.107:                              ;   in Loop: Header=BB0_103 Depth=2
	v_rcp_iflag_f32_e32 v2, v13
	s_sub_i32 s28, 0, s54
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s28, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, v4, v2
	v_mul_lo_u32 v3, v2, s54
	v_sub_u32_e32 v3, v4, v3
	v_add_u32_e32 v5, 1, v2
	v_subrev_u32_e32 v4, s54, v3
	v_cmp_le_u32_e32 vcc, s54, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s54, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
.LBB0_108:                              ;   in Loop: Header=BB0_103 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_mad_i64_i32 v[4:5], s[4:5], v8, s3, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr8_vgpr9
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[28:29], exec, s[4:5]
	s_cbranch_execz .LBB0_110
; %bb.109:                              ;   in Loop: Header=BB0_103 Depth=2
	s_add_u32 s4, s54, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[30:31], s[4:5], 0
	v_cvt_f32_u32_e32 v3, s30
	v_cvt_f32_u32_e32 v7, s31
	s_sub_u32 s4, 0, s30
	s_subb_u32 s5, 0, s31
	v_ashrrev_i32_e32 v8, 31, v5
	v_fmamk_f32 v3, v7, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	v_mov_b32_e32 v9, v8
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[8:9]
	v_xor_b32_e32 v9, v4, v8
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v7, 0x2f800000, v3
	v_trunc_f32_e32 v7, v7
	v_fmamk_f32 v3, v7, 0xcf800000, v3
	v_cvt_u32_f32_e32 v7, v7
	v_cvt_u32_f32_e32 v3, v3
	v_mov_b32_e32 v19, v6
	s_mov_b32 s35, 0
	v_readfirstlane_b32 s36, v7
	v_readfirstlane_b32 s37, v3
	s_mul_i32 s38, s4, s36
	s_mul_hi_u32 s40, s4, s37
	s_mul_i32 s39, s5, s37
	s_add_i32 s38, s40, s38
	s_add_i32 s38, s38, s39
	s_mul_i32 s41, s4, s37
	s_mul_i32 s40, s37, s38
	s_mul_hi_u32 s44, s37, s41
	s_mul_hi_u32 s39, s37, s38
	s_add_u32 s40, s44, s40
	s_addc_u32 s39, 0, s39
	s_mul_hi_u32 s45, s36, s41
	s_mul_i32 s41, s36, s41
	s_add_u32 s40, s40, s41
	s_mul_hi_u32 s44, s36, s38
	s_addc_u32 s39, s39, s45
	s_addc_u32 s40, s44, 0
	s_mul_i32 s38, s36, s38
	s_add_u32 s38, s39, s38
	s_addc_u32 s39, 0, s40
	s_add_u32 s37, s37, s38
	s_addc_u32 s36, s36, s39
	s_mul_i32 s38, s4, s36
	s_mul_hi_u32 s39, s4, s37
	s_add_i32 s38, s39, s38
	s_mul_i32 s5, s5, s37
	s_add_i32 s38, s38, s5
	s_mul_i32 s4, s4, s37
	s_mul_hi_u32 s39, s36, s4
	s_mul_i32 s40, s36, s4
	s_mul_i32 s44, s37, s38
	s_mul_hi_u32 s4, s37, s4
	s_mul_hi_u32 s41, s37, s38
	s_add_u32 s4, s4, s44
	s_addc_u32 s41, 0, s41
	s_add_u32 s4, s4, s40
	s_mul_hi_u32 s5, s36, s38
	s_addc_u32 s4, s41, s39
	s_addc_u32 s5, s5, 0
	s_mul_i32 s38, s36, s38
	s_add_u32 s4, s4, s38
	s_addc_u32 s5, 0, s5
	s_add_u32 s37, s37, s4
	s_addc_u32 s36, s36, s5
	v_xor_b32_e32 v3, v5, v8
	v_mad_u64_u32 v[4:5], s[4:5], v9, s36, 0
	v_mul_hi_u32 v18, v9, s37
	v_lshl_add_u64 v[4:5], v[18:19], 0, v[4:5]
	v_mad_u64_u32 v[18:19], s[4:5], v3, s37, 0
	v_add_co_u32_e32 v4, vcc, v4, v18
	v_mad_u64_u32 v[6:7], s[4:5], v3, s36, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v19, vcc
	v_mov_b32_e32 v5, s35
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v18, s31, v4
	v_mul_lo_u32 v19, s30, v5
	v_mad_u64_u32 v[6:7], s[4:5], s30, v4, 0
	v_add3_u32 v20, v7, v19, v18
	v_sub_u32_e32 v7, v3, v20
	v_mov_b32_e32 v18, s31
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v18, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s30, v9
	v_subb_co_u32_e32 v3, vcc, v3, v20, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s31, v6
	v_cmp_le_u32_e32 vcc, s31, v3
	s_nop 0
	v_cndmask_b32_e64 v18, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s30, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s31, v6
	s_nop 1
	v_cndmask_b32_e64 v21, v18, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[18:19], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s30, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s31, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v21
	s_nop 1
	v_cndmask_b32_e32 v5, v18, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v8, vcc, v3, v8
                                        ; implicit-def: $vgpr4_vgpr5
.LBB0_110:                              ;   in Loop: Header=BB0_103 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[28:29]
	s_cbranch_execz .LBB0_101
; %bb.111:                              ;   in Loop: Header=BB0_103 Depth=2
	v_rcp_iflag_f32_e32 v3, v13
	s_sub_i32 s28, 0, s54
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v5, s28, v3
	v_mul_hi_u32 v5, v3, v5
	v_add_u32_e32 v3, v3, v5
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v5, v3, s54
	v_sub_u32_e32 v4, v4, v5
	v_add_u32_e32 v6, 1, v3
	v_subrev_u32_e32 v5, s54, v4
	v_cmp_le_u32_e32 vcc, s54, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s54, v4
	s_nop 1
	v_cndmask_b32_e32 v8, v3, v5, vcc
	s_branch .LBB0_101
.LBB0_112:                              ;   in Loop: Header=BB0_90 Depth=1
	s_or_b64 exec, exec, s[18:19]
	s_xor_b64 s[4:5], s[20:21], -1
	v_mov_b32_e32 v124, s54
	v_mov_b32_e32 v6, v12
	v_mov_b32_e32 v7, v1
	s_and_saveexec_b64 s[18:19], s[4:5]
	s_xor_b64 s[4:5], exec, s[18:19]
	s_cbranch_execz .LBB0_114
; %bb.113:                              ;   in Loop: Header=BB0_90 Depth=1
	v_mov_b32_e32 v2, 1
	global_atomic_add v7, v[4:5], v2, off sc0
	v_mov_b32_e32 v6, v12
	v_mov_b32_e32 v124, v15
.LBB0_114:                              ;   in Loop: Header=BB0_90 Depth=1
	s_or_b64 exec, exec, s[4:5]
                                        ; implicit-def: $vgpr2_vgpr3
.LBB0_115:                              ;   in Loop: Header=BB0_90 Depth=1
	s_andn2_saveexec_b64 s[4:5], s[16:17]
	s_cbranch_execz .LBB0_88
; %bb.116:                              ;   in Loop: Header=BB0_90 Depth=1
	v_add_u32_e32 v6, v1, v2
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v7, v1
	s_branch .LBB0_88
.LBB0_117:
                                        ; implicit-def: $sgpr50
                                        ; implicit-def: $vgpr1
                                        ; implicit-def: $vgpr124
	s_cbranch_execnz .LBB0_120
	s_branch .LBB0_121
.LBB0_118:
	s_or_b64 exec, exec, s[10:11]
	v_mov_b32_e32 v2, 0
	ds_write_b32 v2, v12
.LBB0_119:
	s_or_b64 exec, exec, s[8:9]
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v2, v2
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s50, v2
	s_branch .LBB0_121
.LBB0_120:
	s_cmp_lt_i32 s2, s3
	s_cselect_b32 s4, s53, 0
	s_cselect_b32 s50, s2, -1
	s_add_i32 s2, s4, s2
	v_mov_b32_e32 v124, 0
	v_mov_b32_e32 v1, v11
.LBB0_121:
	s_cmp_eq_u32 s50, -1
	s_cbranch_scc1 .LBB0_681
; %bb.122:
	s_bitcmp1_b32 s46, 24
	s_cselect_b64 s[4:5], -1, 0
	s_xor_b64 s[8:9], s[6:7], -1
	s_and_b64 s[8:9], s[8:9], s[4:5]
                                        ; implicit-def: $vgpr158 : SGPR spill to VGPR lane
	s_nor_b64 s[60:61], s[6:7], s[4:5]
	v_writelane_b32 v158, s8, 0
	s_add_i32 s55, s33, 1
	v_mov_b64_e32 v[114:115], 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v78, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v81, 0
	s_mov_b32 s94, 0x3d2aa9c1
	s_mov_b32 s96, 0x3e2aaaaa
	v_writelane_b32 v158, s9, 1
	s_branch .LBB0_124
.LBB0_123:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_lt_i32 s2, s3
	s_cselect_b32 s4, s53, 0
	s_cselect_b32 s50, s2, -1
	s_add_i32 s2, s4, s2
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v126
	s_cmp_lg_u32 s50, -1
	v_mov_b32_e32 v10, v125
	s_cbranch_scc0 .LBB0_681
.LBB0_124:                              ; =>This Loop Header: Depth=1
                                        ;     Child Loop BB0_164 Depth 2
                                        ;       Child Loop BB0_168 Depth 3
                                        ;     Child Loop BB0_260 Depth 2
                                        ;     Child Loop BB0_297 Depth 2
                                        ;       Child Loop BB0_298 Depth 3
                                        ;       Child Loop BB0_300 Depth 3
                                        ;     Child Loop BB0_320 Depth 2
                                        ;     Child Loop BB0_371 Depth 2
                                        ;       Child Loop BB0_373 Depth 3
                                        ;     Child Loop BB0_338 Depth 2
                                        ;       Child Loop BB0_345 Depth 3
                                        ;     Child Loop BB0_415 Depth 2
                                        ;       Child Loop BB0_421 Depth 3
                                        ;       Child Loop BB0_427 Depth 3
                                        ;     Child Loop BB0_500 Depth 2
                                        ;       Child Loop BB0_506 Depth 3
                                        ;       Child Loop BB0_512 Depth 3
                                        ;         Child Loop BB0_549 Depth 4
                                        ;     Child Loop BB0_645 Depth 2
                                        ;       Child Loop BB0_658 Depth 3
	s_mov_b64 s[16:17], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dword s44, s[16:17], 0xb8
	s_waitcnt lgkmcnt(0)
	s_and_b32 s62, s44, 0xff
	s_cbranch_scc0 .LBB0_129
; %bb.125:                              ;   in Loop: Header=BB0_124 Depth=1
	s_load_dwordx2 s[6:7], s[16:17], 0x118
	s_mov_b32 s45, 0
	s_mov_b64 s[4:5], 0
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[6:7], 0
	s_cbranch_scc1 .LBB0_127
; %bb.126:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v2, 0
	global_load_dword v2, v2, s[6:7]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s45, v2
.LBB0_127:                              ;   in Loop: Header=BB0_124 Depth=1
	v_readlane_b32 s65, v10, 0
	s_cmp_lg_u32 s62, 2
	s_cselect_b64 s[6:7], -1, 0
	s_cmp_ge_i32 s50, s65
	s_cselect_b64 s[22:23], -1, 0
	s_cmp_lt_i32 s50, s65
	s_cselect_b64 s[8:9], -1, 0
	s_or_b64 s[6:7], s[6:7], s[8:9]
	v_readlane_b32 s51, v10, 1
	v_readlane_b32 s18, v10, 2
	v_readlane_b32 s64, v10, 3
	v_readlane_b32 s66, v10, 4
	v_readlane_b32 s58, v10, 5
	v_readlane_b32 s40, v10, 6
	v_readlane_b32 s41, v10, 7
	s_and_b64 vcc, exec, s[6:7]
	s_cbranch_vccnz .LBB0_130
; %bb.128:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s51
	s_sub_i32 s4, 0, s51
	s_mov_b64 s[24:25], 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s5, v2
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_add_i32 s5, s5, s4
	s_mul_hi_u32 s4, s18, s5
	s_mul_i32 s5, s4, s51
	s_sub_i32 s5, s18, s5
	s_add_i32 s6, s4, 1
	s_sub_i32 s7, s5, s51
	s_cmp_ge_u32 s5, s51
	s_cselect_b32 s4, s6, s4
	s_cselect_b32 s5, s7, s5
	s_add_i32 s6, s4, 1
	s_cmp_ge_u32 s5, s51
	s_cselect_b32 s19, s6, s4
	v_cvt_f32_u32_e32 v2, s19
	s_sub_i32 s5, 0, s19
	s_sub_i32 s4, s50, s65
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s6, v2
	s_mul_i32 s5, s5, s6
	s_mul_hi_u32 s5, s6, s5
	s_add_i32 s6, s6, s5
	s_mul_hi_u32 s5, s4, s6
	s_mul_i32 s6, s5, s19
	s_sub_i32 s4, s4, s6
	s_add_i32 s7, s5, 1
	s_sub_i32 s6, s4, s19
	s_cmp_ge_u32 s4, s19
	s_cselect_b32 s5, s7, s5
	s_cselect_b32 s4, s6, s4
	s_add_i32 s6, s5, 1
	s_cmp_ge_u32 s4, s19
	s_cselect_b32 s68, s6, s5
	s_mul_i32 s70, s68, s19
	s_add_i32 s4, s65, s70
	s_add_i32 s63, s68, s65
	s_sub_i32 s52, s50, s4
	s_mov_b64 s[4:5], -1
	s_branch .LBB0_131
.LBB0_129:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr62_sgpr63
                                        ; implicit-def: $sgpr97
                                        ; implicit-def: $sgpr95
                                        ; implicit-def: $sgpr99
                                        ; implicit-def: $sgpr14_sgpr15
                                        ; implicit-def: $sgpr68
                                        ; implicit-def: $sgpr70
                                        ; implicit-def: $vgpr120
                                        ; implicit-def: $sgpr52
                                        ; implicit-def: $sgpr74
                                        ; implicit-def: $sgpr72
                                        ; implicit-def: $sgpr66
                                        ; implicit-def: $sgpr64
                                        ; implicit-def: $sgpr98
                                        ; implicit-def: $vgpr125
	s_cbranch_execnz .LBB0_224
	s_branch .LBB0_254
.LBB0_130:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[24:25], -1
                                        ; implicit-def: $sgpr19
                                        ; implicit-def: $sgpr63
                                        ; implicit-def: $sgpr52
                                        ; implicit-def: $sgpr70
                                        ; implicit-def: $sgpr68
.LBB0_131:                              ;   in Loop: Header=BB0_124 Depth=1
	s_load_dwordx4 s[8:11], s[16:17], 0xbc
	s_load_dwordx2 s[6:7], s[16:17], 0xcc
	s_load_dwordx4 s[12:15], s[16:17], 0xd8
	s_load_dword s46, s[16:17], 0xe8
	s_load_dwordx2 s[20:21], s[16:17], 0xf8
	s_mov_b32 s97, 0
	s_andn2_b64 vcc, exec, s[24:25]
	v_mov_b32_e32 v120, 1
	s_mov_b32 s59, 0
	s_mov_b32 s67, 0
	s_cbranch_vccnz .LBB0_156
; %bb.132:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[22:23]
	s_cbranch_vccz .LBB0_150
; %bb.133:                              ;   in Loop: Header=BB0_124 Depth=1
	s_sub_i32 s19, s50, s65
	s_cmp_ge_i32 s19, s18
	s_cselect_b64 s[22:23], -1, 0
	s_and_b64 s[4:5], s[22:23], exec
	s_cselect_b32 s4, s18, 0
	s_sub_i32 s47, s19, s4
	s_ashr_i32 s19, s47, 31
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s4, s51, s14
	s_mul_hi_i32 s5, s51, s14
	s_mul_i32 s19, s4, s19
	s_mul_hi_u32 s25, s4, s47
	s_add_i32 s19, s25, s19
	s_mul_i32 s25, s5, s47
	s_add_i32 s27, s19, s25
	s_mul_i32 s26, s4, s47
	s_ashr_i32 s19, s18, 31
	s_or_b64 s[28:29], s[26:27], s[18:19]
	s_mov_b32 s24, 0
	s_mov_b32 s25, s29
	s_cmp_lg_u64 s[24:25], 0
	s_cbranch_scc0 .LBB0_352
; %bb.134:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s24, s19, 31
	s_add_u32 s28, s18, s24
	s_mov_b32 s25, s24
	s_addc_u32 s29, s19, s24
	s_xor_b64 s[30:31], s[28:29], s[24:25]
	v_cvt_f32_u32_e32 v2, s30
	v_cvt_f32_u32_e32 v3, s31
	s_sub_u32 s34, 0, s30
	s_subb_u32 s35, 0, s31
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s36, v3
	v_readfirstlane_b32 s37, v2
	s_mul_i32 s38, s34, s36
	s_mul_hi_u32 s48, s34, s37
	s_mul_i32 s39, s35, s37
	s_add_i32 s38, s48, s38
	s_add_i32 s38, s38, s39
	s_mul_i32 s49, s34, s37
	s_mul_i32 s48, s37, s38
	s_mul_hi_u32 s52, s37, s49
	s_mul_hi_u32 s39, s37, s38
	s_add_u32 s48, s52, s48
	s_addc_u32 s39, 0, s39
	s_mul_hi_u32 s59, s36, s49
	s_mul_i32 s49, s36, s49
	s_add_u32 s48, s48, s49
	s_mul_hi_u32 s52, s36, s38
	s_addc_u32 s39, s39, s59
	s_addc_u32 s48, s52, 0
	s_mul_i32 s38, s36, s38
	s_add_u32 s38, s39, s38
	s_addc_u32 s39, 0, s48
	s_add_u32 s37, s37, s38
	s_addc_u32 s36, s36, s39
	s_mul_i32 s38, s34, s36
	s_mul_hi_u32 s39, s34, s37
	s_add_i32 s38, s39, s38
	s_mul_i32 s35, s35, s37
	s_add_i32 s38, s38, s35
	s_mul_i32 s34, s34, s37
	s_mul_hi_u32 s39, s36, s34
	s_mul_i32 s48, s36, s34
	s_mul_i32 s52, s37, s38
	s_mul_hi_u32 s34, s37, s34
	s_mul_hi_u32 s49, s37, s38
	s_add_u32 s34, s34, s52
	s_addc_u32 s49, 0, s49
	s_add_u32 s34, s34, s48
	s_mul_hi_u32 s35, s36, s38
	s_addc_u32 s34, s49, s39
	s_addc_u32 s35, s35, 0
	s_mul_i32 s38, s36, s38
	s_add_u32 s34, s34, s38
	s_addc_u32 s35, 0, s35
	s_add_u32 s38, s37, s34
	s_addc_u32 s39, s36, s35
	s_ashr_i32 s34, s27, 31
	s_add_u32 s36, s26, s34
	s_mov_b32 s35, s34
	s_addc_u32 s37, s27, s34
	s_xor_b64 s[36:37], s[36:37], s[34:35]
	s_mul_i32 s48, s36, s39
	s_mul_hi_u32 s49, s36, s38
	s_mul_hi_u32 s27, s36, s39
	s_add_u32 s48, s49, s48
	s_addc_u32 s27, 0, s27
	s_mul_hi_u32 s52, s37, s38
	s_mul_i32 s38, s37, s38
	s_add_u32 s38, s48, s38
	s_mul_hi_u32 s49, s37, s39
	s_addc_u32 s27, s27, s52
	s_addc_u32 s38, s49, 0
	s_mul_i32 s39, s37, s39
	s_add_u32 s27, s27, s39
	s_addc_u32 s48, 0, s38
	s_mul_i32 s38, s30, s48
	s_mul_hi_u32 s39, s30, s27
	s_add_i32 s38, s39, s38
	s_mul_i32 s39, s31, s27
	s_add_i32 s49, s38, s39
	s_sub_i32 s52, s37, s49
	s_mul_i32 s38, s30, s27
	s_sub_u32 s36, s36, s38
	s_cselect_b64 s[38:39], -1, 0
	s_subb_u32 s52, s52, s31
	s_sub_u32 s59, s36, s30
	s_subb_u32 s52, s52, 0
	s_cmp_ge_u32 s52, s31
	s_cselect_b32 s63, -1, 0
	s_cmp_ge_u32 s59, s30
	s_cselect_b32 s59, -1, 0
	s_cmp_eq_u32 s52, s31
	s_cselect_b32 s52, s59, s63
	s_add_u32 s59, s27, 1
	s_addc_u32 s63, s48, 0
	s_add_u32 s67, s27, 2
	s_addc_u32 s68, s48, 0
	s_cmp_lg_u32 s52, 0
	s_cselect_b32 s52, s67, s59
	s_cselect_b32 s59, s68, s63
	s_cmp_lg_u64 s[38:39], 0
	s_subb_u32 s37, s37, s49
	s_cmp_ge_u32 s37, s31
	s_cselect_b32 s38, -1, 0
	s_cmp_ge_u32 s36, s30
	s_cselect_b32 s30, -1, 0
	s_cmp_eq_u32 s37, s31
	s_cselect_b32 s30, s30, s38
	s_cmp_lg_u32 s30, 0
	s_cselect_b32 s31, s59, s48
	s_cselect_b32 s30, s52, s27
	s_xor_b64 s[24:25], s[34:35], s[24:25]
	s_xor_b64 s[30:31], s[30:31], s[24:25]
	s_sub_u32 s24, s30, s24
	s_subb_u32 s25, s31, s25
	v_cvt_f32_u32_e32 v2, s18
	s_cbranch_execnz .LBB0_136
.LBB0_135:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v3, v2
	s_sub_i32 s24, 0, s18
	s_mov_b32 s25, 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	s_nop 0
	v_readfirstlane_b32 s27, v3
	s_mul_i32 s24, s24, s27
	s_mul_hi_u32 s24, s27, s24
	s_add_i32 s27, s27, s24
	s_mul_hi_u32 s24, s26, s27
	s_mul_i32 s28, s24, s18
	s_sub_i32 s26, s26, s28
	s_add_i32 s27, s24, 1
	s_sub_i32 s28, s26, s18
	s_cmp_ge_u32 s26, s18
	s_cselect_b32 s24, s27, s24
	s_cselect_b32 s26, s28, s26
	s_add_i32 s27, s24, 1
	s_cmp_ge_u32 s26, s18
	s_cselect_b32 s24, s27, s24
.LBB0_136:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_i32 s26, s47, 1
	s_ashr_i32 s27, s26, 31
	s_mul_i32 s27, s4, s27
	s_mul_hi_u32 s28, s4, s26
	s_add_i32 s27, s28, s27
	s_mul_i32 s28, s5, s26
	s_add_i32 s27, s27, s28
	s_mul_i32 s26, s4, s26
	s_or_b64 s[28:29], s[26:27], s[18:19]
	s_mov_b32 s28, 0
	s_cmp_lg_u64 s[28:29], 0
	s_cbranch_scc0 .LBB0_353
; %bb.137:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s28, s19, 31
	s_add_u32 s30, s18, s28
	s_mov_b32 s29, s28
	s_addc_u32 s31, s19, s28
	s_xor_b64 s[30:31], s[30:31], s[28:29]
	v_cvt_f32_u32_e32 v3, s30
	v_cvt_f32_u32_e32 v4, s31
	s_sub_u32 s36, 0, s30
	s_subb_u32 s37, 0, s31
	v_fmamk_f32 v3, v4, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v4, 0x2f800000, v3
	v_trunc_f32_e32 v4, v4
	v_fmamk_f32 v3, v4, 0xcf800000, v3
	v_cvt_u32_f32_e32 v4, v4
	v_cvt_u32_f32_e32 v3, v3
	v_readfirstlane_b32 s38, v4
	v_readfirstlane_b32 s39, v3
	s_mul_i32 s48, s36, s38
	s_mul_hi_u32 s52, s36, s39
	s_mul_i32 s49, s37, s39
	s_add_i32 s48, s52, s48
	s_add_i32 s48, s48, s49
	s_mul_i32 s59, s36, s39
	s_mul_i32 s52, s39, s48
	s_mul_hi_u32 s63, s39, s59
	s_mul_hi_u32 s49, s39, s48
	s_add_u32 s52, s63, s52
	s_addc_u32 s49, 0, s49
	s_mul_hi_u32 s67, s38, s59
	s_mul_i32 s59, s38, s59
	s_add_u32 s52, s52, s59
	s_mul_hi_u32 s63, s38, s48
	s_addc_u32 s49, s49, s67
	s_addc_u32 s52, s63, 0
	s_mul_i32 s48, s38, s48
	s_add_u32 s48, s49, s48
	s_addc_u32 s49, 0, s52
	s_add_u32 s39, s39, s48
	s_addc_u32 s38, s38, s49
	s_mul_i32 s48, s36, s38
	s_mul_hi_u32 s49, s36, s39
	s_add_i32 s48, s49, s48
	s_mul_i32 s37, s37, s39
	s_add_i32 s48, s48, s37
	s_mul_i32 s36, s36, s39
	s_mul_hi_u32 s49, s38, s36
	s_mul_i32 s52, s38, s36
	s_mul_i32 s63, s39, s48
	s_mul_hi_u32 s36, s39, s36
	s_mul_hi_u32 s59, s39, s48
	s_add_u32 s36, s36, s63
	s_addc_u32 s59, 0, s59
	s_add_u32 s36, s36, s52
	s_mul_hi_u32 s37, s38, s48
	s_addc_u32 s36, s59, s49
	s_addc_u32 s37, s37, 0
	s_mul_i32 s48, s38, s48
	s_add_u32 s36, s36, s48
	s_addc_u32 s37, 0, s37
	s_add_u32 s48, s39, s36
	s_addc_u32 s49, s38, s37
	s_ashr_i32 s36, s27, 31
	s_add_u32 s38, s26, s36
	s_mov_b32 s37, s36
	s_addc_u32 s39, s27, s36
	s_xor_b64 s[38:39], s[38:39], s[36:37]
	s_mul_i32 s52, s38, s49
	s_mul_hi_u32 s59, s38, s48
	s_mul_hi_u32 s27, s38, s49
	s_add_u32 s52, s59, s52
	s_addc_u32 s27, 0, s27
	s_mul_hi_u32 s63, s39, s48
	s_mul_i32 s48, s39, s48
	s_add_u32 s48, s52, s48
	s_mul_hi_u32 s59, s39, s49
	s_addc_u32 s27, s27, s63
	s_addc_u32 s48, s59, 0
	s_mul_i32 s49, s39, s49
	s_add_u32 s27, s27, s49
	s_addc_u32 s52, 0, s48
	s_mul_i32 s48, s30, s52
	s_mul_hi_u32 s49, s30, s27
	s_add_i32 s48, s49, s48
	s_mul_i32 s49, s31, s27
	s_add_i32 s59, s48, s49
	s_sub_i32 s63, s39, s59
	s_mul_i32 s48, s30, s27
	s_sub_u32 s38, s38, s48
	s_cselect_b64 s[48:49], -1, 0
	s_subb_u32 s63, s63, s31
	s_sub_u32 s67, s38, s30
	s_subb_u32 s63, s63, 0
	s_cmp_ge_u32 s63, s31
	s_cselect_b32 s68, -1, 0
	s_cmp_ge_u32 s67, s30
	s_cselect_b32 s67, -1, 0
	s_cmp_eq_u32 s63, s31
	s_cselect_b32 s63, s67, s68
	s_add_u32 s67, s27, 1
	s_addc_u32 s68, s52, 0
	s_add_u32 s69, s27, 2
	s_addc_u32 s70, s52, 0
	s_cmp_lg_u32 s63, 0
	s_cselect_b32 s63, s69, s67
	s_cselect_b32 s67, s70, s68
	s_cmp_lg_u64 s[48:49], 0
	s_subb_u32 s39, s39, s59
	s_cmp_ge_u32 s39, s31
	s_cselect_b32 s48, -1, 0
	s_cmp_ge_u32 s38, s30
	s_cselect_b32 s30, -1, 0
	s_cmp_eq_u32 s39, s31
	s_cselect_b32 s30, s30, s48
	s_cmp_lg_u32 s30, 0
	s_cselect_b32 s31, s67, s52
	s_cselect_b32 s30, s63, s27
	s_xor_b64 s[28:29], s[36:37], s[28:29]
	s_xor_b64 s[30:31], s[30:31], s[28:29]
	s_sub_u32 s30, s30, s28
	s_subb_u32 s31, s31, s29
	s_cbranch_execnz .LBB0_139
.LBB0_138:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v2
	s_sub_i32 s27, 0, s18
	s_mov_b32 s31, 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s28, v2
	s_mul_i32 s27, s27, s28
	s_mul_hi_u32 s27, s28, s27
	s_add_i32 s28, s28, s27
	s_mul_hi_u32 s27, s26, s28
	s_mul_i32 s29, s27, s18
	s_sub_i32 s26, s26, s29
	s_add_i32 s28, s27, 1
	s_sub_i32 s29, s26, s18
	s_cmp_ge_u32 s26, s18
	s_cselect_b32 s27, s28, s27
	s_cselect_b32 s26, s29, s26
	s_add_i32 s28, s27, 1
	s_cmp_ge_u32 s26, s18
	s_cselect_b32 s30, s28, s27
.LBB0_139:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s27, s14, 31
	s_mov_b32 s26, s14
	s_or_b64 s[28:29], s[24:25], s[26:27]
	s_mov_b32 s28, 0
	s_cmp_lg_u64 s[28:29], 0
	s_cbranch_scc0 .LBB0_354
; %bb.140:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s28, s27, 31
	s_add_u32 s34, s26, s28
	s_mov_b32 s29, s28
	s_addc_u32 s35, s27, s28
	s_xor_b64 s[36:37], s[34:35], s[28:29]
	v_cvt_f32_u32_e32 v2, s36
	v_cvt_f32_u32_e32 v3, s37
	s_sub_u32 s38, 0, s36
	s_subb_u32 s39, 0, s37
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s48, v3
	v_readfirstlane_b32 s49, v2
	s_mul_i32 s52, s38, s48
	s_mul_hi_u32 s63, s38, s49
	s_mul_i32 s59, s39, s49
	s_add_i32 s52, s63, s52
	s_add_i32 s52, s52, s59
	s_mul_i32 s67, s38, s49
	s_mul_i32 s63, s49, s52
	s_mul_hi_u32 s68, s49, s67
	s_mul_hi_u32 s59, s49, s52
	s_add_u32 s63, s68, s63
	s_addc_u32 s59, 0, s59
	s_mul_hi_u32 s69, s48, s67
	s_mul_i32 s67, s48, s67
	s_add_u32 s63, s63, s67
	s_mul_hi_u32 s68, s48, s52
	s_addc_u32 s59, s59, s69
	s_addc_u32 s63, s68, 0
	s_mul_i32 s52, s48, s52
	s_add_u32 s52, s59, s52
	s_addc_u32 s59, 0, s63
	s_add_u32 s49, s49, s52
	s_addc_u32 s48, s48, s59
	s_mul_i32 s52, s38, s48
	s_mul_hi_u32 s59, s38, s49
	s_add_i32 s52, s59, s52
	s_mul_i32 s39, s39, s49
	s_add_i32 s52, s52, s39
	s_mul_i32 s38, s38, s49
	s_mul_hi_u32 s59, s48, s38
	s_mul_i32 s63, s48, s38
	s_mul_i32 s68, s49, s52
	s_mul_hi_u32 s38, s49, s38
	s_mul_hi_u32 s67, s49, s52
	s_add_u32 s38, s38, s68
	s_addc_u32 s67, 0, s67
	s_add_u32 s38, s38, s63
	s_mul_hi_u32 s39, s48, s52
	s_addc_u32 s38, s67, s59
	s_addc_u32 s39, s39, 0
	s_mul_i32 s52, s48, s52
	s_add_u32 s38, s38, s52
	s_addc_u32 s39, 0, s39
	s_add_u32 s52, s49, s38
	s_addc_u32 s59, s48, s39
	s_ashr_i32 s38, s25, 31
	s_add_u32 s48, s24, s38
	s_mov_b32 s39, s38
	s_addc_u32 s49, s25, s38
	s_xor_b64 s[48:49], s[48:49], s[38:39]
	s_mul_i32 s67, s48, s59
	s_mul_hi_u32 s68, s48, s52
	s_mul_hi_u32 s63, s48, s59
	s_add_u32 s67, s68, s67
	s_addc_u32 s63, 0, s63
	s_mul_hi_u32 s69, s49, s52
	s_mul_i32 s52, s49, s52
	s_add_u32 s52, s67, s52
	s_mul_hi_u32 s68, s49, s59
	s_addc_u32 s52, s63, s69
	s_addc_u32 s63, s68, 0
	s_mul_i32 s59, s49, s59
	s_add_u32 s52, s52, s59
	s_addc_u32 s59, 0, s63
	s_mul_i32 s63, s36, s59
	s_mul_hi_u32 s67, s36, s52
	s_add_i32 s63, s67, s63
	s_mul_i32 s67, s37, s52
	s_add_i32 s63, s63, s67
	s_sub_i32 s67, s49, s63
	s_mul_i32 s68, s36, s52
	s_sub_u32 s48, s48, s68
	s_cselect_b64 s[68:69], -1, 0
	s_subb_u32 s67, s67, s37
	s_sub_u32 s70, s48, s36
	s_subb_u32 s67, s67, 0
	s_cmp_ge_u32 s67, s37
	s_cselect_b32 s71, -1, 0
	s_cmp_ge_u32 s70, s36
	s_cselect_b32 s70, -1, 0
	s_cmp_eq_u32 s67, s37
	s_cselect_b32 s67, s70, s71
	s_add_u32 s70, s52, 1
	s_addc_u32 s71, s59, 0
	s_add_u32 s72, s52, 2
	s_addc_u32 s73, s59, 0
	s_cmp_lg_u32 s67, 0
	s_cselect_b32 s67, s72, s70
	s_cselect_b32 s70, s73, s71
	s_cmp_lg_u64 s[68:69], 0
	s_subb_u32 s49, s49, s63
	s_cmp_ge_u32 s49, s37
	s_cselect_b32 s63, -1, 0
	s_cmp_ge_u32 s48, s36
	s_cselect_b32 s36, -1, 0
	s_cmp_eq_u32 s49, s37
	s_cselect_b32 s36, s36, s63
	s_cmp_lg_u32 s36, 0
	s_cselect_b32 s37, s70, s59
	s_cselect_b32 s36, s67, s52
	s_xor_b64 s[28:29], s[38:39], s[28:29]
	s_xor_b64 s[36:37], s[36:37], s[28:29]
	s_sub_u32 s36, s36, s28
	s_subb_u32 s37, s37, s29
	s_cbranch_execnz .LBB0_142
.LBB0_141:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s26
	s_sub_i32 s28, 0, s26
	s_mov_b32 s37, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s29, v2
	s_mul_i32 s28, s28, s29
	s_mul_hi_u32 s28, s29, s28
	s_add_i32 s29, s29, s28
	s_mul_hi_u32 s28, s24, s29
	s_mul_i32 s34, s28, s26
	s_sub_i32 s34, s24, s34
	s_add_i32 s29, s28, 1
	s_sub_i32 s35, s34, s26
	s_cmp_ge_u32 s34, s26
	s_cselect_b32 s28, s29, s28
	s_cselect_b32 s34, s35, s34
	s_add_i32 s29, s28, 1
	s_cmp_ge_u32 s34, s26
	s_cselect_b32 s36, s29, s28
.LBB0_142:                              ;   in Loop: Header=BB0_124 Depth=1
	s_bfe_i64 s[28:29], s[36:37], 0x200000
	s_add_u32 s28, s28, 1
	s_addc_u32 s29, s29, 0
	s_mul_i32 s34, s28, s27
	s_mul_hi_u32 s35, s28, s26
	s_add_i32 s34, s35, s34
	s_mul_i32 s29, s29, s26
	s_add_i32 s29, s34, s29
	s_mul_i32 s28, s28, s26
	v_mov_b64_e32 v[2:3], s[30:31]
	v_cmp_lt_i64_e32 vcc, s[28:29], v[2:3]
	s_and_b64 s[34:35], vcc, exec
	s_cselect_b32 s34, s29, s31
	s_cselect_b32 s35, s28, s30
	s_and_b64 s[28:29], s[22:23], exec
	s_cselect_b32 s31, s31, s34
	s_cselect_b32 s30, s30, s35
	s_cselect_b32 s29, s34, s25
	s_cselect_b32 s28, s35, s24
	v_mov_b64_e32 v[2:3], s[30:31]
	v_cmp_ge_i64_e32 vcc, s[28:29], v[2:3]
	s_mov_b64 s[24:25], 0
	s_cbranch_vccnz .LBB0_151
; %bb.143:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cndmask_b32_e64 v2, 0, 1, s[22:23]
	s_nop 0
	v_readfirstlane_b32 s22, v2
	s_add_i32 s68, s36, s22
	s_mul_i32 s29, s68, s26
	s_mul_hi_i32 s31, s68, s26
	s_add_u32 s22, s29, 1
	s_addc_u32 s23, s31, 0
	s_mul_i32 s34, s22, s19
	s_mul_hi_u32 s35, s22, s18
	s_add_i32 s34, s35, s34
	s_mul_i32 s23, s23, s18
	s_add_i32 s23, s34, s23
	s_mul_i32 s22, s22, s18
	s_add_u32 s34, s22, -1
	s_addc_u32 s35, s23, -1
	s_or_b64 s[22:23], s[34:35], s[4:5]
	s_mov_b32 s22, 0
	s_cmp_lg_u64 s[22:23], 0
	s_mov_b64 s[36:37], -1
	s_cbranch_scc0 .LBB0_676
; %bb.144:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s22, s5, 31
	s_add_u32 s36, s4, s22
	s_mov_b32 s23, s22
	s_addc_u32 s37, s5, s22
	s_xor_b64 s[38:39], s[36:37], s[22:23]
	v_cvt_f32_u32_e32 v2, s38
	v_cvt_f32_u32_e32 v3, s39
	s_sub_u32 s48, 0, s38
	s_subb_u32 s49, 0, s39
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s52, v3
	v_readfirstlane_b32 s59, v2
	s_mul_i32 s63, s48, s52
	s_mul_hi_u32 s69, s48, s59
	s_mul_i32 s67, s49, s59
	s_add_i32 s63, s69, s63
	s_add_i32 s63, s63, s67
	s_mul_i32 s70, s48, s59
	s_mul_i32 s69, s59, s63
	s_mul_hi_u32 s71, s59, s70
	s_mul_hi_u32 s67, s59, s63
	s_add_u32 s69, s71, s69
	s_addc_u32 s67, 0, s67
	s_mul_hi_u32 s72, s52, s70
	s_mul_i32 s70, s52, s70
	s_add_u32 s69, s69, s70
	s_mul_hi_u32 s71, s52, s63
	s_addc_u32 s67, s67, s72
	s_addc_u32 s69, s71, 0
	s_mul_i32 s63, s52, s63
	s_add_u32 s63, s67, s63
	s_addc_u32 s67, 0, s69
	s_add_u32 s59, s59, s63
	s_addc_u32 s52, s52, s67
	s_mul_i32 s63, s48, s52
	s_mul_hi_u32 s67, s48, s59
	s_add_i32 s63, s67, s63
	s_mul_i32 s49, s49, s59
	s_add_i32 s63, s63, s49
	s_mul_i32 s48, s48, s59
	s_mul_hi_u32 s67, s52, s48
	s_mul_i32 s69, s52, s48
	s_mul_i32 s71, s59, s63
	s_mul_hi_u32 s48, s59, s48
	s_mul_hi_u32 s70, s59, s63
	s_add_u32 s48, s48, s71
	s_addc_u32 s70, 0, s70
	s_add_u32 s48, s48, s69
	s_mul_hi_u32 s49, s52, s63
	s_addc_u32 s48, s70, s67
	s_addc_u32 s49, s49, 0
	s_mul_i32 s63, s52, s63
	s_add_u32 s48, s48, s63
	s_addc_u32 s49, 0, s49
	s_add_u32 s59, s59, s48
	s_addc_u32 s52, s52, s49
	s_ashr_i32 s48, s35, 31
	s_add_u32 s70, s34, s48
	s_mov_b32 s49, s48
	s_addc_u32 s71, s35, s48
	s_xor_b64 s[70:71], s[70:71], s[48:49]
	s_mul_i32 s63, s70, s52
	s_mul_hi_u32 s67, s70, s59
	s_mul_hi_u32 s35, s70, s52
	s_add_u32 s63, s67, s63
	s_addc_u32 s35, 0, s35
	s_mul_hi_u32 s69, s71, s59
	s_mul_i32 s59, s71, s59
	s_add_u32 s59, s63, s59
	s_mul_hi_u32 s67, s71, s52
	s_addc_u32 s35, s35, s69
	s_addc_u32 s59, s67, 0
	s_mul_i32 s52, s71, s52
	s_add_u32 s35, s35, s52
	s_addc_u32 s52, 0, s59
	s_mul_i32 s59, s38, s52
	s_mul_hi_u32 s63, s38, s35
	s_add_i32 s59, s63, s59
	s_mul_i32 s63, s39, s35
	s_add_i32 s59, s59, s63
	s_sub_i32 s63, s71, s59
	s_mul_i32 s67, s38, s35
	s_sub_u32 s67, s70, s67
	s_cselect_b64 s[72:73], -1, 0
	s_subb_u32 s63, s63, s39
	s_sub_u32 s69, s67, s38
	s_subb_u32 s63, s63, 0
	s_cmp_ge_u32 s63, s39
	s_cselect_b32 s70, -1, 0
	s_cmp_ge_u32 s69, s38
	s_cselect_b32 s69, -1, 0
	s_cmp_eq_u32 s63, s39
	s_cselect_b32 s63, s69, s70
	s_add_u32 s69, s35, 1
	s_addc_u32 s70, s52, 0
	s_add_u32 s74, s35, 2
	s_addc_u32 s75, s52, 0
	s_cmp_lg_u32 s63, 0
	s_cselect_b32 s63, s74, s69
	s_cselect_b32 s69, s75, s70
	s_cmp_lg_u64 s[72:73], 0
	s_subb_u32 s59, s71, s59
	s_cmp_ge_u32 s59, s39
	s_cselect_b32 s70, -1, 0
	s_cmp_ge_u32 s67, s38
	s_cselect_b32 s38, -1, 0
	s_cmp_eq_u32 s59, s39
	s_cselect_b32 s38, s38, s70
	s_cmp_lg_u32 s38, 0
	s_cselect_b32 s39, s69, s52
	s_cselect_b32 s38, s63, s35
	s_xor_b64 s[22:23], s[48:49], s[22:23]
	s_xor_b64 s[38:39], s[38:39], s[22:23]
	s_sub_u32 s22, s38, s22
	v_cvt_f32_u32_e32 v4, s4
	s_cbranch_execnz .LBB0_146
.LBB0_145:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s22, 0, s4
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s23, v2
	s_mul_i32 s22, s22, s23
	s_mul_hi_u32 s22, s23, s22
	s_add_i32 s23, s23, s22
	s_mul_hi_u32 s22, s34, s23
	s_mul_i32 s35, s22, s4
	s_sub_i32 s34, s34, s35
	s_add_i32 s23, s22, 1
	s_sub_i32 s35, s34, s4
	s_cmp_ge_u32 s34, s4
	s_cselect_b32 s22, s23, s22
	s_cselect_b32 s34, s35, s34
	s_add_i32 s23, s22, 1
	s_cmp_ge_u32 s34, s4
	s_cselect_b32 s22, s23, s22
.LBB0_146:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_u32 s23, s29, s26
	s_addc_u32 s26, s31, s27
	s_mul_i32 s19, s23, s19
	s_mul_hi_u32 s27, s23, s18
	s_add_i32 s19, s27, s19
	s_mul_i32 s26, s26, s18
	s_add_i32 s19, s19, s26
	s_mul_i32 s23, s23, s18
	s_add_u32 s26, s23, -1
	s_addc_u32 s27, s19, -1
	s_or_b64 s[34:35], s[26:27], s[4:5]
	s_mov_b32 s34, 0
	s_cmp_lg_u64 s[34:35], 0
	s_mov_b64 s[34:35], -1
	s_cbranch_scc0 .LBB0_677
; %bb.147:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s36, s5, 31
	s_add_u32 s34, s4, s36
	s_mov_b32 s37, s36
	s_addc_u32 s35, s5, s36
	s_xor_b64 s[38:39], s[34:35], s[36:37]
	v_cvt_f32_u32_e32 v2, s38
	v_cvt_f32_u32_e32 v3, s39
	s_sub_u32 s5, 0, s38
	s_subb_u32 s19, 0, s39
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s23, v3
	v_readfirstlane_b32 s31, v2
	s_mul_i32 s48, s5, s23
	s_mul_hi_u32 s52, s5, s31
	s_mul_i32 s49, s19, s31
	s_add_i32 s48, s52, s48
	s_add_i32 s48, s48, s49
	s_mul_i32 s59, s5, s31
	s_mul_i32 s52, s31, s48
	s_mul_hi_u32 s63, s31, s59
	s_mul_hi_u32 s49, s31, s48
	s_add_u32 s52, s63, s52
	s_addc_u32 s49, 0, s49
	s_mul_hi_u32 s67, s23, s59
	s_mul_i32 s59, s23, s59
	s_add_u32 s52, s52, s59
	s_mul_hi_u32 s63, s23, s48
	s_addc_u32 s49, s49, s67
	s_addc_u32 s52, s63, 0
	s_mul_i32 s48, s23, s48
	s_add_u32 s48, s49, s48
	s_addc_u32 s49, 0, s52
	s_add_u32 s31, s31, s48
	s_addc_u32 s23, s23, s49
	s_mul_i32 s48, s5, s23
	s_mul_hi_u32 s49, s5, s31
	s_add_i32 s48, s49, s48
	s_mul_i32 s19, s19, s31
	s_add_i32 s48, s48, s19
	s_mul_i32 s5, s5, s31
	s_mul_hi_u32 s49, s23, s5
	s_mul_i32 s52, s23, s5
	s_mul_i32 s63, s31, s48
	s_mul_hi_u32 s5, s31, s5
	s_mul_hi_u32 s59, s31, s48
	s_add_u32 s5, s5, s63
	s_addc_u32 s59, 0, s59
	s_add_u32 s5, s5, s52
	s_mul_hi_u32 s19, s23, s48
	s_addc_u32 s5, s59, s49
	s_addc_u32 s19, s19, 0
	s_mul_i32 s48, s23, s48
	s_add_u32 s5, s5, s48
	s_addc_u32 s19, 0, s19
	s_add_u32 s5, s31, s5
	s_addc_u32 s19, s23, s19
	s_ashr_i32 s48, s27, 31
	s_add_u32 s70, s26, s48
	s_mov_b32 s49, s48
	s_addc_u32 s71, s27, s48
	s_xor_b64 s[70:71], s[70:71], s[48:49]
	s_mul_i32 s27, s70, s19
	s_mul_hi_u32 s31, s70, s5
	s_mul_hi_u32 s23, s70, s19
	s_add_u32 s27, s31, s27
	s_addc_u32 s23, 0, s23
	s_mul_hi_u32 s52, s71, s5
	s_mul_i32 s5, s71, s5
	s_add_u32 s5, s27, s5
	s_mul_hi_u32 s31, s71, s19
	s_addc_u32 s5, s23, s52
	s_addc_u32 s23, s31, 0
	s_mul_i32 s19, s71, s19
	s_add_u32 s5, s5, s19
	s_addc_u32 s19, 0, s23
	s_mul_i32 s23, s38, s19
	s_mul_hi_u32 s27, s38, s5
	s_add_i32 s23, s27, s23
	s_mul_i32 s27, s39, s5
	s_add_i32 s23, s23, s27
	s_sub_i32 s27, s71, s23
	s_mul_i32 s31, s38, s5
	s_sub_u32 s31, s70, s31
	s_cselect_b64 s[72:73], -1, 0
	s_subb_u32 s27, s27, s39
	s_sub_u32 s52, s31, s38
	s_subb_u32 s27, s27, 0
	s_cmp_ge_u32 s27, s39
	s_cselect_b32 s59, -1, 0
	s_cmp_ge_u32 s52, s38
	s_cselect_b32 s52, -1, 0
	s_cmp_eq_u32 s27, s39
	s_cselect_b32 s27, s52, s59
	s_add_u32 s52, s5, 1
	s_addc_u32 s59, s19, 0
	s_add_u32 s63, s5, 2
	s_addc_u32 s67, s19, 0
	s_cmp_lg_u32 s27, 0
	s_cselect_b32 s27, s63, s52
	s_cselect_b32 s52, s67, s59
	s_cmp_lg_u64 s[72:73], 0
	s_subb_u32 s23, s71, s23
	s_cmp_ge_u32 s23, s39
	s_cselect_b32 s59, -1, 0
	s_cmp_ge_u32 s31, s38
	s_cselect_b32 s31, -1, 0
	s_cmp_eq_u32 s23, s39
	s_cselect_b32 s23, s31, s59
	s_cmp_lg_u32 s23, 0
	s_cselect_b32 s39, s52, s19
	s_cselect_b32 s38, s27, s5
	s_xor_b64 s[36:37], s[48:49], s[36:37]
	s_xor_b64 s[38:39], s[38:39], s[36:37]
	s_sub_u32 s36, s38, s36
	s_subb_u32 s37, s39, s37
	v_mov_b64_e32 v[2:3], s[36:37]
	s_cbranch_execnz .LBB0_149
.LBB0_148:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s5, 0, s4
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s5, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s26, v2
	v_mul_lo_u32 v4, v2, s4
	v_sub_u32_e32 v4, s26, v4
	v_add_u32_e32 v3, 1, v2
	v_subrev_u32_e32 v5, s4, v4
	v_cmp_le_u32_e32 vcc, s4, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_add_u32_e32 v3, 1, v2
	v_cmp_le_u32_e32 vcc, s4, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
.LBB0_149:                              ;   in Loop: Header=BB0_124 Depth=1
	v_subrev_u32_e32 v2, s22, v2
	s_add_i32 s63, s68, s65
	s_sub_i32 s59, s28, s29
	s_sub_i32 s67, s30, s29
	s_sub_i32 s52, s47, s22
	v_add_u32_e32 v120, 1, v2
	s_add_i32 s70, s68, s22
	s_mov_b64 s[4:5], -1
	s_and_b64 vcc, exec, s[24:25]
	s_cbranch_vccnz .LBB0_152
	s_branch .LBB0_155
.LBB0_150:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr4_sgpr5
                                        ; implicit-def: $sgpr68
                                        ; implicit-def: $sgpr70
                                        ; implicit-def: $sgpr59
                                        ; implicit-def: $sgpr67
                                        ; implicit-def: $sgpr52
                                        ; implicit-def: $vgpr120
                                        ; implicit-def: $sgpr63
	s_cbranch_execnz .LBB0_152
	s_branch .LBB0_155
.LBB0_151:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b32 s68, 0
	v_mov_b32_e32 v120, 1
	s_mov_b64 s[4:5], 0
	s_mov_b32 s70, 0
	s_mov_b32 s59, 0
	s_mov_b32 s67, 0
	s_mov_b32 s52, 0
	s_mov_b32 s63, 0
	s_and_b64 vcc, exec, s[24:25]
	s_cbranch_vccz .LBB0_155
.LBB0_152:                              ;   in Loop: Header=BB0_124 Depth=1
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s46, 1
	s_mov_b32 s63, s50
	s_cbranch_scc1 .LBB0_154
; %bb.153:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s46
	s_sub_i32 s4, 0, s46
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s5, v2
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_add_i32 s5, s5, s4
	s_mul_hi_u32 s4, s50, s5
	s_mul_i32 s19, s4, s46
	s_sub_i32 s19, s50, s19
	s_add_i32 s22, s4, 1
	s_sub_i32 s24, s19, s46
	s_cmp_ge_u32 s19, s46
	s_cselect_b32 s4, s22, s4
	s_cselect_b32 s19, s24, s19
	s_add_i32 s22, s4, 1
	s_mul_hi_u32 s5, s65, s5
	s_cmp_ge_u32 s19, s46
	s_mul_i32 s23, s5, s46
	s_cselect_b32 s4, s22, s4
	s_sub_i32 s19, s65, s23
	s_mul_i32 s23, s4, s46
	s_add_i32 s22, s5, 1
	s_sub_i32 s24, s19, s46
	s_sub_i32 s23, s50, s23
	s_cmp_ge_u32 s19, s46
	s_cselect_b32 s5, s22, s5
	s_cselect_b32 s19, s24, s19
	s_add_i32 s22, s5, 1
	s_cmp_ge_u32 s19, s46
	s_cselect_b32 s5, s22, s5
	s_mul_i32 s19, s5, s46
	s_sub_i32 s19, s65, s19
	s_mul_i32 s5, s23, s5
	s_min_i32 s19, s23, s19
	s_add_i32 s4, s5, s4
	s_add_i32 s63, s4, s19
.LBB0_154:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[4:5], -1
	s_mov_b32 s52, 0
	v_mov_b32_e32 v120, 1
	s_mov_b32 s67, s14
	s_mov_b32 s59, 0
	s_mov_b32 s70, 0
	s_mov_b32 s68, 0
.LBB0_155:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b32 s19, 1
.LBB0_156:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB0_200
; %bb.157:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_ge_i32 s63, s66
	s_cbranch_scc1 .LBB0_159
; %bb.158:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b32 s41, 0
	s_mov_b32 s40, 0
	s_mov_b32 s58, 0
	s_mov_b32 s66, 0
	s_mov_b32 s64, 0
.LBB0_159:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_i32 s4, s66, s41
	s_cmp_lt_i32 s63, s4
	s_cbranch_scc1 .LBB0_201
; %bb.160:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_lg_u32 s62, 1
	s_cselect_b64 s[22:23], -1, 0
	s_cmp_eq_u32 s62, 1
	s_waitcnt lgkmcnt(0)
	s_cselect_b32 s14, 2, 0
	s_add_i32 s69, s9, s14
	s_mul_i32 s6, s6, s69
	s_cmp_ge_i32 s64, s6
	s_cbranch_scc1 .LBB0_201
; %bb.161:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s69
	s_bfe_u32 s4, s44, 0x80008
	s_min_i32 s5, s45, s8
	s_cmp_gt_i32 s45, -1
	s_cselect_b32 s71, s5, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_cmp_gt_i32 s71, 0
	s_cselect_b64 s[24:25], -1, 0
	s_min_i32 s72, s71, s8
	s_bitcmp1_b32 s4, 0
	s_cselect_b64 s[26:27], -1, 0
	s_cmp_eq_u32 s62, 2
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	s_cselect_b64 s[28:29], -1, 0
	s_cmp_lg_u32 s62, 2
	v_cvt_u32_f32_e32 v2, v2
	s_cselect_b64 s[30:31], -1, 0
	s_bitcmp1_b32 s7, 0
	s_cselect_b64 s[34:35], -1, 0
	s_ashr_i32 s73, s11, 31
	s_add_u32 s36, s11, -1
	s_addc_u32 s37, s73, -1
	s_sub_i32 s4, 0, s69
	v_readfirstlane_b32 s5, v2
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_mov_b32 s74, s11
	s_add_i32 s75, s5, s4
	s_branch .LBB0_164
.LBB0_162:                              ;   in Loop: Header=BB0_164 Depth=2
	s_min_i32 s44, s76, 64
	v_readlane_b32 s66, v3, 63
	v_readlane_b32 s58, v8, 63
	s_mov_b32 s40, 0
	s_mov_b32 s41, 0
.LBB0_163:                              ;   in Loop: Header=BB0_164 Depth=2
	s_add_i32 s64, s44, s64
	s_cmp_lt_i32 s64, s6
	s_cselect_b64 s[38:39], -1, 0
	s_and_b64 s[4:5], s[4:5], s[38:39]
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB0_201
.LBB0_164:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB0_168 Depth 3
	s_mul_hi_u32 s4, s64, s75
	s_mul_i32 s5, s4, s69
	s_sub_i32 s5, s64, s5
	s_add_i32 s38, s4, 1
	s_sub_i32 s39, s5, s69
	s_cmp_ge_u32 s5, s69
	s_cselect_b32 s4, s38, s4
	s_cselect_b32 s5, s39, s5
	s_add_i32 s38, s4, 1
	s_cmp_ge_u32 s5, s69
	s_cselect_b32 s77, s38, s4
	s_mul_i32 s38, s77, s69
	s_cmp_lg_u32 s64, s38
	s_mov_b32 s40, 0
	s_cbranch_scc1 .LBB0_171
; %bb.165:                              ;   in Loop: Header=BB0_164 Depth=2
	s_andn2_b64 vcc, exec, s[24:25]
	s_cbranch_vccnz .LBB0_170
; %bb.166:                              ;   in Loop: Header=BB0_164 Depth=2
	s_mul_i32 s39, s77, s8
	s_and_b64 s[4:5], s[26:27], exec
	s_cselect_b32 s39, s39, 0
	s_mov_b32 s41, 0
	s_branch .LBB0_168
.LBB0_167:                              ;   in Loop: Header=BB0_168 Depth=3
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, -4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_ne_u32_e32 vcc, 0, v3
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0xffe0
	v_and_b32_e32 v5, 63, v5
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, s10, v2
	v_lshl_add_u32 v3, v5, 2, -8
	ds_bpermute_b32 v3, v3, v2
	v_cmp_lt_u32_e32 vcc, 1, v5
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v4
	v_min_u32_e32 v2, s10, v2
	v_lshl_add_u32 v4, v3, 2, -16
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 3, v3
	;;#ASMSTART
	;;#ASMEND
	s_sub_i32 s5, s10, s40
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v5
	v_min_u32_e32 v2, s10, v2
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 7, v3
	s_movk_i32 s4, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s10, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 15, v3
	s_movk_i32 s4, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s10, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 31, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, s10, v2
	s_nop 0
	v_readlane_b32 s4, v2, 63
	s_add_i32 s40, s4, s40
	s_cmp_lt_i32 s4, s5
	s_cselect_b32 s40, s40, s10
	s_add_i32 s41, s41, 64
	s_cmp_lt_i32 s41, s71
	s_cbranch_scc0 .LBB0_170
.LBB0_168:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_164 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v3, 63, v2
	v_add_u32_e32 v2, s41, v3
	v_cmp_gt_i32_e32 vcc, s72, v2
	v_mov_b32_e32 v2, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB0_167
; %bb.169:                              ;   in Loop: Header=BB0_168 Depth=3
	s_add_i32 s44, s39, s41
	v_add_u32_e32 v2, s44, v3
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[20:21]
	global_load_dword v2, v[2:3], off
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v3, s10, v2
	v_cmp_lt_i32_e32 vcc, -1, v2
	s_nop 1
	v_cndmask_b32_e32 v2, 0, v3, vcc
	s_branch .LBB0_167
.LBB0_170:                              ;   in Loop: Header=BB0_164 Depth=2
	s_and_b64 s[4:5], s[28:29], exec
	s_cselect_b32 s58, s40, 0
.LBB0_171:                              ;   in Loop: Header=BB0_164 Depth=2
	s_sub_i32 s38, s64, s38
	v_mov_b32_e32 v2, v0
	s_sub_i32 s76, s9, s38
	;;#ASMSTART
	;;#ASMEND
	s_add_i32 s76, s76, s14
	v_and_b32_e32 v2, 63, v2
	v_cmp_gt_i32_e32 vcc, s76, v2
	v_mov_b32_e32 v4, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB0_187
; %bb.172:                              ;   in Loop: Header=BB0_164 Depth=2
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_and_b64 vcc, exec, s[30:31]
	v_and_b32_e32 v2, 63, v2
	v_add_u32_e32 v3, s38, v2
	s_cbranch_vccz .LBB0_179
; %bb.173:                              ;   in Loop: Header=BB0_164 Depth=2
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_mov_b64 s[38:39], 0
	v_mov_b32_e32 v4, s40
	s_mov_b64 s[40:41], 0
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[44:45], vcc
	s_cbranch_execz .LBB0_180
; %bb.174:                              ;   in Loop: Header=BB0_164 Depth=2
	v_cmp_ge_i32_e32 vcc, s9, v3
	s_mov_b64 s[46:47], 0
	v_mov_b32_e32 v4, s10
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[40:41], vcc
	s_cbranch_execz .LBB0_178
; %bb.175:                              ;   in Loop: Header=BB0_164 Depth=2
	v_add_u32_e32 v4, s71, v3
	v_cmp_ge_i32_e32 vcc, s8, v4
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[48:49], vcc
	s_xor_b64 s[48:49], exec, s[48:49]
; %bb.176:                              ;   in Loop: Header=BB0_164 Depth=2
	s_mul_i32 s78, s77, s8
	s_add_i32 s80, s78, -1
	s_and_b64 s[78:79], s[26:27], exec
	s_cselect_b32 s78, s80, -1
	s_mov_b64 s[46:47], exec
	v_add_u32_e32 v2, s78, v4
; %bb.177:                              ;   in Loop: Header=BB0_164 Depth=2
	s_or_b64 exec, exec, s[48:49]
	v_mov_b32_e32 v4, 0
	s_and_b64 s[46:47], s[46:47], exec
.LBB0_178:                              ;   in Loop: Header=BB0_164 Depth=2
	s_or_b64 exec, exec, s[40:41]
	s_and_b64 s[40:41], s[46:47], exec
	s_or_b64 exec, exec, s[44:45]
	s_and_b64 vcc, exec, s[38:39]
	s_cbranch_vccnz .LBB0_181
	s_branch .LBB0_184
.LBB0_179:                              ;   in Loop: Header=BB0_164 Depth=2
	s_mov_b64 s[40:41], 0
                                        ; implicit-def: $vgpr4
                                        ; implicit-def: $vgpr2
	s_cbranch_execnz .LBB0_181
	s_branch .LBB0_184
.LBB0_180:                              ;   in Loop: Header=BB0_164 Depth=2
	s_or_b64 exec, exec, s[44:45]
	s_and_b64 vcc, exec, s[38:39]
	s_cbranch_vccz .LBB0_184
.LBB0_181:                              ;   in Loop: Header=BB0_164 Depth=2
	v_add_u32_e32 v3, s71, v3
	v_cmp_gt_i32_e32 vcc, s8, v3
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[38:39], vcc
; %bb.182:                              ;   in Loop: Header=BB0_164 Depth=2
	s_mul_i32 s77, s77, s8
	s_and_b64 s[44:45], s[26:27], exec
	s_cselect_b32 s44, s77, 0
	v_add_u32_e32 v2, s44, v3
	s_or_b64 s[40:41], s[40:41], exec
; %bb.183:                              ;   in Loop: Header=BB0_164 Depth=2
	s_or_b64 exec, exec, s[38:39]
	v_mov_b32_e32 v4, 0
.LBB0_184:                              ;   in Loop: Header=BB0_164 Depth=2
	s_and_saveexec_b64 s[38:39], s[40:41]
	s_cbranch_execz .LBB0_186
; %bb.185:                              ;   in Loop: Header=BB0_164 Depth=2
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[20:21]
	global_load_dword v2, v[2:3], off
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v3, s10, v2
	v_cmp_lt_i32_e32 vcc, -1, v2
	s_nop 1
	v_cndmask_b32_e32 v4, 0, v3, vcc
.LBB0_186:                              ;   in Loop: Header=BB0_164 Depth=2
	s_or_b64 exec, exec, s[38:39]
.LBB0_187:                              ;   in Loop: Header=BB0_164 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_sub_i32 s4, s10, s58
	v_and_b32_e32 v3, 63, v3
	v_min_i32_e32 v2, s4, v4
	v_lshl_add_u32 v4, v3, 2, -4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s5, 0xffe0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v5
	v_min_u32_e32 v2, s4, v2
	v_lshl_add_u32 v4, v3, 2, -8
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 1, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s4, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, -16
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 3, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s4, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s5
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 7, v3
	s_movk_i32 s5, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s4, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s5
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 15, v3
	s_movk_i32 s5, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s4, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s5
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 31, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, s4, v2
	v_add_u32_e32 v8, s58, v2
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v4, s58
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, -4
	ds_bpermute_b32 v3, v3, v8
	v_cmp_eq_u32_e32 vcc, 0, v2
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 63, v2
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v9, v3, v4, vcc
	v_cmp_gt_i32_e32 vcc, s76, v2
	v_mov_b32_e32 v2, 0
	s_and_saveexec_b64 s[38:39], vcc
	s_cbranch_execz .LBB0_197
; %bb.188:                              ;   in Loop: Header=BB0_164 Depth=2
	s_and_b64 vcc, exec, s[22:23]
	s_cbranch_vccz .LBB0_190
; %bb.189:                              ;   in Loop: Header=BB0_164 Depth=2
	v_cmp_eq_u32_e32 vcc, v8, v9
	v_mov_b32_e32 v2, s12
	s_and_b64 s[4:5], vcc, s[34:35]
	v_cndmask_b32_e64 v6, v2, 0, s[4:5]
	s_cbranch_execz .LBB0_191
	s_branch .LBB0_196
.LBB0_190:                              ;   in Loop: Header=BB0_164 Depth=2
                                        ; implicit-def: $vgpr6
.LBB0_191:                              ;   in Loop: Header=BB0_164 Depth=2
	v_sub_u32_e32 v2, v8, v9
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], s[36:37], 0, v[2:3]
	v_or_b32_e32 v5, s73, v3
	v_mov_b32_e32 v4, 0
	v_cmp_ne_u64_e32 vcc, 0, v[4:5]
                                        ; implicit-def: $vgpr6_vgpr7
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[40:41], exec, s[4:5]
	s_cbranch_execz .LBB0_193
; %bb.192:                              ;   in Loop: Header=BB0_164 Depth=2
	s_ashr_i32 s44, s73, 31
	s_add_u32 s4, s74, s44
	s_mov_b32 s45, s44
	s_addc_u32 s5, s73, s44
	s_xor_b64 s[46:47], s[4:5], s[44:45]
	v_cvt_f32_u32_e32 v5, s46
	v_cvt_f32_u32_e32 v6, s47
	s_sub_u32 s4, 0, s46
	s_subb_u32 s5, 0, s47
	v_mov_b32_e32 v13, v4
	v_fmamk_f32 v5, v6, 0x4f800000, v5
	v_rcp_f32_e32 v5, v5
	s_mov_b32 s80, 0
	v_mul_f32_e32 v5, 0x5f7ffffc, v5
	v_mul_f32_e32 v6, 0x2f800000, v5
	v_trunc_f32_e32 v6, v6
	v_fmamk_f32 v5, v6, 0xcf800000, v5
	v_cvt_u32_f32_e32 v6, v6
	v_cvt_u32_f32_e32 v5, v5
	v_readfirstlane_b32 s45, v6
	v_readfirstlane_b32 s48, v5
	s_mul_i32 s49, s4, s45
	s_mul_hi_u32 s77, s4, s48
	s_mul_i32 s58, s5, s48
	s_add_i32 s49, s77, s49
	s_add_i32 s49, s49, s58
	s_mul_i32 s78, s4, s48
	s_mul_i32 s77, s48, s49
	s_mul_hi_u32 s79, s48, s78
	s_mul_hi_u32 s58, s48, s49
	s_add_u32 s77, s79, s77
	s_addc_u32 s58, 0, s58
	s_mul_hi_u32 s81, s45, s78
	s_mul_i32 s78, s45, s78
	s_add_u32 s77, s77, s78
	s_mul_hi_u32 s79, s45, s49
	s_addc_u32 s58, s58, s81
	s_addc_u32 s77, s79, 0
	s_mul_i32 s49, s45, s49
	s_add_u32 s49, s58, s49
	s_addc_u32 s58, 0, s77
	s_add_u32 s48, s48, s49
	s_addc_u32 s45, s45, s58
	s_mul_i32 s49, s4, s45
	s_mul_hi_u32 s58, s4, s48
	s_add_i32 s49, s58, s49
	s_mul_i32 s5, s5, s48
	s_add_i32 s49, s49, s5
	s_mul_i32 s4, s4, s48
	s_mul_hi_u32 s58, s45, s4
	s_mul_i32 s77, s45, s4
	s_mul_i32 s79, s48, s49
	s_mul_hi_u32 s4, s48, s4
	s_mul_hi_u32 s78, s48, s49
	s_add_u32 s4, s4, s79
	s_addc_u32 s78, 0, s78
	s_add_u32 s4, s4, s77
	s_mul_hi_u32 s5, s45, s49
	s_addc_u32 s4, s78, s58
	s_addc_u32 s5, s5, 0
	s_mul_i32 s49, s45, s49
	s_add_u32 s4, s4, s49
	v_ashrrev_i32_e32 v6, 31, v3
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v7, v6
	s_add_u32 s48, s48, s4
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[6:7]
	s_addc_u32 s45, s45, s5
	v_xor_b32_e32 v11, v2, v6
	v_xor_b32_e32 v7, v3, v6
	v_mad_u64_u32 v[2:3], s[4:5], v11, s45, 0
	v_mul_hi_u32 v12, v11, s48
	v_lshl_add_u64 v[2:3], v[12:13], 0, v[2:3]
	v_mad_u64_u32 v[12:13], s[4:5], v7, s48, 0
	v_add_co_u32_e32 v2, vcc, v2, v12
	v_mad_u64_u32 v[4:5], s[4:5], v7, s45, 0
	s_nop 0
	v_addc_co_u32_e32 v2, vcc, v3, v13, vcc
	v_mov_b32_e32 v3, s80
	s_nop 0
	v_addc_co_u32_e32 v5, vcc, 0, v5, vcc
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[4:5]
	v_mul_lo_u32 v12, s47, v2
	v_mul_lo_u32 v13, s46, v3
	v_mad_u64_u32 v[4:5], s[4:5], s46, v2, 0
	v_add3_u32 v14, v5, v13, v12
	v_sub_u32_e32 v5, v7, v14
	v_mov_b32_e32 v12, s47
	v_sub_co_u32_e32 v11, vcc, v11, v4
	s_nop 1
	v_subb_co_u32_e64 v4, s[4:5], v5, v12, vcc
	v_subrev_co_u32_e64 v5, s[4:5], s46, v11
	s_nop 1
	v_subbrev_co_u32_e64 v4, s[4:5], 0, v4, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s47, v4
	s_nop 1
	v_cndmask_b32_e64 v12, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s46, v5
	s_nop 1
	v_cndmask_b32_e64 v5, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s47, v4
	s_nop 1
	v_cndmask_b32_e64 v15, v12, v5, s[4:5]
	v_lshl_add_u64 v[4:5], v[2:3], 0, 2
	v_lshl_add_u64 v[12:13], v[2:3], 0, 1
	v_subb_co_u32_e32 v3, vcc, v7, v14, vcc
	v_cmp_le_u32_e32 vcc, s47, v3
	s_nop 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s46, v11
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s47, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v15
	s_nop 1
	v_cndmask_b32_e32 v4, v12, v4, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_xor_b32_e32 v3, s44, v6
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_xor_b32_e32 v2, v2, v3
	v_sub_co_u32_e32 v6, vcc, v2, v3
                                        ; implicit-def: $vgpr2_vgpr3
.LBB0_193:                              ;   in Loop: Header=BB0_164 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[40:41]
	s_cbranch_execz .LBB0_195
; %bb.194:                              ;   in Loop: Header=BB0_164 Depth=2
	v_cvt_f32_u32_e32 v3, s74
	s_sub_i32 s40, 0, s74
	v_rcp_iflag_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v4, s40, v3
	v_mul_hi_u32 v4, v3, v4
	v_add_u32_e32 v3, v3, v4
	v_mul_hi_u32 v3, v2, v3
	v_mul_lo_u32 v4, v3, s74
	v_sub_u32_e32 v2, v2, v4
	v_add_u32_e32 v5, 1, v3
	v_subrev_u32_e32 v4, s74, v2
	v_cmp_le_u32_e32 vcc, s74, v2
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_add_u32_e32 v4, 1, v3
	v_cmp_le_u32_e32 vcc, s74, v2
	s_nop 1
	v_cndmask_b32_e32 v6, v3, v4, vcc
.LBB0_195:                              ;   in Loop: Header=BB0_164 Depth=2
	s_or_b64 exec, exec, s[4:5]
.LBB0_196:                              ;   in Loop: Header=BB0_164 Depth=2
	v_mul_lo_u32 v2, v6, s13
.LBB0_197:                              ;   in Loop: Header=BB0_164 Depth=2
	s_or_b64 exec, exec, s[38:39]
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, -4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_ne_u32_e32 vcc, 0, v3
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v6, v0
	v_and_b32_e32 v5, 63, v5
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v3, v3, v2
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_lshl_add_u32 v4, v5, 2, -8
	ds_bpermute_b32 v4, v4, v3
	v_cmp_lt_u32_e32 vcc, 1, v5
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0xffe0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_add_u32_e32 v3, v4, v3
	v_and_b32_e32 v4, 63, v6
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_lshl_add_u32 v5, v4, 2, -16
	ds_bpermute_b32 v5, v5, v3
	v_cmp_lt_u32_e32 vcc, 3, v4
	v_mov_b32_e32 v6, v0
	;;#ASMSTART
	;;#ASMEND
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v4, 0, v5, vcc
	v_add_u32_e32 v3, v4, v3
	v_and_b32_e32 v4, 63, v6
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_lshl_add_u32 v5, v4, 2, s4
	ds_bpermute_b32 v5, v5, v3
	v_cmp_lt_u32_e32 vcc, 7, v4
	s_movk_i32 s4, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v4, 0, v5, vcc
	v_add_u32_e32 v3, v4, v3
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_and_b32_e32 v4, 63, v4
	v_lshl_add_u32 v5, v4, 2, s4
	ds_bpermute_b32 v5, v5, v3
	v_cmp_lt_u32_e32 vcc, 15, v4
	s_movk_i32 s4, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v4, 0, v5, vcc
	v_add_u32_e32 v3, v4, v3
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_and_b32_e32 v4, 63, v4
	v_lshl_add_u32 v5, v4, 2, s4
	ds_bpermute_b32 v5, v5, v3
	v_cmp_lt_u32_e32 vcc, 31, v4
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v4, 0, v5, vcc
	v_add_u32_e32 v3, v4, v3
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_add_u32_e32 v3, s66, v3
	v_cmp_lt_i32_e32 vcc, s63, v3
	s_ff1_i32_b64 s4, vcc
	s_min_u32 s44, s4, 64
	s_cmp_gt_u32 s44, 63
	s_cselect_b64 s[4:5], -1, 0
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccnz .LBB0_199
; %bb.198:                              ;   in Loop: Header=BB0_164 Depth=2
	v_sub_u32_e32 v4, v3, v2
	v_readlane_b32 s58, v9, s44
	v_readlane_b32 s66, v4, s44
	v_sub_u32_e32 v4, v8, v9
	v_readlane_b32 s41, v2, s44
	v_readlane_b32 s40, v4, s44
	s_cbranch_execnz .LBB0_163
	s_branch .LBB0_162
.LBB0_199:                              ;   in Loop: Header=BB0_164 Depth=2
                                        ; implicit-def: $sgpr41
                                        ; implicit-def: $sgpr40
                                        ; implicit-def: $sgpr58
                                        ; implicit-def: $sgpr66
                                        ; implicit-def: $sgpr44
	s_branch .LBB0_162
.LBB0_200:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v4, s67
	v_mov_b32_e32 v2, s59
	s_mov_b64 s[62:63], 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	s_mov_b32 s95, 0
	s_mov_b32 s98, 0
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[14:15], 0
	s_branch .LBB0_223
.LBB0_201:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u32 s62, 1
	s_mov_b32 s95, s58
	s_cselect_b64 s[4:5], -1, 0
	s_cmp_lg_u32 s62, 1
	s_cbranch_scc0 .LBB0_203
; %bb.202:                              ;   in Loop: Header=BB0_124 Depth=1
	s_waitcnt lgkmcnt(0)
	s_bitcmp1_b32 s7, 0
	s_cselect_b64 s[6:7], -1, 0
	s_cmp_eq_u32 s40, 0
	s_cselect_b64 s[20:21], -1, 0
	s_and_b64 s[6:7], s[20:21], s[6:7]
	s_and_b64 s[6:7], s[6:7], exec
	s_cselect_b32 s8, 0, s12
	v_mov_b32_e32 v2, s8
	s_cbranch_execz .LBB0_204
	s_branch .LBB0_207
.LBB0_203:                              ;   in Loop: Header=BB0_124 Depth=1
	s_waitcnt lgkmcnt(0)
                                        ; implicit-def: $sgpr8
	v_mov_b32_e32 v2, s8
.LBB0_204:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s8, s40, 31
	s_ashr_i32 s7, s11, 31
	s_add_u32 s10, s11, s40
	s_addc_u32 s8, s7, s8
	s_add_u32 s20, s10, -1
	s_mov_b32 s6, s11
	s_addc_u32 s21, s8, -1
	s_or_b64 s[22:23], s[20:21], s[6:7]
	s_mov_b32 s22, 0
	s_cmp_lg_u64 s[22:23], 0
	s_mov_b64 s[22:23], -1
	s_cbranch_scc0 .LBB0_355
; %bb.205:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s24, s7, 31
	s_add_u32 s22, s6, s24
	s_mov_b32 s25, s24
	s_addc_u32 s23, s7, s24
	s_xor_b64 s[26:27], s[22:23], s[24:25]
	v_cvt_f32_u32_e32 v2, s26
	v_cvt_f32_u32_e32 v3, s27
	s_sub_u32 s7, 0, s26
	s_subb_u32 s8, 0, s27
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s10, v3
	v_readfirstlane_b32 s12, v2
	s_mul_i32 s14, s7, s10
	s_mul_hi_u32 s29, s7, s12
	s_mul_i32 s28, s8, s12
	s_add_i32 s14, s29, s14
	s_add_i32 s14, s14, s28
	s_mul_i32 s30, s7, s12
	s_mul_i32 s29, s12, s14
	s_mul_hi_u32 s31, s12, s30
	s_mul_hi_u32 s28, s12, s14
	s_add_u32 s29, s31, s29
	s_addc_u32 s28, 0, s28
	s_mul_hi_u32 s34, s10, s30
	s_mul_i32 s30, s10, s30
	s_add_u32 s29, s29, s30
	s_mul_hi_u32 s31, s10, s14
	s_addc_u32 s28, s28, s34
	s_addc_u32 s29, s31, 0
	s_mul_i32 s14, s10, s14
	s_add_u32 s14, s28, s14
	s_addc_u32 s28, 0, s29
	s_add_u32 s12, s12, s14
	s_addc_u32 s10, s10, s28
	s_mul_i32 s14, s7, s10
	s_mul_hi_u32 s28, s7, s12
	s_add_i32 s14, s28, s14
	s_mul_i32 s8, s8, s12
	s_add_i32 s14, s14, s8
	s_mul_i32 s7, s7, s12
	s_mul_hi_u32 s28, s10, s7
	s_mul_i32 s29, s10, s7
	s_mul_i32 s31, s12, s14
	s_mul_hi_u32 s7, s12, s7
	s_mul_hi_u32 s30, s12, s14
	s_add_u32 s7, s7, s31
	s_addc_u32 s30, 0, s30
	s_add_u32 s7, s7, s29
	s_mul_hi_u32 s8, s10, s14
	s_addc_u32 s7, s30, s28
	s_addc_u32 s8, s8, 0
	s_mul_i32 s14, s10, s14
	s_add_u32 s7, s7, s14
	s_addc_u32 s8, 0, s8
	s_add_u32 s7, s12, s7
	s_addc_u32 s8, s10, s8
	s_ashr_i32 s28, s21, 31
	s_add_u32 s30, s20, s28
	s_mov_b32 s29, s28
	s_addc_u32 s31, s21, s28
	s_xor_b64 s[30:31], s[30:31], s[28:29]
	s_mul_i32 s12, s30, s8
	s_mul_hi_u32 s14, s30, s7
	s_mul_hi_u32 s10, s30, s8
	s_add_u32 s12, s14, s12
	s_addc_u32 s10, 0, s10
	s_mul_hi_u32 s21, s31, s7
	s_mul_i32 s7, s31, s7
	s_add_u32 s7, s12, s7
	s_mul_hi_u32 s14, s31, s8
	s_addc_u32 s7, s10, s21
	s_addc_u32 s10, s14, 0
	s_mul_i32 s8, s31, s8
	s_add_u32 s7, s7, s8
	s_addc_u32 s8, 0, s10
	s_mul_i32 s10, s26, s8
	s_mul_hi_u32 s12, s26, s7
	s_add_i32 s10, s12, s10
	s_mul_i32 s12, s27, s7
	s_add_i32 s10, s10, s12
	s_sub_i32 s12, s31, s10
	s_mul_i32 s14, s26, s7
	s_sub_u32 s14, s30, s14
	s_cselect_b64 s[34:35], -1, 0
	s_subb_u32 s12, s12, s27
	s_sub_u32 s21, s14, s26
	s_subb_u32 s12, s12, 0
	s_cmp_ge_u32 s12, s27
	s_cselect_b32 s30, -1, 0
	s_cmp_ge_u32 s21, s26
	s_cselect_b32 s21, -1, 0
	s_cmp_eq_u32 s12, s27
	s_cselect_b32 s12, s21, s30
	s_add_u32 s21, s7, 1
	s_addc_u32 s30, s8, 0
	s_add_u32 s36, s7, 2
	s_addc_u32 s37, s8, 0
	s_cmp_lg_u32 s12, 0
	s_cselect_b32 s12, s36, s21
	s_cselect_b32 s21, s37, s30
	s_cmp_lg_u64 s[34:35], 0
	s_subb_u32 s10, s31, s10
	s_cmp_ge_u32 s10, s27
	s_cselect_b32 s30, -1, 0
	s_cmp_ge_u32 s14, s26
	s_cselect_b32 s14, -1, 0
	s_cmp_eq_u32 s10, s27
	s_cselect_b32 s10, s14, s30
	s_cmp_lg_u32 s10, 0
	s_cselect_b32 s27, s21, s8
	s_cselect_b32 s26, s12, s7
	s_xor_b64 s[24:25], s[28:29], s[24:25]
	s_xor_b64 s[26:27], s[26:27], s[24:25]
	s_sub_u32 s24, s26, s24
	s_subb_u32 s25, s27, s25
	v_mov_b64_e32 v[2:3], s[24:25]
	s_cbranch_execnz .LBB0_207
.LBB0_206:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s6
	s_sub_i32 s7, 0, s6
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s7, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s20, v2
	v_mul_lo_u32 v4, v2, s6
	v_sub_u32_e32 v4, s20, v4
	v_add_u32_e32 v3, 1, v2
	v_subrev_u32_e32 v5, s6, v4
	v_cmp_le_u32_e32 vcc, s6, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_add_u32_e32 v3, 1, v2
	v_cmp_le_u32_e32 vcc, s6, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
.LBB0_207:                              ;   in Loop: Header=BB0_124 Depth=1
	s_sub_i32 s6, s63, s66
	s_mul_i32 s7, s15, s13
	s_cmp_lt_i32 s6, s7
	v_mov_b32_e32 v3, 0
	s_cbranch_scc1 .LBB0_209
; %bb.208:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v3, s7
	s_sub_i32 s8, 0, s7
	v_rcp_iflag_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v4, s8, v3
	v_mul_hi_u32 v4, v3, v4
	v_add_u32_e32 v3, v3, v4
	v_mul_hi_u32 v3, s6, v3
	v_mul_lo_u32 v4, v3, s7
	v_sub_u32_e32 v4, s6, v4
	v_add_u32_e32 v5, 1, v3
	v_subrev_u32_e32 v6, s7, v4
	v_cmp_le_u32_e32 vcc, s7, v4
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_cndmask_b32_e32 v4, v4, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s7, v4
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v5, vcc
.LBB0_209:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 s[4:5], s[4:5], exec
	s_cselect_b32 s4, 2, 0
	s_add_i32 s8, s9, s4
	v_cvt_f32_u32_e32 v4, s8
	v_mul_lo_u32 v6, v3, s15
	v_sub_u32_e32 v2, v2, v6
	v_min_i32_e32 v7, s15, v2
	v_rcp_iflag_f32_e32 v4, v4
	v_cvt_f32_u32_e32 v2, v7
	s_sub_i32 s10, 0, s8
	v_mul_lo_u32 v3, v3, s7
	v_mul_f32_e32 v4, 0x4f7ffffe, v4
	v_cvt_u32_f32_e32 v4, v4
	v_rcp_iflag_f32_e32 v2, v2
	v_sub_u32_e32 v8, s6, v3
	v_sub_u32_e32 v3, 0, v7
	v_readfirstlane_b32 s12, v4
	s_mul_i32 s10, s10, s12
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	s_mul_hi_u32 s10, s12, s10
	v_cvt_u32_f32_e32 v2, v2
	s_add_i32 s12, s12, s10
	s_mul_hi_u32 s10, s64, s12
	s_mul_i32 s12, s10, s8
	s_sub_i32 s12, s64, s12
	v_mul_lo_u32 v3, v3, v2
	s_add_i32 s13, s10, 1
	s_sub_i32 s14, s12, s8
	v_mul_hi_u32 v3, v2, v3
	s_cmp_ge_u32 s12, s8
	v_add_u32_e32 v2, v2, v3
	s_cselect_b32 s10, s13, s10
	v_mul_hi_u32 v9, v8, v2
	s_cselect_b32 s12, s14, s12
	s_add_i32 s13, s10, 1
	v_mul_lo_u32 v2, v9, v7
	s_cmp_ge_u32 s12, s8
	v_sub_u32_e32 v2, v8, v2
	s_cselect_b32 s98, s13, s10
	v_sub_u32_e32 v3, v2, v7
	v_cmp_ge_u32_e64 s[6:7], v2, v7
	s_mul_i32 s8, s98, s8
	s_sub_i32 s24, s64, s8
	v_cndmask_b32_e64 v2, v2, v3, s[6:7]
	v_cmp_ge_u32_e64 s[4:5], v2, v7
	s_cmp_lg_u32 s62, 2
	s_mov_b64 s[14:15], -1
	s_cbranch_scc0 .LBB0_211
; %bb.210:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_gt_i32 s24, s9
	v_sub_co_u32_e64 v2, s[12:13], s24, 1
	s_cselect_b64 s[8:9], -1, 0
	s_or_b64 s[62:63], s[12:13], s[8:9]
	s_and_b64 s[8:9], s[62:63], exec
	v_cndmask_b32_e64 v3, v2, 0, s[62:63]
	s_cselect_b32 s10, s59, s67
	v_mov_b32_e32 v4, s10
	v_mov_b32_e32 v2, s59
	s_cbranch_execz .LBB0_212
	s_branch .LBB0_222
.LBB0_211:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr62_sgpr63
                                        ; implicit-def: $vgpr3
                                        ; implicit-def: $sgpr10
	v_mov_b32_e32 v4, s10
	v_mov_b32_e32 v2, s59
.LBB0_212:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s10, s40, 31
	s_ashr_i32 s9, s11, 31
	s_mov_b32 s8, s11
	s_add_u32 s11, s11, s40
	s_addc_u32 s10, s9, s10
	s_add_u32 s12, s11, -1
	s_addc_u32 s13, s10, -1
	s_or_b64 s[10:11], s[12:13], s[8:9]
	s_mov_b32 s10, 0
	s_cmp_lg_u64 s[10:11], 0
	s_cbranch_scc0 .LBB0_356
; %bb.213:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s10, s9, 31
	s_add_u32 s14, s8, s10
	s_mov_b32 s11, s10
	s_addc_u32 s15, s9, s10
	s_xor_b64 s[20:21], s[14:15], s[10:11]
	v_cvt_f32_u32_e32 v2, s20
	v_cvt_f32_u32_e32 v3, s21
	s_sub_u32 s9, 0, s20
	s_subb_u32 s22, 0, s21
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s23, v3
	v_readfirstlane_b32 s25, v2
	s_mul_i32 s26, s9, s23
	s_mul_hi_u32 s28, s9, s25
	s_mul_i32 s27, s22, s25
	s_add_i32 s26, s28, s26
	s_add_i32 s26, s26, s27
	s_mul_i32 s29, s9, s25
	s_mul_i32 s28, s25, s26
	s_mul_hi_u32 s30, s25, s29
	s_mul_hi_u32 s27, s25, s26
	s_add_u32 s28, s30, s28
	s_addc_u32 s27, 0, s27
	s_mul_hi_u32 s31, s23, s29
	s_mul_i32 s29, s23, s29
	s_add_u32 s28, s28, s29
	s_mul_hi_u32 s30, s23, s26
	s_addc_u32 s27, s27, s31
	s_addc_u32 s28, s30, 0
	s_mul_i32 s26, s23, s26
	s_add_u32 s26, s27, s26
	s_addc_u32 s27, 0, s28
	s_add_u32 s25, s25, s26
	s_addc_u32 s23, s23, s27
	s_mul_i32 s26, s9, s23
	s_mul_hi_u32 s27, s9, s25
	s_add_i32 s26, s27, s26
	s_mul_i32 s22, s22, s25
	s_add_i32 s26, s26, s22
	s_mul_i32 s9, s9, s25
	s_mul_hi_u32 s27, s23, s9
	s_mul_i32 s28, s23, s9
	s_mul_i32 s30, s25, s26
	s_mul_hi_u32 s9, s25, s9
	s_mul_hi_u32 s29, s25, s26
	s_add_u32 s9, s9, s30
	s_addc_u32 s29, 0, s29
	s_add_u32 s9, s9, s28
	s_mul_hi_u32 s22, s23, s26
	s_addc_u32 s9, s29, s27
	s_addc_u32 s22, s22, 0
	s_mul_i32 s26, s23, s26
	s_add_u32 s9, s9, s26
	s_addc_u32 s22, 0, s22
	s_add_u32 s9, s25, s9
	s_addc_u32 s25, s23, s22
	s_ashr_i32 s22, s13, 31
	s_add_u32 s26, s12, s22
	s_mov_b32 s23, s22
	s_addc_u32 s27, s13, s22
	s_xor_b64 s[26:27], s[26:27], s[22:23]
	s_mul_i32 s28, s26, s25
	s_mul_hi_u32 s29, s26, s9
	s_mul_hi_u32 s13, s26, s25
	s_add_u32 s28, s29, s28
	s_addc_u32 s13, 0, s13
	s_mul_hi_u32 s30, s27, s9
	s_mul_i32 s9, s27, s9
	s_add_u32 s9, s28, s9
	s_mul_hi_u32 s29, s27, s25
	s_addc_u32 s9, s13, s30
	s_addc_u32 s13, s29, 0
	s_mul_i32 s25, s27, s25
	s_add_u32 s9, s9, s25
	s_addc_u32 s13, 0, s13
	s_mul_i32 s25, s20, s13
	s_mul_hi_u32 s28, s20, s9
	s_add_i32 s25, s28, s25
	s_mul_i32 s28, s21, s9
	s_add_i32 s25, s25, s28
	s_sub_i32 s30, s27, s25
	s_mul_i32 s28, s20, s9
	s_sub_u32 s26, s26, s28
	s_cselect_b64 s[28:29], -1, 0
	s_subb_u32 s30, s30, s21
	s_sub_u32 s31, s26, s20
	s_subb_u32 s30, s30, 0
	s_cmp_ge_u32 s30, s21
	s_cselect_b32 s34, -1, 0
	s_cmp_ge_u32 s31, s20
	s_cselect_b32 s31, -1, 0
	s_cmp_eq_u32 s30, s21
	s_cselect_b32 s30, s31, s34
	s_add_u32 s31, s9, 1
	s_addc_u32 s34, s13, 0
	s_add_u32 s35, s9, 2
	s_addc_u32 s36, s13, 0
	s_cmp_lg_u32 s30, 0
	s_cselect_b32 s30, s35, s31
	s_cselect_b32 s31, s36, s34
	s_cmp_lg_u64 s[28:29], 0
	s_subb_u32 s25, s27, s25
	s_cmp_ge_u32 s25, s21
	s_cselect_b32 s27, -1, 0
	s_cmp_ge_u32 s26, s20
	s_cselect_b32 s20, -1, 0
	s_cmp_eq_u32 s25, s21
	s_cselect_b32 s20, s20, s27
	s_cmp_lg_u32 s20, 0
	s_cselect_b32 s21, s31, s13
	s_cselect_b32 s20, s30, s9
	s_xor_b64 s[10:11], s[22:23], s[10:11]
	s_xor_b64 s[20:21], s[20:21], s[10:11]
	s_sub_u32 s10, s20, s10
	s_subb_u32 s11, s21, s11
	s_cbranch_execnz .LBB0_215
.LBB0_214:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s8
	s_sub_i32 s9, 0, s8
	s_mov_b32 s11, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s10, v2
	s_mul_i32 s9, s9, s10
	s_mul_hi_u32 s9, s10, s9
	s_add_i32 s10, s10, s9
	s_mul_hi_u32 s9, s12, s10
	s_mul_i32 s13, s9, s8
	s_sub_i32 s12, s12, s13
	s_add_i32 s10, s9, 1
	s_sub_i32 s13, s12, s8
	s_cmp_ge_u32 s12, s8
	s_cselect_b32 s9, s10, s9
	s_cselect_b32 s12, s13, s12
	s_add_i32 s10, s9, 1
	s_cmp_ge_u32 s12, s8
	s_cselect_b32 s10, s10, s9
.LBB0_215:                              ;   in Loop: Header=BB0_124 Depth=1
	s_min_i32 s8, s10, s19
	s_cmp_gt_i32 s10, 0
	s_cselect_b32 s8, s8, 1
	s_mul_hi_i32 s13, s10, s52
	s_mul_i32 s12, s10, s52
	s_ashr_i32 s9, s8, 31
	s_or_b64 s[20:21], s[12:13], s[8:9]
	s_mov_b32 s14, 0
	s_mov_b32 s15, s21
	s_cmp_lg_u64 s[14:15], 0
	s_cbranch_scc0 .LBB0_357
; %bb.216:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s20, s9, 31
	s_add_u32 s14, s8, s20
	s_mov_b32 s21, s20
	s_addc_u32 s15, s9, s20
	s_xor_b64 s[22:23], s[14:15], s[20:21]
	v_cvt_f32_u32_e32 v2, s22
	v_cvt_f32_u32_e32 v3, s23
	s_sub_u32 s19, 0, s22
	s_subb_u32 s25, 0, s23
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s26, v3
	v_readfirstlane_b32 s27, v2
	s_mul_i32 s28, s19, s26
	s_mul_hi_u32 s30, s19, s27
	s_mul_i32 s29, s25, s27
	s_add_i32 s28, s30, s28
	s_add_i32 s28, s28, s29
	s_mul_i32 s31, s19, s27
	s_mul_i32 s30, s27, s28
	s_mul_hi_u32 s34, s27, s31
	s_mul_hi_u32 s29, s27, s28
	s_add_u32 s30, s34, s30
	s_addc_u32 s29, 0, s29
	s_mul_hi_u32 s35, s26, s31
	s_mul_i32 s31, s26, s31
	s_add_u32 s30, s30, s31
	s_mul_hi_u32 s34, s26, s28
	s_addc_u32 s29, s29, s35
	s_addc_u32 s30, s34, 0
	s_mul_i32 s28, s26, s28
	s_add_u32 s28, s29, s28
	s_addc_u32 s29, 0, s30
	s_add_u32 s27, s27, s28
	s_addc_u32 s26, s26, s29
	s_mul_i32 s28, s19, s26
	s_mul_hi_u32 s29, s19, s27
	s_add_i32 s28, s29, s28
	s_mul_i32 s25, s25, s27
	s_add_i32 s28, s28, s25
	s_mul_i32 s19, s19, s27
	s_mul_hi_u32 s29, s26, s19
	s_mul_i32 s30, s26, s19
	s_mul_i32 s34, s27, s28
	s_mul_hi_u32 s19, s27, s19
	s_mul_hi_u32 s31, s27, s28
	s_add_u32 s19, s19, s34
	s_addc_u32 s31, 0, s31
	s_add_u32 s19, s19, s30
	s_mul_hi_u32 s25, s26, s28
	s_addc_u32 s19, s31, s29
	s_addc_u32 s25, s25, 0
	s_mul_i32 s28, s26, s28
	s_add_u32 s19, s19, s28
	s_addc_u32 s25, 0, s25
	s_add_u32 s19, s27, s19
	s_addc_u32 s25, s26, s25
	s_ashr_i32 s26, s13, 31
	s_add_u32 s28, s12, s26
	s_mov_b32 s27, s26
	s_addc_u32 s29, s13, s26
	s_xor_b64 s[28:29], s[28:29], s[26:27]
	s_mul_i32 s30, s28, s25
	s_mul_hi_u32 s31, s28, s19
	s_mul_hi_u32 s13, s28, s25
	s_add_u32 s30, s31, s30
	s_addc_u32 s13, 0, s13
	s_mul_hi_u32 s34, s29, s19
	s_mul_i32 s19, s29, s19
	s_add_u32 s19, s30, s19
	s_mul_hi_u32 s31, s29, s25
	s_addc_u32 s13, s13, s34
	s_addc_u32 s19, s31, 0
	s_mul_i32 s25, s29, s25
	s_add_u32 s13, s13, s25
	s_addc_u32 s19, 0, s19
	s_mul_i32 s25, s22, s19
	s_mul_hi_u32 s30, s22, s13
	s_add_i32 s25, s30, s25
	s_mul_i32 s30, s23, s13
	s_add_i32 s25, s25, s30
	s_sub_i32 s34, s29, s25
	s_mul_i32 s30, s22, s13
	s_sub_u32 s28, s28, s30
	s_cselect_b64 s[30:31], -1, 0
	s_subb_u32 s34, s34, s23
	s_sub_u32 s35, s28, s22
	s_subb_u32 s34, s34, 0
	s_cmp_ge_u32 s34, s23
	s_cselect_b32 s36, -1, 0
	s_cmp_ge_u32 s35, s22
	s_cselect_b32 s35, -1, 0
	s_cmp_eq_u32 s34, s23
	s_cselect_b32 s34, s35, s36
	s_add_u32 s35, s13, 1
	s_addc_u32 s36, s19, 0
	s_add_u32 s37, s13, 2
	s_addc_u32 s38, s19, 0
	s_cmp_lg_u32 s34, 0
	s_cselect_b32 s34, s37, s35
	s_cselect_b32 s35, s38, s36
	s_cmp_lg_u64 s[30:31], 0
	s_subb_u32 s25, s29, s25
	s_cmp_ge_u32 s25, s23
	s_cselect_b32 s29, -1, 0
	s_cmp_ge_u32 s28, s22
	s_cselect_b32 s22, -1, 0
	s_cmp_eq_u32 s25, s23
	s_cselect_b32 s22, s22, s29
	s_cmp_lg_u32 s22, 0
	s_cselect_b32 s23, s35, s19
	s_cselect_b32 s22, s34, s13
	s_xor_b64 s[20:21], s[26:27], s[20:21]
	s_xor_b64 s[22:23], s[22:23], s[20:21]
	s_sub_u32 s20, s22, s20
	s_subb_u32 s21, s23, s21
	v_cvt_f32_u32_e32 v11, s8
	v_mov_b64_e32 v[2:3], s[20:21]
	s_cbranch_execnz .LBB0_218
.LBB0_217:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v11
	s_sub_i32 s13, 0, s8
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s13, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s12, v2
	v_mul_lo_u32 v4, v2, s8
	v_sub_u32_e32 v4, s12, v4
	v_add_u32_e32 v3, 1, v2
	v_subrev_u32_e32 v5, s8, v4
	v_cmp_le_u32_e32 vcc, s8, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_add_u32_e32 v3, 1, v2
	v_cmp_le_u32_e32 vcc, s8, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
.LBB0_218:                              ;   in Loop: Header=BB0_124 Depth=1
	s_bfe_i64 s[10:11], s[10:11], 0x200000
	s_add_i32 s12, s52, 1
	s_mul_hi_i32 s11, s10, s12
	s_mul_i32 s10, s10, s12
	s_or_b64 s[12:13], s[10:11], s[8:9]
	s_mov_b32 s12, 0
	s_cmp_lg_u64 s[12:13], 0
	s_cbranch_scc0 .LBB0_358
; %bb.219:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s12, s9, 31
	s_add_u32 s14, s8, s12
	s_mov_b32 s13, s12
	s_addc_u32 s15, s9, s12
	s_xor_b64 s[20:21], s[14:15], s[12:13]
	v_cvt_f32_u32_e32 v3, s20
	v_cvt_f32_u32_e32 v4, s21
	s_sub_u32 s9, 0, s20
	s_subb_u32 s19, 0, s21
	v_fmamk_f32 v3, v4, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v4, 0x2f800000, v3
	v_trunc_f32_e32 v4, v4
	v_fmamk_f32 v3, v4, 0xcf800000, v3
	v_cvt_u32_f32_e32 v4, v4
	v_cvt_u32_f32_e32 v3, v3
	v_readfirstlane_b32 s22, v4
	v_readfirstlane_b32 s23, v3
	s_mul_i32 s25, s9, s22
	s_mul_hi_u32 s27, s9, s23
	s_mul_i32 s26, s19, s23
	s_add_i32 s25, s27, s25
	s_add_i32 s25, s25, s26
	s_mul_i32 s28, s9, s23
	s_mul_i32 s27, s23, s25
	s_mul_hi_u32 s29, s23, s28
	s_mul_hi_u32 s26, s23, s25
	s_add_u32 s27, s29, s27
	s_addc_u32 s26, 0, s26
	s_mul_hi_u32 s30, s22, s28
	s_mul_i32 s28, s22, s28
	s_add_u32 s27, s27, s28
	s_mul_hi_u32 s29, s22, s25
	s_addc_u32 s26, s26, s30
	s_addc_u32 s27, s29, 0
	s_mul_i32 s25, s22, s25
	s_add_u32 s25, s26, s25
	s_addc_u32 s26, 0, s27
	s_add_u32 s23, s23, s25
	s_addc_u32 s22, s22, s26
	s_mul_i32 s25, s9, s22
	s_mul_hi_u32 s26, s9, s23
	s_add_i32 s25, s26, s25
	s_mul_i32 s19, s19, s23
	s_add_i32 s25, s25, s19
	s_mul_i32 s9, s9, s23
	s_mul_hi_u32 s26, s22, s9
	s_mul_i32 s27, s22, s9
	s_mul_i32 s29, s23, s25
	s_mul_hi_u32 s9, s23, s9
	s_mul_hi_u32 s28, s23, s25
	s_add_u32 s9, s9, s29
	s_addc_u32 s28, 0, s28
	s_add_u32 s9, s9, s27
	s_mul_hi_u32 s19, s22, s25
	s_addc_u32 s9, s28, s26
	s_addc_u32 s19, s19, 0
	s_mul_i32 s25, s22, s25
	s_add_u32 s9, s9, s25
	s_addc_u32 s19, 0, s19
	s_add_u32 s9, s23, s9
	s_addc_u32 s19, s22, s19
	s_ashr_i32 s22, s11, 31
	s_add_u32 s26, s10, s22
	s_mov_b32 s23, s22
	s_addc_u32 s27, s11, s22
	s_xor_b64 s[26:27], s[26:27], s[22:23]
	s_mul_i32 s25, s26, s19
	s_mul_hi_u32 s28, s26, s9
	s_mul_hi_u32 s11, s26, s19
	s_add_u32 s25, s28, s25
	s_addc_u32 s11, 0, s11
	s_mul_hi_u32 s29, s27, s9
	s_mul_i32 s9, s27, s9
	s_add_u32 s9, s25, s9
	s_mul_hi_u32 s28, s27, s19
	s_addc_u32 s9, s11, s29
	s_addc_u32 s11, s28, 0
	s_mul_i32 s19, s27, s19
	s_add_u32 s9, s9, s19
	s_addc_u32 s11, 0, s11
	s_mul_i32 s19, s20, s11
	s_mul_hi_u32 s25, s20, s9
	s_add_i32 s19, s25, s19
	s_mul_i32 s25, s21, s9
	s_add_i32 s19, s19, s25
	s_sub_i32 s25, s27, s19
	s_mul_i32 s28, s20, s9
	s_sub_u32 s26, s26, s28
	s_cselect_b64 s[28:29], -1, 0
	s_subb_u32 s25, s25, s21
	s_sub_u32 s30, s26, s20
	s_subb_u32 s25, s25, 0
	s_cmp_ge_u32 s25, s21
	s_cselect_b32 s31, -1, 0
	s_cmp_ge_u32 s30, s20
	s_cselect_b32 s30, -1, 0
	s_cmp_eq_u32 s25, s21
	s_cselect_b32 s25, s30, s31
	s_add_u32 s30, s9, 1
	s_addc_u32 s31, s11, 0
	s_add_u32 s34, s9, 2
	s_addc_u32 s35, s11, 0
	s_cmp_lg_u32 s25, 0
	s_cselect_b32 s25, s34, s30
	s_cselect_b32 s30, s35, s31
	s_cmp_lg_u64 s[28:29], 0
	s_subb_u32 s19, s27, s19
	s_cmp_ge_u32 s19, s21
	s_cselect_b32 s27, -1, 0
	s_cmp_ge_u32 s26, s20
	s_cselect_b32 s20, -1, 0
	s_cmp_eq_u32 s19, s21
	s_cselect_b32 s19, s20, s27
	s_cmp_lg_u32 s19, 0
	s_cselect_b32 s21, s30, s11
	s_cselect_b32 s20, s25, s9
	s_xor_b64 s[12:13], s[22:23], s[12:13]
	s_xor_b64 s[20:21], s[20:21], s[12:13]
	s_sub_u32 s12, s20, s12
	s_subb_u32 s13, s21, s13
	v_mov_b64_e32 v[4:5], s[12:13]
	s_cbranch_execnz .LBB0_221
.LBB0_220:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v3, v11
	s_sub_i32 s9, 0, s8
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v4, s9, v3
	v_mul_hi_u32 v4, v3, v4
	v_add_u32_e32 v3, v3, v4
	v_mul_hi_u32 v3, s10, v3
	v_mul_lo_u32 v5, v3, s8
	v_sub_u32_e32 v5, s10, v5
	v_add_u32_e32 v4, 1, v3
	v_subrev_u32_e32 v11, s8, v5
	v_cmp_le_u32_e32 vcc, s8, v5
	s_nop 1
	v_cndmask_b32_e32 v5, v5, v11, vcc
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_add_u32_e32 v4, 1, v3
	v_cmp_le_u32_e32 vcc, s8, v5
	s_nop 1
	v_cndmask_b32_e32 v4, v3, v4, vcc
.LBB0_221:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_lt_i32 s52, s8
	s_cselect_b64 s[14:15], -1, 0
	s_mov_b64 s[62:63], 0
	v_mov_b32_e32 v3, s24
	v_mov_b32_e32 v120, s8
.LBB0_222:                              ;   in Loop: Header=BB0_124 Depth=1
	v_add_u32_e32 v5, 1, v9
	v_cndmask_b32_e64 v5, v9, v5, s[6:7]
	v_add_u32_e32 v9, 1, v5
	v_cndmask_b32_e64 v5, v5, v9, s[4:5]
	v_add_u32_e32 v6, v8, v6
	v_mul_lo_u32 v7, v7, v5
	v_sub_u32_e32 v6, v6, v7
	s_add_i32 s97, s95, s40
	s_mov_b32 s58, s95
.LBB0_223:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v7, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v8, s65
	v_and_b32_e32 v7, 63, v7
	v_cmp_eq_u32_e32 vcc, 0, v7
	v_mov_b32_e32 v9, s51
	v_readfirstlane_b32 s72, v2
	v_cndmask_b32_e32 v8, v10, v8, vcc
	v_cmp_eq_u32_e32 vcc, 1, v7
	v_readfirstlane_b32 s74, v4
	v_readfirstlane_b32 s99, v3
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s18
	v_cmp_eq_u32_e32 vcc, 2, v7
	s_nop 1
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s64
	v_cmp_eq_u32_e32 vcc, 3, v7
	v_readfirstlane_b32 s64, v6
	s_nop 0
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s66
	v_cmp_eq_u32_e32 vcc, 4, v7
	v_readfirstlane_b32 s66, v5
	s_nop 0
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s58
	v_cmp_eq_u32_e32 vcc, 5, v7
	s_nop 1
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s40
	v_cmp_eq_u32_e32 vcc, 6, v7
	s_nop 1
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s41
	v_cmp_eq_u32_e32 vcc, 7, v7
	s_nop 1
	v_cndmask_b32_e32 v125, v8, v9, vcc
	s_branch .LBB0_254
.LBB0_224:                              ;   in Loop: Header=BB0_124 Depth=1
	s_load_dwordx4 s[4:7], s[16:17], 0x90
	s_load_dwordx4 s[8:11], s[16:17], 0xa4
	v_readfirstlane_b32 s30, v10
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s12, s7
	s_cmp_ge_i32 s50, s9
	s_cbranch_scc0 .LBB0_242
; %bb.225:                              ;   in Loop: Header=BB0_124 Depth=1
	s_sub_i32 s13, s50, s9
	s_cmp_ge_i32 s13, s11
	s_cselect_b64 s[18:19], -1, 0
	s_and_b64 s[14:15], s[18:19], exec
	s_cselect_b32 s14, s11, 0
	s_sub_i32 s31, s13, s14
	s_ashr_i32 s13, s31, 31
	s_mul_i32 s14, s10, s7
	s_mul_hi_i32 s15, s10, s7
	s_mul_i32 s10, s14, s13
	s_mul_hi_u32 s13, s14, s31
	s_add_i32 s10, s13, s10
	s_mul_i32 s13, s15, s31
	s_add_i32 s21, s10, s13
	s_mul_i32 s20, s14, s31
	s_ashr_i32 s17, s11, 31
	s_mov_b32 s16, s11
	s_or_b64 s[10:11], s[20:21], s[16:17]
	s_mov_b32 s22, 0
	s_mov_b32 s23, s11
	s_cmp_lg_u64 s[22:23], 0
	s_cbranch_scc0 .LBB0_263
; %bb.226:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s10, s17, 31
	s_add_u32 s22, s16, s10
	s_mov_b32 s11, s10
	s_addc_u32 s23, s17, s10
	s_xor_b64 s[24:25], s[22:23], s[10:11]
	v_cvt_f32_u32_e32 v2, s24
	v_cvt_f32_u32_e32 v3, s25
	s_sub_u32 s13, 0, s24
	s_subb_u32 s26, 0, s25
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s27, v3
	v_readfirstlane_b32 s28, v2
	s_mul_i32 s29, s13, s27
	s_mul_hi_u32 s35, s13, s28
	s_mul_i32 s34, s26, s28
	s_add_i32 s29, s35, s29
	s_add_i32 s29, s29, s34
	s_mul_i32 s36, s13, s28
	s_mul_i32 s35, s28, s29
	s_mul_hi_u32 s37, s28, s36
	s_mul_hi_u32 s34, s28, s29
	s_add_u32 s35, s37, s35
	s_addc_u32 s34, 0, s34
	s_mul_hi_u32 s38, s27, s36
	s_mul_i32 s36, s27, s36
	s_add_u32 s35, s35, s36
	s_mul_hi_u32 s37, s27, s29
	s_addc_u32 s34, s34, s38
	s_addc_u32 s35, s37, 0
	s_mul_i32 s29, s27, s29
	s_add_u32 s29, s34, s29
	s_addc_u32 s34, 0, s35
	s_add_u32 s28, s28, s29
	s_addc_u32 s27, s27, s34
	s_mul_i32 s29, s13, s27
	s_mul_hi_u32 s34, s13, s28
	s_add_i32 s29, s34, s29
	s_mul_i32 s26, s26, s28
	s_add_i32 s29, s29, s26
	s_mul_i32 s13, s13, s28
	s_mul_hi_u32 s34, s27, s13
	s_mul_i32 s35, s27, s13
	s_mul_i32 s37, s28, s29
	s_mul_hi_u32 s13, s28, s13
	s_mul_hi_u32 s36, s28, s29
	s_add_u32 s13, s13, s37
	s_addc_u32 s36, 0, s36
	s_add_u32 s13, s13, s35
	s_mul_hi_u32 s26, s27, s29
	s_addc_u32 s13, s36, s34
	s_addc_u32 s26, s26, 0
	s_mul_i32 s29, s27, s29
	s_add_u32 s13, s13, s29
	s_addc_u32 s26, 0, s26
	s_add_u32 s13, s28, s13
	s_addc_u32 s34, s27, s26
	s_ashr_i32 s26, s21, 31
	s_add_u32 s28, s20, s26
	s_mov_b32 s27, s26
	s_addc_u32 s29, s21, s26
	s_xor_b64 s[28:29], s[28:29], s[26:27]
	s_mul_i32 s35, s28, s34
	s_mul_hi_u32 s36, s28, s13
	s_mul_hi_u32 s21, s28, s34
	s_add_u32 s35, s36, s35
	s_addc_u32 s21, 0, s21
	s_mul_hi_u32 s37, s29, s13
	s_mul_i32 s13, s29, s13
	s_add_u32 s13, s35, s13
	s_mul_hi_u32 s36, s29, s34
	s_addc_u32 s13, s21, s37
	s_addc_u32 s21, s36, 0
	s_mul_i32 s34, s29, s34
	s_add_u32 s13, s13, s34
	s_addc_u32 s21, 0, s21
	s_mul_i32 s34, s24, s21
	s_mul_hi_u32 s35, s24, s13
	s_add_i32 s34, s35, s34
	s_mul_i32 s35, s25, s13
	s_add_i32 s36, s34, s35
	s_sub_i32 s37, s29, s36
	s_mul_i32 s34, s24, s13
	s_sub_u32 s28, s28, s34
	s_cselect_b64 s[34:35], -1, 0
	s_subb_u32 s37, s37, s25
	s_sub_u32 s38, s28, s24
	s_subb_u32 s37, s37, 0
	s_cmp_ge_u32 s37, s25
	s_cselect_b32 s39, -1, 0
	s_cmp_ge_u32 s38, s24
	s_cselect_b32 s38, -1, 0
	s_cmp_eq_u32 s37, s25
	s_cselect_b32 s37, s38, s39
	s_add_u32 s38, s13, 1
	s_addc_u32 s39, s21, 0
	s_add_u32 s40, s13, 2
	s_addc_u32 s41, s21, 0
	s_cmp_lg_u32 s37, 0
	s_cselect_b32 s37, s40, s38
	s_cselect_b32 s38, s41, s39
	s_cmp_lg_u64 s[34:35], 0
	s_subb_u32 s29, s29, s36
	s_cmp_ge_u32 s29, s25
	s_cselect_b32 s34, -1, 0
	s_cmp_ge_u32 s28, s24
	s_cselect_b32 s24, -1, 0
	s_cmp_eq_u32 s29, s25
	s_cselect_b32 s24, s24, s34
	s_cmp_lg_u32 s24, 0
	s_cselect_b32 s25, s38, s21
	s_cselect_b32 s24, s37, s13
	s_xor_b64 s[10:11], s[26:27], s[10:11]
	s_xor_b64 s[24:25], s[24:25], s[10:11]
	s_sub_u32 s10, s24, s10
	s_subb_u32 s11, s25, s11
	v_cvt_f32_u32_e32 v2, s16
	s_cbranch_execnz .LBB0_228
.LBB0_227:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v3, v2
	s_sub_i32 s10, 0, s16
	s_mov_b32 s11, 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	s_nop 0
	v_readfirstlane_b32 s13, v3
	s_mul_i32 s10, s10, s13
	s_mul_hi_u32 s10, s13, s10
	s_add_i32 s13, s13, s10
	s_mul_hi_u32 s10, s20, s13
	s_mul_i32 s21, s10, s16
	s_sub_i32 s20, s20, s21
	s_add_i32 s13, s10, 1
	s_sub_i32 s21, s20, s16
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s10, s13, s10
	s_cselect_b32 s20, s21, s20
	s_add_i32 s13, s10, 1
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s10, s13, s10
.LBB0_228:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_i32 s13, s31, 1
	s_ashr_i32 s20, s13, 31
	s_mul_i32 s20, s14, s20
	s_mul_hi_u32 s21, s14, s13
	s_add_i32 s20, s21, s20
	s_mul_i32 s21, s15, s13
	s_add_i32 s21, s20, s21
	s_mul_i32 s20, s14, s13
	s_or_b64 s[22:23], s[20:21], s[16:17]
	s_mov_b32 s22, 0
	s_cmp_lg_u64 s[22:23], 0
	s_cbranch_scc0 .LBB0_264
; %bb.229:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s22, s17, 31
	s_add_u32 s24, s16, s22
	s_mov_b32 s23, s22
	s_addc_u32 s25, s17, s22
	s_xor_b64 s[26:27], s[24:25], s[22:23]
	v_cvt_f32_u32_e32 v3, s26
	v_cvt_f32_u32_e32 v4, s27
	s_sub_u32 s13, 0, s26
	s_subb_u32 s28, 0, s27
	v_fmamk_f32 v3, v4, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v4, 0x2f800000, v3
	v_trunc_f32_e32 v4, v4
	v_fmamk_f32 v3, v4, 0xcf800000, v3
	v_cvt_u32_f32_e32 v4, v4
	v_cvt_u32_f32_e32 v3, v3
	v_readfirstlane_b32 s29, v4
	v_readfirstlane_b32 s34, v3
	s_mul_i32 s35, s13, s29
	s_mul_hi_u32 s37, s13, s34
	s_mul_i32 s36, s28, s34
	s_add_i32 s35, s37, s35
	s_add_i32 s35, s35, s36
	s_mul_i32 s38, s13, s34
	s_mul_i32 s37, s34, s35
	s_mul_hi_u32 s39, s34, s38
	s_mul_hi_u32 s36, s34, s35
	s_add_u32 s37, s39, s37
	s_addc_u32 s36, 0, s36
	s_mul_hi_u32 s40, s29, s38
	s_mul_i32 s38, s29, s38
	s_add_u32 s37, s37, s38
	s_mul_hi_u32 s39, s29, s35
	s_addc_u32 s36, s36, s40
	s_addc_u32 s37, s39, 0
	s_mul_i32 s35, s29, s35
	s_add_u32 s35, s36, s35
	s_addc_u32 s36, 0, s37
	s_add_u32 s34, s34, s35
	s_addc_u32 s29, s29, s36
	s_mul_i32 s35, s13, s29
	s_mul_hi_u32 s36, s13, s34
	s_add_i32 s35, s36, s35
	s_mul_i32 s28, s28, s34
	s_add_i32 s35, s35, s28
	s_mul_i32 s13, s13, s34
	s_mul_hi_u32 s36, s29, s13
	s_mul_i32 s37, s29, s13
	s_mul_i32 s39, s34, s35
	s_mul_hi_u32 s13, s34, s13
	s_mul_hi_u32 s38, s34, s35
	s_add_u32 s13, s13, s39
	s_addc_u32 s38, 0, s38
	s_add_u32 s13, s13, s37
	s_mul_hi_u32 s28, s29, s35
	s_addc_u32 s13, s38, s36
	s_addc_u32 s28, s28, 0
	s_mul_i32 s35, s29, s35
	s_add_u32 s13, s13, s35
	s_addc_u32 s28, 0, s28
	s_add_u32 s13, s34, s13
	s_addc_u32 s36, s29, s28
	s_ashr_i32 s28, s21, 31
	s_add_u32 s34, s20, s28
	s_mov_b32 s29, s28
	s_addc_u32 s35, s21, s28
	s_xor_b64 s[34:35], s[34:35], s[28:29]
	s_mul_i32 s37, s34, s36
	s_mul_hi_u32 s38, s34, s13
	s_mul_hi_u32 s21, s34, s36
	s_add_u32 s37, s38, s37
	s_addc_u32 s21, 0, s21
	s_mul_hi_u32 s39, s35, s13
	s_mul_i32 s13, s35, s13
	s_add_u32 s13, s37, s13
	s_mul_hi_u32 s38, s35, s36
	s_addc_u32 s13, s21, s39
	s_addc_u32 s21, s38, 0
	s_mul_i32 s36, s35, s36
	s_add_u32 s13, s13, s36
	s_addc_u32 s21, 0, s21
	s_mul_i32 s36, s26, s21
	s_mul_hi_u32 s37, s26, s13
	s_add_i32 s36, s37, s36
	s_mul_i32 s37, s27, s13
	s_add_i32 s38, s36, s37
	s_sub_i32 s39, s35, s38
	s_mul_i32 s36, s26, s13
	s_sub_u32 s34, s34, s36
	s_cselect_b64 s[36:37], -1, 0
	s_subb_u32 s39, s39, s27
	s_sub_u32 s40, s34, s26
	s_subb_u32 s39, s39, 0
	s_cmp_ge_u32 s39, s27
	s_cselect_b32 s41, -1, 0
	s_cmp_ge_u32 s40, s26
	s_cselect_b32 s40, -1, 0
	s_cmp_eq_u32 s39, s27
	s_cselect_b32 s39, s40, s41
	s_add_u32 s40, s13, 1
	s_addc_u32 s41, s21, 0
	s_add_u32 s44, s13, 2
	s_addc_u32 s45, s21, 0
	s_cmp_lg_u32 s39, 0
	s_cselect_b32 s39, s44, s40
	s_cselect_b32 s40, s45, s41
	s_cmp_lg_u64 s[36:37], 0
	s_subb_u32 s35, s35, s38
	s_cmp_ge_u32 s35, s27
	s_cselect_b32 s36, -1, 0
	s_cmp_ge_u32 s34, s26
	s_cselect_b32 s26, -1, 0
	s_cmp_eq_u32 s35, s27
	s_cselect_b32 s26, s26, s36
	s_cmp_lg_u32 s26, 0
	s_cselect_b32 s27, s40, s21
	s_cselect_b32 s26, s39, s13
	s_xor_b64 s[22:23], s[28:29], s[22:23]
	s_xor_b64 s[26:27], s[26:27], s[22:23]
	s_sub_u32 s22, s26, s22
	s_subb_u32 s23, s27, s23
	s_cbranch_execnz .LBB0_231
.LBB0_230:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v2
	s_sub_i32 s13, 0, s16
	s_mov_b32 s23, 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s21, v2
	s_mul_i32 s13, s13, s21
	s_mul_hi_u32 s13, s21, s13
	s_add_i32 s21, s21, s13
	s_mul_hi_u32 s13, s20, s21
	s_mul_i32 s22, s13, s16
	s_sub_i32 s20, s20, s22
	s_add_i32 s21, s13, 1
	s_sub_i32 s22, s20, s16
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s13, s21, s13
	s_cselect_b32 s20, s22, s20
	s_add_i32 s21, s13, 1
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s22, s21, s13
.LBB0_231:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s13, s7, 31
	s_or_b64 s[20:21], s[10:11], s[12:13]
	s_mov_b32 s20, 0
	s_cmp_lg_u64 s[20:21], 0
	s_cbranch_scc0 .LBB0_265
; %bb.232:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s20, s13, 31
	s_add_u32 s24, s12, s20
	s_mov_b32 s21, s20
	s_addc_u32 s25, s13, s20
	s_xor_b64 s[26:27], s[24:25], s[20:21]
	v_cvt_f32_u32_e32 v2, s26
	v_cvt_f32_u32_e32 v3, s27
	s_sub_u32 s7, 0, s26
	s_subb_u32 s28, 0, s27
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s29, v3
	v_readfirstlane_b32 s34, v2
	s_mul_i32 s35, s7, s29
	s_mul_hi_u32 s37, s7, s34
	s_mul_i32 s36, s28, s34
	s_add_i32 s35, s37, s35
	s_add_i32 s35, s35, s36
	s_mul_i32 s38, s7, s34
	s_mul_i32 s37, s34, s35
	s_mul_hi_u32 s39, s34, s38
	s_mul_hi_u32 s36, s34, s35
	s_add_u32 s37, s39, s37
	s_addc_u32 s36, 0, s36
	s_mul_hi_u32 s40, s29, s38
	s_mul_i32 s38, s29, s38
	s_add_u32 s37, s37, s38
	s_mul_hi_u32 s39, s29, s35
	s_addc_u32 s36, s36, s40
	s_addc_u32 s37, s39, 0
	s_mul_i32 s35, s29, s35
	s_add_u32 s35, s36, s35
	s_addc_u32 s36, 0, s37
	s_add_u32 s34, s34, s35
	s_addc_u32 s29, s29, s36
	s_mul_i32 s35, s7, s29
	s_mul_hi_u32 s36, s7, s34
	s_add_i32 s35, s36, s35
	s_mul_i32 s28, s28, s34
	s_add_i32 s35, s35, s28
	s_mul_i32 s7, s7, s34
	s_mul_hi_u32 s36, s29, s7
	s_mul_i32 s37, s29, s7
	s_mul_i32 s39, s34, s35
	s_mul_hi_u32 s7, s34, s7
	s_mul_hi_u32 s38, s34, s35
	s_add_u32 s7, s7, s39
	s_addc_u32 s38, 0, s38
	s_add_u32 s7, s7, s37
	s_mul_hi_u32 s28, s29, s35
	s_addc_u32 s7, s38, s36
	s_addc_u32 s28, s28, 0
	s_mul_i32 s35, s29, s35
	s_add_u32 s7, s7, s35
	s_addc_u32 s28, 0, s28
	s_add_u32 s7, s34, s7
	s_addc_u32 s36, s29, s28
	s_ashr_i32 s28, s11, 31
	s_add_u32 s34, s10, s28
	s_mov_b32 s29, s28
	s_addc_u32 s35, s11, s28
	s_xor_b64 s[34:35], s[34:35], s[28:29]
	s_mul_i32 s38, s34, s36
	s_mul_hi_u32 s39, s34, s7
	s_mul_hi_u32 s37, s34, s36
	s_add_u32 s38, s39, s38
	s_addc_u32 s37, 0, s37
	s_mul_hi_u32 s40, s35, s7
	s_mul_i32 s7, s35, s7
	s_add_u32 s7, s38, s7
	s_mul_hi_u32 s39, s35, s36
	s_addc_u32 s7, s37, s40
	s_addc_u32 s37, s39, 0
	s_mul_i32 s36, s35, s36
	s_add_u32 s7, s7, s36
	s_addc_u32 s38, 0, s37
	s_mul_i32 s36, s26, s38
	s_mul_hi_u32 s37, s26, s7
	s_add_i32 s36, s37, s36
	s_mul_i32 s37, s27, s7
	s_add_i32 s39, s36, s37
	s_sub_i32 s40, s35, s39
	s_mul_i32 s36, s26, s7
	s_sub_u32 s34, s34, s36
	s_cselect_b64 s[36:37], -1, 0
	s_subb_u32 s40, s40, s27
	s_sub_u32 s41, s34, s26
	s_subb_u32 s40, s40, 0
	s_cmp_ge_u32 s40, s27
	s_cselect_b32 s44, -1, 0
	s_cmp_ge_u32 s41, s26
	s_cselect_b32 s41, -1, 0
	s_cmp_eq_u32 s40, s27
	s_cselect_b32 s40, s41, s44
	s_add_u32 s41, s7, 1
	s_addc_u32 s44, s38, 0
	s_add_u32 s45, s7, 2
	s_addc_u32 s46, s38, 0
	s_cmp_lg_u32 s40, 0
	s_cselect_b32 s40, s45, s41
	s_cselect_b32 s41, s46, s44
	s_cmp_lg_u64 s[36:37], 0
	s_subb_u32 s35, s35, s39
	s_cmp_ge_u32 s35, s27
	s_cselect_b32 s36, -1, 0
	s_cmp_ge_u32 s34, s26
	s_cselect_b32 s26, -1, 0
	s_cmp_eq_u32 s35, s27
	s_cselect_b32 s26, s26, s36
	s_cmp_lg_u32 s26, 0
	s_cselect_b32 s27, s41, s38
	s_cselect_b32 s26, s40, s7
	s_xor_b64 s[20:21], s[28:29], s[20:21]
	s_xor_b64 s[26:27], s[26:27], s[20:21]
	s_sub_u32 s26, s26, s20
	s_subb_u32 s27, s27, s21
	s_cbranch_execnz .LBB0_234
.LBB0_233:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s12
	s_sub_i32 s7, 0, s12
	s_mov_b32 s27, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s20, v2
	s_mul_i32 s7, s7, s20
	s_mul_hi_u32 s7, s20, s7
	s_add_i32 s20, s20, s7
	s_mul_hi_u32 s7, s10, s20
	s_mul_i32 s21, s7, s12
	s_sub_i32 s21, s10, s21
	s_add_i32 s20, s7, 1
	s_sub_i32 s24, s21, s12
	s_cmp_ge_u32 s21, s12
	s_cselect_b32 s7, s20, s7
	s_cselect_b32 s21, s24, s21
	s_add_i32 s20, s7, 1
	s_cmp_ge_u32 s21, s12
	s_cselect_b32 s26, s20, s7
.LBB0_234:                              ;   in Loop: Header=BB0_124 Depth=1
	s_bfe_i64 s[20:21], s[26:27], 0x200000
	s_add_u32 s7, s20, 1
	s_addc_u32 s20, s21, 0
	s_mul_i32 s21, s7, s13
	s_mul_hi_u32 s24, s7, s12
	s_add_i32 s21, s24, s21
	s_mul_i32 s20, s20, s12
	s_add_i32 s21, s21, s20
	s_mul_i32 s20, s7, s12
	v_mov_b64_e32 v[2:3], s[22:23]
	v_cmp_lt_i64_e32 vcc, s[20:21], v[2:3]
	s_and_b64 s[24:25], vcc, exec
	s_cselect_b32 s7, s21, s23
	s_cselect_b32 s24, s20, s22
	s_and_b64 s[20:21], s[18:19], exec
	s_cselect_b32 s23, s23, s7
	s_cselect_b32 s22, s22, s24
	s_cselect_b32 s21, s7, s11
	s_cselect_b32 s20, s24, s10
	v_mov_b64_e32 v[2:3], s[22:23]
	v_cmp_ge_i64_e32 vcc, s[20:21], v[2:3]
	s_mov_b64 s[10:11], 0
	s_cbranch_vccnz .LBB0_243
; %bb.235:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cndmask_b32_e64 v2, 0, 1, s[18:19]
	s_nop 0
	v_readfirstlane_b32 s7, v2
	s_add_i32 s68, s26, s7
	s_mul_i32 s7, s68, s12
	s_mul_hi_i32 s21, s68, s12
	s_add_u32 s18, s7, 1
	s_addc_u32 s19, s21, 0
	s_mul_i32 s23, s18, s17
	s_mul_hi_u32 s24, s18, s16
	s_add_i32 s23, s24, s23
	s_mul_i32 s19, s19, s16
	s_add_i32 s23, s23, s19
	s_mul_i32 s18, s18, s16
	s_add_u32 s24, s18, -1
	s_addc_u32 s25, s23, -1
	s_or_b64 s[18:19], s[24:25], s[14:15]
	s_mov_b32 s18, 0
	s_cmp_lg_u64 s[18:19], 0
	s_mov_b64 s[26:27], -1
	s_cbranch_scc0 .LBB0_359
; %bb.236:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s18, s15, 31
	s_add_u32 s26, s14, s18
	s_mov_b32 s19, s18
	s_addc_u32 s27, s15, s18
	s_xor_b64 s[28:29], s[26:27], s[18:19]
	v_cvt_f32_u32_e32 v2, s28
	v_cvt_f32_u32_e32 v3, s29
	s_sub_u32 s23, 0, s28
	s_subb_u32 s34, 0, s29
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s35, v3
	v_readfirstlane_b32 s36, v2
	s_mul_i32 s37, s23, s35
	s_mul_hi_u32 s39, s23, s36
	s_mul_i32 s38, s34, s36
	s_add_i32 s37, s39, s37
	s_add_i32 s37, s37, s38
	s_mul_i32 s40, s23, s36
	s_mul_i32 s39, s36, s37
	s_mul_hi_u32 s41, s36, s40
	s_mul_hi_u32 s38, s36, s37
	s_add_u32 s39, s41, s39
	s_addc_u32 s38, 0, s38
	s_mul_hi_u32 s44, s35, s40
	s_mul_i32 s40, s35, s40
	s_add_u32 s39, s39, s40
	s_mul_hi_u32 s41, s35, s37
	s_addc_u32 s38, s38, s44
	s_addc_u32 s39, s41, 0
	s_mul_i32 s37, s35, s37
	s_add_u32 s37, s38, s37
	s_addc_u32 s38, 0, s39
	s_add_u32 s36, s36, s37
	s_addc_u32 s35, s35, s38
	s_mul_i32 s37, s23, s35
	s_mul_hi_u32 s38, s23, s36
	s_add_i32 s37, s38, s37
	s_mul_i32 s34, s34, s36
	s_add_i32 s37, s37, s34
	s_mul_i32 s23, s23, s36
	s_mul_hi_u32 s38, s35, s23
	s_mul_i32 s39, s35, s23
	s_mul_i32 s41, s36, s37
	s_mul_hi_u32 s23, s36, s23
	s_mul_hi_u32 s40, s36, s37
	s_add_u32 s23, s23, s41
	s_addc_u32 s40, 0, s40
	s_add_u32 s23, s23, s39
	s_mul_hi_u32 s34, s35, s37
	s_addc_u32 s23, s40, s38
	s_addc_u32 s34, s34, 0
	s_mul_i32 s37, s35, s37
	s_add_u32 s23, s23, s37
	s_addc_u32 s34, 0, s34
	s_add_u32 s23, s36, s23
	s_addc_u32 s38, s35, s34
	s_ashr_i32 s34, s25, 31
	s_add_u32 s36, s24, s34
	s_mov_b32 s35, s34
	s_addc_u32 s37, s25, s34
	s_xor_b64 s[36:37], s[36:37], s[34:35]
	s_mul_i32 s39, s36, s38
	s_mul_hi_u32 s40, s36, s23
	s_mul_hi_u32 s25, s36, s38
	s_add_u32 s39, s40, s39
	s_addc_u32 s25, 0, s25
	s_mul_hi_u32 s41, s37, s23
	s_mul_i32 s23, s37, s23
	s_add_u32 s23, s39, s23
	s_mul_hi_u32 s40, s37, s38
	s_addc_u32 s23, s25, s41
	s_addc_u32 s25, s40, 0
	s_mul_i32 s38, s37, s38
	s_add_u32 s23, s23, s38
	s_addc_u32 s25, 0, s25
	s_mul_i32 s38, s28, s25
	s_mul_hi_u32 s39, s28, s23
	s_add_i32 s38, s39, s38
	s_mul_i32 s39, s29, s23
	s_add_i32 s40, s38, s39
	s_sub_i32 s41, s37, s40
	s_mul_i32 s38, s28, s23
	s_sub_u32 s36, s36, s38
	s_cselect_b64 s[38:39], -1, 0
	s_subb_u32 s41, s41, s29
	s_sub_u32 s44, s36, s28
	s_subb_u32 s41, s41, 0
	s_cmp_ge_u32 s41, s29
	s_cselect_b32 s45, -1, 0
	s_cmp_ge_u32 s44, s28
	s_cselect_b32 s44, -1, 0
	s_cmp_eq_u32 s41, s29
	s_cselect_b32 s41, s44, s45
	s_add_u32 s44, s23, 1
	s_addc_u32 s45, s25, 0
	s_add_u32 s46, s23, 2
	s_addc_u32 s47, s25, 0
	s_cmp_lg_u32 s41, 0
	s_cselect_b32 s41, s46, s44
	s_cselect_b32 s44, s47, s45
	s_cmp_lg_u64 s[38:39], 0
	s_subb_u32 s37, s37, s40
	s_cmp_ge_u32 s37, s29
	s_cselect_b32 s38, -1, 0
	s_cmp_ge_u32 s36, s28
	s_cselect_b32 s28, -1, 0
	s_cmp_eq_u32 s37, s29
	s_cselect_b32 s28, s28, s38
	s_cmp_lg_u32 s28, 0
	s_cselect_b32 s29, s44, s25
	s_cselect_b32 s28, s41, s23
	s_xor_b64 s[18:19], s[34:35], s[18:19]
	s_xor_b64 s[28:29], s[28:29], s[18:19]
	s_sub_u32 s18, s28, s18
	v_cvt_f32_u32_e32 v4, s14
	s_cbranch_execnz .LBB0_238
.LBB0_237:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s18, 0, s14
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s19, v2
	s_mul_i32 s18, s18, s19
	s_mul_hi_u32 s18, s19, s18
	s_add_i32 s19, s19, s18
	s_mul_hi_u32 s18, s24, s19
	s_mul_i32 s23, s18, s14
	s_sub_i32 s23, s24, s23
	s_add_i32 s19, s18, 1
	s_sub_i32 s24, s23, s14
	s_cmp_ge_u32 s23, s14
	s_cselect_b32 s18, s19, s18
	s_cselect_b32 s23, s24, s23
	s_add_i32 s19, s18, 1
	s_cmp_ge_u32 s23, s14
	s_cselect_b32 s18, s19, s18
.LBB0_238:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_u32 s19, s7, s12
	s_addc_u32 s13, s21, s13
	s_mul_i32 s17, s19, s17
	s_mul_hi_u32 s21, s19, s16
	s_add_i32 s17, s21, s17
	s_mul_i32 s13, s13, s16
	s_add_i32 s17, s17, s13
	s_mul_i32 s19, s19, s16
	s_add_u32 s16, s19, -1
	s_addc_u32 s17, s17, -1
	s_or_b64 s[24:25], s[16:17], s[14:15]
	s_mov_b32 s24, 0
	s_cmp_lg_u64 s[24:25], 0
	s_mov_b64 s[24:25], -1
	s_cbranch_scc0 .LBB0_360
; %bb.239:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s26, s15, 31
	s_add_u32 s24, s14, s26
	s_mov_b32 s27, s26
	s_addc_u32 s25, s15, s26
	s_xor_b64 s[28:29], s[24:25], s[26:27]
	v_cvt_f32_u32_e32 v2, s28
	v_cvt_f32_u32_e32 v3, s29
	s_sub_u32 s13, 0, s28
	s_subb_u32 s15, 0, s29
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s19, v3
	v_readfirstlane_b32 s21, v2
	s_mul_i32 s23, s13, s19
	s_mul_hi_u32 s35, s13, s21
	s_mul_i32 s34, s15, s21
	s_add_i32 s23, s35, s23
	s_add_i32 s23, s23, s34
	s_mul_i32 s36, s13, s21
	s_mul_i32 s35, s21, s23
	s_mul_hi_u32 s37, s21, s36
	s_mul_hi_u32 s34, s21, s23
	s_add_u32 s35, s37, s35
	s_addc_u32 s34, 0, s34
	s_mul_hi_u32 s38, s19, s36
	s_mul_i32 s36, s19, s36
	s_add_u32 s35, s35, s36
	s_mul_hi_u32 s37, s19, s23
	s_addc_u32 s34, s34, s38
	s_addc_u32 s35, s37, 0
	s_mul_i32 s23, s19, s23
	s_add_u32 s23, s34, s23
	s_addc_u32 s34, 0, s35
	s_add_u32 s21, s21, s23
	s_addc_u32 s19, s19, s34
	s_mul_i32 s23, s13, s19
	s_mul_hi_u32 s34, s13, s21
	s_add_i32 s23, s34, s23
	s_mul_i32 s15, s15, s21
	s_add_i32 s23, s23, s15
	s_mul_i32 s13, s13, s21
	s_mul_hi_u32 s34, s19, s13
	s_mul_i32 s35, s19, s13
	s_mul_i32 s37, s21, s23
	s_mul_hi_u32 s13, s21, s13
	s_mul_hi_u32 s36, s21, s23
	s_add_u32 s13, s13, s37
	s_addc_u32 s36, 0, s36
	s_add_u32 s13, s13, s35
	s_mul_hi_u32 s15, s19, s23
	s_addc_u32 s13, s36, s34
	s_addc_u32 s15, s15, 0
	s_mul_i32 s23, s19, s23
	s_add_u32 s13, s13, s23
	s_addc_u32 s15, 0, s15
	s_add_u32 s13, s21, s13
	s_addc_u32 s15, s19, s15
	s_ashr_i32 s34, s17, 31
	s_add_u32 s36, s16, s34
	s_mov_b32 s35, s34
	s_addc_u32 s37, s17, s34
	s_xor_b64 s[36:37], s[36:37], s[34:35]
	s_mul_i32 s19, s36, s15
	s_mul_hi_u32 s21, s36, s13
	s_mul_hi_u32 s17, s36, s15
	s_add_u32 s19, s21, s19
	s_addc_u32 s17, 0, s17
	s_mul_hi_u32 s23, s37, s13
	s_mul_i32 s13, s37, s13
	s_add_u32 s13, s19, s13
	s_mul_hi_u32 s21, s37, s15
	s_addc_u32 s13, s17, s23
	s_addc_u32 s17, s21, 0
	s_mul_i32 s15, s37, s15
	s_add_u32 s13, s13, s15
	s_addc_u32 s15, 0, s17
	s_mul_i32 s17, s28, s15
	s_mul_hi_u32 s19, s28, s13
	s_add_i32 s17, s19, s17
	s_mul_i32 s19, s29, s13
	s_add_i32 s17, s17, s19
	s_sub_i32 s19, s37, s17
	s_mul_i32 s21, s28, s13
	s_sub_u32 s21, s36, s21
	s_cselect_b64 s[38:39], -1, 0
	s_subb_u32 s19, s19, s29
	s_sub_u32 s23, s21, s28
	s_subb_u32 s19, s19, 0
	s_cmp_ge_u32 s19, s29
	s_cselect_b32 s36, -1, 0
	s_cmp_ge_u32 s23, s28
	s_cselect_b32 s23, -1, 0
	s_cmp_eq_u32 s19, s29
	s_cselect_b32 s19, s23, s36
	s_add_u32 s23, s13, 1
	s_addc_u32 s36, s15, 0
	s_add_u32 s40, s13, 2
	s_addc_u32 s41, s15, 0
	s_cmp_lg_u32 s19, 0
	s_cselect_b32 s19, s40, s23
	s_cselect_b32 s23, s41, s36
	s_cmp_lg_u64 s[38:39], 0
	s_subb_u32 s17, s37, s17
	s_cmp_ge_u32 s17, s29
	s_cselect_b32 s36, -1, 0
	s_cmp_ge_u32 s21, s28
	s_cselect_b32 s21, -1, 0
	s_cmp_eq_u32 s17, s29
	s_cselect_b32 s17, s21, s36
	s_cmp_lg_u32 s17, 0
	s_cselect_b32 s29, s23, s15
	s_cselect_b32 s28, s19, s13
	s_xor_b64 s[26:27], s[34:35], s[26:27]
	s_xor_b64 s[28:29], s[28:29], s[26:27]
	s_sub_u32 s26, s28, s26
	s_subb_u32 s27, s29, s27
	v_mov_b64_e32 v[2:3], s[26:27]
	s_cbranch_execnz .LBB0_241
.LBB0_240:                              ;   in Loop: Header=BB0_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s13, 0, s14
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s13, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s16, v2
	v_mul_lo_u32 v4, v2, s14
	v_sub_u32_e32 v4, s16, v4
	v_add_u32_e32 v3, 1, v2
	v_subrev_u32_e32 v5, s14, v4
	v_cmp_le_u32_e32 vcc, s14, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_add_u32_e32 v3, 1, v2
	v_cmp_le_u32_e32 vcc, s14, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
.LBB0_241:                              ;   in Loop: Header=BB0_124 Depth=1
	v_subrev_u32_e32 v2, s18, v2
	s_add_i32 s13, s68, s9
	s_sub_i32 s72, s20, s7
	s_sub_i32 s74, s22, s7
	s_sub_i32 s52, s31, s18
	v_add_u32_e32 v120, 1, v2
	s_add_i32 s70, s68, s18
	s_mov_b64 s[14:15], -1
	s_and_b64 vcc, exec, s[10:11]
	s_cbranch_vccnz .LBB0_244
	s_branch .LBB0_247
.LBB0_242:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr14_sgpr15
                                        ; implicit-def: $sgpr68
                                        ; implicit-def: $sgpr70
                                        ; implicit-def: $sgpr72
                                        ; implicit-def: $sgpr74
                                        ; implicit-def: $sgpr52
                                        ; implicit-def: $vgpr120
                                        ; implicit-def: $sgpr13
	s_cbranch_execnz .LBB0_244
	s_branch .LBB0_247
.LBB0_243:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b32 s68, 0
	v_mov_b32_e32 v120, 1
	s_mov_b64 s[14:15], 0
	s_mov_b32 s70, 0
	s_mov_b32 s72, 0
	s_mov_b32 s74, 0
	s_mov_b32 s52, 0
                                        ; implicit-def: $sgpr13
	s_and_b64 vcc, exec, s[10:11]
	s_cbranch_vccz .LBB0_247
.LBB0_244:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u32 s8, 1
	s_cbranch_scc1 .LBB0_246
; %bb.245:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s8
	s_sub_i32 s7, 0, s8
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s10, v2
	s_mul_i32 s7, s7, s10
	s_mul_hi_u32 s7, s10, s7
	s_add_i32 s10, s10, s7
	s_mul_hi_u32 s7, s50, s10
	s_mul_i32 s11, s7, s8
	s_sub_i32 s11, s50, s11
	s_add_i32 s13, s7, 1
	s_sub_i32 s15, s11, s8
	s_cmp_ge_u32 s11, s8
	s_cselect_b32 s7, s13, s7
	s_cselect_b32 s11, s15, s11
	s_add_i32 s13, s7, 1
	s_mul_hi_u32 s10, s9, s10
	s_cmp_ge_u32 s11, s8
	s_mul_i32 s14, s10, s8
	s_cselect_b32 s7, s13, s7
	s_sub_i32 s11, s9, s14
	s_mul_i32 s14, s7, s8
	s_add_i32 s13, s10, 1
	s_sub_i32 s15, s11, s8
	s_sub_i32 s14, s50, s14
	s_cmp_ge_u32 s11, s8
	s_cselect_b32 s10, s13, s10
	s_cselect_b32 s11, s15, s11
	s_add_i32 s13, s10, 1
	s_cmp_ge_u32 s11, s8
	s_cselect_b32 s10, s13, s10
	s_mul_i32 s8, s10, s8
	s_sub_i32 s8, s9, s8
	s_mul_i32 s9, s14, s10
	s_min_i32 s8, s14, s8
	s_add_i32 s7, s9, s7
	s_add_i32 s50, s7, s8
.LBB0_246:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[14:15], -1
	s_mov_b32 s52, 0
	v_mov_b32_e32 v120, 1
	s_mov_b32 s13, s50
	s_mov_b32 s74, s12
	s_mov_b32 s72, 0
	s_mov_b32 s70, 0
	s_mov_b32 s68, 0
.LBB0_247:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b32 s98, 0
	s_andn2_b64 vcc, exec, s[14:15]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	s_cbranch_vccnz .LBB0_253
; %bb.248:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mul_i32 s8, s6, s5
	s_mov_b32 s7, 0
	s_cmp_eq_u32 s4, 1
	s_cbranch_scc1 .LBB0_250
; %bb.249:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s8
	s_sub_i32 s4, 0, s8
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s9, v2
	s_mul_i32 s4, s4, s9
	s_mul_hi_u32 s4, s9, s4
	s_add_i32 s9, s9, s4
	s_mul_hi_u32 s4, s13, s9
	s_mul_i32 s9, s4, s8
	s_sub_i32 s9, s13, s9
	s_add_i32 s10, s4, 1
	s_sub_i32 s11, s9, s8
	s_cmp_ge_u32 s9, s8
	s_cselect_b32 s4, s10, s4
	s_cselect_b32 s9, s11, s9
	s_add_i32 s10, s4, 1
	s_cmp_ge_u32 s9, s8
	s_cselect_b32 s98, s10, s4
.LBB0_250:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mul_i32 s4, s98, s8
	s_sub_i32 s4, s13, s4
	s_mul_i32 s6, s30, s6
	s_cmp_lt_i32 s4, s6
	s_cbranch_scc1 .LBB0_252
; %bb.251:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s6
	s_sub_i32 s7, 0, s6
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s8, v2
	s_mul_i32 s7, s7, s8
	s_mul_hi_u32 s7, s8, s7
	s_add_i32 s8, s8, s7
	s_mul_hi_u32 s7, s4, s8
	s_mul_i32 s8, s7, s6
	s_sub_i32 s8, s4, s8
	s_add_i32 s9, s7, 1
	s_sub_i32 s10, s8, s6
	s_cmp_ge_u32 s8, s6
	s_cselect_b32 s7, s9, s7
	s_cselect_b32 s8, s10, s8
	s_add_i32 s9, s7, 1
	s_cmp_ge_u32 s8, s6
	s_cselect_b32 s7, s9, s7
.LBB0_252:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mul_i32 s8, s7, s30
	s_sub_i32 s5, s5, s8
	s_min_i32 s5, s5, s30
	v_cvt_f32_u32_e32 v2, s5
	s_mul_i32 s6, s7, s6
	s_sub_i32 s4, s4, s6
	s_sub_i32 s6, 0, s5
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s6, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s4, v2
	v_mul_lo_u32 v3, v2, s5
	v_sub_u32_e32 v3, s4, v3
	v_add_u32_e32 v4, 1, v2
	v_subrev_u32_e32 v5, s5, v3
	v_cmp_le_u32_e32 vcc, s5, v3
	s_add_i32 s4, s4, s8
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s5, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_mul_lo_u32 v3, s5, v2
	v_sub_u32_e32 v3, s4, v3
.LBB0_253:                              ;   in Loop: Header=BB0_124 Depth=1
	s_nop 0
	v_readfirstlane_b32 s64, v3
	v_readfirstlane_b32 s66, v2
	s_mov_b32 s97, 0
	s_mov_b64 s[62:63], 0
	s_mov_b32 s95, 0
	s_mov_b32 s99, 0
	v_mov_b32_e32 v125, v10
.LBB0_254:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cndmask_b32_e64 v2, 0, 1, s[14:15]
	v_cmp_ne_u32_e64 s[36:37], 1, v2
	s_andn2_b64 vcc, exec, s[14:15]
	s_cbranch_vccnz .LBB0_327
; %bb.255:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx2 s[8:9], s[4:5], 0x14c
	s_load_dwordx2 s[10:11], s[4:5], 0x120
	s_mov_b64 s[14:15], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx4 s[4:7], s[14:15], 0x120
	s_waitcnt lgkmcnt(0)
	s_add_i32 s8, s8, s64
	s_cmp_ge_i32 s8, s9
	s_cselect_b32 s9, s9, 0
	s_sub_i32 s8, s8, s9
	s_cmp_eq_u64 s[10:11], 0
	s_cselect_b32 s64, s64, s8
	s_cmp_eq_u64 s[4:5], 0
	s_cbranch_scc1 .LBB0_273
; %bb.256:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v2, v0
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 0x3ff, v2
	v_cmp_eq_u32_e32 vcc, 0, v2
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB0_272
; %bb.257:                              ;   in Loop: Header=BB0_124 Depth=1
	s_load_dword s16, s[14:15], 0x148
	s_load_dword s17, s[14:15], 0x154
	s_load_dwordx2 s[10:11], s[14:15], 0x130
	s_load_dwordx2 s[12:13], s[14:15], 0x140
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_u32_e32 v2, s16
	s_sub_i32 s14, 0, s16
	s_mul_i32 s17, s17, s98
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s15, v2
	s_mul_i32 s14, s14, s15
	s_mul_hi_u32 s14, s15, s14
	s_add_i32 s15, s15, s14
	s_mul_hi_u32 s14, s64, s15
	s_mul_i32 s15, s14, s16
	s_sub_i32 s15, s64, s15
	s_add_i32 s18, s14, 1
	s_sub_i32 s19, s15, s16
	s_cmp_ge_u32 s15, s16
	s_cselect_b32 s14, s18, s14
	s_cselect_b32 s15, s19, s15
	s_add_i32 s18, s14, 1
	s_cmp_ge_u32 s15, s16
	s_cselect_b32 s14, s18, s14
	s_add_i32 s14, s14, s17
	s_ashr_i32 s15, s14, 31
	global_load_dword v2, v3, s[6:7]
	s_lshl_b64 s[6:7], s[14:15], 2
	s_add_u32 s4, s4, s6
	s_addc_u32 s5, s5, s7
	global_load_dword v3, v3, s[4:5] sc0 sc1
	s_mov_b32 s15, 0
	s_mov_b64 s[6:7], -1
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc, v3, v2
	s_cbranch_vccnz .LBB0_269
; %bb.258:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[6:7], 0
	s_branch .LBB0_260
.LBB0_259:                              ;   in Loop: Header=BB0_260 Depth=2
	s_and_b64 vcc, exec, s[20:21]
	s_cbranch_vccnz .LBB0_266
.LBB0_260:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	v_mov_b32_e32 v3, 0
	global_load_dword v3, v3, s[10:11] sc1
	s_mov_b64 s[16:17], -1
	s_mov_b64 s[18:19], 0
	s_mov_b64 s[20:21], -1
	s_waitcnt vmcnt(0)
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_cbranch_vccnz .LBB0_259
; %bb.261:                              ;   in Loop: Header=BB0_260 Depth=2
	s_memrealtime s[18:19]
	v_mov_b64_e32 v[4:5], s[12:13]
	s_mov_b64 s[16:17], 0
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s19, s19, 10
	s_mul_hi_u32 s20, s18, 10
	s_add_i32 s20, s20, s19
	s_mul_i32 s18, s18, 10
	s_cmp_eq_u64 s[6:7], 0
	s_cselect_b32 s6, s18, s6
	s_cselect_b32 s7, s20, s7
	s_sub_u32 s18, s18, s6
	s_subb_u32 s19, s20, s7
	v_cmp_le_i64_e32 vcc, s[18:19], v[4:5]
	s_mov_b64 s[18:19], -1
	s_mov_b64 s[20:21], -1
	s_cbranch_vccz .LBB0_259
; %bb.262:                              ;   in Loop: Header=BB0_260 Depth=2
	v_mov_b32_e32 v3, 0
	s_sleep 32
	global_load_dword v3, v3, s[4:5] sc0 sc1
	s_mov_b64 s[18:19], 0
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e64 s[20:21], v3, v2
	s_branch .LBB0_259
.LBB0_263:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr10_sgpr11
	v_cvt_f32_u32_e32 v2, s16
	s_branch .LBB0_227
.LBB0_264:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr22_sgpr23
	s_branch .LBB0_230
.LBB0_265:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr26_sgpr27
	s_branch .LBB0_233
.LBB0_266:                              ;   in Loop: Header=BB0_124 Depth=1
	s_xor_b64 s[4:5], s[16:17], -1
	s_andn2_b64 vcc, exec, s[4:5]
	s_mov_b64 s[6:7], 0
	s_cbranch_vccnz .LBB0_269
; %bb.267:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[6:7], -1
	s_and_b64 vcc, exec, s[18:19]
	s_cbranch_vccz .LBB0_269
; %bb.268:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_i32 s4, s14, 1
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s4
	s_mov_b64 s[6:7], 0
	global_store_dword v2, v3, s[10:11] sc1
.LBB0_269:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[6:7]
	s_cbranch_vccz .LBB0_271
; %bb.270:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b32 s15, 1
	s_waitcnt vmcnt(0)
	buffer_inv sc0 sc1
.LBB0_271:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s15
	ds_write_b32 v2, v3
.LBB0_272:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[8:9]
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v2, v2
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s4, v2
	;;#ASMSTART
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 .Lready0
	s_endpgm
.Lready0:
	;;#ASMEND
.LBB0_273:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[10:11], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dword s12, s[10:11], 0xb8
	s_load_dwordx4 s[4:7], s[10:11], 0x0
	s_load_dwordx8 s[44:51], s[10:11], 0x50
	s_load_dwordx2 s[8:9], s[10:11], 0x70
	s_load_dword s13, s[10:11], 0x174
	s_ashr_i32 s14, s98, 31
	s_waitcnt lgkmcnt(0)
	s_and_b32 s12, s12, 0xff
	s_mul_hi_u32 s10, s50, s98
	s_mul_i32 s11, s50, s14
	s_add_i32 s10, s10, s11
	s_mul_i32 s11, s51, s98
	s_add_i32 s10, s10, s11
	s_mul_i32 s11, s50, s98
	s_add_u32 s4, s11, s4
	s_addc_u32 s5, s10, s5
	s_cmp_lt_i32 s12, 2
	s_cbranch_scc1 .LBB0_277
; %bb.274:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b32 s10, 0xffff, s12
	s_cmp_eq_u32 s10, 2
	s_mov_b64 s[50:51], s[48:49]
	s_mov_b64 s[80:81], s[4:5]
	s_cbranch_scc0 .LBB0_276
; %bb.275:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s10, s95, 31
	s_add_u32 s80, s4, s95
	s_addc_u32 s81, s5, s10
	s_sub_i32 s50, s97, s95
	s_ashr_i32 s51, s50, 31
.LBB0_276:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cbranch_execz .LBB0_278
	s_branch .LBB0_281
.LBB0_277:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr50_sgpr51
                                        ; implicit-def: $sgpr80_sgpr81
.LBB0_278:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b32 s10, 0xffff, s12
	s_cmp_lg_u32 s10, 1
	s_cbranch_scc1 .LBB0_280
; %bb.279:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s10, s95, 31
	s_mul_hi_u32 s11, s48, s95
	s_mul_i32 s10, s48, s10
	s_add_i32 s10, s11, s10
	s_mul_i32 s11, s49, s95
	s_add_i32 s10, s10, s11
	s_mul_i32 s11, s48, s95
	s_add_u32 s4, s4, s11
	s_addc_u32 s5, s5, s10
	s_sub_i32 s44, s97, s95
	s_ashr_i32 s45, s44, 31
.LBB0_280:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[80:81], s[4:5]
	s_mov_b64 s[50:51], s[48:49]
.LBB0_281:                              ;   in Loop: Header=BB0_124 Depth=1
	s_bitcmp1_b32 s13, 8
	s_mul_i32 s4, s8, s14
	s_mul_hi_u32 s5, s8, s98
	s_cselect_b32 s77, s47, 0
	s_cselect_b32 s76, s46, 0
	s_add_i32 s4, s5, s4
	s_mul_i32 s5, s9, s98
	s_add_i32 s5, s4, s5
	s_mul_i32 s4, s8, s98
	s_add_u32 s4, s4, s6
	s_addc_u32 s5, s5, s7
	s_and_b32 s8, 0xffff, s12
	s_cmp_lt_i32 s8, 2
	s_cbranch_scc1 .LBB0_285
; %bb.282:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u32 s8, 2
	s_mov_b64 s[82:83], s[48:49]
	s_mov_b64 s[78:79], s[4:5]
	s_cbranch_scc0 .LBB0_284
; %bb.283:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s6, s95, 31
	s_add_u32 s78, s4, s95
	s_addc_u32 s79, s5, s6
	s_sub_i32 s82, s97, s95
	s_ashr_i32 s83, s82, 31
.LBB0_284:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cbranch_execz .LBB0_286
	s_branch .LBB0_289
.LBB0_285:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr82_sgpr83
                                        ; implicit-def: $sgpr78_sgpr79
.LBB0_286:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_lg_u32 s8, 1
	s_cbranch_scc1 .LBB0_288
; %bb.287:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s6, s99, 31
	s_add_u32 s7, s76, s46
	s_mul_hi_u32 s9, s48, s99
	s_mul_i32 s6, s48, s6
	s_addc_u32 s8, s77, s47
	s_add_i32 s6, s9, s6
	s_mul_i32 s9, s49, s99
	s_add_i32 s6, s6, s9
	s_mul_i32 s9, s48, s99
	s_mul_i32 s8, s9, s8
	s_mul_hi_u32 s10, s9, s7
	s_add_i32 s8, s10, s8
	s_mul_i32 s6, s6, s7
	s_add_i32 s8, s8, s6
	s_mul_i32 s9, s9, s7
	s_add_u32 s4, s9, s4
	s_addc_u32 s5, s8, s5
.LBB0_288:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[78:79], s[4:5]
	s_mov_b64 s[82:83], s[48:49]
.LBB0_289:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_le_i32 s74, s72
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v81, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v78, 0
	s_cbranch_scc1 .LBB0_302
; %bb.290:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b32 s4, s80, s48
	s_or_b32 s4, s4, s50
	s_and_b32 s4, s4, 15
	s_cmp_eq_u32 s4, 0
	v_mov_b64_e32 v[2:3], 0x1000000
	s_cselect_b64 s[4:5], -1, 0
	v_cmp_lt_i64_e32 vcc, s[48:49], v[2:3]
	s_and_b64 s[6:7], vcc, s[4:5]
	s_mov_b32 s8, 0
	s_mov_b64 s[10:11], -1
	s_mov_b64 s[4:5], 0
	s_and_b64 vcc, exec, s[6:7]
	s_mov_b64 s[6:7], 0
	s_cbranch_vccz .LBB0_295
; %bb.291:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_u32 s12, s76, 0x80
	s_addc_u32 s9, s77, 0
	s_cmp_lg_u64 s[8:9], 0
	s_cbranch_scc0 .LBB0_361
; %bb.292:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s6, s9, 31
	s_add_u32 s8, s12, s6
	s_mov_b32 s7, s6
	s_addc_u32 s9, s9, s6
	s_xor_b64 s[10:11], s[8:9], s[6:7]
	v_cvt_f32_u32_e32 v2, s10
	v_cvt_f32_u32_e32 v3, s11
	s_sub_u32 s13, 0, s10
	s_subb_u32 s14, 0, s11
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s15, v3
	v_readfirstlane_b32 s16, v2
	s_mul_i32 s17, s13, s15
	s_mul_hi_u32 s19, s13, s16
	s_mul_i32 s18, s14, s16
	s_add_i32 s17, s19, s17
	s_add_i32 s17, s17, s18
	s_mul_i32 s20, s13, s16
	s_mul_i32 s19, s16, s17
	s_mul_hi_u32 s21, s16, s20
	s_mul_hi_u32 s18, s16, s17
	s_add_u32 s19, s21, s19
	s_addc_u32 s18, 0, s18
	s_mul_hi_u32 s22, s15, s20
	s_mul_i32 s20, s15, s20
	s_add_u32 s19, s19, s20
	s_mul_hi_u32 s21, s15, s17
	s_addc_u32 s18, s18, s22
	s_addc_u32 s19, s21, 0
	s_mul_i32 s17, s15, s17
	s_add_u32 s17, s18, s17
	s_addc_u32 s18, 0, s19
	s_add_u32 s16, s16, s17
	s_addc_u32 s15, s15, s18
	s_mul_i32 s17, s13, s15
	s_mul_hi_u32 s18, s13, s16
	s_add_i32 s17, s18, s17
	s_mul_i32 s14, s14, s16
	s_add_i32 s17, s17, s14
	s_mul_i32 s13, s13, s16
	s_mul_hi_u32 s18, s15, s13
	s_mul_i32 s19, s15, s13
	s_mul_i32 s21, s16, s17
	s_mul_hi_u32 s13, s16, s13
	s_mul_hi_u32 s20, s16, s17
	s_add_u32 s13, s13, s21
	s_addc_u32 s20, 0, s20
	s_add_u32 s13, s13, s19
	s_mul_hi_u32 s14, s15, s17
	s_addc_u32 s13, s20, s18
	s_addc_u32 s14, s14, 0
	s_mul_i32 s17, s15, s17
	s_add_u32 s13, s13, s17
	s_addc_u32 s14, 0, s14
	s_add_u32 s13, s16, s13
	s_addc_u32 s13, s15, s14
	s_lshr_b32 s13, s13, 1
	s_mul_i32 s14, s11, s13
	s_mul_hi_u32 s15, s10, s13
	s_add_i32 s16, s15, s14
	s_sub_i32 s17, 0, s16
	s_mul_i32 s14, s10, s13
	s_sub_u32 s18, 0x80000000, s14
	s_cselect_b64 s[14:15], -1, 0
	s_subb_u32 s17, s17, s11
	s_sub_u32 s19, s18, s10
	s_subb_u32 s17, s17, 0
	s_cmp_ge_u32 s17, s11
	s_cselect_b32 s20, -1, 0
	s_cmp_ge_u32 s19, s10
	s_cselect_b32 s19, -1, 0
	s_cmp_eq_u32 s17, s11
	s_cselect_b32 s17, s19, s20
	s_add_u32 s19, s13, 1
	s_addc_u32 s20, 0, 0
	s_add_u32 s21, s13, 2
	s_addc_u32 s22, 0, 0
	s_cmp_lg_u32 s17, 0
	s_cselect_b32 s17, s21, s19
	s_cselect_b32 s19, s22, s20
	s_cmp_lg_u64 s[14:15], 0
	s_subb_u32 s14, 0, s16
	s_cmp_ge_u32 s14, s11
	s_cselect_b32 s15, -1, 0
	s_cmp_ge_u32 s18, s10
	s_cselect_b32 s10, -1, 0
	s_cmp_eq_u32 s14, s11
	s_cselect_b32 s10, s10, s15
	s_cmp_lg_u32 s10, 0
	s_cselect_b32 s11, s19, 0
	s_cselect_b32 s10, s17, s13
	s_xor_b64 s[10:11], s[10:11], s[6:7]
	s_sub_u32 s10, s10, s6
	s_subb_u32 s11, s11, s6
	s_cbranch_execnz .LBB0_294
.LBB0_293:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cvt_f32_u32_e32 v2, s12
	s_sub_i32 s6, 0, s12
	s_mov_b32 s11, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s7, v2
	s_mul_i32 s6, s6, s7
	s_mul_hi_u32 s6, s7, s6
	s_add_i32 s7, s7, s6
	s_lshr_b32 s6, s7, 1
	s_mul_i32 s8, s6, s12
	s_sub_i32 s8, 0x80000000, s8
	s_add_i32 s7, s6, 1
	s_sub_i32 s9, s8, s12
	s_cmp_ge_u32 s8, s12
	s_cselect_b32 s6, s7, s6
	s_cselect_b32 s8, s9, s8
	s_add_i32 s7, s6, 1
	s_cmp_ge_u32 s8, s12
	s_cselect_b32 s10, s7, s6
.LBB0_294:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b32 s6, s78, s48
	s_or_b32 s6, s6, s82
	s_and_b32 s6, s6, 15
	v_mov_b64_e32 v[2:3], s[10:11]
	s_cselect_b64 s[6:7], -1, 0
	v_cmp_ge_i64_e32 vcc, s[48:49], v[2:3]
	s_or_b64 s[10:11], s[6:7], vcc
	s_mov_b64 s[6:7], -1
.LBB0_295:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[10:11]
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v81, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v78, 0
	s_cbranch_vccz .LBB0_303
; %bb.296:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s65, s64, 31
	s_lshl_b64 s[84:85], s[64:65], 7
	s_sub_u32 s4, s44, s84
	s_subb_u32 s5, s45, s85
	v_mov_b64_e32 v[2:3], 0x80
	v_cmp_lt_i64_e32 vcc, s[4:5], v[2:3]
	s_and_b64 s[6:7], vcc, exec
	s_cselect_b32 s58, s4, 0x80
	s_add_i32 s58, s58, -1
	s_ashr_i32 s67, s66, 31
	s_cmp_eq_u64 s[76:77], 0
	s_cselect_b64 vcc, -1, 0
	s_and_b64 s[4:5], vcc, exec
	s_cselect_b32 s4, 7, 6
	s_lshl_b64 s[86:87], s[66:67], s4
	s_sub_u32 s6, s46, s86
	s_subb_u32 s7, s47, s87
	v_cmp_lt_i64_e64 s[4:5], s[6:7], v[2:3]
	s_and_b64 s[4:5], s[4:5], exec
	s_cselect_b32 s59, s6, 0x80
	s_add_i32 s59, s59, -1
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v78, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v81, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	s_mov_b32 s88, s72
.LBB0_297:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB0_298 Depth 3
                                        ;       Child Loop BB0_300 Depth 3
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_ashr_i32 s89, s88, 31
	s_lshl_b64 s[90:91], s[88:89], 7
	s_sub_u32 s6, s50, s90
	s_subb_u32 s7, s51, s91
	v_cmp_lt_i64_e64 s[4:5], s[6:7], v[2:3]
	s_and_b64 s[4:5], s[4:5], exec
	s_cselect_b32 s4, s6, 0x80
	s_add_i32 s5, s4, -1
	s_ashr_i32 s6, s5, 31
	s_lshr_b32 s6, s6, 28
	v_mov_b32_e32 v4, v0
	s_add_i32 s5, s5, s6
	;;#ASMSTART
	;;#ASMEND
	s_ashr_i32 s5, s5, 4
	v_and_b32_e32 v6, 7, v4
	v_lshlrev_b32_e32 v7, 4, v6
	v_min_i32_e32 v6, s5, v6
	v_sub_u32_e32 v7, s4, v7
	v_lshlrev_b32_e32 v6, 4, v6
	v_and_b32_e32 v10, 0x3ff, v4
	v_med3_i32 v11, v7, 0, 16
	v_ashrrev_i32_e32 v7, 31, v6
	v_bfe_u32 v4, v4, 3, 7
	s_mov_b32 s65, 0
	v_lshl_add_u64 v[6:7], s[90:91], 0, v[6:7]
	v_lshlrev_b32_e32 v12, 4, v10
	v_lshlrev_b32_e32 v13, 7, v4
	s_mov_b64 s[92:93], 0
	v_mov_b64_e32 v[8:9], v[4:5]
.LBB0_298:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_297 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_min_u32_e32 v4, s58, v8
	v_lshl_add_u64 v[14:15], s[84:85], 0, v[8:9]
	v_mov_b32_e32 v17, s85
	v_mov_b64_e32 v[82:83], v[6:7]
	v_or_b32_e32 v16, s84, v4
	v_mov_b64_e32 v[84:85], s[80:81]
	v_cmp_gt_i64_e64 s[4:5], s[44:45], v[14:15]
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v87, s65
	v_mul_lo_u32 v4, v16, s49
	v_cndmask_b32_e64 v116, 0, v11, s[4:5]
	v_mul_lo_u32 v17, v17, s48
	v_mad_u64_u32 v[14:15], s[38:39], v16, s48, v[84:85]
	v_cmp_lt_u32_e64 s[34:35], 1, v116
	v_add3_u32 v15, v17, v15, v4
	v_cmp_lt_u32_e64 s[30:31], 2, v116
	v_cndmask_b32_e64 v86, 0, 1, s[34:35]
	v_lshl_add_u64 v[14:15], v[14:15], 0, v[82:83]
	v_mov_b32_e32 v89, s65
	v_cndmask_b32_e64 v88, 0, 1, s[30:31]
	v_cmp_lt_u32_e64 s[28:29], 3, v116
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[86:87]
	v_mov_b32_e32 v91, s65
	v_cndmask_b32_e64 v90, 0, 1, s[28:29]
	v_cmp_lt_u32_e64 s[26:27], 4, v116
	flat_load_ubyte v4, v[14:15]
	flat_load_ubyte v82, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[88:89]
	v_mov_b32_e32 v93, s65
	v_cndmask_b32_e64 v92, 0, 1, s[26:27]
	v_cmp_lt_u32_e64 s[24:25], 5, v116
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[90:91]
	flat_load_ubyte v83, v[14:15]
	flat_load_ubyte v84, v[16:17]
	v_mov_b32_e32 v95, s65
	v_cndmask_b32_e64 v94, 0, 1, s[24:25]
	v_cmp_lt_u32_e64 s[4:5], 6, v116
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[92:93]
	v_mov_b32_e32 v97, s65
	v_cndmask_b32_e64 v96, 0, 1, s[4:5]
	v_cmp_lt_u32_e64 s[6:7], 7, v116
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[94:95]
	v_mov_b32_e32 v99, s65
	v_cndmask_b32_e64 v98, 0, 1, s[6:7]
	v_cmp_lt_u32_e64 s[8:9], 8, v116
	flat_load_ubyte v85, v[14:15]
	flat_load_ubyte v86, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[96:97]
	v_mov_b32_e32 v101, s65
	v_cndmask_b32_e64 v100, 0, 1, s[8:9]
	v_cmp_lt_u32_e64 s[10:11], 9, v116
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[98:99]
	flat_load_ubyte v87, v[14:15]
	flat_load_ubyte v88, v[16:17]
	v_mov_b32_e32 v103, s65
	v_cndmask_b32_e64 v102, 0, 1, s[10:11]
	v_cmp_lt_u32_e64 s[12:13], 10, v116
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[100:101]
	v_mov_b32_e32 v105, s65
	v_cndmask_b32_e64 v104, 0, 1, s[12:13]
	v_cmp_lt_u32_e64 s[14:15], 11, v116
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v107, s65
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[102:103]
	v_cndmask_b32_e64 v106, 0, 1, s[14:15]
	v_cmp_lt_u32_e64 s[16:17], 12, v116
	flat_load_ubyte v89, v[14:15]
	flat_load_ubyte v90, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[104:105]
	v_mov_b32_e32 v109, s65
	v_cndmask_b32_e64 v108, 0, 1, s[16:17]
	v_cmp_lt_u32_e64 s[18:19], 13, v116
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[106:107]
	v_mov_b32_e32 v111, s65
	v_cndmask_b32_e64 v110, 0, 1, s[18:19]
	v_cmp_lt_u32_e64 s[22:23], 14, v116
	flat_load_ubyte v91, v[14:15]
	flat_load_ubyte v92, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[108:109]
	v_mov_b32_e32 v113, s65
	v_cndmask_b32_e64 v112, 0, 1, s[22:23]
	v_cmp_lt_u32_e64 s[20:21], 15, v116
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[110:111]
	v_mov_b32_e32 v115, s65
	v_cndmask_b32_e64 v114, 0, 1, s[20:21]
	flat_load_ubyte v93, v[14:15]
	flat_load_ubyte v94, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[112:113]
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[114:115]
	flat_load_ubyte v14, v[14:15]
	s_nop 0
	flat_load_ubyte v15, v[16:17]
	s_movk_i32 s38, 0x70
	v_add_u32_e32 v16, 0x100, v10
	s_movk_i32 s39, 0x2ff
	v_bitop3_b32 v17, v12, s38, v10 bitop3:0x48
	v_cmp_lt_u32_e64 s[38:39], s39, v10
	v_mov_b32_e32 v10, v16
	v_cmp_eq_u32_e64 s[40:41], 0, v116
	v_add_u32_e32 v95, v13, v17
	s_movk_i32 s69, 0xff00
	s_mov_b32 s67, 0x40c0100
	v_lshl_add_u64 v[8:9], v[8:9], 0, 32
	v_add_u32_e32 v12, 0x1000, v12
	v_add_u32_e32 v13, 0x1000, v13
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshlrev_b16_e32 v16, 8, v82
	v_or_b32_e32 v4, v4, v16
	v_lshlrev_b16_e32 v16, 8, v84
	v_or_b32_sdwa v16, v83, v16 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_lshlrev_b16_e32 v17, 8, v86
	v_or_b32_sdwa v4, v4, v16 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_cndmask_b32_e64 v16, v4, v16, s[40:41]
	v_or_b32_e32 v17, v85, v17
	v_and_b32_e32 v16, 0xffff00ff, v16
	v_and_b32_e32 v17, 0xffff, v17
	v_lshlrev_b16_e32 v82, 8, v88
	v_or_b32_sdwa v82, v87, v82 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_cndmask_b32_e64 v16, v16, v4, s[34:35]
	v_or_b32_e32 v83, v17, v82
	v_lshrrev_b32_e32 v84, 24, v16
	v_bitop3_b32 v17, v17, s69, v82 bitop3:0xc8
	v_perm_b32 v16, v84, v16, s67
	v_cndmask_b32_e64 v17, v17, v83, s[26:27]
	v_cndmask_b32_e64 v16, v16, v4, s[30:31]
	v_and_b32_e32 v17, 0xffff00ff, v17
	v_and_b32_e32 v16, 0xffffff, v16
	v_cndmask_b32_e64 v17, v17, v83, s[24:25]
	v_cndmask_b32_e64 v16, v16, v4, s[28:29]
	v_lshlrev_b16_e32 v82, 8, v90
	v_or_b32_e32 v82, v89, v82
	v_lshrrev_b32_e32 v85, 24, v17
	v_cndmask_b32_e64 v16, v16, v4, s[26:27]
	v_perm_b32 v17, v85, v17, s67
	v_lshlrev_b16_e32 v84, 8, v92
	v_or_b32_sdwa v84, v91, v84 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_lshlrev_b16_e32 v86, 8, v94
	v_or_b32_sdwa v82, v82, v84 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_or_b32_e32 v85, v93, v86
	v_cndmask_b32_e64 v86, v16, v4, s[24:25]
	v_cndmask_b32_e64 v16, v17, v83, s[4:5]
	v_cndmask_b32_e64 v17, v84, v82, s[8:9]
	v_lshlrev_b16_e32 v15, 8, v15
	v_and_b32_e32 v84, 0xffff, v85
	v_and_b32_e32 v85, 0xffffff, v16
	v_and_b32_e32 v16, 0xffff00ff, v17
	v_or_b32_sdwa v14, v14, v15 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_cndmask_b32_e64 v15, v16, v82, s[10:11]
	v_or_b32_e32 v17, v84, v14
	v_bitop3_b32 v14, v84, s69, v14 bitop3:0xc8
	v_lshrrev_b32_e32 v16, 24, v15
	v_cndmask_b32_e64 v14, v14, v17, s[16:17]
	v_perm_b32 v15, v16, v15, s67
	v_and_b32_e32 v14, 0xffff00ff, v14
	v_cndmask_b32_e64 v15, v15, v82, s[12:13]
	v_cndmask_b32_e64 v14, v14, v17, s[18:19]
	v_and_b32_e32 v15, 0xffffff, v15
	v_lshrrev_b32_e32 v16, 24, v14
	v_cndmask_b32_e64 v15, v15, v82, s[14:15]
	v_perm_b32 v14, v16, v14, s67
	v_cndmask_b32_e64 v15, v15, v82, s[16:17]
	v_cndmask_b32_e64 v14, v14, v17, s[22:23]
	s_or_b64 s[22:23], s[20:21], s[22:23]
	v_cndmask_b32_e64 v15, v15, v82, s[18:19]
	s_or_b64 s[18:19], s[22:23], s[18:19]
	s_or_b64 s[16:17], s[18:19], s[16:17]
	s_or_b64 s[14:15], s[16:17], s[14:15]
	s_or_b64 s[12:13], s[14:15], s[12:13]
	s_or_b64 s[10:11], s[12:13], s[10:11]
	s_or_b64 s[8:9], s[10:11], s[8:9]
	s_or_b64 s[6:7], s[8:9], s[6:7]
	v_and_b32_e32 v14, 0xffffff, v14
	s_or_b64 s[4:5], s[6:7], s[4:5]
	v_cndmask_b32_e64 v16, v15, v82, s[22:23]
	v_cndmask_b32_e64 v17, v14, v17, s[20:21]
	v_cndmask_b32_e64 v15, v85, v83, s[6:7]
	v_cndmask_b32_e64 v14, v86, v4, s[4:5]
	s_or_b64 s[92:93], s[38:39], s[92:93]
	ds_write_b128 v95, v[14:17]
	s_andn2_b64 exec, exec, s[92:93]
	s_cbranch_execnz .LBB0_298
; %bb.299:                              ;   in Loop: Header=BB0_297 Depth=2
	s_or_b64 exec, exec, s[92:93]
	s_sub_u32 s6, s82, s90
	s_subb_u32 s7, s83, s91
	v_mov_b64_e32 v[6:7], 0x80
	v_cmp_lt_i64_e64 s[4:5], s[6:7], v[6:7]
	s_and_b64 s[4:5], s[4:5], exec
	s_cselect_b32 s4, s6, 0x80
	s_add_i32 s5, s4, -1
	s_ashr_i32 s6, s5, 31
	s_lshr_b32 s6, s6, 28
	v_mov_b32_e32 v12, v0
	s_add_i32 s5, s5, s6
	;;#ASMSTART
	;;#ASMEND
	s_ashr_i32 s5, s5, 4
	v_and_b32_e32 v6, 7, v12
	v_lshlrev_b32_e32 v7, 4, v6
	v_min_i32_e32 v6, s5, v6
	v_sub_u32_e32 v7, s4, v7
	v_lshlrev_b32_e32 v6, 4, v6
	v_and_b32_e32 v4, 0x3ff, v12
	v_bfe_u32 v8, v12, 3, 4
	v_med3_i32 v9, v7, 0, 16
	v_ashrrev_i32_e32 v7, 31, v6
	v_bfe_u32 v11, v12, 4, 6
	v_bfe_u32 v12, v12, 3, 7
	v_mov_b32_e32 v13, 0x4000
	s_mov_b32 s65, 0
	v_lshl_add_u64 v[6:7], s[90:91], 0, v[6:7]
	v_lshlrev_b32_e32 v10, 4, v4
	v_lshl_or_b32 v13, v12, 7, v13
	s_mov_b64 s[90:91], 0
.LBB0_300:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_297 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_and_or_b32 v14, v11, 48, v8
	v_mov_b32_e32 v15, 0
	v_bfe_i32 v84, v4, 7, 1
	v_cndmask_b32_e32 v14, v14, v12, vcc
	v_and_b32_e32 v84, s76, v84
	v_lshl_add_u64 v[114:115], s[86:87], 0, v[14:15]
	v_min_u32_e32 v14, s59, v14
	v_add_u32_e32 v14, v14, v84
	v_mov_b64_e32 v[16:17], v[6:7]
	v_lshl_add_u64 v[14:15], s[86:87], 0, v[14:15]
	v_mov_b64_e32 v[82:83], s[78:79]
	v_cmp_gt_i64_e64 s[4:5], s[46:47], v[114:115]
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v85, s65
	v_mul_lo_u32 v115, v14, s49
	v_cndmask_b32_e64 v114, 0, v9, s[4:5]
	v_mul_lo_u32 v116, v15, s48
	v_mad_u64_u32 v[14:15], s[38:39], v14, s48, v[82:83]
	v_cmp_lt_u32_e64 s[34:35], 1, v114
	v_add3_u32 v15, v116, v15, v115
	v_cmp_lt_u32_e64 s[30:31], 2, v114
	v_cndmask_b32_e64 v84, 0, 1, s[34:35]
	v_lshl_add_u64 v[14:15], v[14:15], 0, v[16:17]
	v_mov_b32_e32 v87, s65
	v_cndmask_b32_e64 v86, 0, 1, s[30:31]
	v_cmp_lt_u32_e64 s[28:29], 3, v114
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[84:85]
	v_mov_b32_e32 v89, s65
	v_cndmask_b32_e64 v88, 0, 1, s[28:29]
	v_cmp_lt_u32_e64 s[26:27], 4, v114
	flat_load_ubyte v82, v[14:15]
	flat_load_ubyte v83, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[86:87]
	v_mov_b32_e32 v91, s65
	v_cndmask_b32_e64 v90, 0, 1, s[26:27]
	v_cmp_lt_u32_e64 s[24:25], 5, v114
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[88:89]
	flat_load_ubyte v84, v[14:15]
	flat_load_ubyte v85, v[16:17]
	v_mov_b32_e32 v93, s65
	v_cndmask_b32_e64 v92, 0, 1, s[24:25]
	v_cmp_lt_u32_e64 s[4:5], 6, v114
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[90:91]
	v_mov_b32_e32 v95, s65
	v_cndmask_b32_e64 v94, 0, 1, s[4:5]
	v_cmp_lt_u32_e64 s[6:7], 7, v114
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[92:93]
	v_mov_b32_e32 v97, s65
	v_cndmask_b32_e64 v96, 0, 1, s[6:7]
	v_cmp_lt_u32_e64 s[8:9], 8, v114
	flat_load_ubyte v86, v[14:15]
	flat_load_ubyte v87, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[94:95]
	v_mov_b32_e32 v99, s65
	v_cndmask_b32_e64 v98, 0, 1, s[8:9]
	v_cmp_lt_u32_e64 s[10:11], 9, v114
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[96:97]
	flat_load_ubyte v88, v[14:15]
	flat_load_ubyte v89, v[16:17]
	v_mov_b32_e32 v101, s65
	v_cndmask_b32_e64 v100, 0, 1, s[10:11]
	v_cmp_lt_u32_e64 s[12:13], 10, v114
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[98:99]
	v_mov_b32_e32 v103, s65
	v_cndmask_b32_e64 v102, 0, 1, s[12:13]
	v_cmp_lt_u32_e64 s[14:15], 11, v114
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v105, s65
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[100:101]
	v_cndmask_b32_e64 v104, 0, 1, s[14:15]
	v_cmp_lt_u32_e64 s[16:17], 12, v114
	flat_load_ubyte v90, v[14:15]
	flat_load_ubyte v91, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[102:103]
	v_mov_b32_e32 v107, s65
	v_cndmask_b32_e64 v106, 0, 1, s[16:17]
	v_cmp_lt_u32_e64 s[18:19], 13, v114
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[104:105]
	v_mov_b32_e32 v109, s65
	v_cndmask_b32_e64 v108, 0, 1, s[18:19]
	v_cmp_lt_u32_e64 s[22:23], 14, v114
	flat_load_ubyte v92, v[14:15]
	flat_load_ubyte v93, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[106:107]
	v_mov_b32_e32 v111, s65
	v_cndmask_b32_e64 v110, 0, 1, s[22:23]
	v_cmp_lt_u32_e64 s[20:21], 15, v114
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[108:109]
	v_mov_b32_e32 v113, s65
	v_cndmask_b32_e64 v112, 0, 1, s[20:21]
	flat_load_ubyte v94, v[14:15]
	flat_load_ubyte v95, v[16:17]
	v_lshl_add_u64 v[14:15], v[16:17], 0, v[110:111]
	v_lshl_add_u64 v[16:17], v[14:15], 0, v[112:113]
	flat_load_ubyte v14, v[14:15]
	s_nop 0
	flat_load_ubyte v15, v[16:17]
	s_movk_i32 s38, 0x70
	v_add_u32_e32 v16, 0x100, v4
	s_movk_i32 s39, 0x2ff
	v_bitop3_b32 v17, v10, s38, v4 bitop3:0x48
	v_cmp_lt_u32_e64 s[38:39], s39, v4
	v_mov_b32_e32 v4, v16
	v_add_u32_e32 v96, v13, v17
	v_cmp_eq_u32_e64 s[40:41], 0, v114
	s_movk_i32 s69, 0xff00
	s_mov_b32 s67, 0x40c0100
	v_add_u32_e32 v11, 16, v11
	v_add_u32_e32 v10, 0x1000, v10
	v_add_u32_e32 v12, 32, v12
	v_add_u32_e32 v13, 0x1000, v13
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_lshlrev_b16_e32 v16, 8, v83
	v_or_b32_e32 v16, v82, v16
	v_lshlrev_b16_e32 v17, 8, v85
	v_or_b32_sdwa v17, v84, v17 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_lshlrev_b16_e32 v82, 8, v87
	v_or_b32_sdwa v83, v16, v17 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_cndmask_b32_e64 v17, v83, v17, s[40:41]
	v_or_b32_e32 v16, v86, v82
	v_and_b32_e32 v17, 0xffff00ff, v17
	v_and_b32_e32 v16, 0xffff, v16
	v_lshlrev_b16_e32 v82, 8, v89
	v_or_b32_sdwa v82, v88, v82 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_cndmask_b32_e64 v17, v17, v83, s[34:35]
	v_or_b32_e32 v84, v16, v82
	v_lshrrev_b32_e32 v85, 24, v17
	v_bitop3_b32 v16, v16, s69, v82 bitop3:0xc8
	v_perm_b32 v17, v85, v17, s67
	v_cndmask_b32_e64 v16, v16, v84, s[26:27]
	v_cndmask_b32_e64 v17, v17, v83, s[30:31]
	v_and_b32_e32 v16, 0xffff00ff, v16
	v_and_b32_e32 v17, 0xffffff, v17
	v_cndmask_b32_e64 v16, v16, v84, s[24:25]
	v_cndmask_b32_e64 v17, v17, v83, s[28:29]
	v_lshlrev_b16_e32 v82, 8, v91
	v_or_b32_e32 v82, v90, v82
	v_lshrrev_b32_e32 v86, 24, v16
	v_cndmask_b32_e64 v17, v17, v83, s[26:27]
	v_perm_b32 v16, v86, v16, s67
	v_cndmask_b32_e64 v16, v16, v84, s[4:5]
	v_lshlrev_b16_e32 v85, 8, v93
	v_or_b32_sdwa v85, v92, v85 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_lshlrev_b16_e32 v87, 8, v95
	v_or_b32_sdwa v82, v82, v85 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_or_b32_e32 v86, v94, v87
	v_cndmask_b32_e64 v87, v17, v83, s[24:25]
	v_cndmask_b32_e64 v17, v85, v82, s[8:9]
	v_lshlrev_b16_e32 v15, 8, v15
	v_and_b32_e32 v85, 0xffff, v86
	v_and_b32_e32 v86, 0xffffff, v16
	v_and_b32_e32 v16, 0xffff00ff, v17
	v_or_b32_sdwa v14, v14, v15 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_cndmask_b32_e64 v15, v16, v82, s[10:11]
	v_or_b32_e32 v17, v85, v14
	v_bitop3_b32 v14, v85, s69, v14 bitop3:0xc8
	v_lshrrev_b32_e32 v16, 24, v15
	v_cndmask_b32_e64 v14, v14, v17, s[16:17]
	v_perm_b32 v15, v16, v15, s67
	v_and_b32_e32 v14, 0xffff00ff, v14
	v_cndmask_b32_e64 v15, v15, v82, s[12:13]
	v_cndmask_b32_e64 v14, v14, v17, s[18:19]
	v_and_b32_e32 v15, 0xffffff, v15
	v_lshrrev_b32_e32 v16, 24, v14
	v_cndmask_b32_e64 v15, v15, v82, s[14:15]
	v_perm_b32 v14, v16, v14, s67
	v_cndmask_b32_e64 v15, v15, v82, s[16:17]
	v_cndmask_b32_e64 v14, v14, v17, s[22:23]
	s_or_b64 s[22:23], s[20:21], s[22:23]
	v_cndmask_b32_e64 v15, v15, v82, s[18:19]
	s_or_b64 s[18:19], s[22:23], s[18:19]
	s_or_b64 s[16:17], s[18:19], s[16:17]
	s_or_b64 s[14:15], s[16:17], s[14:15]
	s_or_b64 s[12:13], s[14:15], s[12:13]
	s_or_b64 s[10:11], s[12:13], s[10:11]
	s_or_b64 s[8:9], s[10:11], s[8:9]
	s_or_b64 s[6:7], s[8:9], s[6:7]
	v_and_b32_e32 v14, 0xffffff, v14
	s_or_b64 s[4:5], s[6:7], s[4:5]
	v_cndmask_b32_e64 v16, v15, v82, s[22:23]
	v_cndmask_b32_e64 v17, v14, v17, s[20:21]
	v_cndmask_b32_e64 v15, v86, v84, s[6:7]
	v_cndmask_b32_e64 v14, v87, v83, s[4:5]
	s_or_b64 s[90:91], s[38:39], s[90:91]
	ds_write_b128 v96, v[14:17]
	s_andn2_b64 exec, exec, s[90:91]
	s_cbranch_execnz .LBB0_300
; %bb.301:                              ;   in Loop: Header=BB0_297 Depth=2
	s_or_b64 exec, exec, s[90:91]
	v_mov_b32_e32 v4, v0
	v_mov_b32_e32 v6, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	v_readfirstlane_b32 s4, v0
	v_lshrrev_b32_e32 v7, 4, v6
	v_bfe_u32 v6, v6, 4, 2
	s_lshl_b32 s5, s4, 7
	v_lshlrev_b32_e32 v8, 7, v4
	v_bfe_u32 v4, v4, 1, 3
	s_and_b32 s5, s5, 0x2000
	v_and_b32_e32 v8, 0x780, v8
	v_bitop3_b32 v7, v7, v4, 3 bitop3:0x6c
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_or_b32_e32 v9, s5, v8
	v_lshlrev_b32_e32 v7, 4, v7
	v_lshlrev_b32_e32 v4, 4, v4
	v_or_b32_e32 v10, v9, v7
	v_or_b32_e32 v6, v9, v4
	ds_read_b128 v[82:85], v10 offset:16384
	ds_read_b128 v[86:89], v6 offset:16384
	ds_read_b128 v[130:133], v6 offset:20480
	s_lshl_b32 s4, s4, 6
	s_and_b32 s4, s4, 0x7fffe000
	v_or_b32_e32 v8, s4, v8
	v_or_b32_e32 v7, v8, v7
	v_or_b32_e32 v4, v8, v4
	ds_read_b128 v[90:93], v7
	ds_read_b128 v[94:97], v4
	ds_read_b128 v[98:101], v10 offset:18432
	ds_read_b128 v[102:105], v6 offset:18432
	ds_read_b128 v[106:109], v7 offset:2048
	ds_read_b128 v[110:113], v4 offset:2048
	ds_read_b128 v[126:129], v10 offset:20480
	ds_read_b128 v[8:11], v10 offset:22528
	ds_read_b128 v[12:15], v6 offset:22528
	s_waitcnt lgkmcnt(7)
	v_mfma_f32_16x16x128_f8f6f4 v[74:77], v[82:89], v[90:97], v[74:77]
	s_add_i32 s88, s88, 1
	s_cmp_lt_i32 s88, s74
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_16x16x128_f8f6f4 v[70:73], v[98:105], v[90:97], v[70:73]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[66:69], v[126:133], v[90:97], v[66:69]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[62:65], v[8:15], v[90:97], v[62:65]
	v_mfma_f32_16x16x128_f8f6f4 v[58:61], v[82:89], v[106:113], v[58:61]
	v_mfma_f32_16x16x128_f8f6f4 v[54:57], v[98:105], v[106:113], v[54:57]
	v_mfma_f32_16x16x128_f8f6f4 v[50:53], v[126:133], v[106:113], v[50:53]
	v_mfma_f32_16x16x128_f8f6f4 v[78:81], v[8:15], v[106:113], v[78:81]
	ds_read_b128 v[94:97], v4 offset:4096
	ds_read_b128 v[90:93], v7 offset:4096
	ds_read_b128 v[106:109], v7 offset:6144
	ds_read_b128 v[110:113], v4 offset:6144
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[46:49], v[82:89], v[90:97], v[46:49]
	v_mfma_f32_16x16x128_f8f6f4 v[42:45], v[98:105], v[90:97], v[42:45]
	v_mfma_f32_16x16x128_f8f6f4 v[38:41], v[126:133], v[90:97], v[38:41]
	v_mfma_f32_16x16x128_f8f6f4 v[34:37], v[8:15], v[90:97], v[34:37]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[30:33], v[82:89], v[106:113], v[30:33]
	v_mfma_f32_16x16x128_f8f6f4 v[26:29], v[98:105], v[106:113], v[26:29]
	v_mfma_f32_16x16x128_f8f6f4 v[22:25], v[126:133], v[106:113], v[22:25]
	v_mfma_f32_16x16x128_f8f6f4 v[18:21], v[8:15], v[106:113], v[18:21]
	s_cbranch_scc1 .LBB0_297
.LBB0_302:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[4:5], -1
	s_mov_b64 s[6:7], 0
.LBB0_303:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB0_305
; %bb.304:                              ;   in Loop: Header=BB0_124 Depth=1
	s_barrier
.LBB0_305:                              ;   in Loop: Header=BB0_124 Depth=1
	s_andn2_b64 vcc, exec, s[6:7]
	s_cbranch_vccnz .LBB0_326
; %bb.306:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s65, s64, 31
	s_lshl_b64 s[4:5], s[64:65], 7
	s_mul_i32 s8, s48, s5
	s_mul_hi_u32 s9, s48, s4
	s_ashr_i32 s73, s72, 31
	s_add_i32 s8, s9, s8
	s_mul_i32 s9, s49, s4
	s_lshl_b64 s[6:7], s[72:73], 7
	s_add_i32 s8, s8, s9
	s_add_u32 s12, s6, 0xfffffc00
	s_mul_i32 s9, s48, s4
	s_addc_u32 s13, s7, -1
	s_add_u32 s6, s12, s9
	s_addc_u32 s7, s13, s8
	s_add_u32 s8, s6, s80
	s_addc_u32 s9, s7, s81
	s_sub_u32 s4, s44, s4
	s_subb_u32 s5, s45, s5
	v_mov_b64_e32 v[4:5], 0x80
	v_cmp_lt_i64_e32 vcc, s[4:5], v[4:5]
	s_and_b64 s[6:7], vcc, exec
	v_mov_b32_e32 v2, v0
	v_readfirstlane_b32 s24, v0
	s_cselect_b32 s4, s4, 0x80
	;;#ASMSTART
	;;#ASMEND
	s_lshl_b32 s6, s24, 5
	v_lshlrev_b32_e32 v3, 4, v2
	s_and_b32 s7, s6, 0x800
	v_and_b32_e32 v6, 0x3f0, v3
	v_or_b32_e32 v6, s7, v6
	s_lshr_b32 s25, s24, 1
	v_lshrrev_b32_e32 v6, 7, v6
	v_bfe_u32 v3, v3, 8, 2
	s_and_b32 s17, s25, 0x3ffffc0
	s_add_i32 s4, s4, -1
	v_bitop3_b32 v2, v3, v2, 7 bitop3:0x78
	v_or_b32_e32 v3, s17, v6
	v_min_u32_e32 v3, s4, v3
	v_lshlrev_b32_e32 v2, 4, v2
	v_mul_lo_u32 v3, v3, s48
	s_movk_i32 s18, 0x400
	v_add3_u32 v82, v3, v2, s18
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_bfe_i32 s16, s24, 0x10006
	v_lshlrev_b32_e32 v3, 4, v2
	v_and_b32_e32 v3, 0x3f0, v3
	v_or_b32_e32 v3, 0x400, v3
	v_or_b32_e32 v6, s7, v3
	v_lshrrev_b32_e32 v6, 7, v6
	v_lshrrev_b32_e32 v3, 8, v3
	v_bitop3_b32 v2, v3, v2, 7 bitop3:0x78
	v_or_b32_e32 v3, s17, v6
	v_min_u32_e32 v3, s4, v3
	v_mul_lo_u32 v3, v3, s48
	v_lshl_add_u32 v83, v2, 4, v3
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_ashr_i32 s67, s66, 31
	v_lshlrev_b32_e32 v3, 4, v2
	v_and_b32_e32 v6, 0x3f0, v3
	v_or_b32_e32 v6, s7, v6
	v_lshrrev_b32_e32 v6, 7, v6
	v_bfe_u32 v3, v3, 8, 2
	v_bitop3_b32 v2, v3, v2, 7 bitop3:0x78
	v_or3_b32 v3, s17, v6, 32
	v_min_u32_e32 v3, s4, v3
	v_lshlrev_b32_e32 v2, 4, v2
	v_mul_lo_u32 v3, v3, s48
	v_add3_u32 v84, v3, v2, s18
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_cmp_eq_u64 s[76:77], 0
	v_lshlrev_b32_e32 v3, 4, v2
	v_and_b32_e32 v3, 0x3f0, v3
	v_or_b32_e32 v3, 0x400, v3
	v_or_b32_e32 v6, s7, v3
	v_lshrrev_b32_e32 v6, 7, v6
	v_lshrrev_b32_e32 v3, 8, v3
	v_bitop3_b32 v2, v3, v2, 7 bitop3:0x78
	v_or3_b32 v3, s17, v6, 32
	s_cselect_b64 vcc, -1, 0
	v_min_u32_e32 v3, s4, v3
	s_and_b64 s[4:5], vcc, exec
	s_cselect_b32 s4, 7, 6
	s_lshl_b64 s[4:5], s[66:67], s4
	s_mul_i32 s14, s4, s49
	s_mul_hi_u32 s15, s4, s48
	s_add_i32 s14, s15, s14
	s_mul_i32 s15, s5, s48
	s_add_i32 s14, s14, s15
	s_mul_i32 s15, s4, s48
	s_add_u32 s12, s12, s15
	s_addc_u32 s13, s13, s14
	s_add_u32 s12, s12, s78
	v_mul_lo_u32 v3, v3, s48
	s_addc_u32 s13, s13, s79
	v_lshl_add_u32 v85, v2, 4, v3
	v_mov_b32_e32 v2, v0
	v_mov_b32_e32 v3, v0
	s_sub_u32 s14, s46, s4
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	s_subb_u32 s15, s47, s5
	v_lshlrev_b32_e32 v6, 4, v3
	v_and_b32_e32 v7, 0x3f0, v6
	v_cmp_lt_i64_e64 s[4:5], s[14:15], v[4:5]
	v_or_b32_e32 v7, s7, v7
	s_and_b64 s[4:5], s[4:5], exec
	v_lshrrev_b32_e32 v7, 7, v7
	s_cselect_b32 s4, s14, 0x80
	v_bfe_u32 v6, v6, 8, 2
	s_lshr_b32 s5, s17, 1
	v_or_b32_e32 v8, s17, v7
	v_bitop3_b32 v3, v6, v3, 7 bitop3:0x78
	v_and_or_b32 v6, v7, 7, s5
	s_add_i32 s4, s4, -1
	v_cndmask_b32_e32 v6, v6, v8, vcc
	s_and_b32 s5, s16, s76
	v_min_u32_e32 v6, s4, v6
	v_add_u32_e32 v6, s5, v6
	v_lshlrev_b32_e32 v3, 4, v3
	v_mul_lo_u32 v6, v6, s48
	v_add3_u32 v86, v6, v3, s18
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_mov_b32 s14, 0x1ffffe0
	v_lshlrev_b32_e32 v6, 4, v3
	v_and_b32_e32 v6, 0x3f0, v6
	v_or_b32_e32 v6, 0x400, v6
	v_or_b32_e32 v7, s7, v6
	v_lshrrev_b32_e32 v8, 7, v7
	v_lshrrev_b32_e32 v6, 8, v6
	v_bitop3_b32 v3, v6, v3, 7 bitop3:0x78
	v_or_b32_e32 v6, s17, v8
	v_lshrrev_b32_e32 v8, 1, v6
	v_bfe_u32 v7, v7, 7, 4
	v_and_or_b32 v7, v8, s14, v7
	v_cndmask_b32_e32 v6, v7, v6, vcc
	v_min_u32_e32 v6, s4, v6
	v_add_u32_e32 v6, s5, v6
	v_mul_lo_u32 v6, v6, s48
	v_lshl_add_u32 v87, v3, 4, v6
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_mov_b32 s14, 0x1fffff0
	v_lshlrev_b32_e32 v6, 4, v3
	v_and_b32_e32 v7, 0x3f0, v6
	v_or_b32_e32 v7, s7, v7
	v_lshrrev_b32_e32 v8, 7, v7
	v_bfe_u32 v6, v6, 8, 2
	v_bitop3_b32 v3, v6, v3, 7 bitop3:0x78
	v_or3_b32 v6, s17, v8, 32
	v_lshrrev_b32_e32 v8, 1, v6
	v_bfe_u32 v7, v7, 7, 3
	v_and_or_b32 v7, v8, s14, v7
	v_cndmask_b32_e32 v6, v7, v6, vcc
	v_min_u32_e32 v6, s4, v6
	v_add_u32_e32 v6, s5, v6
	v_lshlrev_b32_e32 v3, 4, v3
	v_mul_lo_u32 v6, v6, s48
	v_add3_u32 v88, v6, v3, s18
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_ashr_i32 s75, s74, 31
	v_lshlrev_b32_e32 v6, 4, v3
	v_and_b32_e32 v6, 0x3f0, v6
	v_or_b32_e32 v6, 0x400, v6
	v_or_b32_e32 v7, s7, v6
	v_lshrrev_b32_e32 v8, 7, v7
	v_lshrrev_b32_e32 v6, 8, v6
	v_bitop3_b32 v3, v6, v3, 7 bitop3:0x78
	v_or3_b32 v6, s17, v8, 32
	v_lshrrev_b32_e32 v8, 1, v6
	v_bfe_u32 v7, v7, 7, 4
	v_and_or_b32 v7, v8, s14, v7
	v_cndmask_b32_e32 v6, v7, v6, vcc
	v_min_u32_e32 v6, s4, v6
	v_add_u32_e32 v6, s5, v6
	s_lshl_b64 s[4:5], s[74:75], 7
	s_sub_u32 s4, s50, s4
	s_subb_u32 s5, s51, s5
	s_add_u32 s4, s4, 0x80
	s_addc_u32 s5, s5, 0
	v_cmp_lt_i64_e32 vcc, s[4:5], v[4:5]
	s_and_b64 s[14:15], vcc, exec
	v_mul_lo_u32 v6, v6, s48
	s_cselect_b32 s22, s4, 0x80
	s_sub_i32 s23, s74, s72
	s_mov_b32 s11, 0x20000
	s_brev_b32 s10, 1
	v_lshl_add_u32 v89, v3, 4, v6
	v_mov_b32_e32 v3, v0
	s_cmp_gt_i32 s23, 1
	;;#ASMSTART
	;;#ASMEND
	s_barrier
	s_cbranch_scc1 .LBB0_311
; %bb.307:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_lg_u32 s23, 1
	s_cbranch_scc0 .LBB0_309
; %bb.308:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b32 s10, 0
	s_cbranch_execz .LBB0_310
	s_branch .LBB0_311
.LBB0_309:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b32 s10, 0
.LBB0_310:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0x70
	v_lshlrev_b32_e32 v5, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v5, v4, s4 bitop3:0x6c
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_bfrev_b32_e32 v5, 1
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v82, v5, v82, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_brev_b32 s10, 1
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v83, v5, v83, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v84, v5, v84, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v85, v5, v85, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v86, v5, v86, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v87, v5, v87, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v88, v5, v88, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	s_nop 1
	v_cndmask_b32_e32 v89, v5, v89, vcc
.LBB0_311:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b32 s26, s6, 0x7ffff800
	s_mov_b32 s14, s10
	s_mov_b32 s15, s11
	;;#ASMSTART
	s_nop 4
	;;#ASMEND
	;;#ASMSTART
	s_nop 4
	;;#ASMEND
	s_add_i32 s4, s26, 0x4000
	;;#ASMSTART
	s_add_u32 m0, s4, 0
	s_nop 0
	buffer_load_dwordx4 v86, s[12:15], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v87, s[12:15], 0 offen offset:0x400 lds
	;;#ASMEND
	s_nop 0
	;;#ASMSTART
	s_add_u32 m0, s26, 0
	s_nop 0
	buffer_load_dwordx4 v82, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v83, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	s_nop 0
	;;#ASMSTART
	s_add_u32 m0, s4, 0x2000
	s_nop 0
	buffer_load_dwordx4 v88, s[12:15], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v89, s[12:15], 0 offen offset:0x400 lds
	;;#ASMEND
	s_nop 0
	;;#ASMSTART
	s_add_u32 m0, s26, 0x2000
	s_nop 0
	buffer_load_dwordx4 v84, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v85, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	s_add_u32 s8, s8, 0x80
	s_addc_u32 s9, s9, 0
	s_add_u32 s12, s12, 0x80
	s_addc_u32 s13, s13, 0
	s_cmp_gt_i32 s23, 2
	s_cbranch_scc1 .LBB0_317
; %bb.312:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_lg_u32 s23, 2
	s_cbranch_scc0 .LBB0_315
; %bb.313:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[4:5], s[8:9]
	s_mov_b32 s20, 0
	s_mov_b64 s[6:7], s[10:11]
	s_mov_b64 s[18:19], s[14:15]
	s_mov_b32 s6, s20
	s_mov_b64 s[16:17], s[12:13]
	s_mov_b32 s18, s20
	s_cbranch_execz .LBB0_316
; %bb.314:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[12:13], s[16:17]
	s_mov_b64 s[10:11], s[6:7]
	s_mov_b64 s[14:15], s[18:19]
	s_mov_b64 s[8:9], s[4:5]
	s_branch .LBB0_317
.LBB0_315:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr16_sgpr17_sgpr18_sgpr19
                                        ; implicit-def: $sgpr4_sgpr5_sgpr6_sgpr7
.LBB0_316:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0x70
	v_lshlrev_b32_e32 v5, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v5, v4, s4 bitop3:0x6c
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_bfrev_b32_e32 v5, 1
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v82, v5, v82, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v83, v5, v83, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v84, v5, v84, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v85, v5, v85, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v86, v5, v86, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v87, v5, v87, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v88, v5, v88, vcc
	v_cmp_gt_u32_e32 vcc, s22, v4
	s_nop 1
	v_cndmask_b32_e32 v89, v5, v89, vcc
.LBB0_317:                              ;   in Loop: Header=BB0_124 Depth=1
	s_lshr_b32 s4, s24, 2
	s_and_b32 s4, s4, 0x1ffffe0
	v_lshrrev_b32_e32 v4, 4, v2
	v_bfe_u32 v5, v2, 4, 2
	v_and_or_b32 v6, v2, 15, s4
	v_bfe_u32 v2, v2, 1, 3
	s_and_b32 s4, s25, 32
	v_bitop3_b32 v4, v4, v2, 3 bitop3:0x6c
	v_bitop3_b32 v2, v5, v2, 4 bitop3:0x36
	v_and_or_b32 v5, v3, 15, s4
	s_add_i32 s4, s26, 0xc000
	;;#ASMSTART
	s_add_u32 m0, s4, 0
	s_nop 0
	buffer_load_dwordx4 v86, s[12:15], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v87, s[12:15], 0 offen offset:0x400 lds
	;;#ASMEND
	v_lshlrev_b32_e32 v6, 7, v6
	s_add_i32 s25, s26, 0x8000
	;;#ASMSTART
	s_add_u32 m0, s25, 0
	s_nop 0
	buffer_load_dwordx4 v82, s[8:11], 0 offen lds
	;;#ASMEND
	v_lshl_or_b32 v90, v4, 4, v6
	v_lshl_or_b32 v91, v2, 4, v6
	v_lshrrev_b32_e32 v2, 4, v3
	v_bfe_u32 v4, v3, 4, 2
	v_bfe_u32 v3, v3, 1, 3
	;;#ASMSTART
	buffer_load_dwordx4 v83, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	v_lshlrev_b32_e32 v5, 7, v5
	v_bitop3_b32 v2, v2, v3, 3 bitop3:0x6c
	;;#ASMSTART
	s_add_u32 m0, s4, 0x2000
	s_nop 0
	buffer_load_dwordx4 v88, s[12:15], 0 offen lds
	;;#ASMEND
	v_lshl_or_b32 v6, v2, 4, v5
	v_bitop3_b32 v2, v4, v3, 4 bitop3:0x36
	;;#ASMSTART
	buffer_load_dwordx4 v89, s[12:15], 0 offen offset:0x400 lds
	;;#ASMEND
	v_lshl_or_b32 v14, v2, 4, v5
	v_or_b32_e32 v92, 0x4000, v6
	v_or_b32_e32 v93, 0x4000, v14
	s_mov_b32 s24, 0x8000
	s_waitcnt vmcnt(8) lgkmcnt(0)
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	ds_read_b128 v[2:5], v6 offset:16384
	ds_read_b128 v[10:13], v6 offset:18432
	ds_read_b128 v[6:9], v14 offset:16384
	ds_read_b128 v[14:17], v14 offset:18432
	s_waitcnt vmcnt(8) lgkmcnt(0)
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	v_mov_b32_e32 v78, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v81, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	s_branch .LBB0_320
.LBB0_318:                              ;   in Loop: Header=BB0_320 Depth=2
	v_mov_b32_e32 v110, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0x70
	v_lshlrev_b32_e32 v111, 4, v110
	v_and_b32_e32 v110, 48, v110
	v_bitop3_b32 v110, v111, v110, s4 bitop3:0x6c
	v_cmp_gt_u32_e32 vcc, s22, v110
	v_mov_b32_e32 v110, v0
	;;#ASMSTART
	;;#ASMEND
	v_bfrev_b32_e32 v111, 1
	v_lshrrev_b32_e32 v112, 4, v110
	v_bitop3_b32 v110, v112, v110, 4 bitop3:0x36
	v_lshlrev_b32_e32 v110, 4, v110
	v_and_b32_e32 v110, 0x70, v110
	v_cndmask_b32_e32 v82, v111, v82, vcc
	v_cmp_gt_u32_e32 vcc, s22, v110
	v_mov_b32_e32 v110, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v112, 4, v110
	v_and_b32_e32 v110, 48, v110
	v_bitop3_b32 v110, v112, v110, s4 bitop3:0x6c
	v_cndmask_b32_e32 v83, v111, v83, vcc
	v_cmp_gt_u32_e32 vcc, s22, v110
	v_mov_b32_e32 v110, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v112, 4, v110
	v_bitop3_b32 v110, v112, v110, 4 bitop3:0x36
	v_lshlrev_b32_e32 v110, 4, v110
	v_and_b32_e32 v110, 0x70, v110
	v_cndmask_b32_e32 v84, v111, v84, vcc
	v_cmp_gt_u32_e32 vcc, s22, v110
	v_mov_b32_e32 v110, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v112, 4, v110
	v_and_b32_e32 v110, 48, v110
	v_bitop3_b32 v110, v112, v110, s4 bitop3:0x6c
	v_cndmask_b32_e32 v85, v111, v85, vcc
	v_cmp_gt_u32_e32 vcc, s22, v110
	v_mov_b32_e32 v110, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v112, 4, v110
	v_bitop3_b32 v110, v112, v110, 4 bitop3:0x36
	v_lshlrev_b32_e32 v110, 4, v110
	v_and_b32_e32 v110, 0x70, v110
	v_cndmask_b32_e32 v86, v111, v86, vcc
	v_cmp_gt_u32_e32 vcc, s22, v110
	v_mov_b32_e32 v110, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v112, 4, v110
	v_and_b32_e32 v110, 48, v110
	v_bitop3_b32 v110, v112, v110, s4 bitop3:0x6c
	v_cndmask_b32_e32 v87, v111, v87, vcc
	v_cmp_gt_u32_e32 vcc, s22, v110
	v_mov_b32_e32 v110, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v112, 4, v110
	v_bitop3_b32 v110, v112, v110, 4 bitop3:0x36
	v_lshlrev_b32_e32 v110, 4, v110
	v_and_b32_e32 v110, 0x70, v110
	v_cndmask_b32_e32 v88, v111, v88, vcc
	v_cmp_gt_u32_e32 vcc, s22, v110
	s_nop 1
	v_cndmask_b32_e32 v89, v111, v89, vcc
.LBB0_319:                              ;   in Loop: Header=BB0_320 Depth=2
	ds_read_b128 v[110:113], v92 offset:8192
	s_waitcnt vmcnt(0)
	ds_read_b128 v[126:129], v92 offset:10240
	ds_read_b128 v[114:117], v93 offset:8192
	ds_read_b128 v[130:133], v93 offset:10240
	s_sub_i32 s25, s25, s24
	s_add_i32 s4, s25, 0x4000
	;;#ASMSTART
	s_add_u32 m0, s4, 0
	s_nop 0
	buffer_load_dwordx4 v86, s[12:15], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v87, s[12:15], 0 offen offset:0x400 lds
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_waitcnt vmcnt(8) lgkmcnt(0)
	s_setprio 1
	; sched_barrier mask(0x00000000)
	v_mfma_f32_16x16x128_f8f6f4 v[66:69], v[110:117], v[94:101], v[66:69]
	v_mfma_f32_16x16x128_f8f6f4 v[62:65], v[126:133], v[94:101], v[62:65]
	v_mfma_f32_16x16x128_f8f6f4 v[50:53], v[110:117], v[102:109], v[50:53]
	v_mfma_f32_16x16x128_f8f6f4 v[78:81], v[126:133], v[102:109], v[78:81]
	; sched_barrier mask(0x00000000)
	s_setprio 0
	ds_read_b128 v[94:97], v90 offset:8192
	ds_read_b128 v[102:105], v90 offset:10240
	ds_read_b128 v[98:101], v91 offset:8192
	ds_read_b128 v[106:109], v91 offset:10240
	;;#ASMSTART
	s_add_u32 m0, s25, 0
	s_nop 0
	buffer_load_dwordx4 v82, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v83, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_waitcnt vmcnt(8) lgkmcnt(0)
	s_setprio 1
	; sched_barrier mask(0x00000000)
	v_mfma_f32_16x16x128_f8f6f4 v[46:49], v[2:9], v[94:101], v[46:49]
	v_mfma_f32_16x16x128_f8f6f4 v[42:45], v[10:17], v[94:101], v[42:45]
	v_mfma_f32_16x16x128_f8f6f4 v[30:33], v[2:9], v[102:109], v[30:33]
	v_mfma_f32_16x16x128_f8f6f4 v[26:29], v[10:17], v[102:109], v[26:29]
	; sched_barrier mask(0x00000000)
	s_setprio 0
	v_add_u32_e32 v92, s24, v92
	v_add_u32_e32 v93, s24, v93
	ds_read_b128 v[2:5], v92
	ds_read_b128 v[10:13], v92 offset:2048
	ds_read_b128 v[6:9], v93
	ds_read_b128 v[14:17], v93 offset:2048
	;;#ASMSTART
	s_add_u32 m0, s4, 0x2000
	s_nop 0
	buffer_load_dwordx4 v88, s[12:15], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v89, s[12:15], 0 offen offset:0x400 lds
	;;#ASMEND
	v_add_u32_e32 v90, s24, v90
	v_add_u32_e32 v91, s24, v91
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_waitcnt vmcnt(8) lgkmcnt(0)
	s_setprio 1
	; sched_barrier mask(0x00000000)
	v_mfma_f32_16x16x128_f8f6f4 v[38:41], v[110:117], v[94:101], v[38:41]
	s_sub_i32 s24, 0, s24
	v_mfma_f32_16x16x128_f8f6f4 v[34:37], v[126:133], v[94:101], v[34:37]
	v_mfma_f32_16x16x128_f8f6f4 v[22:25], v[110:117], v[102:109], v[22:25]
	v_mfma_f32_16x16x128_f8f6f4 v[18:21], v[126:133], v[102:109], v[18:21]
	; sched_barrier mask(0x00000000)
	s_setprio 0
	s_add_i32 s4, s23, -1
	s_cmp_gt_u32 s23, 1
	s_mov_b32 s23, s4
	s_cbranch_scc0 .LBB0_325
.LBB0_320:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	ds_read_b128 v[94:97], v90
	ds_read_b128 v[102:105], v90 offset:2048
	ds_read_b128 v[98:101], v91
	ds_read_b128 v[106:109], v91 offset:2048
	;;#ASMSTART
	s_add_u32 m0, s25, 0x2000
	s_nop 0
	buffer_load_dwordx4 v84, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v85, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_waitcnt vmcnt(8) lgkmcnt(0)
	s_setprio 1
	; sched_barrier mask(0x00000000)
	v_mfma_f32_16x16x128_f8f6f4 v[74:77], v[2:9], v[94:101], v[74:77]
	v_mfma_f32_16x16x128_f8f6f4 v[70:73], v[10:17], v[94:101], v[70:73]
	v_mfma_f32_16x16x128_f8f6f4 v[58:61], v[2:9], v[102:109], v[58:61]
	v_mfma_f32_16x16x128_f8f6f4 v[54:57], v[10:17], v[102:109], v[54:57]
	; sched_barrier mask(0x00000000)
	s_setprio 0
	s_add_u32 s8, s8, 0x80
	s_addc_u32 s9, s9, 0
	s_add_u32 s12, s12, 0x80
	s_addc_u32 s13, s13, 0
	s_cmp_gt_u32 s23, 3
	s_cbranch_scc1 .LBB0_319
; %bb.321:                              ;   in Loop: Header=BB0_320 Depth=2
	s_cmp_lg_u32 s23, 3
	s_cbranch_scc0 .LBB0_323
; %bb.322:                              ;   in Loop: Header=BB0_320 Depth=2
	s_mov_b64 s[4:5], s[8:9]
	s_mov_b32 s20, 0
	s_mov_b64 s[6:7], s[10:11]
	s_mov_b64 s[18:19], s[14:15]
	s_mov_b32 s6, s20
	s_mov_b64 s[16:17], s[12:13]
	s_mov_b32 s18, s20
	s_cbranch_execz .LBB0_318
	s_branch .LBB0_324
.LBB0_323:                              ;   in Loop: Header=BB0_320 Depth=2
                                        ; implicit-def: $sgpr16_sgpr17_sgpr18_sgpr19
                                        ; implicit-def: $sgpr4_sgpr5_sgpr6_sgpr7
	s_branch .LBB0_318
.LBB0_324:                              ;   in Loop: Header=BB0_320 Depth=2
	s_mov_b64 s[12:13], s[16:17]
	s_mov_b64 s[10:11], s[6:7]
	s_mov_b64 s[14:15], s[18:19]
	s_mov_b64 s[8:9], s[4:5]
	s_branch .LBB0_319
.LBB0_325:                              ;   in Loop: Header=BB0_124 Depth=1
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
.LBB0_326:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b64_e32 v[114:115], 0
.LBB0_327:                              ;   in Loop: Header=BB0_124 Depth=1
	v_readlane_b32 s4, v158, 0
	v_readlane_b32 s5, v158, 1
	s_xor_b64 s[12:13], s[62:63], -1
	s_andn2_b64 vcc, exec, s[4:5]
	v_cmp_gt_i32_e64 s[4:5], s54, v124
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v126, v1
	s_cbranch_vccnz .LBB0_331
; %bb.328:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 0x3ff, v2
	v_cmp_eq_u32_e32 vcc, 0, v2
	s_and_b64 s[6:7], vcc, s[4:5]
	s_and_saveexec_b64 s[4:5], s[6:7]
	s_cbranch_execz .LBB0_330
; %bb.329:                              ;   in Loop: Header=BB0_124 Depth=1
	v_add_u32_e32 v1, s33, v124
	v_mov_b32_e32 v2, s54
	v_cmp_le_i32_e32 vcc, s54, v1
	s_nop 1
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_sub_u32_e32 v1, v1, v2
	v_lshlrev_b32_e32 v2, 6, v1
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[42:43]
	v_mov_b32_e32 v1, 1
	global_atomic_add v1, v[2:3], v1, off sc0
.LBB0_330:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v126, v1
.LBB0_331:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[36:37]
	s_cbranch_vccnz .LBB0_636
; %bb.332:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cmp_eq_u32_e32 vcc, 1, v120
	s_mov_b64 s[8:9], s[0:1]
	s_mov_b64 s[4:5], -1
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_vccnz .LBB0_385
; %bb.333:                              ;   in Loop: Header=BB0_124 Depth=1
	s_load_dwordx4 s[4:7], s[8:9], 0x40
	s_load_dword s10, s[8:9], 0x170
	s_ashr_i32 s71, s70, 31
	s_lshl_b64 s[8:9], s[70:71], 2
	s_waitcnt lgkmcnt(0)
	s_add_u32 s8, s4, s8
	s_addc_u32 s9, s5, s9
	s_bfe_u32 s4, s10, 0x80010
	s_cmp_lg_u32 s4, 2
	s_cbranch_scc0 .LBB0_351
; %bb.334:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_i32 s10, s70, s52
	s_ashr_i32 s11, s10, 31
	v_mov_b32_e32 v1, v0
	s_lshl_b64 s[10:11], s[10:11], 16
	;;#ASMSTART
	;;#ASMEND
	s_add_u32 s10, s6, s10
	v_and_b32_e32 v1, 0x3ff, v1
	s_addc_u32 s11, s7, s11
	v_lshlrev_b32_e32 v2, 4, v1
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[4:5], s[10:11], 0, v[2:3]
	global_store_dwordx4 v2, v[74:77], s[10:11]
	s_mov_b64 s[10:11], 0x1000
	v_lshl_add_u64 v[2:3], v[4:5], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[70:73]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[66:69]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[62:65]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[58:61]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[54:57]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[50:53]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[78:81]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[46:49]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[42:45]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[38:41]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[34:37]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[30:33]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[26:29]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[22:25]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[18:21]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	s_cmp_lg_u32 s4, 0
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc0 .LBB0_362
; %bb.335:                              ;   in Loop: Header=BB0_124 Depth=1
	v_cmp_lt_i32_e32 vcc, 1, v120
	s_mov_b64 s[4:5], -1
	s_mov_b32 s18, 1
	s_cbranch_vccnz .LBB0_338
; %bb.336:                              ;   in Loop: Header=BB0_124 Depth=1
	s_branch .LBB0_375
.LBB0_337:                              ;   in Loop: Header=BB0_338 Depth=2
	s_andn2_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB0_363
.LBB0_338:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB0_345 Depth 3
	s_or_b32 s10, s52, s18
	v_cmp_ge_i32_e32 vcc, s10, v120
	s_andn2_b32 s52, s52, s18
	s_mov_b32 s16, 4
	s_cbranch_vccnz .LBB0_346
; %bb.339:                              ;   in Loop: Header=BB0_338 Depth=2
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB0_343
; %bb.340:                              ;   in Loop: Header=BB0_338 Depth=2
	s_mov_b64 s[14:15], exec
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	v_mbcnt_lo_u32_b32 v1, s14, 0
	v_mbcnt_hi_u32_b32 v1, s15, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[16:17], vcc
	s_cbranch_execz .LBB0_342
; %bb.341:                              ;   in Loop: Header=BB0_338 Depth=2
	s_ashr_i32 s11, s10, 31
	s_lshl_b64 s[10:11], s[10:11], 2
	s_add_u32 s10, s8, s10
	s_addc_u32 s11, s9, s11
	s_bcnt1_i32_b64 s14, s[14:15]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s14
	global_atomic_add v2, v2, v3, s[10:11] sc0
.LBB0_342:                              ;   in Loop: Header=BB0_338 Depth=2
	s_or_b64 exec, exec, s[16:17]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s10, v2
	v_mov_b32_e32 v2, 0
	buffer_inv sc1
	v_add_u32_e32 v1, s10, v1
	ds_write_b32 v2, v1
.LBB0_343:                              ;   in Loop: Header=BB0_338 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v1
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s4, v1
	s_cmp_eq_u32 s4, 0
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc1 .LBB0_348
; %bb.344:                              ;   in Loop: Header=BB0_338 Depth=2
	s_add_i32 s4, s52, s70
	s_ashr_i32 s5, s4, 31
	v_mov_b32_e32 v1, v0
	v_mov_b32_e32 v2, v0
	s_lshl_b64 s[10:11], s[4:5], 16
	;;#ASMSTART
	;;#ASMEND
	s_add_i32 s4, s4, s18
	;;#ASMSTART
	;;#ASMEND
	v_lshlrev_b32_e32 v1, 4, v1
	s_ashr_i32 s5, s4, 31
	v_lshlrev_b32_e32 v2, 4, v2
	v_and_b32_e32 v1, 0x3ff0, v1
	s_lshl_b64 s[4:5], s[4:5], 16
	v_and_b32_e32 v2, 0x3ff0, v2
	v_or_b32_e32 v2, s4, v2
	v_mov_b32_e32 v3, s5
	v_or_b32_e32 v4, s10, v1
	v_mov_b32_e32 v5, s11
	s_mov_b64 s[14:15], -1
	s_mov_b64 s[10:11], s[6:7]
.LBB0_345:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_338 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_lshl_add_u64 v[122:123], s[10:11], 0, v[4:5]
	v_add_co_u32_e32 v144, vcc, 0x1000, v122
	s_movk_i32 s4, 0x2000
	s_nop 0
	v_addc_co_u32_e32 v145, vcc, 0, v123, vcc
	v_add_co_u32_e32 v146, vcc, 0x2000, v122
	v_lshl_add_u64 v[14:15], s[10:11], 0, v[2:3]
	s_nop 0
	v_addc_co_u32_e32 v147, vcc, 0, v123, vcc
	v_add_co_u32_e64 v110, s[4:5], s4, v14
	v_add_co_u32_e32 v148, vcc, 0x3000, v122
	s_movk_i32 s16, 0x4000
	v_addc_co_u32_e64 v111, s[4:5], 0, v15, s[4:5]
	v_addc_co_u32_e32 v149, vcc, 0, v123, vcc
	v_add_co_u32_e64 v112, s[4:5], s16, v14
	v_add_co_u32_e32 v150, vcc, 0x4000, v122
	s_movk_i32 s17, 0x6000
	v_addc_co_u32_e64 v113, s[4:5], 0, v15, s[4:5]
	v_addc_co_u32_e32 v151, vcc, 0, v123, vcc
	v_add_co_u32_e64 v116, s[4:5], s17, v14
	v_add_co_u32_e32 v152, vcc, 0x5000, v122
	s_movk_i32 s19, 0x7000
	v_addc_co_u32_e64 v117, s[4:5], 0, v15, s[4:5]
	v_addc_co_u32_e32 v153, vcc, 0, v123, vcc
	global_load_dwordx4 v[6:9], v[122:123], off
	global_load_dwordx4 v[10:13], v[14:15], off
	v_add_co_u32_e64 v118, s[4:5], s19, v14
	v_add_co_u32_e32 v154, vcc, 0x6000, v122
	s_nop 0
	v_addc_co_u32_e64 v119, s[4:5], 0, v15, s[4:5]
	global_load_dwordx4 v[14:17], v[110:111], off offset:-4096
	global_load_dwordx4 v[82:85], v[110:111], off
	global_load_dwordx4 v[86:89], v[112:113], off offset:-4096
	global_load_dwordx4 v[90:93], v[112:113], off
	global_load_dwordx4 v[94:97], v[116:117], off offset:-4096
	global_load_dwordx4 v[98:101], v[116:117], off
	global_load_dwordx4 v[102:105], v[118:119], off
	global_load_dwordx4 v[106:109], v[144:145], off
	v_addc_co_u32_e32 v155, vcc, 0, v123, vcc
	global_load_dwordx4 v[110:113], v[146:147], off
	global_load_dwordx4 v[116:119], v[148:149], off
	v_add_co_u32_e32 v156, vcc, 0x7000, v122
	global_load_dwordx4 v[128:131], v[150:151], off
	global_load_dwordx4 v[132:135], v[152:153], off
	global_load_dwordx4 v[136:139], v[154:155], off
	v_addc_co_u32_e32 v157, vcc, 0, v123, vcc
	global_load_dwordx4 v[140:143], v[156:157], off
	s_add_u32 s10, s10, 0x8000
	s_mov_b32 s16, 0
	s_addc_u32 s11, s11, 0
	s_and_b64 vcc, exec, s[14:15]
	s_mov_b64 s[14:15], 0
	s_waitcnt vmcnt(0)
	v_pk_add_f32 v[8:9], v[8:9], v[12:13]
	v_pk_add_f32 v[6:7], v[6:7], v[10:11]
	global_store_dwordx4 v[122:123], v[6:9], off
	v_pk_add_f32 v[12:13], v[112:113], v[84:85]
	s_nop 0
	v_pk_add_f32 v[8:9], v[108:109], v[16:17]
	v_pk_add_f32 v[6:7], v[106:107], v[14:15]
	v_pk_add_f32 v[10:11], v[110:111], v[82:83]
	global_store_dwordx4 v[144:145], v[6:9], off
	global_store_dwordx4 v[146:147], v[10:13], off
	s_nop 0
	v_pk_add_f32 v[8:9], v[118:119], v[88:89]
	v_pk_add_f32 v[6:7], v[116:117], v[86:87]
	v_pk_add_f32 v[12:13], v[130:131], v[92:93]
	v_pk_add_f32 v[10:11], v[128:129], v[90:91]
	global_store_dwordx4 v[148:149], v[6:9], off
	global_store_dwordx4 v[150:151], v[10:13], off
	s_nop 0
	v_pk_add_f32 v[8:9], v[134:135], v[96:97]
	v_pk_add_f32 v[6:7], v[132:133], v[94:95]
	v_pk_add_f32 v[12:13], v[138:139], v[100:101]
	v_pk_add_f32 v[10:11], v[136:137], v[98:99]
	global_store_dwordx4 v[152:153], v[6:9], off
	s_nop 1
	v_pk_add_f32 v[8:9], v[142:143], v[104:105]
	v_pk_add_f32 v[6:7], v[140:141], v[102:103]
	global_store_dwordx4 v[154:155], v[10:13], off
	global_store_dwordx4 v[156:157], v[6:9], off
	s_cbranch_vccnz .LBB0_345
.LBB0_346:                              ;   in Loop: Header=BB0_338 Depth=2
	s_mov_b64 s[4:5], -1
	s_cmp_gt_i32 s16, 3
	s_mov_b64 s[10:11], -1
	s_cbranch_scc1 .LBB0_349
.LBB0_347:                              ;   in Loop: Header=BB0_338 Depth=2
	s_cmp_eq_u32 s16, 0
	s_cselect_b64 s[10:11], -1, 0
	s_andn2_b64 vcc, exec, s[10:11]
	s_cbranch_vccnz .LBB0_337
	s_branch .LBB0_350
.LBB0_348:                              ;   in Loop: Header=BB0_338 Depth=2
	s_mov_b32 s16, 1
	s_mov_b64 s[4:5], -1
	s_cmp_gt_i32 s16, 3
	s_mov_b64 s[10:11], -1
	s_cbranch_scc0 .LBB0_347
.LBB0_349:                              ;   in Loop: Header=BB0_338 Depth=2
	s_andn2_b64 vcc, exec, s[10:11]
	s_cbranch_vccnz .LBB0_337
.LBB0_350:                              ;   in Loop: Header=BB0_338 Depth=2
	s_lshl_b32 s18, s18, 1
	s_mov_b32 s16, 2
	v_cmp_ge_i32_e64 s[4:5], s18, v120
	s_branch .LBB0_337
.LBB0_351:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[10:11], -1
	s_mov_b64 s[4:5], 0
                                        ; implicit-def: $vgpr2_vgpr3
	s_branch .LBB0_377
.LBB0_352:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr24_sgpr25
	v_cvt_f32_u32_e32 v2, s18
	s_branch .LBB0_135
.LBB0_353:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr30_sgpr31
	s_branch .LBB0_138
.LBB0_354:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr36_sgpr37
	s_branch .LBB0_141
.LBB0_355:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr24_sgpr25
	s_andn2_b64 vcc, exec, s[22:23]
	v_mov_b64_e32 v[2:3], s[24:25]
	s_cbranch_vccz .LBB0_206
	s_branch .LBB0_207
.LBB0_356:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr10_sgpr11
	s_andn2_b64 vcc, exec, s[14:15]
	s_cbranch_vccz .LBB0_214
	s_branch .LBB0_215
.LBB0_357:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr20_sgpr21
	v_cvt_f32_u32_e32 v11, s8
	v_mov_b64_e32 v[2:3], s[20:21]
	s_branch .LBB0_217
.LBB0_358:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr12_sgpr13
	v_mov_b64_e32 v[4:5], s[12:13]
	s_branch .LBB0_220
.LBB0_359:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr18_sgpr19
	v_cvt_f32_u32_e32 v4, s14
	s_andn2_b64 vcc, exec, s[26:27]
	s_cbranch_vccz .LBB0_237
	s_branch .LBB0_238
.LBB0_360:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr26_sgpr27
	s_andn2_b64 vcc, exec, s[24:25]
	v_mov_b64_e32 v[2:3], s[26:27]
	s_cbranch_vccz .LBB0_240
	s_branch .LBB0_241
.LBB0_361:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr10_sgpr11
	s_branch .LBB0_293
.LBB0_362:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[4:5], 0
	s_cbranch_execnz .LBB0_364
	s_branch .LBB0_375
.LBB0_363:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b32 s4, s16, 5
	s_cmp_eq_u32 s4, 0
	s_cselect_b64 s[4:5], -1, 0
	s_branch .LBB0_375
.LBB0_364:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB0_368
; %bb.365:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[16:17], exec
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	v_mbcnt_lo_u32_b32 v1, s16, 0
	v_mbcnt_hi_u32_b32 v1, s17, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[14:15], vcc
	s_cbranch_execz .LBB0_367
; %bb.366:                              ;   in Loop: Header=BB0_124 Depth=1
	s_bcnt1_i32_b64 s16, s[16:17]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s16
	global_atomic_add v2, v2, v3, s[8:9] sc0
.LBB0_367:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[14:15]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s14, v2
	v_mov_b32_e32 v2, 0
	buffer_inv sc1
	v_add_u32_e32 v1, s14, v1
	ds_write_b32 v2, v1
.LBB0_368:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[10:11]
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v3
	v_add_u32_e32 v2, -1, v120
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s16, v1
	s_nop 1
	v_cmp_ne_u32_e32 vcc, s16, v2
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_vccnz .LBB0_375
; %bb.369:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_lshl_b64 s[10:11], s[70:71], 16
	v_lshlrev_b32_e32 v1, 4, v1
	v_and_b32_e32 v2, 0x3ff0, v1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_lshl_b64 s[4:5], s[70:71], 16
	v_lshlrev_b32_e32 v1, 4, v1
	s_add_u32 s4, s4, 0x10000
	v_and_b32_e32 v1, 0x3ff0, v1
	v_or_b32_e32 v4, s10, v2
	s_addc_u32 s5, s5, 0
	v_or_b32_e32 v6, s4, v1
	v_mov_b32_e32 v5, s11
	v_mov_b32_e32 v1, s5
	v_sub_co_u32_e32 v100, vcc, v6, v4
	v_lshl_add_u64 v[98:99], s[6:7], 0, v[4:5]
	s_nop 0
	v_subb_co_u32_e32 v101, vcc, v1, v5, vcc
	v_lshl_add_u64 v[4:5], s[10:11], 0, v[100:101]
	v_lshl_add_u64 v[2:3], v[4:5], 0, v[2:3]
	v_cmp_lt_i32_e64 s[4:5], 1, v120
	v_lshl_add_u64 v[102:103], s[6:7], 0, v[2:3]
	s_mov_b64 s[10:11], -1
	s_branch .LBB0_371
.LBB0_370:                              ;   in Loop: Header=BB0_371 Depth=2
	s_xor_b64 s[14:15], s[10:11], -1
	s_mov_b64 s[10:11], 0x1000
	v_lshl_add_u64 v[104:105], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x2000
	v_lshl_add_u64 v[106:107], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x3000
	v_lshl_add_u64 v[108:109], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x4000
	v_lshl_add_u64 v[110:111], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x5000
	v_lshl_add_u64 v[112:113], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x6000
	v_lshl_add_u64 v[116:117], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x7000
	v_lshl_add_u64 v[118:119], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x8000
	s_waitcnt vmcnt(0)
	global_store_dwordx4 v[98:99], v[94:97], off
	global_store_dwordx4 v[104:105], v[2:5], off
	global_store_dwordx4 v[106:107], v[6:9], off
	global_store_dwordx4 v[108:109], v[10:13], off
	global_store_dwordx4 v[110:111], v[14:17], off
	global_store_dwordx4 v[112:113], v[82:85], off
	global_store_dwordx4 v[116:117], v[86:89], off
	global_store_dwordx4 v[118:119], v[90:93], off
	v_lshl_add_u64 v[98:99], v[98:99], 0, s[10:11]
	v_lshl_add_u64 v[102:103], v[102:103], 0, s[10:11]
	s_mov_b64 s[10:11], 0
	s_and_b64 vcc, exec, s[14:15]
	s_cbranch_vccnz .LBB0_374
.LBB0_371:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB0_373 Depth 3
	v_add_co_u32_e32 v10, vcc, 0x1000, v98
	s_nop 1
	v_addc_co_u32_e32 v11, vcc, 0, v99, vcc
	v_add_co_u32_e32 v12, vcc, 0x2000, v98
	s_nop 1
	v_addc_co_u32_e32 v13, vcc, 0, v99, vcc
	v_add_co_u32_e32 v82, vcc, 0x3000, v98
	global_load_dwordx4 v[2:5], v[10:11], off
	global_load_dwordx4 v[6:9], v[12:13], off
	v_addc_co_u32_e32 v83, vcc, 0, v99, vcc
	v_add_co_u32_e32 v84, vcc, 0x4000, v98
	s_nop 1
	v_addc_co_u32_e32 v85, vcc, 0, v99, vcc
	v_add_co_u32_e32 v90, vcc, 0x5000, v98
	global_load_dwordx4 v[10:13], v[82:83], off
	global_load_dwordx4 v[14:17], v[84:85], off
	v_addc_co_u32_e32 v91, vcc, 0, v99, vcc
	v_add_co_u32_e32 v92, vcc, 0x6000, v98
	s_nop 1
	v_addc_co_u32_e32 v93, vcc, 0, v99, vcc
	v_add_co_u32_e32 v104, vcc, 0x7000, v98
	global_load_dwordx4 v[82:85], v[90:91], off
	global_load_dwordx4 v[86:89], v[92:93], off
	v_addc_co_u32_e32 v105, vcc, 0, v99, vcc
	global_load_dwordx4 v[94:97], v[98:99], off
	global_load_dwordx4 v[90:93], v[104:105], off
	s_andn2_b64 vcc, exec, s[4:5]
	s_cbranch_vccnz .LBB0_370
; %bb.372:                              ;   in Loop: Header=BB0_371 Depth=2
	v_mov_b64_e32 v[104:105], v[102:103]
	s_mov_b32 s14, s16
.LBB0_373:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_371 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	s_movk_i32 s15, 0x2000
	v_add_co_u32_e32 v116, vcc, s15, v104
	s_movk_i32 s17, 0x4000
	s_nop 0
	v_addc_co_u32_e32 v117, vcc, 0, v105, vcc
	v_add_co_u32_e32 v122, vcc, s17, v104
	s_movk_i32 s18, 0x6000
	s_nop 0
	v_addc_co_u32_e32 v123, vcc, 0, v105, vcc
	v_add_co_u32_e32 v140, vcc, s18, v104
	s_movk_i32 s19, 0x7000
	s_nop 0
	v_addc_co_u32_e32 v141, vcc, 0, v105, vcc
	v_add_co_u32_e32 v144, vcc, s19, v104
	global_load_dwordx4 v[106:109], v[104:105], off
	s_nop 0
	v_addc_co_u32_e32 v145, vcc, 0, v105, vcc
	global_load_dwordx4 v[110:113], v[116:117], off offset:-4096
	s_nop 0
	global_load_dwordx4 v[116:119], v[116:117], off
	s_nop 0
	global_load_dwordx4 v[128:131], v[122:123], off offset:-4096
	global_load_dwordx4 v[132:135], v[122:123], off
	global_load_dwordx4 v[136:139], v[140:141], off offset:-4096
	s_nop 0
	global_load_dwordx4 v[140:143], v[140:141], off
	s_nop 0
	global_load_dwordx4 v[144:147], v[144:145], off
	s_add_i32 s14, s14, -1
	s_cmp_eq_u32 s14, 0
	v_lshl_add_u64 v[104:105], v[104:105], 0, v[100:101]
	s_waitcnt vmcnt(0)
	v_pk_add_f32 v[4:5], v[4:5], v[112:113]
	v_pk_add_f32 v[2:3], v[2:3], v[110:111]
	v_pk_add_f32 v[8:9], v[8:9], v[118:119]
	v_pk_add_f32 v[96:97], v[96:97], v[108:109]
	v_pk_add_f32 v[94:95], v[94:95], v[106:107]
	v_pk_add_f32 v[6:7], v[6:7], v[116:117]
	v_pk_add_f32 v[12:13], v[12:13], v[130:131]
	v_pk_add_f32 v[10:11], v[10:11], v[128:129]
	v_pk_add_f32 v[16:17], v[16:17], v[134:135]
	v_pk_add_f32 v[14:15], v[14:15], v[132:133]
	v_pk_add_f32 v[84:85], v[84:85], v[138:139]
	v_pk_add_f32 v[82:83], v[82:83], v[136:137]
	v_pk_add_f32 v[88:89], v[88:89], v[142:143]
	v_pk_add_f32 v[86:87], v[86:87], v[140:141]
	v_pk_add_f32 v[92:93], v[92:93], v[146:147]
	v_pk_add_f32 v[90:91], v[90:91], v[144:145]
	s_cbranch_scc0 .LBB0_373
	s_branch .LBB0_370
.LBB0_374:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[4:5], -1
.LBB0_375:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[10:11], 0
	s_and_b64 vcc, exec, s[4:5]
	v_mov_b64_e32 v[2:3], v[114:115]
	s_mov_b64 s[4:5], 0
	s_cbranch_vccz .LBB0_377
; %bb.376:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v1, v0
	s_lshl_b64 s[4:5], s[70:71], 16
	;;#ASMSTART
	;;#ASMEND
	s_add_u32 s4, s6, s4
	v_and_b32_e32 v1, 0x3ff, v1
	s_addc_u32 s5, s7, s5
	v_lshlrev_b32_e32 v2, 4, v1
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[2:3]
	s_mov_b64 s[4:5], -1
.LBB0_377:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[10:11]
	s_cbranch_vccz .LBB0_384
; %bb.378:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s69, s68, 31
	v_mov_b32_e32 v1, v0
	s_lshl_b64 s[10:11], s[68:69], 16
	;;#ASMSTART
	;;#ASMEND
	s_add_u32 s6, s6, s10
	v_and_b32_e32 v1, 0x3ff, v1
	s_addc_u32 s7, s7, s11
	v_lshlrev_b32_e32 v2, 4, v1
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[4:5], s[6:7], 0, v[2:3]
	s_mov_b64 s[10:11], 0x1000
	global_atomic_add_f32 v2, v74, s[6:7]
	global_atomic_add_f32 v2, v75, s[6:7] offset:4
	global_atomic_add_f32 v2, v76, s[6:7] offset:8
	global_atomic_add_f32 v2, v77, s[6:7] offset:12
	v_lshl_add_u64 v[2:3], v[4:5], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v70
	flat_atomic_add_f32 v[2:3], v71 offset:4
	flat_atomic_add_f32 v[2:3], v72 offset:8
	flat_atomic_add_f32 v[2:3], v73 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v66
	flat_atomic_add_f32 v[2:3], v67 offset:4
	flat_atomic_add_f32 v[2:3], v68 offset:8
	flat_atomic_add_f32 v[2:3], v69 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v62
	flat_atomic_add_f32 v[2:3], v63 offset:4
	flat_atomic_add_f32 v[2:3], v64 offset:8
	flat_atomic_add_f32 v[2:3], v65 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v58
	flat_atomic_add_f32 v[2:3], v59 offset:4
	flat_atomic_add_f32 v[2:3], v60 offset:8
	flat_atomic_add_f32 v[2:3], v61 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v54
	flat_atomic_add_f32 v[2:3], v55 offset:4
	flat_atomic_add_f32 v[2:3], v56 offset:8
	flat_atomic_add_f32 v[2:3], v57 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v50
	flat_atomic_add_f32 v[2:3], v51 offset:4
	flat_atomic_add_f32 v[2:3], v52 offset:8
	flat_atomic_add_f32 v[2:3], v53 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v78
	flat_atomic_add_f32 v[2:3], v79 offset:4
	flat_atomic_add_f32 v[2:3], v80 offset:8
	flat_atomic_add_f32 v[2:3], v81 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v46
	flat_atomic_add_f32 v[2:3], v47 offset:4
	flat_atomic_add_f32 v[2:3], v48 offset:8
	flat_atomic_add_f32 v[2:3], v49 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v42
	flat_atomic_add_f32 v[2:3], v43 offset:4
	flat_atomic_add_f32 v[2:3], v44 offset:8
	flat_atomic_add_f32 v[2:3], v45 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v38
	flat_atomic_add_f32 v[2:3], v39 offset:4
	flat_atomic_add_f32 v[2:3], v40 offset:8
	flat_atomic_add_f32 v[2:3], v41 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v34
	flat_atomic_add_f32 v[2:3], v35 offset:4
	flat_atomic_add_f32 v[2:3], v36 offset:8
	flat_atomic_add_f32 v[2:3], v37 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v30
	flat_atomic_add_f32 v[2:3], v31 offset:4
	flat_atomic_add_f32 v[2:3], v32 offset:8
	flat_atomic_add_f32 v[2:3], v33 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v26
	flat_atomic_add_f32 v[2:3], v27 offset:4
	flat_atomic_add_f32 v[2:3], v28 offset:8
	flat_atomic_add_f32 v[2:3], v29 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v22
	flat_atomic_add_f32 v[2:3], v23 offset:4
	flat_atomic_add_f32 v[2:3], v24 offset:8
	flat_atomic_add_f32 v[2:3], v25 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v18
	flat_atomic_add_f32 v[2:3], v19 offset:4
	flat_atomic_add_f32 v[2:3], v20 offset:8
	flat_atomic_add_f32 v[2:3], v21 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB0_382
; %bb.379:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[16:17], exec
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	v_mbcnt_lo_u32_b32 v1, s16, 0
	v_mbcnt_hi_u32_b32 v1, s17, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[14:15], vcc
	s_cbranch_execz .LBB0_381
; %bb.380:                              ;   in Loop: Header=BB0_124 Depth=1
	s_bcnt1_i32_b64 s16, s[16:17]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s16
	global_atomic_add v2, v2, v3, s[8:9] sc0
.LBB0_381:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[14:15]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s8, v2
	v_mov_b32_e32 v2, 0
	buffer_inv sc1
	v_add_u32_e32 v1, s8, v1
	ds_write_b32 v2, v1
.LBB0_382:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[10:11]
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v3
	v_add_u32_e32 v2, -1, v120
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s8, v1
	s_nop 1
	v_cmp_ne_u32_e32 vcc, s8, v2
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_vccnz .LBB0_385
; %bb.383:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_mov_b64 s[4:5], -1
	v_and_b32_e32 v1, 0x3ff, v1
	v_lshlrev_b32_e32 v2, 4, v1
	v_lshl_add_u64 v[114:115], s[6:7], 0, v[2:3]
	s_branch .LBB0_385
.LBB0_384:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b64_e32 v[114:115], v[2:3]
.LBB0_385:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB0_636
; %bb.386:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx8 s[24:31], s[4:5], 0x10
	s_load_dwordx2 s[6:7], s[4:5], 0x30
	s_load_dwordx4 s[36:39], s[4:5], 0x50
	s_load_dword s91, s[4:5], 0xb8
	s_load_dword s89, s[4:5], 0xc0
	s_load_dwordx4 s[8:11], s[4:5], 0x168
	s_load_dwordx2 s[44:45], s[4:5], 0x88
	s_load_dwordx4 s[16:19], s[4:5], 0x78
	v_readfirstlane_b32 s4, v0
	s_lshl_b32 s4, s4, 7
	s_and_b32 s83, s4, 0x7fffe000
	s_waitcnt lgkmcnt(0)
	s_and_b32 s87, s10, 0xff
	s_cmp_gt_u32 s87, 4
	s_cselect_b64 s[4:5], -1, 0
	s_bitcmp1_b32 s11, 8
	s_cselect_b64 s[14:15], -1, 0
	s_or_b64 s[4:5], s[4:5], s[14:15]
	s_cmp_lg_u64 s[26:27], 0
	s_cselect_b64 s[40:41], -1, 0
	s_or_b64 s[4:5], s[4:5], s[40:41]
	s_bitcmp1_b32 s11, 0
	s_cselect_b64 s[34:35], -1, 0
	s_or_b64 s[4:5], s[4:5], s[34:35]
	s_and_b32 s20, s38, 7
	s_mov_b32 s21, 0
	s_cmp_lg_u64 s[20:21], 0
	v_mov_b64_e32 v[2:3], 0x7fffff
	s_cselect_b64 s[20:21], -1, 0
	v_cmp_gt_i64_e32 vcc, s[38:39], v[2:3]
	s_or_b64 s[20:21], vcc, s[20:21]
	s_or_b64 s[20:21], s[4:5], s[20:21]
	s_mov_b64 s[4:5], -1
	s_and_b64 vcc, exec, s[20:21]
	s_cbranch_vccnz .LBB0_461
; %bb.387:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s22, s98, 31
	s_and_b32 s52, s91, 0xff
	v_mov_b32_e32 v88, v0
	s_cmp_gt_i32 s52, 1
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc0 .LBB0_389
; %bb.388:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mul_i32 s5, s89, s98
	s_ashr_i32 s20, s99, 31
	s_mul_hi_i32 s4, s89, s98
	s_add_u32 s5, s5, s99
	s_addc_u32 s4, s4, s20
	s_mul_i32 s20, s5, s37
	s_mul_hi_u32 s21, s5, s36
	s_add_i32 s20, s21, s20
	s_mul_i32 s4, s4, s36
	s_add_i32 s21, s20, s4
	s_mul_i32 s20, s5, s36
	s_mov_b64 s[50:51], s[36:37]
	s_cbranch_execz .LBB0_390
	s_branch .LBB0_392
.LBB0_389:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr20_sgpr21
	s_andn2_b64 vcc, exec, s[4:5]
	s_mov_b64 s[50:51], s[36:37]
	s_cbranch_vccnz .LBB0_392
.LBB0_390:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mul_i32 s4, s36, s22
	s_mul_hi_u32 s5, s36, s98
	s_add_i32 s4, s5, s4
	s_mul_i32 s5, s37, s98
	s_add_i32 s21, s4, s5
	s_and_b32 s4, 0xffff, s52
	s_mul_i32 s20, s36, s98
	s_cmp_lg_u32 s4, 1
	s_mov_b64 s[50:51], s[36:37]
	s_cbranch_scc1 .LBB0_392
; %bb.391:                              ;   in Loop: Header=BB0_124 Depth=1
	s_sub_i32 s50, s97, s95
	s_ashr_i32 s51, s50, 31
	s_ashr_i32 s4, s95, 31
	s_add_u32 s20, s20, s95
	s_addc_u32 s21, s21, s4
.LBB0_392:                              ;   in Loop: Header=BB0_124 Depth=1
	v_readfirstlane_b32 s58, v0
	s_mov_b64 s[22:23], 0
	s_andn2_b64 vcc, exec, s[12:13]
	s_mov_b64 s[46:47], 0
	s_cbranch_vccnz .LBB0_397
; %bb.393:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u32 s52, 1
	s_cselect_b32 s4, s99, s98
	s_cmp_eq_u64 s[28:29], 0
	s_cbranch_scc1 .LBB0_395
; %bb.394:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s5, s4, 31
	s_mul_hi_u32 s46, s16, s4
	s_mul_i32 s5, s16, s5
	s_add_i32 s5, s46, s5
	s_mul_i32 s46, s17, s4
	s_add_i32 s47, s5, s46
	s_mul_i32 s46, s16, s4
	s_lshl_b64 s[46:47], s[46:47], 2
	s_add_u32 s46, s28, s46
	s_addc_u32 s47, s29, s47
.LBB0_395:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u64 s[30:31], 0
	s_cbranch_scc1 .LBB0_397
; %bb.396:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s5, s4, 31
	s_mul_hi_u32 s22, s18, s4
	s_mul_i32 s5, s18, s5
	s_add_i32 s5, s22, s5
	s_mul_i32 s22, s19, s4
	s_add_i32 s5, s5, s22
	s_mul_i32 s4, s18, s4
	s_lshl_b64 s[4:5], s[4:5], 2
	s_add_u32 s22, s30, s4
	s_addc_u32 s23, s31, s5
.LBB0_397:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s67, s66, 31
	s_lshl_b64 s[48:49], s[66:67], 7
	s_and_b32 s4, s58, 64
	v_and_b32_e32 v89, 7, v88
	s_or_b32 s4, s48, s4
	v_lshl_or_b32 v82, v89, 3, s4
	v_mov_b32_e32 v83, s49
	v_cmp_gt_i64_e64 s[4:5], s[38:39], v[82:83]
	v_mov_b32_e32 v1, s49
	s_cmp_lg_u64 s[46:47], 0
	v_cndmask_b32_e64 v84, 0, v82, s[4:5]
	v_cndmask_b32_e64 v85, 0, v1, s[4:5]
	s_cselect_b64 s[48:49], -1, 0
	s_cmp_eq_u64 s[46:47], 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_lshl_add_u64 v[14:15], v[84:85], 2, s[46:47]
	s_cbranch_scc1 .LBB0_399
; %bb.398:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dwordx4 v[2:5], v[14:15], off
.LBB0_399:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_lg_u64 s[22:23], 0
	s_cselect_b64 s[46:47], -1, 0
	s_cmp_eq_u64 s[22:23], 0
	v_mov_b32_e32 v6, 1.0
	v_mov_b32_e32 v7, 1.0
	v_mov_b32_e32 v8, 1.0
	v_mov_b32_e32 v9, 1.0
	s_cbranch_scc1 .LBB0_403
; %bb.400:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .LBB0_678
; %bb.401:                              ;   in Loop: Header=BB0_124 Depth=1
	v_lshl_add_u64 v[6:7], v[84:85], 2, s[22:23]
	global_load_dwordx4 v[6:9], v[6:7], off
	s_cbranch_execnz .LBB0_403
.LBB0_402:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v1, 0
	global_load_dword v9, v1, s[22:23]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v8, v9
	v_mov_b32_e32 v7, v9
	v_mov_b32_e32 v6, v9
.LBB0_403:                              ;   in Loop: Header=BB0_124 Depth=1
	s_andn2_b64 vcc, exec, s[48:49]
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	s_cbranch_vccnz .LBB0_405
; %bb.404:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dwordx4 v[10:13], v[14:15], off offset:16
.LBB0_405:                              ;   in Loop: Header=BB0_124 Depth=1
	s_andn2_b64 vcc, exec, s[46:47]
	v_mov_b32_e32 v14, 1.0
	v_mov_b32_e32 v15, 1.0
	v_mov_b32_e32 v16, 1.0
	v_mov_b32_e32 v17, 1.0
	s_cbranch_vccnz .LBB0_409
; %bb.406:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .LBB0_679
; %bb.407:                              ;   in Loop: Header=BB0_124 Depth=1
	v_lshl_add_u64 v[14:15], v[84:85], 2, s[22:23]
	global_load_dwordx4 v[14:17], v[14:15], off offset:16
	s_cbranch_execnz .LBB0_409
.LBB0_408:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v1, 0
	global_load_dword v17, v1, s[22:23]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v16, v17
	v_mov_b32_e32 v15, v17
	v_mov_b32_e32 v14, v17
.LBB0_409:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u64 s[6:7], 0
	s_cselect_b64 s[46:47], -1, 0
	s_or_b64 s[46:47], s[62:63], s[46:47]
	s_and_b64 s[46:47], s[46:47], exec
	s_cselect_b32 s74, -1, s98
	s_cmp_gt_i32 s74, -1
	s_cselect_b64 s[46:47], -1, 0
	s_cmp_lt_i32 s74, 0
	s_cselect_b64 s[68:69], -1, 0
	s_ashr_i32 s65, s64, 31
	s_lshr_b32 s58, s58, 1
	s_lshl_b64 s[70:71], s[64:65], 7
	s_and_b32 s58, s58, 0x7fffffc0
	s_add_u32 s58, s70, s58
	s_addc_u32 s59, s71, 0
	s_sub_u32 s50, s50, s58
	s_subb_u32 s51, s51, s59
	v_cmp_gt_i64_e64 s[70:71], s[50:51], 0
	s_and_b64 s[70:71], s[70:71], exec
	s_cselect_b32 s51, s51, 0
	s_cselect_b32 s50, s50, 0
	v_cmp_lt_i64_e64 s[70:71], s[50:51], 64
	s_and_b64 s[70:71], s[70:71], exec
	s_cselect_b32 s65, s50, 64
	s_ashr_i32 s50, s95, 31
	v_and_b32_e32 v84, 31, v88
	s_cmp_eq_u32 s52, 1
	v_cmp_le_u32_e32 vcc, s65, v84
	s_cselect_b32 s52, s50, 0
	s_cselect_b32 s72, s95, 0
	s_or_b64 s[68:69], vcc, s[68:69]
	s_mul_i32 s67, s45, s74
	s_mul_hi_u32 s73, s44, s74
	s_mul_i32 s50, s44, s74
                                        ; implicit-def: $sgpr70_sgpr71
	s_and_saveexec_b64 s[74:75], s[68:69]
	s_xor_b64 s[68:69], exec, s[74:75]
; %bb.410:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_i32 s51, s73, s67
	s_ashr_i32 s71, s9, 31
	s_mov_b32 s70, s9
; %bb.411:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_saveexec_b64 s[68:69], s[68:69]
	v_mov_b64_e32 v[116:117], s[70:71]
	v_mov_b64_e32 v[86:87], s[50:51]
	v_mov_b32_e32 v1, 1.0
	s_xor_b64 exec, exec, s[68:69]
	s_cbranch_execz .LBB0_413
; %bb.412:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_u32 s70, s58, s72
	v_mov_b32_e32 v85, 0
	s_addc_u32 s71, s59, s52
	v_lshl_add_u64 v[86:87], s[70:71], 0, v[84:85]
	s_ashr_i32 s71, s9, 31
	s_add_i32 s51, s73, s67
	v_mul_lo_u32 v1, v87, s9
	v_mul_lo_u32 v83, v86, s71
	v_mad_u64_u32 v[86:87], s[74:75], v86, s9, 0
	s_lshl_b64 s[74:75], s[50:51], 2
	s_add_u32 s74, s6, s74
	v_add3_u32 v87, v87, v83, v1
	s_addc_u32 s75, s7, s75
	v_lshl_add_u64 v[86:87], v[86:87], 2, s[74:75]
	global_load_dword v1, v[86:87], off
	s_mov_b32 s70, s9
	v_mov_b64_e32 v[116:117], s[70:71]
	v_mov_b64_e32 v[86:87], s[50:51]
.LBB0_413:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[68:69]
	s_cmp_lg_u64 s[22:23], 0
	s_cselect_b64 s[22:23], -1, 0
	s_or_b64 s[22:23], s[48:49], s[22:23]
	s_or_b64 s[48:49], s[22:23], s[46:47]
	s_cmp_gt_u32 s87, 2
	s_cselect_b64 s[50:51], -1, 0
	s_cmp_lt_u32 s87, 3
	s_cselect_b64 s[22:23], -1, 0
	s_cmp_lg_u32 s87, 0
	s_cselect_b64 s[68:69], -1, 0
	v_cndmask_b32_e64 v83, 0, 1, s[22:23]
	s_and_b64 s[22:23], s[68:69], exec
	v_readfirstlane_b32 s22, v83
	s_cselect_b32 s67, s22, 2
	s_lshl_b32 s73, s38, s67
	s_lshr_b32 s70, s10, 8
	s_add_u32 s20, s58, s20
	s_addc_u32 s21, s59, s21
	s_and_b32 s22, s73, -8
	s_mul_i32 s21, s21, s22
	s_mul_hi_u32 s23, s20, s22
	s_add_i32 s23, s23, s21
	s_mul_i32 s20, s20, s22
	v_bfe_u32 v127, v88, 3, 3
	s_add_u32 s20, s24, s20
	s_addc_u32 s21, s25, s23
	s_mul_i32 s22, s65, s73
	v_mul_lo_u32 v83, v127, s73
	s_and_b32 s22, s22, -8
	s_and_b32 s21, s21, 0xffff
	v_lshl_add_u32 v82, v82, s67, v83
	v_bfrev_b32_e32 v83, 1
	v_cndmask_b32_e64 v129, v83, v82, s[4:5]
	s_and_b64 s[4:5], s[62:63], exec
	s_cselect_b32 s67, 0, s70
	s_add_u32 s70, s58, s72
	s_addc_u32 s71, s59, s52
	s_lshl_b32 s93, s73, 3
	s_cmp_lg_u32 s87, 3
	v_and_b32_e32 v83, 8, v88
	v_or_b32_e32 v128, 32, v84
	v_or_b32_e32 v82, 8, v89
	s_cselect_b64 s[72:73], -1, 0
	s_cmp_lg_u32 s87, 2
	v_or_b32_e32 v84, v83, v127
	v_bitop3_b32 v85, v88, 8, v127 bitop3:0x26
	s_mov_b32 s80, 0
	s_mov_b32 s23, 0x20000
	v_lshl_add_u64 v[118:119], v[86:87], 2, s[6:7]
	s_cselect_b64 s[74:75], -1, 0
	v_xor_b32_e32 v130, v85, v89
	v_bitop3_b32 v131, v84, v89, 8 bitop3:0xb4
	v_bitop3_b32 v132, v83, v89, v127 bitop3:0x36
	v_bitop3_b32 v133, v83, v82, v127 bitop3:0x36
	s_mov_b64 s[78:79], -1
	v_mov_b64_e32 v[120:121], v[114:115]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v134, v1
	s_branch .LBB0_415
.LBB0_414:                              ;   in Loop: Header=BB0_415 Depth=2
	s_mov_b32 s80, 32
	s_mov_b64 s[78:79], 0
	s_and_b64 vcc, exec, s[76:77]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v134
	s_cbranch_vccnz .LBB0_460
.LBB0_415:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB0_421 Depth 3
                                        ;       Child Loop BB0_427 Depth 3
	v_cndmask_b32_e64 v82, 0, 1, s[46:47]
	v_cmp_ne_u32_e64 s[4:5], 1, v82
	s_andn2_b64 vcc, exec, s[46:47]
	s_cbranch_vccnz .LBB0_419
; %bb.416:                              ;   in Loop: Header=BB0_415 Depth=2
	v_add_u32_e32 v82, s80, v128
	v_cmp_gt_u32_e32 vcc, s65, v82
	v_mov_b32_e32 v134, 1.0
	s_and_saveexec_b64 s[76:77], vcc
	s_cbranch_execz .LBB0_418
; %bb.417:                              ;   in Loop: Header=BB0_415 Depth=2
	v_mov_b32_e32 v83, 0
	v_lshl_add_u64 v[82:83], s[70:71], 0, v[82:83]
	v_mul_lo_u32 v84, v83, v116
	v_mul_lo_u32 v85, v82, v117
	v_mad_u64_u32 v[82:83], s[58:59], v82, v116, 0
	v_add3_u32 v83, v83, v85, v84
	v_lshl_add_u64 v[82:83], v[82:83], 2, v[118:119]
	global_load_dword v134, v[82:83], off
.LBB0_418:                              ;   in Loop: Header=BB0_415 Depth=2
	s_or_b64 exec, exec, s[76:77]
.LBB0_419:                              ;   in Loop: Header=BB0_415 Depth=2
	v_mov_b32_e32 v83, v0
	;;#ASMSTART
	;;#ASMEND
	v_cmp_ne_u64_e32 vcc, 0, v[120:121]
	s_waitcnt lgkmcnt(2)
	v_and_b32_e32 v87, 63, v83
	v_and_b32_e32 v84, 15, v83
	v_and_b32_e32 v82, 7, v83
	v_lshlrev_b32_e32 v85, 3, v84
	v_lshrrev_b32_e32 v86, 1, v83
	v_lshrrev_b32_e32 v87, 5, v87
	s_and_saveexec_b64 s[58:59], vcc
	s_xor_b64 s[76:77], exec, s[58:59]
	s_cbranch_execz .LBB0_423
; %bb.420:                              ;   in Loop: Header=BB0_415 Depth=2
	v_xor_b32_e32 v83, v85, v83
	v_and_or_b32 v83, v83, 8, v82
	v_and_b32_e32 v82, 8, v86
	v_lshlrev_b32_e32 v86, 8, v84
	v_or_b32_e32 v85, v87, v82
	v_bitop3_b32 v82, v87, v83, v82 bitop3:0x36
	v_add_u32_e32 v84, s83, v86
	v_lshl_add_u32 v82, v82, 4, v84
	v_bitop3_b32 v87, v85, v83, 2 bitop3:0x36
	v_bitop3_b32 v84, v85, v83, 4 bitop3:0x36
	v_bitop3_b32 v83, v85, v83, 6 bitop3:0x36
	v_lshl_or_b32 v83, v83, 4, v86
	v_lshl_or_b32 v84, v84, 4, v86
	v_lshl_or_b32 v85, v87, 4, v86
	v_add_u32_e32 v83, s83, v83
	v_add_u32_e32 v84, s83, v84
	v_add_u32_e32 v85, s83, v85
	s_movk_i32 s52, 0xe000
.LBB0_421:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_415 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_add_co_u32_e32 v86, vcc, 0x1000, v120
	s_waitcnt lgkmcnt(0)
	global_load_dwordx4 v[92:95], v[120:121], off
	v_addc_co_u32_e32 v87, vcc, 0, v121, vcc
	v_add_co_u32_e32 v88, vcc, 0x2000, v120
	s_mov_b64 s[58:59], 0x4000
	s_nop 0
	v_addc_co_u32_e32 v89, vcc, 0, v121, vcc
	global_load_dwordx4 v[96:99], v[86:87], off
	global_load_dwordx4 v[100:103], v[88:89], off
	v_add_co_u32_e32 v90, vcc, 0x3000, v120
	v_add_u32_e32 v86, s52, v82
	s_nop 0
	v_addc_co_u32_e32 v91, vcc, 0, v121, vcc
	global_load_dwordx4 v[104:107], v[90:91], off
	v_add_u32_e32 v87, s52, v85
	v_add_u32_e32 v88, s52, v84
	v_add_u32_e32 v89, s52, v83
	s_addk_i32 s52, 0x1000
	s_cmp_lg_u32 s52, 0
	v_lshl_add_u64 v[120:121], v[120:121], 0, s[58:59]
	s_waitcnt vmcnt(3)
	ds_write_b128 v86, v[92:95] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v87, v[96:99] offset:8192
	s_waitcnt vmcnt(1)
	ds_write_b128 v88, v[100:103] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v89, v[104:107] offset:8192
	s_cbranch_scc1 .LBB0_421
; %bb.422:                              ;   in Loop: Header=BB0_415 Depth=2
                                        ; implicit-def: $vgpr85
                                        ; implicit-def: $vgpr83
                                        ; implicit-def: $vgpr86
                                        ; implicit-def: $vgpr87
                                        ; implicit-def: $vgpr82
                                        ; implicit-def: $vgpr84
.LBB0_423:                              ;   in Loop: Header=BB0_415 Depth=2
	s_andn2_saveexec_b64 s[76:77], s[76:77]
	s_cbranch_execz .LBB0_425
; %bb.424:                              ;   in Loop: Header=BB0_415 Depth=2
	v_bitop3_b32 v83, v85, 8, v83 bitop3:0x48
	v_and_or_b32 v85, v86, 8, v87
	v_bitop3_b32 v86, v83, v85, v82 bitop3:0x36
	v_lshl_add_u32 v84, v84, 8, s83
	v_lshl_add_u32 v120, v86, 4, v84
	v_or_b32_e32 v86, 2, v85
	v_bitop3_b32 v86, v83, v86, v82 bitop3:0x36
	v_lshl_add_u32 v121, v86, 4, v84
	v_or_b32_e32 v86, 4, v85
	v_or_b32_e32 v85, 6, v85
	v_bitop3_b32 v86, v83, v86, v82 bitop3:0x36
	v_bitop3_b32 v82, v83, v85, v82 bitop3:0x36
	v_lshl_add_u32 v122, v86, 4, v84
	v_lshl_add_u32 v123, v82, 4, v84
	v_cndmask_b32_e64 v85, v49, v77, s[78:79]
	v_cndmask_b32_e64 v84, v48, v76, s[78:79]
	v_cndmask_b32_e64 v83, v47, v75, s[78:79]
	v_cndmask_b32_e64 v82, v46, v74, s[78:79]
	v_cndmask_b32_e64 v89, v45, v73, s[78:79]
	v_cndmask_b32_e64 v88, v44, v72, s[78:79]
	v_cndmask_b32_e64 v87, v43, v71, s[78:79]
	v_cndmask_b32_e64 v86, v42, v70, s[78:79]
	s_waitcnt lgkmcnt(1)
	v_cndmask_b32_e64 v93, v41, v69, s[78:79]
	v_cndmask_b32_e64 v92, v40, v68, s[78:79]
	v_cndmask_b32_e64 v91, v39, v67, s[78:79]
	v_cndmask_b32_e64 v90, v38, v66, s[78:79]
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v97, v37, v65, s[78:79]
	v_cndmask_b32_e64 v96, v36, v64, s[78:79]
	v_cndmask_b32_e64 v95, v35, v63, s[78:79]
	v_cndmask_b32_e64 v94, v34, v62, s[78:79]
	v_cndmask_b32_e64 v101, v33, v61, s[78:79]
	v_cndmask_b32_e64 v100, v32, v60, s[78:79]
	v_cndmask_b32_e64 v99, v31, v59, s[78:79]
	v_cndmask_b32_e64 v98, v30, v58, s[78:79]
	v_cndmask_b32_e64 v105, v29, v57, s[78:79]
	v_cndmask_b32_e64 v104, v28, v56, s[78:79]
	v_cndmask_b32_e64 v103, v27, v55, s[78:79]
	v_cndmask_b32_e64 v102, v26, v54, s[78:79]
	v_cndmask_b32_e64 v109, v25, v53, s[78:79]
	v_cndmask_b32_e64 v108, v24, v52, s[78:79]
	v_cndmask_b32_e64 v107, v23, v51, s[78:79]
	v_cndmask_b32_e64 v106, v22, v50, s[78:79]
	v_cndmask_b32_e64 v113, v21, v81, s[78:79]
	v_cndmask_b32_e64 v112, v20, v80, s[78:79]
	v_cndmask_b32_e64 v111, v19, v79, s[78:79]
	v_cndmask_b32_e64 v110, v18, v78, s[78:79]
	ds_write_b128 v120, v[82:85]
	ds_write_b128 v121, v[86:89]
	ds_write_b128 v122, v[90:93]
	ds_write_b128 v123, v[94:97]
	ds_write_b128 v120, v[98:101] offset:4096
	ds_write_b128 v121, v[102:105] offset:4096
	ds_write_b128 v122, v[106:109] offset:4096
	ds_write_b128 v123, v[110:113] offset:4096
	v_mov_b64_e32 v[120:121], 0
.LBB0_425:                              ;   in Loop: Header=BB0_415 Depth=2
	s_or_b64 exec, exec, s[76:77]
	s_xor_b64 s[76:77], s[78:79], -1
	s_mov_b32 s52, 0
	s_mov_b64 s[80:81], -1
	s_branch .LBB0_427
.LBB0_426:                              ;   in Loop: Header=BB0_427 Depth=3
	v_add_u32_e32 v129, s93, v82
	s_mov_b32 s52, 16
	s_mov_b64 s[80:81], 0
	s_and_b64 vcc, exec, s[78:79]
	s_cbranch_vccnz .LBB0_414
.LBB0_427:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_415 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_or_b32_e32 v99, s52, v127
	s_waitcnt lgkmcnt(1)
	v_lshl_add_u32 v90, v99, 8, s83
	v_lshl_add_u32 v82, v132, 4, v90
	v_lshl_add_u32 v86, v133, 4, v90
	v_lshl_add_u32 v91, v130, 4, v90
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v94, v131, 4, v90
	ds_read_b128 v[82:85], v82
	ds_read_b128 v[86:89], v86
	ds_read_b128 v[90:93], v91 offset:2048
	ds_read_b128 v[94:97], v94 offset:2048
	s_andn2_b64 vcc, exec, s[48:49]
	s_cbranch_vccnz .LBB0_433
; %bb.428:                              ;   in Loop: Header=BB0_427 Depth=3
	v_mov_b32_e32 v98, 1.0
	s_and_b64 vcc, exec, s[4:5]
	v_lshlrev_b32_e32 v99, 2, v99
	v_mov_b32_e32 v100, v98
	s_cbranch_vccnz .LBB0_430
; %bb.429:                              ;   in Loop: Header=BB0_427 Depth=3
	ds_bpermute_b32 v100, v99, v1
.LBB0_430:                              ;   in Loop: Header=BB0_427 Depth=3
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccnz .LBB0_432
; %bb.431:                              ;   in Loop: Header=BB0_427 Depth=3
	ds_bpermute_b32 v98, v99, v1 offset:32
.LBB0_432:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[84:85], v[84:85], v[100:101] op_sel_hi:[1,0]
	v_pk_mul_f32 v[82:83], v[82:83], v[100:101] op_sel_hi:[1,0]
	v_pk_mul_f32 v[88:89], v[88:89], v[100:101] op_sel_hi:[1,0]
	v_pk_mul_f32 v[86:87], v[86:87], v[100:101] op_sel_hi:[1,0]
	v_pk_mul_f32 v[92:93], v[92:93], v[98:99] op_sel_hi:[1,0]
	v_pk_mul_f32 v[90:91], v[90:91], v[98:99] op_sel_hi:[1,0]
	v_pk_mul_f32 v[96:97], v[96:97], v[98:99] op_sel_hi:[1,0]
	v_pk_mul_f32 v[94:95], v[94:95], v[98:99] op_sel_hi:[1,0]
	v_pk_fma_f32 v[84:85], v[8:9], v[84:85], v[4:5]
	v_pk_fma_f32 v[82:83], v[6:7], v[82:83], v[2:3]
	v_pk_fma_f32 v[88:89], v[16:17], v[88:89], v[12:13]
	v_pk_fma_f32 v[86:87], v[14:15], v[86:87], v[10:11]
	v_pk_fma_f32 v[92:93], v[8:9], v[92:93], v[4:5]
	v_pk_fma_f32 v[90:91], v[6:7], v[90:91], v[2:3]
	v_pk_fma_f32 v[96:97], v[16:17], v[96:97], v[12:13]
	v_pk_fma_f32 v[94:95], v[14:15], v[94:95], v[10:11]
.LBB0_433:                              ;   in Loop: Header=BB0_427 Depth=3
	s_xor_b64 s[78:79], s[80:81], -1
	s_and_b32 s58, s67, 0xff
	s_cmp_lt_i32 s58, 2
	s_cbranch_scc1 .LBB0_438
; %bb.434:                              ;   in Loop: Header=BB0_427 Depth=3
	s_and_b32 s52, 0xffff, s58
	s_cmp_lt_i32 s52, 3
	s_cbranch_scc1 .LBB0_452
; %bb.435:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(3)
	v_mov_b64_e32 v[100:101], v[84:85]
	s_waitcnt lgkmcnt(2)
	v_mov_b64_e32 v[104:105], v[88:89]
	s_waitcnt lgkmcnt(1)
	v_mov_b64_e32 v[108:109], v[92:93]
	s_waitcnt lgkmcnt(0)
	v_mov_b64_e32 v[112:113], v[96:97]
	s_cmp_eq_u32 s52, 3
	v_mov_b64_e32 v[98:99], v[82:83]
	v_mov_b64_e32 v[102:103], v[86:87]
	v_mov_b64_e32 v[106:107], v[90:91]
	v_mov_b64_e32 v[110:111], v[94:95]
	s_cbranch_scc0 .LBB0_437
; %bb.436:                              ;   in Loop: Header=BB0_427 Depth=3
	s_mov_b32 s59, 0xc2b20000
	v_cmp_ngt_f32_e32 vcc, s59, v83
	v_mov_b32_e32 v122, 0x42b20000
	s_mov_b32 s85, 0xc2d00000
	v_cndmask_b32_e64 v98, v122, -v83, vcc
	v_cmp_ngt_f32_e32 vcc, s59, v82
	v_mov_b32_e32 v135, 0xc2d00000
	s_mov_b32 s80, 0x4b400000
	v_cndmask_b32_e64 v100, v122, -v82, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v98
	s_mov_b32 s52, 0x3fb8aa3b
	v_mov_b64_e32 v[112:113], s[80:81]
	v_cndmask_b32_e32 v99, v135, v98, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v100
	s_mov_b32 s80, 0x395e8083
	s_mov_b32 s82, 0xcb400000
	v_cndmask_b32_e32 v98, v135, v100, vcc
	v_pk_fma_f32 v[100:101], v[98:99], s[52:53], v[112:113] op_sel_hi:[1,0,0]
	s_mov_b32 s81, 0x3f318000
	v_pk_add_f32 v[102:103], v[100:101], s[82:83] op_sel_hi:[1,0]
	s_mov_b32 s84, s81
	v_pk_fma_f32 v[98:99], v[102:103], s[84:85], v[98:99] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_mov_b32 s88, 0x3ab743ce
	v_pk_fma_f32 v[98:99], v[102:103], s[80:81], v[98:99] op_sel_hi:[1,0,1]
	s_mov_b32 s86, 0x39506967
	v_mov_b64_e32 v[110:111], s[88:89]
	v_pk_fma_f32 v[102:103], v[98:99], s[86:87], v[110:111] op_sel_hi:[1,0,0]
	s_mov_b32 s88, 0x3c088908
	v_pk_fma_f32 v[102:103], v[98:99], v[102:103], s[88:89] op_sel_hi:[1,1,0]
	s_mov_b32 s90, 0x3d2aa9c1
	v_pk_fma_f32 v[102:103], v[98:99], v[102:103], s[90:91] op_sel_hi:[1,1,0]
	s_mov_b32 s92, 0x3e2aaaaa
	v_pk_fma_f32 v[102:103], v[98:99], v[102:103], s[92:93] op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[104:105], v[98:99], v[98:99]
	v_pk_fma_f32 v[102:103], v[98:99], v[102:103], 0.5 op_sel_hi:[1,1,0]
	v_mov_b32_e32 v136, 0x3ab743ce
	v_pk_fma_f32 v[98:99], v[104:105], v[102:103], v[98:99]
	v_lshlrev_b32_e32 v102, 22, v101
	v_lshlrev_b32_e32 v103, 22, v100
	v_lshrrev_b32_e32 v104, 1, v101
	v_lshrrev_b32_e32 v105, 1, v100
	v_and_b32_e32 v102, 0xff800000, v102
	v_and_b32_e32 v106, 0xff800000, v103
	v_pk_add_f32 v[98:99], v[98:99], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v103, 1.0, v102
	v_add_u32_e32 v102, 1.0, v106
	v_sub_u32_e32 v100, v100, v105
	v_sub_u32_e32 v101, v101, v104
	v_pk_mul_f32 v[98:99], v[98:99], v[102:103]
	v_lshl_add_u32 v101, v101, 23, 1.0
	v_lshl_add_u32 v100, v100, 23, 1.0
	v_pk_fma_f32 v[98:99], v[98:99], v[100:101], 1.0 op_sel_hi:[1,1,0]
	v_mov_b32_e32 v123, 0x3e2aaaaa
	v_div_scale_f32 v100, vcc, v99, v99, 1.0
	v_rcp_f32_e32 v101, v100
	v_mov_b32_e32 v137, 0x3c088908
	v_mov_b32_e32 v138, 0x3d2aa9c1
	v_fma_f32 v102, -v100, v101, 1.0
	v_fmac_f32_e32 v101, v102, v101
	v_div_scale_f32 v102, vcc, 1.0, v99, 1.0
	v_mul_f32_e32 v103, v102, v101
	v_fma_f32 v104, -v100, v103, v102
	v_fmac_f32_e32 v103, v104, v101
	v_fma_f32 v100, -v100, v103, v102
	v_div_fmas_f32 v100, v100, v101, v103
	v_div_fixup_f32 v99, v100, v99, 1.0
	v_div_scale_f32 v100, vcc, v98, v98, 1.0
	v_rcp_f32_e32 v101, v100
	s_nop 0
	v_fma_f32 v102, -v100, v101, 1.0
	v_fmac_f32_e32 v101, v102, v101
	v_div_scale_f32 v102, vcc, 1.0, v98, 1.0
	v_mul_f32_e32 v103, v102, v101
	v_fma_f32 v104, -v100, v103, v102
	v_fmac_f32_e32 v103, v104, v101
	v_fma_f32 v100, -v100, v103, v102
	v_div_fmas_f32 v100, v100, v101, v103
	v_cmp_ngt_f32_e32 vcc, s59, v85
	v_div_fixup_f32 v98, v100, v98, 1.0
	v_pk_mul_f32 v[98:99], v[82:83], v[98:99]
	v_cndmask_b32_e64 v100, v122, -v85, vcc
	v_cmp_ngt_f32_e32 vcc, s59, v84
	s_nop 1
	v_cndmask_b32_e64 v102, v122, -v84, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v100
	s_nop 1
	v_cndmask_b32_e32 v101, v135, v100, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v102
	s_nop 1
	v_cndmask_b32_e32 v100, v135, v102, vcc
	v_pk_fma_f32 v[102:103], v[100:101], s[52:53], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v108, 0xcb400000, v103
	v_add_f32_e32 v105, 0xcb400000, v102
	v_pk_mul_f32 v[108:109], v[108:109], s[80:81] op_sel_hi:[0,1]
	v_mul_f32_e32 v104, 0x3f318000, v105
	v_mul_f32_e32 v106, 0x395e8083, v105
	v_mov_b32_e32 v105, v109
	v_pk_add_f32 v[100:101], v[100:101], v[104:105] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v107, v108
	v_pk_add_f32 v[100:101], v[106:107], v[100:101]
	s_nop 0
	v_fmamk_f32 v105, v101, 0x39506967, v136
	v_fmamk_f32 v104, v100, 0x39506967, v136
	v_fmaak_f32 v105, v101, v105, 0x3c088908
	v_fmaak_f32 v104, v100, v104, 0x3c088908
	v_fmaak_f32 v105, v101, v105, 0x3d2aa9c1
	v_fmaak_f32 v104, v100, v104, 0x3d2aa9c1
	v_fmaak_f32 v109, v101, v105, 0x3e2aaaaa
	v_mov_b32_e32 v108, v101
	v_fmaak_f32 v104, v100, v104, 0x3e2aaaaa
	v_pk_mul_f32 v[108:109], v[100:101], v[108:109] op_sel:[1,0]
	v_mul_f32_e32 v104, v100, v104
	v_pk_mul_f32 v[106:107], v[100:101], v[100:101]
	v_mov_b32_e32 v105, v109
	v_pk_add_f32 v[104:105], v[104:105], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v107, v108
	v_pk_fma_f32 v[100:101], v[106:107], v[104:105], v[100:101]
	v_lshlrev_b32_e32 v104, 22, v103
	v_lshlrev_b32_e32 v105, 22, v102
	v_lshrrev_b32_e32 v106, 1, v103
	v_lshrrev_b32_e32 v107, 1, v102
	v_and_b32_e32 v104, 0xff800000, v104
	v_and_b32_e32 v108, 0xff800000, v105
	v_pk_add_f32 v[100:101], v[100:101], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v105, 1.0, v104
	v_add_u32_e32 v104, 1.0, v108
	v_sub_u32_e32 v102, v102, v107
	v_sub_u32_e32 v103, v103, v106
	v_pk_mul_f32 v[100:101], v[100:101], v[104:105]
	v_lshl_add_u32 v103, v103, 23, 1.0
	v_lshl_add_u32 v102, v102, 23, 1.0
	v_pk_fma_f32 v[100:101], v[100:101], v[102:103], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v102, vcc, v101, v101, 1.0
	v_rcp_f32_e32 v103, v102
	s_nop 0
	v_fma_f32 v104, -v102, v103, 1.0
	v_fmac_f32_e32 v103, v104, v103
	v_div_scale_f32 v104, vcc, 1.0, v101, 1.0
	v_mul_f32_e32 v105, v104, v103
	v_fma_f32 v106, -v102, v105, v104
	v_fmac_f32_e32 v105, v106, v103
	v_fma_f32 v102, -v102, v105, v104
	v_div_fmas_f32 v102, v102, v103, v105
	v_div_fixup_f32 v101, v102, v101, 1.0
	v_div_scale_f32 v102, vcc, v100, v100, 1.0
	v_rcp_f32_e32 v103, v102
	s_nop 0
	v_fma_f32 v104, -v102, v103, 1.0
	v_fmac_f32_e32 v103, v104, v103
	v_div_scale_f32 v104, vcc, 1.0, v100, 1.0
	v_mul_f32_e32 v105, v104, v103
	v_fma_f32 v106, -v102, v105, v104
	v_fmac_f32_e32 v105, v106, v103
	v_fma_f32 v102, -v102, v105, v104
	v_div_fmas_f32 v102, v102, v103, v105
	v_cmp_ngt_f32_e32 vcc, s59, v87
	v_div_fixup_f32 v100, v102, v100, 1.0
	v_pk_mul_f32 v[100:101], v[84:85], v[100:101]
	v_cndmask_b32_e64 v102, v122, -v87, vcc
	v_cmp_ngt_f32_e32 vcc, s59, v86
	s_nop 1
	v_cndmask_b32_e64 v104, v122, -v86, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v102
	s_nop 1
	v_cndmask_b32_e32 v103, v135, v102, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v104
	s_nop 1
	v_cndmask_b32_e32 v102, v135, v104, vcc
	v_pk_fma_f32 v[104:105], v[102:103], s[52:53], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[106:107], v[104:105], s[82:83] op_sel_hi:[1,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[106:107], s[84:85], v[102:103] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[106:107], s[80:81], v[102:103] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[102:103], s[86:87], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[108:109], v[102:103], v[102:103]
	v_pk_fma_f32 v[106:107], v[102:103], v[106:107], s[88:89] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[102:103], v[106:107], s[90:91] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[102:103], v[106:107], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[102:103], v[106:107], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[108:109], v[106:107], v[102:103]
	v_lshlrev_b32_e32 v106, 22, v105
	v_lshlrev_b32_e32 v107, 22, v104
	v_lshrrev_b32_e32 v108, 1, v105
	v_lshrrev_b32_e32 v109, 1, v104
	v_and_b32_e32 v106, 0xff800000, v106
	v_and_b32_e32 v139, 0xff800000, v107
	v_pk_add_f32 v[102:103], v[102:103], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v107, 1.0, v106
	v_add_u32_e32 v106, 1.0, v139
	v_sub_u32_e32 v104, v104, v109
	v_sub_u32_e32 v105, v105, v108
	v_pk_mul_f32 v[102:103], v[102:103], v[106:107]
	v_lshl_add_u32 v105, v105, 23, 1.0
	v_lshl_add_u32 v104, v104, 23, 1.0
	v_pk_fma_f32 v[102:103], v[102:103], v[104:105], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v104, vcc, v103, v103, 1.0
	v_rcp_f32_e32 v105, v104
	s_nop 0
	v_fma_f32 v106, -v104, v105, 1.0
	v_fmac_f32_e32 v105, v106, v105
	v_div_scale_f32 v106, vcc, 1.0, v103, 1.0
	v_mul_f32_e32 v107, v106, v105
	v_fma_f32 v108, -v104, v107, v106
	v_fmac_f32_e32 v107, v108, v105
	v_fma_f32 v104, -v104, v107, v106
	v_div_fmas_f32 v104, v104, v105, v107
	v_div_fixup_f32 v103, v104, v103, 1.0
	v_div_scale_f32 v104, vcc, v102, v102, 1.0
	v_rcp_f32_e32 v105, v104
	s_nop 0
	v_fma_f32 v106, -v104, v105, 1.0
	v_fmac_f32_e32 v105, v106, v105
	v_div_scale_f32 v106, vcc, 1.0, v102, 1.0
	v_mul_f32_e32 v107, v106, v105
	v_fma_f32 v108, -v104, v107, v106
	v_fmac_f32_e32 v107, v108, v105
	v_fma_f32 v104, -v104, v107, v106
	v_div_fmas_f32 v104, v104, v105, v107
	v_cmp_ngt_f32_e32 vcc, s59, v89
	v_div_fixup_f32 v102, v104, v102, 1.0
	v_pk_mul_f32 v[102:103], v[86:87], v[102:103]
	v_cndmask_b32_e64 v104, v122, -v89, vcc
	v_cmp_ngt_f32_e32 vcc, s59, v88
	s_nop 1
	v_cndmask_b32_e64 v106, v122, -v88, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v104
	s_nop 1
	v_cndmask_b32_e32 v105, v135, v104, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v106
	s_nop 1
	v_cndmask_b32_e32 v104, v135, v106, vcc
	v_pk_fma_f32 v[106:107], v[104:105], s[52:53], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v142, 0xcb400000, v107
	v_add_f32_e32 v109, 0xcb400000, v106
	v_pk_mul_f32 v[142:143], v[142:143], s[80:81] op_sel_hi:[0,1]
	v_mul_f32_e32 v108, 0x3f318000, v109
	v_mul_f32_e32 v140, 0x395e8083, v109
	v_mov_b32_e32 v109, v143
	v_pk_add_f32 v[104:105], v[104:105], v[108:109] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v141, v142
	v_pk_add_f32 v[104:105], v[140:141], v[104:105]
	v_lshrrev_b32_e32 v139, 1, v107
	v_fmamk_f32 v109, v105, 0x39506967, v136
	v_fmamk_f32 v108, v104, 0x39506967, v136
	v_fmaak_f32 v109, v105, v109, 0x3c088908
	v_fmaak_f32 v108, v104, v108, 0x3c088908
	v_fmaak_f32 v109, v105, v109, 0x3d2aa9c1
	v_fmaak_f32 v108, v104, v108, 0x3d2aa9c1
	v_fmaak_f32 v143, v105, v109, 0x3e2aaaaa
	v_mov_b32_e32 v142, v105
	v_fmaak_f32 v108, v104, v108, 0x3e2aaaaa
	v_pk_mul_f32 v[142:143], v[104:105], v[142:143] op_sel:[1,0]
	v_mul_f32_e32 v108, v104, v108
	v_pk_mul_f32 v[140:141], v[104:105], v[104:105]
	v_mov_b32_e32 v109, v143
	v_pk_add_f32 v[108:109], v[108:109], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v141, v142
	v_pk_fma_f32 v[104:105], v[140:141], v[108:109], v[104:105]
	v_lshlrev_b32_e32 v108, 22, v107
	v_lshlrev_b32_e32 v109, 22, v106
	v_lshrrev_b32_e32 v140, 1, v106
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v141, 0xff800000, v109
	v_pk_add_f32 v[104:105], v[104:105], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v141
	v_sub_u32_e32 v106, v106, v140
	v_sub_u32_e32 v107, v107, v139
	v_pk_mul_f32 v[104:105], v[104:105], v[108:109]
	v_lshl_add_u32 v107, v107, 23, 1.0
	v_lshl_add_u32 v106, v106, 23, 1.0
	v_pk_fma_f32 v[104:105], v[104:105], v[106:107], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v106, vcc, v105, v105, 1.0
	v_rcp_f32_e32 v107, v106
	s_nop 0
	v_fma_f32 v108, -v106, v107, 1.0
	v_fmac_f32_e32 v107, v108, v107
	v_div_scale_f32 v108, vcc, 1.0, v105, 1.0
	v_mul_f32_e32 v109, v108, v107
	v_fma_f32 v139, -v106, v109, v108
	v_fmac_f32_e32 v109, v139, v107
	v_fma_f32 v106, -v106, v109, v108
	v_div_fmas_f32 v106, v106, v107, v109
	v_div_fixup_f32 v105, v106, v105, 1.0
	v_div_scale_f32 v106, vcc, v104, v104, 1.0
	v_rcp_f32_e32 v107, v106
	s_nop 0
	v_fma_f32 v108, -v106, v107, 1.0
	v_fmac_f32_e32 v107, v108, v107
	v_div_scale_f32 v108, vcc, 1.0, v104, 1.0
	v_mul_f32_e32 v109, v108, v107
	v_fma_f32 v139, -v106, v109, v108
	v_fmac_f32_e32 v109, v139, v107
	v_fma_f32 v106, -v106, v109, v108
	v_div_fmas_f32 v106, v106, v107, v109
	v_cmp_ngt_f32_e32 vcc, s59, v91
	v_div_fixup_f32 v104, v106, v104, 1.0
	v_pk_mul_f32 v[104:105], v[88:89], v[104:105]
	v_cndmask_b32_e64 v106, v122, -v91, vcc
	v_cmp_ngt_f32_e32 vcc, s59, v90
	s_nop 1
	v_cndmask_b32_e64 v108, v122, -v90, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v106
	s_nop 1
	v_cndmask_b32_e32 v107, v135, v106, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v108
	s_nop 1
	v_cndmask_b32_e32 v106, v135, v108, vcc
	v_pk_fma_f32 v[108:109], v[106:107], s[52:53], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[140:141], v[108:109], s[82:83] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v109
	v_pk_fma_f32 v[106:107], v[140:141], s[84:85], v[106:107] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[140:141], s[80:81], v[106:107] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[140:141], v[106:107], s[86:87], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[142:143], v[106:107], v[106:107]
	v_pk_fma_f32 v[140:141], v[106:107], v[140:141], s[88:89] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[140:141], v[106:107], v[140:141], s[90:91] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[140:141], v[106:107], v[140:141], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[140:141], v[106:107], v[140:141], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[142:143], v[140:141], v[106:107]
	v_lshlrev_b32_e32 v140, 22, v109
	v_lshlrev_b32_e32 v141, 22, v108
	v_lshrrev_b32_e32 v142, 1, v108
	v_and_b32_e32 v140, 0xff800000, v140
	v_and_b32_e32 v143, 0xff800000, v141
	v_pk_add_f32 v[106:107], v[106:107], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v141, 1.0, v140
	v_add_u32_e32 v140, 1.0, v143
	v_sub_u32_e32 v108, v108, v142
	v_sub_u32_e32 v109, v109, v139
	v_pk_mul_f32 v[106:107], v[106:107], v[140:141]
	v_lshl_add_u32 v109, v109, 23, 1.0
	v_lshl_add_u32 v108, v108, 23, 1.0
	v_pk_fma_f32 v[106:107], v[106:107], v[108:109], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v108, vcc, v107, v107, 1.0
	v_rcp_f32_e32 v109, v108
	s_nop 0
	v_fma_f32 v139, -v108, v109, 1.0
	v_fmac_f32_e32 v109, v139, v109
	v_div_scale_f32 v139, vcc, 1.0, v107, 1.0
	v_mul_f32_e32 v140, v139, v109
	v_fma_f32 v141, -v108, v140, v139
	v_fmac_f32_e32 v140, v141, v109
	v_fma_f32 v108, -v108, v140, v139
	v_div_fmas_f32 v108, v108, v109, v140
	v_div_fixup_f32 v107, v108, v107, 1.0
	v_div_scale_f32 v108, vcc, v106, v106, 1.0
	v_rcp_f32_e32 v109, v108
	s_nop 0
	v_fma_f32 v139, -v108, v109, 1.0
	v_fmac_f32_e32 v109, v139, v109
	v_div_scale_f32 v139, vcc, 1.0, v106, 1.0
	v_mul_f32_e32 v140, v139, v109
	v_fma_f32 v141, -v108, v140, v139
	v_fmac_f32_e32 v140, v141, v109
	v_fma_f32 v108, -v108, v140, v139
	v_div_fmas_f32 v108, v108, v109, v140
	v_cmp_ngt_f32_e32 vcc, s59, v93
	v_div_fixup_f32 v106, v108, v106, 1.0
	v_pk_mul_f32 v[106:107], v[90:91], v[106:107]
	v_cndmask_b32_e64 v108, v122, -v93, vcc
	v_cmp_ngt_f32_e32 vcc, s59, v92
	s_nop 1
	v_cndmask_b32_e64 v139, v122, -v92, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v108
	s_nop 1
	v_cndmask_b32_e32 v109, v135, v108, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v139
	s_nop 1
	v_cndmask_b32_e32 v108, v135, v139, vcc
	v_pk_fma_f32 v[140:141], v[108:109], s[52:53], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v146, 0xcb400000, v141
	v_add_f32_e32 v139, 0xcb400000, v140
	v_pk_mul_f32 v[146:147], v[146:147], s[80:81] op_sel_hi:[0,1]
	v_mul_f32_e32 v142, 0x3f318000, v139
	v_mov_b32_e32 v143, v147
	v_mul_f32_e32 v144, 0x395e8083, v139
	v_pk_add_f32 v[108:109], v[108:109], v[142:143] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v145, v146
	v_pk_add_f32 v[108:109], v[144:145], v[108:109]
	s_nop 0
	v_fmamk_f32 v139, v108, 0x39506967, v136
	v_fmaak_f32 v139, v108, v139, 0x3c088908
	v_fmaak_f32 v139, v108, v139, 0x3d2aa9c1
	v_fmaak_f32 v139, v108, v139, 0x3e2aaaaa
	v_mul_f32_e32 v142, v108, v139
	v_fmamk_f32 v139, v109, 0x39506967, v136
	v_fmaak_f32 v139, v109, v139, 0x3c088908
	v_fmaak_f32 v139, v109, v139, 0x3d2aa9c1
	v_fmaak_f32 v147, v109, v139, 0x3e2aaaaa
	v_mov_b32_e32 v146, v109
	v_pk_mul_f32 v[146:147], v[108:109], v[146:147] op_sel:[1,0]
	v_pk_mul_f32 v[144:145], v[108:109], v[108:109]
	v_mov_b32_e32 v143, v147
	v_pk_add_f32 v[142:143], v[142:143], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v145, v146
	v_pk_fma_f32 v[108:109], v[144:145], v[142:143], v[108:109]
	v_lshlrev_b32_e32 v142, 22, v141
	v_lshlrev_b32_e32 v143, 22, v140
	v_lshrrev_b32_e32 v139, 1, v141
	v_lshrrev_b32_e32 v144, 1, v140
	v_and_b32_e32 v142, 0xff800000, v142
	v_and_b32_e32 v145, 0xff800000, v143
	v_pk_add_f32 v[108:109], v[108:109], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v143, 1.0, v142
	v_add_u32_e32 v142, 1.0, v145
	v_sub_u32_e32 v140, v140, v144
	v_sub_u32_e32 v139, v141, v139
	v_pk_mul_f32 v[108:109], v[108:109], v[142:143]
	v_lshl_add_u32 v141, v139, 23, 1.0
	v_lshl_add_u32 v140, v140, 23, 1.0
	v_pk_fma_f32 v[108:109], v[108:109], v[140:141], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v139, vcc, v109, v109, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v109, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_div_fixup_f32 v109, v139, v109, 1.0
	v_div_scale_f32 v139, vcc, v108, v108, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v108, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_cmp_ngt_f32_e32 vcc, s59, v95
	v_div_fixup_f32 v108, v139, v108, 1.0
	v_pk_mul_f32 v[108:109], v[92:93], v[108:109]
	v_cndmask_b32_e64 v139, v122, -v95, vcc
	v_cmp_ngt_f32_e32 vcc, s59, v94
	s_nop 1
	v_cndmask_b32_e64 v140, v122, -v94, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v139
	s_nop 1
	v_cndmask_b32_e32 v141, v135, v139, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v140
	s_nop 1
	v_cndmask_b32_e32 v140, v135, v140, vcc
	v_pk_fma_f32 v[142:143], v[140:141], s[52:53], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[144:145], v[142:143], s[82:83] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v143
	v_pk_fma_f32 v[140:141], v[144:145], s[84:85], v[140:141] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	v_sub_u32_e32 v139, v143, v139
	v_pk_fma_f32 v[140:141], v[144:145], s[80:81], v[140:141] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[140:141], s[86:87], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[144:145], v[140:141], v[140:141]
	v_pk_fma_f32 v[110:111], v[140:141], v[110:111], s[88:89] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[140:141], v[110:111], s[90:91] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[140:141], v[110:111], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[140:141], v[110:111], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[144:145], v[110:111], v[140:141]
	v_lshlrev_b32_e32 v140, 22, v143
	v_lshlrev_b32_e32 v141, 22, v142
	v_and_b32_e32 v140, 0xff800000, v140
	v_and_b32_e32 v145, 0xff800000, v141
	v_pk_add_f32 v[110:111], v[110:111], 1.0 op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v144, 1, v142
	v_add_u32_e32 v141, 1.0, v140
	v_add_u32_e32 v140, 1.0, v145
	v_pk_mul_f32 v[110:111], v[110:111], v[140:141]
	v_sub_u32_e32 v140, v142, v144
	v_lshl_add_u32 v141, v139, 23, 1.0
	v_lshl_add_u32 v140, v140, 23, 1.0
	v_pk_fma_f32 v[110:111], v[110:111], v[140:141], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v139, vcc, v111, v111, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v111, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_div_fixup_f32 v111, v139, v111, 1.0
	v_div_scale_f32 v139, vcc, v110, v110, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v110, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_cmp_ngt_f32_e32 vcc, s59, v97
	v_div_fixup_f32 v110, v139, v110, 1.0
	v_pk_mul_f32 v[110:111], v[94:95], v[110:111]
	v_cndmask_b32_e64 v139, v122, -v97, vcc
	v_cmp_ngt_f32_e32 vcc, s59, v96
	s_nop 1
	v_cndmask_b32_e64 v122, v122, -v96, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v139
	s_nop 1
	v_cndmask_b32_e32 v141, v135, v139, vcc
	v_cmp_ngt_f32_e32 vcc, s85, v122
	s_nop 1
	v_cndmask_b32_e32 v140, v135, v122, vcc
	v_pk_fma_f32 v[112:113], v[140:141], s[52:53], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v122, 0xcb400000, v112
	v_mul_f32_e32 v142, 0x3f318000, v122
	v_mul_f32_e32 v144, 0x395e8083, v122
	v_add_f32_e32 v122, 0xcb400000, v113
	v_pk_mul_f32 v[146:147], v[122:123], s[80:81] op_sel_hi:[0,1]
	v_mov_b32_e32 v143, v147
	v_pk_add_f32 v[140:141], v[140:141], v[142:143] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v145, v146
	v_pk_add_f32 v[140:141], v[144:145], v[140:141]
	v_lshrrev_b32_e32 v135, 1, v113
	v_fmamk_f32 v122, v140, 0x39506967, v136
	v_fmaak_f32 v122, v140, v122, 0x3c088908
	v_fmac_f32_e32 v136, 0x39506967, v141
	v_fmaak_f32 v122, v140, v122, 0x3d2aa9c1
	v_fmac_f32_e32 v137, v141, v136
	v_fmaak_f32 v122, v140, v122, 0x3e2aaaaa
	v_fmac_f32_e32 v138, v141, v137
	v_mul_f32_e32 v142, v140, v122
	v_fmac_f32_e32 v123, v141, v138
	v_mov_b32_e32 v122, v141
	v_pk_mul_f32 v[122:123], v[140:141], v[122:123] op_sel:[1,0]
	v_pk_mul_f32 v[144:145], v[140:141], v[140:141]
	v_mov_b32_e32 v143, v123
	v_pk_add_f32 v[136:137], v[142:143], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v145, v122
	v_pk_fma_f32 v[122:123], v[144:145], v[136:137], v[140:141]
	v_lshlrev_b32_e32 v136, 22, v113
	v_lshlrev_b32_e32 v137, 22, v112
	v_lshrrev_b32_e32 v138, 1, v112
	v_and_b32_e32 v136, 0xff800000, v136
	v_and_b32_e32 v139, 0xff800000, v137
	v_pk_add_f32 v[122:123], v[122:123], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v137, 1.0, v136
	v_add_u32_e32 v136, 1.0, v139
	v_sub_u32_e32 v112, v112, v138
	v_sub_u32_e32 v113, v113, v135
	v_pk_mul_f32 v[122:123], v[122:123], v[136:137]
	v_lshl_add_u32 v113, v113, 23, 1.0
	v_lshl_add_u32 v112, v112, 23, 1.0
	v_pk_fma_f32 v[112:113], v[122:123], v[112:113], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v122, s[80:81], v113, v113, 1.0
	v_rcp_f32_e32 v123, v122
	s_nop 0
	v_fma_f32 v135, -v122, v123, 1.0
	v_fmac_f32_e32 v123, v135, v123
	v_div_scale_f32 v135, vcc, 1.0, v113, 1.0
	v_mul_f32_e32 v136, v135, v123
	v_fma_f32 v137, -v122, v136, v135
	v_fmac_f32_e32 v136, v137, v123
	v_fma_f32 v122, -v122, v136, v135
	v_div_fmas_f32 v122, v122, v123, v136
	v_div_fixup_f32 v113, v122, v113, 1.0
	v_div_scale_f32 v122, s[80:81], v112, v112, 1.0
	v_rcp_f32_e32 v123, v122
	s_nop 0
	v_fma_f32 v135, -v122, v123, 1.0
	v_fmac_f32_e32 v123, v135, v123
	v_div_scale_f32 v135, vcc, 1.0, v112, 1.0
	v_mul_f32_e32 v136, v135, v123
	v_fma_f32 v137, -v122, v136, v135
	v_fmac_f32_e32 v136, v137, v123
	v_fma_f32 v122, -v122, v136, v135
	v_div_fmas_f32 v122, v122, v123, v136
	v_div_fixup_f32 v112, v122, v112, 1.0
	v_pk_mul_f32 v[112:113], v[96:97], v[112:113]
.LBB0_437:                              ;   in Loop: Header=BB0_427 Depth=3
	s_cbranch_execz .LBB0_453
	s_branch .LBB0_454
.LBB0_438:                              ;   in Loop: Header=BB0_427 Depth=3
                                        ; implicit-def: $vgpr98_vgpr99_vgpr100_vgpr101
                                        ; implicit-def: $vgpr102_vgpr103_vgpr104_vgpr105
                                        ; implicit-def: $vgpr106_vgpr107_vgpr108_vgpr109
                                        ; implicit-def: $vgpr110_vgpr111_vgpr112_vgpr113
	s_branch .LBB0_455
.LBB0_439:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(3)
	v_add_u32_e32 v82, s93, v129
	s_mov_b64 s[80:81], -1
	s_and_b64 vcc, exec, s[68:69]
	s_cbranch_vccz .LBB0_458
.LBB0_440:                              ;   in Loop: Header=BB0_427 Depth=3
	s_and_b64 vcc, exec, s[50:51]
	s_cbranch_vccz .LBB0_446
; %bb.441:                              ;   in Loop: Header=BB0_427 Depth=3
	s_andn2_b64 vcc, exec, s[72:73]
	s_cbranch_vccnz .LBB0_443
; %bb.442:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(2)
	v_mov_b32_e32 v86, 0
	v_mov_b32_e32 v87, 0
	v_mov_b32_e32 v85, 0
	v_cvt_pk_bf8_f32 v86, v98, v99
	v_cvt_pk_bf8_f32 v87, v102, v103
	v_mov_b32_e32 v84, 0
	v_cvt_pk_bf8_f32 v84, v106, v107
	v_cvt_pk_bf8_f32 v85, v110, v111
	v_cvt_pk_bf8_f32 v86, v100, v101 op_sel:[0,0,1]
	v_cvt_pk_bf8_f32 v87, v104, v105 op_sel:[0,0,1]
	v_cvt_pk_bf8_f32 v84, v108, v109 op_sel:[0,0,1]
	v_cvt_pk_bf8_f32 v85, v112, v113 op_sel:[0,0,1]
	s_mov_b64 s[80:81], 0
	buffer_store_dwordx2 v[86:87], v129, s[20:23], 0 offen
	buffer_store_dwordx2 v[84:85], v82, s[20:23], 0 offen
.LBB0_443:                              ;   in Loop: Header=BB0_427 Depth=3
	s_andn2_b64 vcc, exec, s[80:81]
	s_cbranch_vccnz .LBB0_445
; %bb.444:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(2)
	v_mov_b32_e32 v86, 0
	v_mov_b32_e32 v87, 0
	v_mov_b32_e32 v85, 0
	v_cvt_pk_fp8_f32 v86, v98, v99
	v_cvt_pk_fp8_f32 v87, v102, v103
	v_mov_b32_e32 v84, 0
	v_cvt_pk_fp8_f32 v84, v106, v107
	v_cvt_pk_fp8_f32 v85, v110, v111
	v_cvt_pk_fp8_f32 v86, v100, v101 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v87, v104, v105 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v84, v108, v109 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v85, v112, v113 op_sel:[0,0,1]
	buffer_store_dwordx2 v[86:87], v129, s[20:23], 0 offen
	buffer_store_dwordx2 v[84:85], v82, s[20:23], 0 offen
.LBB0_445:                              ;   in Loop: Header=BB0_427 Depth=3
	s_mov_b64 s[80:81], 0
.LBB0_446:                              ;   in Loop: Header=BB0_427 Depth=3
	s_andn2_b64 vcc, exec, s[80:81]
	s_cbranch_vccnz .LBB0_451
; %bb.447:                              ;   in Loop: Header=BB0_427 Depth=3
	s_andn2_b64 vcc, exec, s[74:75]
	s_mov_b64 s[80:81], -1
	s_cbranch_vccnz .LBB0_449
; %bb.448:                              ;   in Loop: Header=BB0_427 Depth=3
	v_cvt_pk_f16_f32 v85, v100, v101
	v_cvt_pk_f16_f32 v84, v98, v99
	s_waitcnt lgkmcnt(2)
	v_cvt_pk_f16_f32 v87, v104, v105
	v_cvt_pk_f16_f32 v86, v102, v103
	buffer_store_dwordx4 v[84:87], v129, s[20:23], 0 offen
	s_mov_b64 s[80:81], 0
	s_nop 0
	v_cvt_pk_f16_f32 v85, v108, v109
	v_cvt_pk_f16_f32 v84, v106, v107
	v_cvt_pk_f16_f32 v87, v112, v113
	v_cvt_pk_f16_f32 v86, v110, v111
	buffer_store_dwordx4 v[84:87], v82, s[20:23], 0 offen
.LBB0_449:                              ;   in Loop: Header=BB0_427 Depth=3
	s_andn2_b64 vcc, exec, s[80:81]
	s_cbranch_vccnz .LBB0_451
; %bb.450:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(2)
	v_cvt_pk_bf16_f32 v87, v104, v105
	v_cvt_pk_bf16_f32 v86, v102, v103
	v_cvt_pk_bf16_f32 v85, v100, v101
	v_cvt_pk_bf16_f32 v84, v98, v99
	buffer_store_dwordx4 v[84:87], v129, s[20:23], 0 offen
	s_nop 1
	v_cvt_pk_bf16_f32 v87, v112, v113
	v_cvt_pk_bf16_f32 v86, v110, v111
	v_cvt_pk_bf16_f32 v85, v108, v109
	v_cvt_pk_bf16_f32 v84, v106, v107
	buffer_store_dwordx4 v[84:87], v82, s[20:23], 0 offen
.LBB0_451:                              ;   in Loop: Header=BB0_427 Depth=3
	s_cbranch_execnz .LBB0_426
	s_branch .LBB0_459
.LBB0_452:                              ;   in Loop: Header=BB0_427 Depth=3
                                        ; implicit-def: $vgpr98_vgpr99_vgpr100_vgpr101
                                        ; implicit-def: $vgpr102_vgpr103_vgpr104_vgpr105
                                        ; implicit-def: $vgpr106_vgpr107_vgpr108_vgpr109
                                        ; implicit-def: $vgpr110_vgpr111_vgpr112_vgpr113
.LBB0_453:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(3)
	v_pk_mul_f32 v[98:99], v[84:85], v[84:85]
	v_pk_mul_f32 v[100:101], v[82:83], v[82:83]
	v_pk_mul_f32 v[102:103], v[84:85], v[98:99]
	v_pk_mul_f32 v[98:99], v[82:83], v[100:101]
	s_mov_b32 s52, 0x3d372713
	v_pk_fma_f32 v[98:99], v[98:99], s[52:53], v[82:83] op_sel_hi:[1,0,1]
	s_mov_b32 s80, 0xbfcc422a
	v_pk_mul_f32 v[98:99], v[98:99], s[80:81] op_sel_hi:[1,0]
	s_mov_b32 s59, 0x42b20000
	v_cmp_nlt_f32_e32 vcc, s59, v98
	v_mov_b32_e32 v122, 0x42b20000
	s_mov_b32 s81, 0xc2d00000
	v_cndmask_b32_e32 v98, v122, v98, vcc
	v_cmp_nlt_f32_e32 vcc, s59, v99
	v_mov_b32_e32 v135, 0xc2d00000
	s_mov_b32 s84, 0x4b400000
	v_cndmask_b32_e32 v99, v122, v99, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v99
	s_mov_b32 s82, 0x3fb8aa3b
	v_mov_b64_e32 v[112:113], s[84:85]
	v_cndmask_b32_e32 v99, v135, v99, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v98
	s_mov_b32 s84, 0x395e8083
	s_mov_b32 s86, 0xcb400000
	v_cndmask_b32_e32 v98, v135, v98, vcc
	v_pk_fma_f32 v[100:101], v[98:99], s[82:83], v[112:113] op_sel_hi:[1,0,0]
	s_mov_b32 s85, 0x3f318000
	v_pk_add_f32 v[104:105], v[100:101], s[86:87] op_sel_hi:[1,0]
	s_mov_b32 s88, s85
	v_pk_fma_f32 v[98:99], v[104:105], s[88:89], v[98:99] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_mov_b32 s92, 0x3ab743ce
	v_pk_fma_f32 v[98:99], v[104:105], s[84:85], v[98:99] op_sel_hi:[1,0,1]
	s_mov_b32 s90, 0x39506967
	v_mov_b64_e32 v[110:111], s[92:93]
	v_pk_fma_f32 v[104:105], v[98:99], s[90:91], v[110:111] op_sel_hi:[1,0,0]
	s_mov_b32 s92, 0x3c088908
	v_pk_fma_f32 v[104:105], v[98:99], v[104:105], s[92:93] op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[106:107], v[98:99], v[98:99]
	v_pk_fma_f32 v[104:105], v[98:99], v[104:105], s[94:95] op_sel_hi:[1,1,0]
	v_mov_b32_e32 v136, 0x3ab743ce
	v_pk_fma_f32 v[104:105], v[98:99], v[104:105], s[96:97] op_sel_hi:[1,1,0]
	v_mov_b32_e32 v123, 0x3e2aaaaa
	v_pk_fma_f32 v[104:105], v[98:99], v[104:105], 0.5 op_sel_hi:[1,1,0]
	v_mov_b32_e32 v137, 0x3c088908
	v_pk_fma_f32 v[98:99], v[106:107], v[104:105], v[98:99]
	v_lshlrev_b32_e32 v104, 22, v101
	v_lshlrev_b32_e32 v105, 22, v100
	v_lshrrev_b32_e32 v106, 1, v101
	v_lshrrev_b32_e32 v107, 1, v100
	v_and_b32_e32 v104, 0xff800000, v104
	v_and_b32_e32 v108, 0xff800000, v105
	v_pk_add_f32 v[98:99], v[98:99], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v105, 1.0, v104
	v_add_u32_e32 v104, 1.0, v108
	v_sub_u32_e32 v100, v100, v107
	v_sub_u32_e32 v101, v101, v106
	v_pk_mul_f32 v[98:99], v[98:99], v[104:105]
	v_lshl_add_u32 v101, v101, 23, 1.0
	v_lshl_add_u32 v100, v100, 23, 1.0
	v_pk_fma_f32 v[98:99], v[98:99], v[100:101], 1.0 op_sel_hi:[1,1,0]
	v_mov_b32_e32 v138, 0x3d2aa9c1
	v_div_scale_f32 v100, vcc, v99, v99, 1.0
	v_rcp_f32_e32 v101, v100
	s_nop 0
	v_fma_f32 v104, -v100, v101, 1.0
	v_fmac_f32_e32 v101, v104, v101
	v_div_scale_f32 v104, vcc, 1.0, v99, 1.0
	v_mul_f32_e32 v105, v104, v101
	v_fma_f32 v106, -v100, v105, v104
	v_fmac_f32_e32 v105, v106, v101
	v_fma_f32 v100, -v100, v105, v104
	v_div_fmas_f32 v100, v100, v101, v105
	v_div_fixup_f32 v99, v100, v99, 1.0
	v_div_scale_f32 v100, vcc, v98, v98, 1.0
	v_rcp_f32_e32 v101, v100
	s_nop 0
	v_fma_f32 v104, -v100, v101, 1.0
	v_fmac_f32_e32 v101, v104, v101
	v_div_scale_f32 v104, vcc, 1.0, v98, 1.0
	v_mul_f32_e32 v105, v104, v101
	v_fma_f32 v106, -v100, v105, v104
	v_fmac_f32_e32 v105, v106, v101
	v_fma_f32 v100, -v100, v105, v104
	v_div_fmas_f32 v100, v100, v101, v105
	v_div_fixup_f32 v98, v100, v98, 1.0
	v_pk_fma_f32 v[100:101], v[102:103], s[52:53], v[84:85] op_sel_hi:[1,0,1]
	v_pk_mul_f32 v[98:99], v[82:83], v[98:99]
	v_pk_mul_f32 v[100:101], v[100:101], s[80:81] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s59, v100
	s_nop 1
	v_cndmask_b32_e32 v100, v122, v100, vcc
	v_cmp_nlt_f32_e32 vcc, s59, v101
	s_nop 1
	v_cndmask_b32_e32 v101, v122, v101, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v101
	s_nop 1
	v_cndmask_b32_e32 v101, v135, v101, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v100
	s_nop 1
	v_cndmask_b32_e32 v100, v135, v100, vcc
	v_pk_fma_f32 v[102:103], v[100:101], s[82:83], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v108, 0xcb400000, v103
	v_add_f32_e32 v105, 0xcb400000, v102
	v_pk_mul_f32 v[108:109], v[108:109], s[84:85] op_sel_hi:[0,1]
	v_mul_f32_e32 v104, 0x3f318000, v105
	v_mul_f32_e32 v106, 0x395e8083, v105
	v_mov_b32_e32 v105, v109
	v_pk_add_f32 v[100:101], v[100:101], v[104:105] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v107, v108
	v_pk_add_f32 v[100:101], v[106:107], v[100:101]
	s_nop 0
	v_fmamk_f32 v105, v101, 0x39506967, v136
	v_fmamk_f32 v104, v100, 0x39506967, v136
	v_fmaak_f32 v105, v101, v105, 0x3c088908
	v_fmaak_f32 v104, v100, v104, 0x3c088908
	v_fmaak_f32 v105, v101, v105, 0x3d2aa9c1
	v_fmaak_f32 v104, v100, v104, 0x3d2aa9c1
	v_fmaak_f32 v109, v101, v105, 0x3e2aaaaa
	v_mov_b32_e32 v108, v101
	v_fmaak_f32 v104, v100, v104, 0x3e2aaaaa
	v_pk_mul_f32 v[108:109], v[100:101], v[108:109] op_sel:[1,0]
	v_mul_f32_e32 v104, v100, v104
	v_pk_mul_f32 v[106:107], v[100:101], v[100:101]
	v_mov_b32_e32 v105, v109
	v_pk_add_f32 v[104:105], v[104:105], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v107, v108
	v_pk_fma_f32 v[100:101], v[106:107], v[104:105], v[100:101]
	v_lshlrev_b32_e32 v104, 22, v103
	v_lshlrev_b32_e32 v105, 22, v102
	v_lshrrev_b32_e32 v106, 1, v103
	v_lshrrev_b32_e32 v107, 1, v102
	v_and_b32_e32 v104, 0xff800000, v104
	v_and_b32_e32 v108, 0xff800000, v105
	v_pk_add_f32 v[100:101], v[100:101], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v105, 1.0, v104
	v_add_u32_e32 v104, 1.0, v108
	v_sub_u32_e32 v102, v102, v107
	v_sub_u32_e32 v103, v103, v106
	v_pk_mul_f32 v[100:101], v[100:101], v[104:105]
	v_lshl_add_u32 v103, v103, 23, 1.0
	v_lshl_add_u32 v102, v102, 23, 1.0
	v_pk_fma_f32 v[100:101], v[100:101], v[102:103], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v102, vcc, v101, v101, 1.0
	v_rcp_f32_e32 v103, v102
	s_nop 0
	v_fma_f32 v104, -v102, v103, 1.0
	v_fmac_f32_e32 v103, v104, v103
	v_div_scale_f32 v104, vcc, 1.0, v101, 1.0
	v_mul_f32_e32 v105, v104, v103
	v_fma_f32 v106, -v102, v105, v104
	v_fmac_f32_e32 v105, v106, v103
	v_fma_f32 v102, -v102, v105, v104
	v_div_fmas_f32 v102, v102, v103, v105
	v_div_fixup_f32 v101, v102, v101, 1.0
	v_div_scale_f32 v102, vcc, v100, v100, 1.0
	v_rcp_f32_e32 v103, v102
	s_nop 0
	v_fma_f32 v104, -v102, v103, 1.0
	v_fmac_f32_e32 v103, v104, v103
	v_div_scale_f32 v104, vcc, 1.0, v100, 1.0
	v_mul_f32_e32 v105, v104, v103
	v_fma_f32 v106, -v102, v105, v104
	v_fmac_f32_e32 v105, v106, v103
	v_fma_f32 v102, -v102, v105, v104
	v_div_fmas_f32 v102, v102, v103, v105
	v_div_fixup_f32 v100, v102, v100, 1.0
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f32 v[102:103], v[88:89], v[88:89]
	v_pk_mul_f32 v[104:105], v[86:87], v[86:87]
	v_pk_mul_f32 v[106:107], v[88:89], v[102:103]
	v_pk_mul_f32 v[102:103], v[86:87], v[104:105]
	v_pk_mul_f32 v[100:101], v[84:85], v[100:101]
	v_pk_fma_f32 v[102:103], v[102:103], s[52:53], v[86:87] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_mul_f32 v[102:103], v[102:103], s[80:81] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s59, v102
	s_nop 1
	v_cndmask_b32_e32 v102, v122, v102, vcc
	v_cmp_nlt_f32_e32 vcc, s59, v103
	s_nop 1
	v_cndmask_b32_e32 v103, v122, v103, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v103
	s_nop 1
	v_cndmask_b32_e32 v103, v135, v103, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v102
	s_nop 1
	v_cndmask_b32_e32 v102, v135, v102, vcc
	v_pk_fma_f32 v[104:105], v[102:103], s[82:83], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[108:109], v[104:105], s[86:87] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v105
	v_pk_fma_f32 v[102:103], v[108:109], s[88:89], v[102:103] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[108:109], s[84:85], v[102:103] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[108:109], v[102:103], s[90:91], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[140:141], v[102:103], v[102:103]
	v_pk_fma_f32 v[108:109], v[102:103], v[108:109], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[108:109], v[102:103], v[108:109], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[108:109], v[102:103], v[108:109], s[96:97] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[108:109], v[102:103], v[108:109], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[140:141], v[108:109], v[102:103]
	v_lshlrev_b32_e32 v108, 22, v105
	v_lshlrev_b32_e32 v109, 22, v104
	v_lshrrev_b32_e32 v140, 1, v104
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v141, 0xff800000, v109
	v_pk_add_f32 v[102:103], v[102:103], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v141
	v_sub_u32_e32 v104, v104, v140
	v_sub_u32_e32 v105, v105, v139
	v_pk_mul_f32 v[102:103], v[102:103], v[108:109]
	v_lshl_add_u32 v105, v105, 23, 1.0
	v_lshl_add_u32 v104, v104, 23, 1.0
	v_pk_fma_f32 v[102:103], v[102:103], v[104:105], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v104, vcc, v103, v103, 1.0
	v_rcp_f32_e32 v105, v104
	s_nop 0
	v_fma_f32 v108, -v104, v105, 1.0
	v_fmac_f32_e32 v105, v108, v105
	v_div_scale_f32 v108, vcc, 1.0, v103, 1.0
	v_mul_f32_e32 v109, v108, v105
	v_fma_f32 v139, -v104, v109, v108
	v_fmac_f32_e32 v109, v139, v105
	v_fma_f32 v104, -v104, v109, v108
	v_div_fmas_f32 v104, v104, v105, v109
	v_div_fixup_f32 v103, v104, v103, 1.0
	v_div_scale_f32 v104, vcc, v102, v102, 1.0
	v_rcp_f32_e32 v105, v104
	s_nop 0
	v_fma_f32 v108, -v104, v105, 1.0
	v_fmac_f32_e32 v105, v108, v105
	v_div_scale_f32 v108, vcc, 1.0, v102, 1.0
	v_mul_f32_e32 v109, v108, v105
	v_fma_f32 v139, -v104, v109, v108
	v_fmac_f32_e32 v109, v139, v105
	v_fma_f32 v104, -v104, v109, v108
	v_div_fmas_f32 v104, v104, v105, v109
	v_div_fixup_f32 v102, v104, v102, 1.0
	v_pk_fma_f32 v[104:105], v[106:107], s[52:53], v[88:89] op_sel_hi:[1,0,1]
	v_pk_mul_f32 v[102:103], v[86:87], v[102:103]
	v_pk_mul_f32 v[104:105], v[104:105], s[80:81] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s59, v104
	s_nop 1
	v_cndmask_b32_e32 v104, v122, v104, vcc
	v_cmp_nlt_f32_e32 vcc, s59, v105
	s_nop 1
	v_cndmask_b32_e32 v105, v122, v105, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v105
	s_nop 1
	v_cndmask_b32_e32 v105, v135, v105, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v104
	s_nop 1
	v_cndmask_b32_e32 v104, v135, v104, vcc
	v_pk_fma_f32 v[106:107], v[104:105], s[82:83], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v142, 0xcb400000, v107
	v_add_f32_e32 v109, 0xcb400000, v106
	v_pk_mul_f32 v[142:143], v[142:143], s[84:85] op_sel_hi:[0,1]
	v_mul_f32_e32 v108, 0x3f318000, v109
	v_mul_f32_e32 v140, 0x395e8083, v109
	v_mov_b32_e32 v109, v143
	v_pk_add_f32 v[104:105], v[104:105], v[108:109] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v141, v142
	v_pk_add_f32 v[104:105], v[140:141], v[104:105]
	v_lshrrev_b32_e32 v139, 1, v107
	v_fmamk_f32 v109, v105, 0x39506967, v136
	v_fmamk_f32 v108, v104, 0x39506967, v136
	v_fmaak_f32 v109, v105, v109, 0x3c088908
	v_fmaak_f32 v108, v104, v108, 0x3c088908
	v_fmaak_f32 v109, v105, v109, 0x3d2aa9c1
	v_fmaak_f32 v108, v104, v108, 0x3d2aa9c1
	v_fmaak_f32 v143, v105, v109, 0x3e2aaaaa
	v_mov_b32_e32 v142, v105
	v_fmaak_f32 v108, v104, v108, 0x3e2aaaaa
	v_pk_mul_f32 v[142:143], v[104:105], v[142:143] op_sel:[1,0]
	v_mul_f32_e32 v108, v104, v108
	v_pk_mul_f32 v[140:141], v[104:105], v[104:105]
	v_mov_b32_e32 v109, v143
	v_pk_add_f32 v[108:109], v[108:109], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v141, v142
	v_pk_fma_f32 v[104:105], v[140:141], v[108:109], v[104:105]
	v_lshlrev_b32_e32 v108, 22, v107
	v_lshlrev_b32_e32 v109, 22, v106
	v_lshrrev_b32_e32 v140, 1, v106
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v141, 0xff800000, v109
	v_pk_add_f32 v[104:105], v[104:105], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v141
	v_sub_u32_e32 v106, v106, v140
	v_sub_u32_e32 v107, v107, v139
	v_pk_mul_f32 v[104:105], v[104:105], v[108:109]
	v_lshl_add_u32 v107, v107, 23, 1.0
	v_lshl_add_u32 v106, v106, 23, 1.0
	v_pk_fma_f32 v[104:105], v[104:105], v[106:107], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v106, vcc, v105, v105, 1.0
	v_rcp_f32_e32 v107, v106
	s_nop 0
	v_fma_f32 v108, -v106, v107, 1.0
	v_fmac_f32_e32 v107, v108, v107
	v_div_scale_f32 v108, vcc, 1.0, v105, 1.0
	v_mul_f32_e32 v109, v108, v107
	v_fma_f32 v139, -v106, v109, v108
	v_fmac_f32_e32 v109, v139, v107
	v_fma_f32 v106, -v106, v109, v108
	v_div_fmas_f32 v106, v106, v107, v109
	v_div_fixup_f32 v105, v106, v105, 1.0
	v_div_scale_f32 v106, vcc, v104, v104, 1.0
	v_rcp_f32_e32 v107, v106
	s_nop 0
	v_fma_f32 v108, -v106, v107, 1.0
	v_fmac_f32_e32 v107, v108, v107
	v_div_scale_f32 v108, vcc, 1.0, v104, 1.0
	v_mul_f32_e32 v109, v108, v107
	v_fma_f32 v139, -v106, v109, v108
	v_fmac_f32_e32 v109, v139, v107
	v_fma_f32 v106, -v106, v109, v108
	v_div_fmas_f32 v106, v106, v107, v109
	v_div_fixup_f32 v104, v106, v104, 1.0
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f32 v[106:107], v[92:93], v[92:93]
	v_pk_mul_f32 v[108:109], v[90:91], v[90:91]
	v_pk_mul_f32 v[140:141], v[92:93], v[106:107]
	v_pk_mul_f32 v[106:107], v[90:91], v[108:109]
	v_pk_mul_f32 v[104:105], v[88:89], v[104:105]
	v_pk_fma_f32 v[106:107], v[106:107], s[52:53], v[90:91] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_mul_f32 v[106:107], v[106:107], s[80:81] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s59, v106
	s_nop 1
	v_cndmask_b32_e32 v106, v122, v106, vcc
	v_cmp_nlt_f32_e32 vcc, s59, v107
	s_nop 1
	v_cndmask_b32_e32 v107, v122, v107, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v107
	s_nop 1
	v_cndmask_b32_e32 v107, v135, v107, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v106
	s_nop 1
	v_cndmask_b32_e32 v106, v135, v106, vcc
	v_pk_fma_f32 v[108:109], v[106:107], s[82:83], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[142:143], v[108:109], s[86:87] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v109
	v_pk_fma_f32 v[106:107], v[142:143], s[88:89], v[106:107] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[142:143], s[84:85], v[106:107] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[142:143], v[106:107], s[90:91], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[144:145], v[106:107], v[106:107]
	v_pk_fma_f32 v[142:143], v[106:107], v[142:143], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[142:143], v[106:107], v[142:143], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[142:143], v[106:107], v[142:143], s[96:97] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[142:143], v[106:107], v[142:143], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[144:145], v[142:143], v[106:107]
	v_lshlrev_b32_e32 v142, 22, v109
	v_lshlrev_b32_e32 v143, 22, v108
	v_lshrrev_b32_e32 v144, 1, v108
	v_and_b32_e32 v142, 0xff800000, v142
	v_and_b32_e32 v145, 0xff800000, v143
	v_pk_add_f32 v[106:107], v[106:107], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v143, 1.0, v142
	v_add_u32_e32 v142, 1.0, v145
	v_sub_u32_e32 v108, v108, v144
	v_sub_u32_e32 v109, v109, v139
	v_pk_mul_f32 v[106:107], v[106:107], v[142:143]
	v_lshl_add_u32 v109, v109, 23, 1.0
	v_lshl_add_u32 v108, v108, 23, 1.0
	v_pk_fma_f32 v[106:107], v[106:107], v[108:109], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v108, vcc, v107, v107, 1.0
	v_rcp_f32_e32 v109, v108
	s_nop 0
	v_fma_f32 v139, -v108, v109, 1.0
	v_fmac_f32_e32 v109, v139, v109
	v_div_scale_f32 v139, vcc, 1.0, v107, 1.0
	v_mul_f32_e32 v142, v139, v109
	v_fma_f32 v143, -v108, v142, v139
	v_fmac_f32_e32 v142, v143, v109
	v_fma_f32 v108, -v108, v142, v139
	v_div_fmas_f32 v108, v108, v109, v142
	v_div_fixup_f32 v107, v108, v107, 1.0
	v_div_scale_f32 v108, vcc, v106, v106, 1.0
	v_rcp_f32_e32 v109, v108
	s_nop 0
	v_fma_f32 v139, -v108, v109, 1.0
	v_fmac_f32_e32 v109, v139, v109
	v_div_scale_f32 v139, vcc, 1.0, v106, 1.0
	v_mul_f32_e32 v142, v139, v109
	v_fma_f32 v143, -v108, v142, v139
	v_fmac_f32_e32 v142, v143, v109
	v_fma_f32 v108, -v108, v142, v139
	v_div_fmas_f32 v108, v108, v109, v142
	v_div_fixup_f32 v106, v108, v106, 1.0
	v_pk_fma_f32 v[108:109], v[140:141], s[52:53], v[92:93] op_sel_hi:[1,0,1]
	v_pk_mul_f32 v[106:107], v[90:91], v[106:107]
	v_pk_mul_f32 v[108:109], v[108:109], s[80:81] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s59, v108
	s_nop 1
	v_cndmask_b32_e32 v108, v122, v108, vcc
	v_cmp_nlt_f32_e32 vcc, s59, v109
	s_nop 1
	v_cndmask_b32_e32 v109, v122, v109, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v109
	s_nop 1
	v_cndmask_b32_e32 v109, v135, v109, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v108
	s_nop 1
	v_cndmask_b32_e32 v108, v135, v108, vcc
	v_pk_fma_f32 v[140:141], v[108:109], s[82:83], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v146, 0xcb400000, v141
	v_add_f32_e32 v139, 0xcb400000, v140
	v_pk_mul_f32 v[146:147], v[146:147], s[84:85] op_sel_hi:[0,1]
	v_mul_f32_e32 v142, 0x3f318000, v139
	v_mov_b32_e32 v143, v147
	v_mul_f32_e32 v144, 0x395e8083, v139
	v_pk_add_f32 v[108:109], v[108:109], v[142:143] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v145, v146
	v_pk_add_f32 v[108:109], v[144:145], v[108:109]
	s_nop 0
	v_fmamk_f32 v139, v108, 0x39506967, v136
	v_fmaak_f32 v139, v108, v139, 0x3c088908
	v_fmaak_f32 v139, v108, v139, 0x3d2aa9c1
	v_fmaak_f32 v139, v108, v139, 0x3e2aaaaa
	v_mul_f32_e32 v142, v108, v139
	v_fmamk_f32 v139, v109, 0x39506967, v136
	v_fmaak_f32 v139, v109, v139, 0x3c088908
	v_fmaak_f32 v139, v109, v139, 0x3d2aa9c1
	v_fmaak_f32 v147, v109, v139, 0x3e2aaaaa
	v_mov_b32_e32 v146, v109
	v_pk_mul_f32 v[146:147], v[108:109], v[146:147] op_sel:[1,0]
	v_pk_mul_f32 v[144:145], v[108:109], v[108:109]
	v_mov_b32_e32 v143, v147
	v_pk_add_f32 v[142:143], v[142:143], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v145, v146
	v_pk_fma_f32 v[108:109], v[144:145], v[142:143], v[108:109]
	v_lshlrev_b32_e32 v142, 22, v141
	v_lshlrev_b32_e32 v143, 22, v140
	v_lshrrev_b32_e32 v139, 1, v141
	v_lshrrev_b32_e32 v144, 1, v140
	v_and_b32_e32 v142, 0xff800000, v142
	v_and_b32_e32 v145, 0xff800000, v143
	v_pk_add_f32 v[108:109], v[108:109], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v143, 1.0, v142
	v_add_u32_e32 v142, 1.0, v145
	v_sub_u32_e32 v140, v140, v144
	v_sub_u32_e32 v139, v141, v139
	v_pk_mul_f32 v[108:109], v[108:109], v[142:143]
	v_lshl_add_u32 v141, v139, 23, 1.0
	v_lshl_add_u32 v140, v140, 23, 1.0
	v_pk_fma_f32 v[108:109], v[108:109], v[140:141], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v139, vcc, v109, v109, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v109, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_div_fixup_f32 v109, v139, v109, 1.0
	v_div_scale_f32 v139, vcc, v108, v108, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v108, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[142:143], v[94:95], v[94:95]
	v_div_fixup_f32 v108, v139, v108, 1.0
	v_pk_mul_f32 v[142:143], v[94:95], v[142:143]
	v_pk_mul_f32 v[140:141], v[96:97], v[96:97]
	v_pk_fma_f32 v[142:143], v[142:143], s[52:53], v[94:95] op_sel_hi:[1,0,1]
	v_pk_mul_f32 v[140:141], v[96:97], v[140:141]
	v_pk_mul_f32 v[142:143], v[142:143], s[80:81] op_sel_hi:[1,0]
	v_pk_fma_f32 v[140:141], v[140:141], s[52:53], v[96:97] op_sel_hi:[1,0,1]
	v_cmp_nlt_f32_e32 vcc, s59, v142
	v_pk_mul_f32 v[140:141], v[140:141], s[80:81] op_sel_hi:[1,0]
	v_pk_mul_f32 v[108:109], v[92:93], v[108:109]
	v_cndmask_b32_e32 v139, v122, v142, vcc
	v_cmp_nlt_f32_e32 vcc, s59, v143
	s_nop 1
	v_cndmask_b32_e32 v142, v122, v143, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v142
	s_nop 1
	v_cndmask_b32_e32 v143, v135, v142, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v139
	s_nop 1
	v_cndmask_b32_e32 v142, v135, v139, vcc
	v_pk_fma_f32 v[144:145], v[142:143], s[82:83], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[146:147], v[144:145], s[86:87] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v145
	v_pk_fma_f32 v[142:143], v[146:147], s[88:89], v[142:143] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	v_sub_u32_e32 v139, v145, v139
	v_pk_fma_f32 v[142:143], v[146:147], s[84:85], v[142:143] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[142:143], s[90:91], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[146:147], v[142:143], v[142:143]
	v_pk_fma_f32 v[110:111], v[142:143], v[110:111], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[142:143], v[110:111], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[142:143], v[110:111], s[96:97] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[142:143], v[110:111], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[146:147], v[110:111], v[142:143]
	v_lshlrev_b32_e32 v142, 22, v145
	v_lshlrev_b32_e32 v143, 22, v144
	v_and_b32_e32 v142, 0xff800000, v142
	v_and_b32_e32 v147, 0xff800000, v143
	v_pk_add_f32 v[110:111], v[110:111], 1.0 op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v146, 1, v144
	v_add_u32_e32 v143, 1.0, v142
	v_add_u32_e32 v142, 1.0, v147
	v_pk_mul_f32 v[110:111], v[110:111], v[142:143]
	v_sub_u32_e32 v142, v144, v146
	v_lshl_add_u32 v143, v139, 23, 1.0
	v_lshl_add_u32 v142, v142, 23, 1.0
	v_pk_fma_f32 v[110:111], v[110:111], v[142:143], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v139, vcc, v111, v111, 1.0
	v_rcp_f32_e32 v142, v139
	s_nop 0
	v_fma_f32 v143, -v139, v142, 1.0
	v_fmac_f32_e32 v142, v143, v142
	v_div_scale_f32 v143, vcc, 1.0, v111, 1.0
	v_mul_f32_e32 v144, v143, v142
	v_fma_f32 v145, -v139, v144, v143
	v_fmac_f32_e32 v144, v145, v142
	v_fma_f32 v139, -v139, v144, v143
	v_div_fmas_f32 v139, v139, v142, v144
	v_div_fixup_f32 v111, v139, v111, 1.0
	v_div_scale_f32 v139, vcc, v110, v110, 1.0
	v_rcp_f32_e32 v142, v139
	s_nop 0
	v_fma_f32 v143, -v139, v142, 1.0
	v_fmac_f32_e32 v142, v143, v142
	v_div_scale_f32 v143, vcc, 1.0, v110, 1.0
	v_mul_f32_e32 v144, v143, v142
	v_fma_f32 v145, -v139, v144, v143
	v_fmac_f32_e32 v144, v145, v142
	v_fma_f32 v139, -v139, v144, v143
	v_div_fmas_f32 v139, v139, v142, v144
	v_cmp_nlt_f32_e32 vcc, s59, v140
	v_div_fixup_f32 v110, v139, v110, 1.0
	v_pk_mul_f32 v[110:111], v[94:95], v[110:111]
	v_cndmask_b32_e32 v139, v122, v140, vcc
	v_cmp_nlt_f32_e32 vcc, s59, v141
	s_nop 1
	v_cndmask_b32_e32 v122, v122, v141, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v122
	s_nop 1
	v_cndmask_b32_e32 v141, v135, v122, vcc
	v_cmp_ngt_f32_e32 vcc, s81, v139
	s_nop 1
	v_cndmask_b32_e32 v140, v135, v139, vcc
	v_pk_fma_f32 v[112:113], v[140:141], s[82:83], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v122, 0xcb400000, v112
	v_mul_f32_e32 v142, 0x3f318000, v122
	v_mul_f32_e32 v144, 0x395e8083, v122
	v_add_f32_e32 v122, 0xcb400000, v113
	v_pk_mul_f32 v[146:147], v[122:123], s[84:85] op_sel_hi:[0,1]
	v_mov_b32_e32 v143, v147
	v_pk_add_f32 v[140:141], v[140:141], v[142:143] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v145, v146
	v_pk_add_f32 v[140:141], v[144:145], v[140:141]
	v_lshrrev_b32_e32 v135, 1, v113
	v_fmamk_f32 v122, v140, 0x39506967, v136
	v_fmaak_f32 v122, v140, v122, 0x3c088908
	v_fmac_f32_e32 v136, 0x39506967, v141
	v_fmaak_f32 v122, v140, v122, 0x3d2aa9c1
	v_fmac_f32_e32 v137, v141, v136
	v_fmaak_f32 v122, v140, v122, 0x3e2aaaaa
	v_fmac_f32_e32 v138, v141, v137
	v_mul_f32_e32 v142, v140, v122
	v_fmac_f32_e32 v123, v141, v138
	v_mov_b32_e32 v122, v141
	v_pk_mul_f32 v[122:123], v[140:141], v[122:123] op_sel:[1,0]
	v_pk_mul_f32 v[144:145], v[140:141], v[140:141]
	v_mov_b32_e32 v143, v123
	v_pk_add_f32 v[136:137], v[142:143], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v145, v122
	v_pk_fma_f32 v[122:123], v[144:145], v[136:137], v[140:141]
	v_lshlrev_b32_e32 v136, 22, v113
	v_lshlrev_b32_e32 v137, 22, v112
	v_lshrrev_b32_e32 v138, 1, v112
	v_and_b32_e32 v136, 0xff800000, v136
	v_and_b32_e32 v139, 0xff800000, v137
	v_pk_add_f32 v[122:123], v[122:123], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v137, 1.0, v136
	v_add_u32_e32 v136, 1.0, v139
	v_sub_u32_e32 v112, v112, v138
	v_sub_u32_e32 v113, v113, v135
	v_pk_mul_f32 v[122:123], v[122:123], v[136:137]
	v_lshl_add_u32 v113, v113, 23, 1.0
	v_lshl_add_u32 v112, v112, 23, 1.0
	v_pk_fma_f32 v[112:113], v[122:123], v[112:113], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v122, s[80:81], v113, v113, 1.0
	v_rcp_f32_e32 v123, v122
	s_nop 0
	v_fma_f32 v135, -v122, v123, 1.0
	v_fmac_f32_e32 v123, v135, v123
	v_div_scale_f32 v135, vcc, 1.0, v113, 1.0
	v_mul_f32_e32 v136, v135, v123
	v_fma_f32 v137, -v122, v136, v135
	v_fmac_f32_e32 v136, v137, v123
	v_fma_f32 v122, -v122, v136, v135
	v_div_fmas_f32 v122, v122, v123, v136
	v_div_fixup_f32 v113, v122, v113, 1.0
	v_div_scale_f32 v122, s[80:81], v112, v112, 1.0
	v_rcp_f32_e32 v123, v122
	s_nop 0
	v_fma_f32 v135, -v122, v123, 1.0
	v_fmac_f32_e32 v123, v135, v123
	v_div_scale_f32 v135, vcc, 1.0, v112, 1.0
	v_mul_f32_e32 v136, v135, v123
	v_fma_f32 v137, -v122, v136, v135
	v_fmac_f32_e32 v136, v137, v123
	v_fma_f32 v122, -v122, v136, v135
	v_div_fmas_f32 v122, v122, v123, v136
	v_div_fixup_f32 v112, v122, v112, 1.0
	v_pk_mul_f32 v[112:113], v[96:97], v[112:113]
.LBB0_454:                              ;   in Loop: Header=BB0_427 Depth=3
	s_cbranch_execnz .LBB0_439
.LBB0_455:                              ;   in Loop: Header=BB0_427 Depth=3
	s_and_b32 s52, 0xffff, s58
	s_cmp_eq_u32 s52, 1
	s_cbranch_scc0 .LBB0_457
; %bb.456:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(3)
	v_cmp_ngt_f32_e32 vcc, 0, v82
	s_nop 1
	v_cndmask_b32_e32 v82, 0, v82, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v83
	s_nop 1
	v_cndmask_b32_e32 v83, 0, v83, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v84
	s_nop 1
	v_cndmask_b32_e32 v84, 0, v84, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v85
	s_nop 1
	v_cndmask_b32_e32 v85, 0, v85, vcc
	s_waitcnt lgkmcnt(2)
	v_cmp_ngt_f32_e32 vcc, 0, v86
	s_nop 1
	v_cndmask_b32_e32 v86, 0, v86, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v87
	s_nop 1
	v_cndmask_b32_e32 v87, 0, v87, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v88
	s_nop 1
	v_cndmask_b32_e32 v88, 0, v88, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v89
	s_nop 1
	v_cndmask_b32_e32 v89, 0, v89, vcc
	s_waitcnt lgkmcnt(1)
	v_cmp_ngt_f32_e32 vcc, 0, v90
	s_nop 1
	v_cndmask_b32_e32 v90, 0, v90, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v91
	s_nop 1
	v_cndmask_b32_e32 v91, 0, v91, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v92
	s_nop 1
	v_cndmask_b32_e32 v92, 0, v92, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v93
	s_nop 1
	v_cndmask_b32_e32 v93, 0, v93, vcc
	s_waitcnt lgkmcnt(0)
	v_cmp_ngt_f32_e32 vcc, 0, v94
	s_nop 1
	v_cndmask_b32_e32 v94, 0, v94, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v95
	s_nop 1
	v_cndmask_b32_e32 v95, 0, v95, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v96
	s_nop 1
	v_cndmask_b32_e32 v96, 0, v96, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v97
	s_nop 1
	v_cndmask_b32_e32 v97, 0, v97, vcc
.LBB0_457:                              ;   in Loop: Header=BB0_427 Depth=3
	s_waitcnt lgkmcnt(0)
	v_mov_b64_e32 v[112:113], v[96:97]
	v_mov_b64_e32 v[108:109], v[92:93]
	v_mov_b64_e32 v[104:105], v[88:89]
	v_mov_b64_e32 v[100:101], v[84:85]
	v_mov_b64_e32 v[110:111], v[94:95]
	v_mov_b64_e32 v[106:107], v[90:91]
	v_mov_b64_e32 v[102:103], v[86:87]
	v_mov_b64_e32 v[98:99], v[82:83]
	v_add_u32_e32 v82, s93, v129
	s_mov_b64 s[80:81], -1
	s_and_b64 vcc, exec, s[68:69]
	s_cbranch_vccnz .LBB0_440
.LBB0_458:                              ;   in Loop: Header=BB0_427 Depth=3
	s_andn2_b64 vcc, exec, s[80:81]
	s_cbranch_vccnz .LBB0_426
.LBB0_459:                              ;   in Loop: Header=BB0_427 Depth=3
	buffer_store_dwordx4 v[98:101], v129, s[20:23], 0 offen
	buffer_store_dwordx4 v[102:105], v129, s[20:23], 0 offen offset:16
	buffer_store_dwordx4 v[106:109], v82, s[20:23], 0 offen
	buffer_store_dwordx4 v[110:113], v82, s[20:23], 0 offen offset:16
	s_branch .LBB0_426
.LBB0_460:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[4:5], 0
.LBB0_461:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB0_636
; %bb.462:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b32 s48, s11, 0x100
	s_ashr_i32 s20, s98, 31
	s_and_b32 s46, s91, 0xff
	v_mov_b32_e32 v6, v0
	v_mov_b32_e32 v1, v0
	v_readfirstlane_b32 s11, v0
	s_cmp_gt_i32 s46, 1
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc0 .LBB0_464
; %bb.463:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mul_hi_i32 s4, s89, s98
	s_mul_i32 s89, s89, s98
	s_ashr_i32 s5, s99, 31
	s_add_u32 s21, s89, s99
	s_addc_u32 s4, s4, s5
	s_mul_i32 s5, s21, s37
	s_mul_hi_u32 s22, s21, s36
	s_add_i32 s5, s22, s5
	s_mul_i32 s4, s4, s36
	s_add_i32 s23, s5, s4
	s_mul_i32 s22, s21, s36
	s_cbranch_execz .LBB0_465
	s_branch .LBB0_467
.LBB0_464:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr22_sgpr23
.LBB0_465:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mul_i32 s4, s36, s20
	s_mul_hi_u32 s5, s36, s98
	s_add_i32 s4, s5, s4
	s_mul_i32 s5, s37, s98
	s_add_i32 s23, s4, s5
	s_and_b32 s4, 0xffff, s46
	s_cmp_lg_u32 s4, 1
	s_mul_i32 s22, s36, s98
	s_cbranch_scc1 .LBB0_467
; %bb.466:                              ;   in Loop: Header=BB0_124 Depth=1
	s_sub_i32 s36, s97, s95
	s_ashr_i32 s37, s36, 31
	s_ashr_i32 s4, s95, 31
	s_add_u32 s22, s22, s95
	s_addc_u32 s23, s23, s4
.LBB0_467:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u32 s46, 1
	s_mov_b64 s[20:21], 0
	s_cselect_b64 s[4:5], -1, 0
	s_andn2_b64 vcc, exec, s[12:13]
	s_mov_b64 s[46:47], 0
	s_cbranch_vccnz .LBB0_472
; %bb.468:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 s[12:13], s[4:5], exec
	s_cselect_b32 s12, s99, s98
	s_cmp_eq_u64 s[28:29], 0
	s_cbranch_scc1 .LBB0_470
; %bb.469:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s13, s12, 31
	s_mul_hi_u32 s20, s16, s12
	s_mul_i32 s13, s16, s13
	s_add_i32 s13, s20, s13
	s_mul_i32 s17, s17, s12
	s_add_i32 s17, s13, s17
	s_mul_i32 s16, s16, s12
	s_lshl_b64 s[16:17], s[16:17], 2
	s_add_u32 s20, s28, s16
	s_addc_u32 s21, s29, s17
.LBB0_470:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u64 s[30:31], 0
	s_cbranch_scc1 .LBB0_472
; %bb.471:                              ;   in Loop: Header=BB0_124 Depth=1
	s_ashr_i32 s13, s12, 31
	s_mul_hi_u32 s16, s18, s12
	s_mul_i32 s13, s18, s13
	s_add_i32 s13, s16, s13
	s_mul_i32 s16, s19, s12
	s_add_i32 s13, s13, s16
	s_mul_i32 s12, s18, s12
	s_lshl_b64 s[12:13], s[12:13], 2
	s_add_u32 s46, s30, s12
	s_addc_u32 s47, s31, s13
.LBB0_472:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 s[12:13], s[14:15], exec
	s_cselect_b32 s12, 7, 15
	s_ashr_i32 s67, s66, 31
	v_and_b32_e32 v8, s12, v1
	s_lshl_b64 s[12:13], s[66:67], 7
	s_and_b32 s16, s11, 64
	s_or_b32 s12, s12, s16
	s_lshr_b32 s16, s48, 8
	s_ashr_i64 s[12:13], s[12:13], s16
	v_lshlrev_b32_e32 v2, 2, v8
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[82:83], s[12:13], 0, v[2:3]
	v_mov_b32_e32 v2, s39
	v_sub_co_u32_e32 v4, vcc, s38, v82
	s_cmp_lg_u64 s[20:21], 0
	s_nop 0
	v_subb_co_u32_e32 v5, vcc, v2, v83, vcc
	v_cmp_gt_i64_e32 vcc, 4, v[4:5]
	s_cselect_b64 s[28:29], -1, 0
	s_cmp_eq_u64 s[20:21], 0
	v_cndmask_b32_e32 v7, 4, v4, vcc
	v_mov_b32_e32 v85, 0
	v_mov_b32_e32 v84, 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v87, 0
	v_mov_b32_e32 v86, 0
	v_cmp_lt_i32_e32 vcc, 0, v7
	s_cbranch_scc1 .LBB0_482
; %bb.473:                              ;   in Loop: Header=BB0_124 Depth=1
	v_lshl_add_u64 v[4:5], v[82:83], 2, s[20:21]
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_475
; %bb.474:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dword v3, v[4:5], off
.LBB0_475:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v84, 0
	v_cmp_lt_i32_e32 vcc, 1, v7
	v_mov_b32_e32 v87, v84
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_477
; %bb.476:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dword v87, v[4:5], off offset:4
.LBB0_477:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_cmp_lt_i32_e32 vcc, 2, v7
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_479
; %bb.478:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dword v84, v[4:5], off offset:8
.LBB0_479:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_cmp_lt_i32_e32 vcc, 3, v7
	v_mov_b32_e32 v85, 0
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_481
; %bb.480:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dword v85, v[4:5], off offset:12
.LBB0_481:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v86, v3
.LBB0_482:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_lg_u64 s[46:47], 0
	s_cselect_b64 s[30:31], -1, 0
	s_cmp_eq_u64 s[46:47], 0
	v_mov_b32_e32 v88, 1.0
	v_mov_b32_e32 v89, 1.0
	v_mov_b32_e32 v90, 1.0
	v_mov_b32_e32 v91, 1.0
	s_cbranch_scc1 .LBB0_494
; %bb.483:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .LBB0_680
; %bb.484:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v89, 0
	v_lshl_add_u64 v[2:3], v[82:83], 2, s[46:47]
	v_cmp_lt_i32_e32 vcc, 0, v7
	v_mov_b32_e32 v88, v89
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_486
; %bb.485:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dword v88, v[2:3], off
.LBB0_486:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_cmp_lt_i32_e32 vcc, 1, v7
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_488
; %bb.487:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dword v89, v[2:3], off offset:4
.LBB0_488:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v91, 0
	v_cmp_lt_i32_e32 vcc, 2, v7
	v_mov_b32_e32 v90, v91
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_490
; %bb.489:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dword v90, v[2:3], off offset:8
.LBB0_490:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_cmp_lt_i32_e32 vcc, 3, v7
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_492
; %bb.491:                              ;   in Loop: Header=BB0_124 Depth=1
	global_load_dword v91, v[2:3], off offset:12
.LBB0_492:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB0_494
.LBB0_493:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v2, 0
	global_load_dword v91, v2, s[46:47]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v90, v91
	v_mov_b32_e32 v89, v91
	v_mov_b32_e32 v88, v91
.LBB0_494:                              ;   in Loop: Header=BB0_124 Depth=1
	s_cmp_eq_u64 s[6:7], 0
	s_cselect_b64 s[12:13], -1, 0
	s_or_b64 s[12:13], s[62:63], s[12:13]
	s_and_b64 s[12:13], s[12:13], exec
	s_cselect_b32 s16, -1, s98
	s_ashr_i32 s65, s64, 31
	s_lshr_b32 s11, s11, 1
	s_lshl_b64 s[12:13], s[64:65], 7
	s_and_b32 s11, s11, 0x7fffffc0
	s_add_u32 s52, s12, s11
	s_addc_u32 s70, s13, 0
	s_ashr_i32 s11, s95, 31
	s_and_b64 s[4:5], s[4:5], exec
	s_cselect_b32 s49, s11, 0
	s_cselect_b32 s48, s95, 0
	s_cmp_gt_i32 s16, -1
	v_and_or_b32 v92, v6, 31, s52
	v_mov_b32_e32 v93, s70
	s_cselect_b64 s[50:51], -1, 0
	s_cmp_lt_i32 s16, 0
	v_cmp_le_i64_e32 vcc, s[36:37], v[92:93]
	s_cselect_b64 s[4:5], -1, 0
	s_or_b64 s[12:13], vcc, s[4:5]
	s_mul_i32 s11, s45, s16
	s_mul_hi_u32 s18, s44, s16
	s_mul_i32 s4, s44, s16
                                        ; implicit-def: $sgpr16_sgpr17
	s_and_saveexec_b64 s[44:45], s[12:13]
	s_xor_b64 s[12:13], exec, s[44:45]
; %bb.495:                              ;   in Loop: Header=BB0_124 Depth=1
	s_add_i32 s5, s18, s11
	s_ashr_i32 s17, s9, 31
	s_mov_b32 s16, s9
; %bb.496:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_saveexec_b64 s[12:13], s[12:13]
	v_mov_b64_e32 v[94:95], s[16:17]
	v_mov_b64_e32 v[2:3], s[4:5]
	v_mov_b32_e32 v121, 1.0
	s_xor_b64 exec, exec, s[12:13]
	s_cbranch_execz .LBB0_498
; %bb.497:                              ;   in Loop: Header=BB0_124 Depth=1
	v_lshl_add_u64 v[2:3], v[92:93], 0, s[48:49]
	s_ashr_i32 s17, s9, 31
	s_add_i32 s5, s18, s11
	v_mul_lo_u32 v4, v2, s17
	v_mul_lo_u32 v5, v3, s9
	v_mad_u64_u32 v[2:3], s[18:19], v2, s9, 0
	s_lshl_b64 s[18:19], s[4:5], 2
	s_add_u32 s18, s6, s18
	v_add3_u32 v3, v3, v4, v5
	s_addc_u32 s19, s7, s19
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[18:19]
	global_load_dword v121, v[2:3], off
	s_mov_b32 s16, s9
	v_mov_b64_e32 v[94:95], s[16:17]
	v_mov_b64_e32 v[2:3], s[4:5]
.LBB0_498:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	s_lshr_b32 s9, s10, 8
	s_and_b64 s[4:5], s[62:63], exec
	s_cselect_b32 s71, 0, s9
	s_and_b64 s[4:5], s[14:15], exec
	v_and_b32_e32 v4, 63, v1
	s_cselect_b32 s4, 3, 4
	v_lshrrev_b32_e32 v122, s4, v4
	v_lshlrev_b32_e32 v4, 1, v8
	v_and_b32_e32 v1, 3, v1
	v_and_or_b32 v1, v4, 24, v1
	s_mov_b32 s13, 0
	v_cndmask_b32_e64 v1, v8, v1, s[14:15]
	s_and_b32 s12, s38, 3
	s_cmp_lg_u64 s[12:13], 0
	v_lshl_add_u64 v[96:97], v[2:3], 2, s[6:7]
	v_lshrrev_b32_e32 v2, 1, v1
	v_lshlrev_b32_e32 v3, 3, v1
	s_cselect_b64 s[44:45], -1, 0
	s_and_b64 s[6:7], s[14:15], exec
	v_and_or_b32 v123, v3, 8, v2
	v_lshl_add_u64 v[2:3], v[82:83], 0, s[38:39]
	s_cselect_b32 s72, 8, 4
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	s_cmp_lg_u32 s8, 0
	v_add_u32_e32 v1, 4, v1
	v_lshl_add_u64 v[98:99], s[20:21], 0, v[2:3]
	s_cselect_b64 s[62:63], -1, 0
	v_lshl_add_u64 v[100:101], s[46:47], 0, v[2:3]
	v_lshrrev_b32_e32 v2, 1, v1
	v_lshlrev_b32_e32 v1, 3, v1
	s_and_b64 s[6:7], s[40:41], exec
	v_cmp_gt_i32_e64 s[4:5], 1, v7
	v_and_or_b32 v127, v1, 8, v2
	s_cselect_b32 s73, 0, 2
	v_cmp_lt_u32_e64 s[6:7], 1, v7
	v_cmp_lt_u32_e64 s[8:9], 2, v7
	v_cmp_lt_u32_e64 s[10:11], 3, v7
	s_mov_b64 s[16:17], -1
	v_mov_b64_e32 v[102:103], v[114:115]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v128, v121
	s_branch .LBB0_500
.LBB0_499:                              ;   in Loop: Header=BB0_500 Depth=2
	s_mov_b32 s13, 32
	s_mov_b64 s[16:17], 0
	s_and_b64 vcc, exec, s[40:41]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v121, v128
	s_cbranch_vccnz .LBB0_636
.LBB0_500:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB0_506 Depth 3
                                        ;       Child Loop BB0_512 Depth 3
                                        ;         Child Loop BB0_549 Depth 4
	s_andn2_b64 vcc, exec, s[50:51]
	s_cbranch_vccnz .LBB0_504
; %bb.501:                              ;   in Loop: Header=BB0_500 Depth=2
	s_add_i32 s18, s13, 32
	s_mov_b32 s19, 0
	v_lshl_add_u64 v[2:3], v[92:93], 0, s[18:19]
	v_cmp_gt_i64_e32 vcc, s[36:37], v[2:3]
	v_mov_b32_e32 v128, 1.0
	s_and_saveexec_b64 s[18:19], vcc
	s_cbranch_execz .LBB0_503
; %bb.502:                              ;   in Loop: Header=BB0_500 Depth=2
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[48:49]
	v_mul_lo_u32 v1, v3, v94
	v_mul_lo_u32 v4, v2, v95
	v_mad_u64_u32 v[2:3], s[20:21], v2, v94, 0
	v_add3_u32 v3, v3, v4, v1
	v_lshl_add_u64 v[2:3], v[2:3], 2, v[96:97]
	global_load_dword v128, v[2:3], off
.LBB0_503:                              ;   in Loop: Header=BB0_500 Depth=2
	s_or_b64 exec, exec, s[18:19]
.LBB0_504:                              ;   in Loop: Header=BB0_500 Depth=2
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_cmp_ne_u64_e32 vcc, 0, v[102:103]
	v_and_b32_e32 v6, 63, v2
	v_and_b32_e32 v3, 15, v2
	v_and_b32_e32 v1, 7, v2
	v_lshlrev_b32_e32 v4, 3, v3
	v_lshrrev_b32_e32 v5, 1, v2
	v_lshrrev_b32_e32 v6, 5, v6
	s_and_saveexec_b64 s[18:19], vcc
	s_xor_b64 s[18:19], exec, s[18:19]
	s_cbranch_execz .LBB0_508
; %bb.505:                              ;   in Loop: Header=BB0_500 Depth=2
	v_xor_b32_e32 v2, v4, v2
	v_and_or_b32 v2, v2, 8, v1
	v_and_b32_e32 v1, 8, v5
	v_lshlrev_b32_e32 v5, 8, v3
	v_or_b32_e32 v4, v6, v1
	v_bitop3_b32 v1, v6, v2, v1 bitop3:0x36
	v_add_u32_e32 v3, s83, v5
	v_lshl_add_u32 v1, v1, 4, v3
	v_bitop3_b32 v6, v4, v2, 2 bitop3:0x36
	v_bitop3_b32 v3, v4, v2, 4 bitop3:0x36
	v_bitop3_b32 v2, v4, v2, 6 bitop3:0x36
	v_lshl_or_b32 v2, v2, 4, v5
	v_lshl_or_b32 v3, v3, 4, v5
	v_lshl_or_b32 v4, v6, 4, v5
	v_add_u32_e32 v2, s83, v2
	v_add_u32_e32 v3, s83, v3
	v_add_u32_e32 v4, s83, v4
	s_movk_i32 s12, 0xe000
.LBB0_506:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_500 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_add_co_u32_e32 v6, vcc, 0x1000, v102
	global_load_dwordx4 v[12:15], v[102:103], off
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v103, vcc
	v_add_co_u32_e32 v8, vcc, 0x2000, v102
	v_add_u32_e32 v5, s12, v1
	s_nop 0
	v_addc_co_u32_e32 v9, vcc, 0, v103, vcc
	global_load_dwordx4 v[104:107], v[6:7], off
	global_load_dwordx4 v[108:111], v[8:9], off
	v_add_co_u32_e32 v10, vcc, 0x3000, v102
	v_add_u32_e32 v6, s12, v4
	s_nop 0
	v_addc_co_u32_e32 v11, vcc, 0, v103, vcc
	global_load_dwordx4 v[116:119], v[10:11], off
	v_add_u32_e32 v7, s12, v3
	v_add_u32_e32 v8, s12, v2
	s_mov_b64 s[20:21], 0x4000
	s_addk_i32 s12, 0x1000
	s_cmp_lg_u32 s12, 0
	v_lshl_add_u64 v[102:103], v[102:103], 0, s[20:21]
	s_waitcnt vmcnt(3)
	ds_write_b128 v5, v[12:15] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v6, v[104:107] offset:8192
	s_waitcnt vmcnt(1)
	ds_write_b128 v7, v[108:111] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v8, v[116:119] offset:8192
	s_cbranch_scc1 .LBB0_506
; %bb.507:                              ;   in Loop: Header=BB0_500 Depth=2
                                        ; implicit-def: $vgpr4
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr5
                                        ; implicit-def: $vgpr6
                                        ; implicit-def: $vgpr1
                                        ; implicit-def: $vgpr3
.LBB0_508:                              ;   in Loop: Header=BB0_500 Depth=2
	s_andn2_saveexec_b64 s[18:19], s[18:19]
	s_cbranch_execz .LBB0_510
; %bb.509:                              ;   in Loop: Header=BB0_500 Depth=2
	v_bitop3_b32 v2, v4, 8, v2 bitop3:0x48
	v_and_or_b32 v4, v5, 8, v6
	v_bitop3_b32 v5, v2, v4, v1 bitop3:0x36
	v_lshl_add_u32 v3, v3, 8, s83
	v_lshl_add_u32 v120, v5, 4, v3
	v_or_b32_e32 v5, 2, v4
	v_bitop3_b32 v5, v2, v5, v1 bitop3:0x36
	v_lshl_add_u32 v129, v5, 4, v3
	v_or_b32_e32 v5, 4, v4
	v_or_b32_e32 v4, 6, v4
	v_bitop3_b32 v5, v2, v5, v1 bitop3:0x36
	v_bitop3_b32 v1, v2, v4, v1 bitop3:0x36
	v_lshl_add_u32 v130, v5, 4, v3
	v_lshl_add_u32 v1, v1, 4, v3
	v_cndmask_b32_e64 v5, v49, v77, s[16:17]
	v_cndmask_b32_e64 v4, v48, v76, s[16:17]
	v_cndmask_b32_e64 v3, v47, v75, s[16:17]
	v_cndmask_b32_e64 v2, v46, v74, s[16:17]
	v_cndmask_b32_e64 v103, v31, v59, s[16:17]
	v_cndmask_b32_e64 v102, v30, v58, s[16:17]
	v_cndmask_b32_e64 v9, v45, v73, s[16:17]
	v_cndmask_b32_e64 v8, v44, v72, s[16:17]
	v_cndmask_b32_e64 v7, v43, v71, s[16:17]
	v_cndmask_b32_e64 v6, v42, v70, s[16:17]
	v_cndmask_b32_e64 v13, v41, v69, s[16:17]
	v_cndmask_b32_e64 v12, v40, v68, s[16:17]
	v_cndmask_b32_e64 v11, v39, v67, s[16:17]
	v_cndmask_b32_e64 v10, v38, v66, s[16:17]
	v_cndmask_b32_e64 v17, v37, v65, s[16:17]
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v16, v36, v64, s[16:17]
	v_cndmask_b32_e64 v15, v35, v63, s[16:17]
	v_cndmask_b32_e64 v14, v34, v62, s[16:17]
	v_cndmask_b32_e64 v105, v33, v61, s[16:17]
	v_cndmask_b32_e64 v104, v32, v60, s[16:17]
	v_cndmask_b32_e64 v109, v29, v57, s[16:17]
	v_cndmask_b32_e64 v108, v28, v56, s[16:17]
	v_cndmask_b32_e64 v107, v27, v55, s[16:17]
	v_cndmask_b32_e64 v106, v26, v54, s[16:17]
	v_cndmask_b32_e64 v113, v25, v53, s[16:17]
	v_cndmask_b32_e64 v112, v24, v52, s[16:17]
	v_cndmask_b32_e64 v111, v23, v51, s[16:17]
	v_cndmask_b32_e64 v110, v22, v50, s[16:17]
	v_cndmask_b32_e64 v119, v21, v81, s[16:17]
	v_cndmask_b32_e64 v118, v20, v80, s[16:17]
	v_cndmask_b32_e64 v117, v19, v79, s[16:17]
	v_cndmask_b32_e64 v116, v18, v78, s[16:17]
	ds_write_b128 v120, v[2:5]
	ds_write_b128 v129, v[6:9]
	ds_write_b128 v130, v[10:13]
	ds_write_b128 v1, v[14:17]
	ds_write_b128 v120, v[102:105] offset:4096
	ds_write_b128 v129, v[106:109] offset:4096
	ds_write_b128 v130, v[110:113] offset:4096
	ds_write_b128 v1, v[116:119] offset:4096
	v_mov_b64_e32 v[102:103], 0
.LBB0_510:                              ;   in Loop: Header=BB0_500 Depth=2
	s_or_b64 exec, exec, s[18:19]
	v_or_b32_e32 v1, s13, v122
	s_mov_b32 s65, 0
	s_xor_b64 s[40:41], s[16:17], -1
	v_or_b32_e32 v104, s52, v1
	v_mov_b32_e32 v105, s70
	s_mov_b32 s64, s65
	s_branch .LBB0_512
.LBB0_511:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[66:67]
	s_add_i32 s64, s64, s72
	s_cmp_gt_u32 s64, 31
	s_cbranch_scc1 .LBB0_499
.LBB0_512:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_500 Depth=2
                                        ; =>    This Loop Header: Depth=3
                                        ;         Child Loop BB0_549 Depth 4
	v_add_u32_e32 v1, s64, v122
	v_lshlrev_b32_e32 v2, 2, v1
	s_waitcnt lgkmcnt(0)
	ds_bpermute_b32 v16, v2, v121
	v_lshl_add_u64 v[14:15], v[104:105], 0, s[64:65]
	v_cmp_gt_i64_e32 vcc, s[36:37], v[14:15]
	s_xor_b64 s[12:13], s[4:5], -1
	s_and_b64 s[12:13], s[12:13], vcc
	s_and_saveexec_b64 s[66:67], s[12:13]
	s_cbranch_execz .LBB0_511
; %bb.513:                              ;   in Loop: Header=BB0_512 Depth=3
	v_lshlrev_b32_e32 v2, 3, v1
	v_and_b32_e32 v17, 7, v1
	v_bitop3_b32 v106, v2, 8, v1 bitop3:0x48
	v_bitop3_b32 v2, v106, v123, v17 bitop3:0x36
	v_lshl_add_u32 v1, v1, 8, s83
	v_lshl_add_u32 v2, v2, 4, v1
	ds_read_b128 v[2:5], v2
	s_and_b32 s17, s71, 0xff
	s_cmp_lt_i32 s17, 2
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[4:5], v[16:17], v[4:5] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[16:17], v[2:3] op_sel_hi:[0,1]
	v_pk_fma_f32 v[4:5], v[90:91], v[4:5], v[84:85]
	v_pk_fma_f32 v[2:3], v[88:89], v[2:3], v[86:87]
	s_cbranch_scc1 .LBB0_518
; %bb.514:                              ;   in Loop: Header=BB0_512 Depth=3
	s_and_b32 s12, 0xffff, s17
	s_cmp_lt_i32 s12, 3
	s_cbranch_scc1 .LBB0_519
; %bb.515:                              ;   in Loop: Header=BB0_512 Depth=3
	v_mov_b64_e32 v[8:9], v[4:5]
	s_cmp_eq_u32 s12, 3
	v_mov_b64_e32 v[6:7], v[2:3]
	s_cbranch_scc0 .LBB0_517
; %bb.516:                              ;   in Loop: Header=BB0_512 Depth=3
	s_mov_b32 s20, 0xc2b20000
	v_mov_b32_e32 v107, 0x42b20000
	v_cmp_ngt_f32_e32 vcc, s20, v3
	s_mov_b32 s21, 0xc2d00000
	v_mov_b32_e32 v112, 0xc2d00000
	v_cndmask_b32_e64 v6, v107, -v3, vcc
	v_cmp_ngt_f32_e32 vcc, s20, v2
	s_mov_b32 s12, 0x4b400000
	s_mov_b32 s16, 0x3fb8aa3b
	v_cndmask_b32_e64 v8, v107, -v2, vcc
	v_cmp_ngt_f32_e32 vcc, s21, v6
	s_mov_b32 s18, 0x395e8083
	s_mov_b32 s19, 0x3f318000
	v_cndmask_b32_e32 v7, v112, v6, vcc
	v_cmp_ngt_f32_e32 vcc, s21, v8
	s_nop 1
	v_cndmask_b32_e32 v6, v112, v8, vcc
	v_mov_b64_e32 v[8:9], s[12:13]
	v_pk_fma_f32 v[10:11], v[6:7], s[16:17], v[8:9] op_sel_hi:[1,0,0]
	s_mov_b32 s12, 0xcb400000
	v_pk_add_f32 v[12:13], v[10:11], s[12:13] op_sel_hi:[1,0]
	s_mov_b32 s12, 0xbf318000
	v_pk_fma_f32 v[6:7], v[12:13], s[12:13], v[6:7] op_sel_hi:[1,0,1]
	s_mov_b32 s12, 0x39506967
	v_pk_fma_f32 v[6:7], v[12:13], s[18:19], v[6:7] op_sel_hi:[1,0,1]
	v_mov_b32_e32 v12, 0x3ab743ce
	v_pk_fma_f32 v[108:109], v[6:7], s[12:13], v[12:13] op_sel_hi:[1,0,0]
	s_mov_b32 s12, 0x3c088908
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[12:13] op_sel_hi:[1,1,0]
	s_mov_b32 s12, 0x3d2aa9c1
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[12:13] op_sel_hi:[1,1,0]
	s_mov_b32 s12, 0x3e2aaaaa
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[12:13] op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[110:111], v[6:7], v[6:7]
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], 0.5 op_sel_hi:[1,1,0]
	v_lshrrev_b32_e32 v13, 1, v11
	v_pk_fma_f32 v[6:7], v[110:111], v[108:109], v[6:7]
	v_lshlrev_b32_e32 v108, 22, v11
	v_lshlrev_b32_e32 v109, 22, v10
	v_lshrrev_b32_e32 v110, 1, v10
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v111, 0xff800000, v109
	v_pk_add_f32 v[6:7], v[6:7], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v111
	v_sub_u32_e32 v10, v10, v110
	v_sub_u32_e32 v11, v11, v13
	v_pk_mul_f32 v[6:7], v[6:7], v[108:109]
	v_lshl_add_u32 v11, v11, 23, 1.0
	v_lshl_add_u32 v10, v10, 23, 1.0
	v_pk_fma_f32 v[6:7], v[6:7], v[10:11], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v10, s[12:13], v7, v7, 1.0
	v_rcp_f32_e32 v11, v10
	s_nop 0
	v_fma_f32 v13, -v10, v11, 1.0
	v_fmac_f32_e32 v11, v13, v11
	v_div_scale_f32 v13, vcc, 1.0, v7, 1.0
	v_mul_f32_e32 v108, v13, v11
	v_fma_f32 v109, -v10, v108, v13
	v_fmac_f32_e32 v108, v109, v11
	v_fma_f32 v10, -v10, v108, v13
	v_div_scale_f32 v13, s[12:13], v6, v6, 1.0
	v_rcp_f32_e32 v116, v13
	v_div_fmas_f32 v10, v10, v11, v108
	v_div_fixup_f32 v7, v10, v7, 1.0
	v_cmp_ngt_f32_e64 s[12:13], s20, v5
	v_fma_f32 v10, -v13, v116, 1.0
	v_fmac_f32_e32 v116, v10, v116
	v_div_scale_f32 v10, vcc, 1.0, v6, 1.0
	v_mul_f32_e32 v117, v10, v116
	v_fma_f32 v11, -v13, v117, v10
	v_fmac_f32_e32 v117, v11, v116
	v_fma_f32 v118, -v13, v117, v10
	v_cndmask_b32_e64 v10, v107, -v5, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s20, v4
	s_nop 1
	v_cndmask_b32_e64 v13, v107, -v4, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s21, v10
	v_mov_b32_e32 v107, 0x3c088908
	s_nop 0
	v_cndmask_b32_e64 v11, v112, v10, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s21, v13
	s_nop 1
	v_cndmask_b32_e64 v10, v112, v13, s[12:13]
	v_pk_fma_f32 v[8:9], v[10:11], s[16:17], v[8:9] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v112, 0xcb400000, v9
	v_add_f32_e32 v13, 0xcb400000, v8
	v_pk_mul_f32 v[112:113], v[112:113], s[18:19] op_sel_hi:[0,1]
	v_mul_f32_e32 v108, 0x3f318000, v13
	v_mov_b32_e32 v109, v113
	v_mul_f32_e32 v110, 0x395e8083, v13
	v_pk_add_f32 v[10:11], v[10:11], v[108:109] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v111, v112
	v_pk_add_f32 v[10:11], v[110:111], v[10:11]
	v_mov_b32_e32 v109, 0x3d2aa9c1
	v_fmamk_f32 v13, v10, 0x39506967, v12
	v_fmac_f32_e32 v12, 0x39506967, v11
	v_fmaak_f32 v13, v10, v13, 0x3c088908
	v_fmac_f32_e32 v107, v11, v12
	v_fmaak_f32 v108, v10, v13, 0x3d2aa9c1
	v_mov_b32_e32 v13, 0x3e2aaaaa
	v_fmac_f32_e32 v109, v11, v107
	v_fmac_f32_e32 v13, v11, v109
	v_mov_b32_e32 v12, v11
	v_fmaak_f32 v108, v10, v108, 0x3e2aaaaa
	v_pk_mul_f32 v[12:13], v[10:11], v[12:13] op_sel:[1,0]
	v_mul_f32_e32 v108, v10, v108
	v_pk_mul_f32 v[110:111], v[10:11], v[10:11]
	v_mov_b32_e32 v109, v13
	v_pk_add_f32 v[108:109], v[108:109], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v111, v12
	v_lshlrev_b32_e32 v12, 22, v9
	v_lshlrev_b32_e32 v13, 22, v8
	v_pk_fma_f32 v[10:11], v[110:111], v[108:109], v[10:11]
	v_lshrrev_b32_e32 v107, 1, v9
	v_lshrrev_b32_e32 v108, 1, v8
	v_and_b32_e32 v12, 0xff800000, v12
	v_and_b32_e32 v109, 0xff800000, v13
	v_pk_add_f32 v[10:11], v[10:11], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v13, 1.0, v12
	v_add_u32_e32 v12, 1.0, v109
	v_sub_u32_e32 v8, v8, v108
	v_sub_u32_e32 v9, v9, v107
	v_pk_mul_f32 v[10:11], v[10:11], v[12:13]
	v_lshl_add_u32 v9, v9, 23, 1.0
	v_lshl_add_u32 v8, v8, 23, 1.0
	v_pk_fma_f32 v[8:9], v[10:11], v[8:9], 1.0 op_sel_hi:[1,1,0]
	v_div_fmas_f32 v12, v118, v116, v117
	v_div_scale_f32 v10, s[12:13], v9, v9, 1.0
	v_rcp_f32_e32 v11, v10
	v_div_fixup_f32 v6, v12, v6, 1.0
	v_pk_mul_f32 v[6:7], v[2:3], v[6:7]
	v_fma_f32 v12, -v10, v11, 1.0
	v_fmac_f32_e32 v11, v12, v11
	v_div_scale_f32 v12, vcc, 1.0, v9, 1.0
	v_mul_f32_e32 v13, v12, v11
	v_fma_f32 v107, -v10, v13, v12
	v_fmac_f32_e32 v13, v107, v11
	v_fma_f32 v10, -v10, v13, v12
	v_div_scale_f32 v12, s[12:13], v8, v8, 1.0
	v_rcp_f32_e32 v107, v12
	v_div_fmas_f32 v10, v10, v11, v13
	v_div_fixup_f32 v9, v10, v9, 1.0
	v_fma_f32 v10, -v12, v107, 1.0
	v_fmac_f32_e32 v107, v10, v107
	v_div_scale_f32 v10, vcc, 1.0, v8, 1.0
	v_mul_f32_e32 v11, v10, v107
	v_fma_f32 v13, -v12, v11, v10
	v_fmac_f32_e32 v11, v13, v107
	v_fma_f32 v10, -v12, v11, v10
	v_div_fmas_f32 v10, v10, v107, v11
	v_div_fixup_f32 v8, v10, v8, 1.0
	v_pk_mul_f32 v[8:9], v[4:5], v[8:9]
.LBB0_517:                              ;   in Loop: Header=BB0_512 Depth=3
	s_cbranch_execz .LBB0_520
	s_branch .LBB0_521
.LBB0_518:                              ;   in Loop: Header=BB0_512 Depth=3
                                        ; implicit-def: $vgpr6_vgpr7_vgpr8_vgpr9
	s_branch .LBB0_522
.LBB0_519:                              ;   in Loop: Header=BB0_512 Depth=3
                                        ; implicit-def: $vgpr6_vgpr7_vgpr8_vgpr9
.LBB0_520:                              ;   in Loop: Header=BB0_512 Depth=3
	v_pk_mul_f32 v[6:7], v[2:3], v[2:3]
	s_mov_b32 s12, 0x3d372713
	v_pk_mul_f32 v[6:7], v[2:3], v[6:7]
	s_mov_b32 s16, 0xbfcc422a
	v_pk_fma_f32 v[6:7], v[6:7], s[12:13], v[2:3] op_sel_hi:[1,0,1]
	s_mov_b32 s19, 0x42b20000
	v_pk_mul_f32 v[6:7], v[6:7], s[16:17] op_sel_hi:[1,0]
	v_mov_b32_e32 v107, 0x42b20000
	v_cmp_nlt_f32_e32 vcc, s19, v6
	s_mov_b32 s68, 0xc2d00000
	v_mov_b32_e32 v112, 0xc2d00000
	v_cndmask_b32_e32 v6, v107, v6, vcc
	v_cmp_nlt_f32_e32 vcc, s19, v7
	s_mov_b32 s20, 0x4b400000
	s_mov_b32 s18, 0x3fb8aa3b
	v_cndmask_b32_e32 v7, v107, v7, vcc
	v_cmp_ngt_f32_e32 vcc, s68, v7
	v_mov_b64_e32 v[8:9], s[20:21]
	s_mov_b32 s20, 0xcb400000
	v_cndmask_b32_e32 v7, v112, v7, vcc
	v_cmp_ngt_f32_e32 vcc, s68, v6
	s_mov_b32 s58, 0x39506967
	s_nop 0
	v_cndmask_b32_e32 v6, v112, v6, vcc
	v_pk_fma_f32 v[10:11], v[6:7], s[18:19], v[8:9] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[12:13], v[10:11], s[20:21] op_sel_hi:[1,0]
	s_mov_b32 s20, 0xbf318000
	v_pk_fma_f32 v[6:7], v[12:13], s[20:21], v[6:7] op_sel_hi:[1,0,1]
	s_mov_b32 s20, 0x395e8083
	s_mov_b32 s21, 0x3f318000
	v_pk_fma_f32 v[6:7], v[12:13], s[20:21], v[6:7] op_sel_hi:[1,0,1]
	v_mov_b32_e32 v12, 0x3ab743ce
	v_pk_fma_f32 v[108:109], v[6:7], s[58:59], v[12:13] op_sel_hi:[1,0,0]
	s_mov_b32 s58, 0x3c088908
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[58:59] op_sel_hi:[1,1,0]
	s_mov_b32 s58, 0x3d2aa9c1
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[58:59] op_sel_hi:[1,1,0]
	s_mov_b32 s58, 0x3e2aaaaa
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[58:59] op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[110:111], v[6:7], v[6:7]
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], 0.5 op_sel_hi:[1,1,0]
	v_lshrrev_b32_e32 v13, 1, v11
	v_pk_fma_f32 v[6:7], v[110:111], v[108:109], v[6:7]
	v_lshlrev_b32_e32 v108, 22, v11
	v_lshlrev_b32_e32 v109, 22, v10
	v_lshrrev_b32_e32 v110, 1, v10
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v111, 0xff800000, v109
	v_pk_add_f32 v[6:7], v[6:7], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v111
	v_sub_u32_e32 v10, v10, v110
	v_sub_u32_e32 v11, v11, v13
	v_pk_mul_f32 v[6:7], v[6:7], v[108:109]
	v_lshl_add_u32 v11, v11, 23, 1.0
	v_lshl_add_u32 v10, v10, 23, 1.0
	v_pk_fma_f32 v[6:7], v[6:7], v[10:11], 1.0 op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[10:11], v[4:5], v[4:5]
	v_div_scale_f32 v13, s[58:59], v7, v7, 1.0
	v_rcp_f32_e32 v108, v13
	v_pk_mul_f32 v[10:11], v[4:5], v[10:11]
	v_fma_f32 v109, -v13, v108, 1.0
	v_fmac_f32_e32 v108, v109, v108
	v_div_scale_f32 v109, vcc, 1.0, v7, 1.0
	v_mul_f32_e32 v110, v109, v108
	v_fma_f32 v111, -v13, v110, v109
	v_fmac_f32_e32 v110, v111, v108
	v_fma_f32 v13, -v13, v110, v109
	v_div_scale_f32 v109, s[58:59], v6, v6, 1.0
	v_pk_fma_f32 v[10:11], v[10:11], s[12:13], v[4:5] op_sel_hi:[1,0,1]
	v_rcp_f32_e32 v116, v109
	v_pk_mul_f32 v[10:11], v[10:11], s[16:17] op_sel_hi:[1,0]
	v_div_fmas_f32 v13, v13, v108, v110
	v_cmp_nlt_f32_e64 s[12:13], s19, v10
	v_div_fixup_f32 v7, v13, v7, 1.0
	v_fma_f32 v13, -v109, v116, 1.0
	v_cndmask_b32_e64 v10, v107, v10, s[12:13]
	v_cmp_nlt_f32_e64 s[12:13], s19, v11
	v_fmac_f32_e32 v116, v13, v116
	v_div_scale_f32 v13, vcc, 1.0, v6, 1.0
	v_cndmask_b32_e64 v11, v107, v11, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s68, v11
	v_mul_f32_e32 v117, v13, v116
	v_fma_f32 v108, -v109, v117, v13
	v_cndmask_b32_e64 v11, v112, v11, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s68, v10
	v_fmac_f32_e32 v117, v108, v116
	v_fma_f32 v118, -v109, v117, v13
	v_cndmask_b32_e64 v10, v112, v10, s[12:13]
	v_pk_fma_f32 v[8:9], v[10:11], s[18:19], v[8:9] op_sel_hi:[1,0,0]
	v_mov_b32_e32 v107, 0x3c088908
	v_add_f32_e32 v112, 0xcb400000, v9
	v_add_f32_e32 v13, 0xcb400000, v8
	v_pk_mul_f32 v[112:113], v[112:113], s[20:21] op_sel_hi:[0,1]
	v_mul_f32_e32 v108, 0x3f318000, v13
	v_mov_b32_e32 v109, v113
	v_mul_f32_e32 v110, 0x395e8083, v13
	v_pk_add_f32 v[10:11], v[10:11], v[108:109] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v111, v112
	v_pk_add_f32 v[10:11], v[110:111], v[10:11]
	v_mov_b32_e32 v109, 0x3d2aa9c1
	v_fmamk_f32 v13, v10, 0x39506967, v12
	v_fmac_f32_e32 v12, 0x39506967, v11
	v_fmaak_f32 v13, v10, v13, 0x3c088908
	v_fmac_f32_e32 v107, v11, v12
	v_fmaak_f32 v108, v10, v13, 0x3d2aa9c1
	v_mov_b32_e32 v13, 0x3e2aaaaa
	v_fmac_f32_e32 v109, v11, v107
	v_fmac_f32_e32 v13, v11, v109
	v_mov_b32_e32 v12, v11
	v_fmaak_f32 v108, v10, v108, 0x3e2aaaaa
	v_pk_mul_f32 v[12:13], v[10:11], v[12:13] op_sel:[1,0]
	v_mul_f32_e32 v108, v10, v108
	v_pk_mul_f32 v[110:111], v[10:11], v[10:11]
	v_mov_b32_e32 v109, v13
	v_pk_add_f32 v[108:109], v[108:109], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v111, v12
	v_lshlrev_b32_e32 v12, 22, v9
	v_lshlrev_b32_e32 v13, 22, v8
	v_pk_fma_f32 v[10:11], v[110:111], v[108:109], v[10:11]
	v_lshrrev_b32_e32 v107, 1, v9
	v_lshrrev_b32_e32 v108, 1, v8
	v_and_b32_e32 v12, 0xff800000, v12
	v_and_b32_e32 v109, 0xff800000, v13
	v_pk_add_f32 v[10:11], v[10:11], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v13, 1.0, v12
	v_add_u32_e32 v12, 1.0, v109
	v_sub_u32_e32 v8, v8, v108
	v_sub_u32_e32 v9, v9, v107
	v_pk_mul_f32 v[10:11], v[10:11], v[12:13]
	v_lshl_add_u32 v9, v9, 23, 1.0
	v_lshl_add_u32 v8, v8, 23, 1.0
	v_pk_fma_f32 v[8:9], v[10:11], v[8:9], 1.0 op_sel_hi:[1,1,0]
	v_div_fmas_f32 v12, v118, v116, v117
	v_div_scale_f32 v10, s[12:13], v9, v9, 1.0
	v_rcp_f32_e32 v11, v10
	v_div_fixup_f32 v6, v12, v6, 1.0
	v_pk_mul_f32 v[6:7], v[2:3], v[6:7]
	v_fma_f32 v12, -v10, v11, 1.0
	v_fmac_f32_e32 v11, v12, v11
	v_div_scale_f32 v12, vcc, 1.0, v9, 1.0
	v_mul_f32_e32 v13, v12, v11
	v_fma_f32 v107, -v10, v13, v12
	v_fmac_f32_e32 v13, v107, v11
	v_fma_f32 v10, -v10, v13, v12
	v_div_scale_f32 v12, s[12:13], v8, v8, 1.0
	v_rcp_f32_e32 v107, v12
	v_div_fmas_f32 v10, v10, v11, v13
	v_div_fixup_f32 v9, v10, v9, 1.0
	v_fma_f32 v10, -v12, v107, 1.0
	v_fmac_f32_e32 v107, v10, v107
	v_div_scale_f32 v10, vcc, 1.0, v8, 1.0
	v_mul_f32_e32 v11, v10, v107
	v_fma_f32 v13, -v12, v11, v10
	v_fmac_f32_e32 v11, v13, v107
	v_fma_f32 v10, -v12, v11, v10
	v_div_fmas_f32 v10, v10, v107, v11
	v_div_fixup_f32 v8, v10, v8, 1.0
	v_pk_mul_f32 v[8:9], v[4:5], v[8:9]
.LBB0_521:                              ;   in Loop: Header=BB0_512 Depth=3
	s_cbranch_execnz .LBB0_524
.LBB0_522:                              ;   in Loop: Header=BB0_512 Depth=3
	s_and_b32 s12, 0xffff, s17
	v_mov_b64_e32 v[8:9], v[4:5]
	s_cmp_eq_u32 s12, 1
	v_mov_b64_e32 v[6:7], v[2:3]
	s_cbranch_scc0 .LBB0_524
; %bb.523:                              ;   in Loop: Header=BB0_512 Depth=3
	v_cmp_ngt_f32_e32 vcc, 0, v2
	s_nop 1
	v_cndmask_b32_e32 v6, 0, v2, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v7, 0, v3, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v4
	s_nop 1
	v_cndmask_b32_e32 v8, 0, v4, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v5
	s_nop 1
	v_cndmask_b32_e32 v9, 0, v5, vcc
.LBB0_524:                              ;   in Loop: Header=BB0_512 Depth=3
	v_mov_b64_e32 v[12:13], v[4:5]
	s_andn2_b64 vcc, exec, s[14:15]
	v_mov_b64_e32 v[10:11], v[2:3]
	s_cbranch_vccnz .LBB0_540
; %bb.525:                              ;   in Loop: Header=BB0_512 Depth=3
	s_andn2_b64 vcc, exec, s[28:29]
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	s_cbranch_vccnz .LBB0_531
; %bb.526:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v10, v[98:99], off
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, v12
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_631
; %bb.527:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v11, v[98:99], off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB0_632
.LBB0_528:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v13, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_530
.LBB0_529:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v13, v[98:99], off offset:12
.LBB0_530:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
.LBB0_531:                              ;   in Loop: Header=BB0_512 Depth=3
	v_or_b32_e32 v110, v106, v17
	v_mov_b32_e32 v17, v16
	s_andn2_b64 vcc, exec, s[30:31]
	v_mov_b32_e32 v108, 1.0
	v_mov_b32_e32 v109, 1.0
	v_mov_b32_e32 v106, 1.0
	v_mov_b32_e32 v107, 1.0
	s_cbranch_vccnz .LBB0_539
; %bb.532:                              ;   in Loop: Header=BB0_512 Depth=3
	s_andn2_b64 vcc, exec, s[62:63]
	s_cbranch_vccnz .LBB0_635
; %bb.533:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v108, v[100:101], off
	v_mov_b32_e32 v106, 0
	v_mov_b32_e32 v109, v106
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_633
; %bb.534:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v109, v[100:101], off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB0_634
.LBB0_535:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v107, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_537
.LBB0_536:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v107, v[100:101], off offset:12
.LBB0_537:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB0_539
.LBB0_538:                              ;   in Loop: Header=BB0_512 Depth=3
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v106, 0
	global_load_dword v107, v106, s[46:47]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v106, v107
	v_mov_b32_e32 v109, v107
	v_mov_b32_e32 v108, v107
.LBB0_539:                              ;   in Loop: Header=BB0_512 Depth=3
	v_xor_b32_e32 v110, v110, v127
	v_lshl_add_u32 v1, v110, 4, v1
	ds_read_b128 v[110:113], v1
	v_mov_b32_e32 v116, v16
	v_mov_b32_e32 v117, v16
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[112:113], v[116:117], v[112:113]
	v_pk_mul_f32 v[16:17], v[16:17], v[110:111]
	s_waitcnt vmcnt(0)
	v_pk_fma_f32 v[12:13], v[106:107], v[112:113], v[12:13]
	v_pk_fma_f32 v[10:11], v[108:109], v[16:17], v[10:11]
	v_pk_mul_f32 v[8:9], v[8:9], v[12:13]
	v_pk_mul_f32 v[6:7], v[6:7], v[10:11]
.LBB0_540:                              ;   in Loop: Header=BB0_512 Depth=3
	v_lshl_add_u64 v[14:15], v[14:15], 0, s[22:23]
	v_mul_lo_u32 v1, v15, s38
	v_mul_lo_u32 v112, v14, s39
	v_mad_u64_u32 v[106:107], s[12:13], v14, s38, v[82:83]
	s_andn2_b64 vcc, exec, s[34:35]
	v_add3_u32 v107, v1, v107, v112
	s_cbranch_vccnz .LBB0_546
; %bb.541:                              ;   in Loop: Header=BB0_512 Depth=3
	v_lshl_add_u64 v[110:111], v[106:107], 2, s[24:25]
	global_load_dword v16, v[110:111], off
	v_mov_b32_e32 v108, 0
	v_mov_b32_e32 v17, v108
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_629
; %bb.542:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v17, v[110:111], off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB0_630
.LBB0_543:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v109, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_545
.LBB0_544:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v109, v[110:111], off offset:12
.LBB0_545:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_waitcnt vmcnt(0)
	v_pk_add_f32 v[8:9], v[8:9], v[108:109]
	v_pk_add_f32 v[6:7], v[6:7], v[16:17]
.LBB0_546:                              ;   in Loop: Header=BB0_512 Depth=3
	v_mad_u64_u32 v[14:15], s[12:13], v14, s38, 0
	v_add3_u32 v15, v15, v112, v1
	v_cndmask_b32_e64 v15, 0, v15, s[14:15]
	v_cndmask_b32_e64 v14, 0, v14, s[14:15]
	v_lshl_add_u64 v[108:109], v[106:107], 0, v[14:15]
	v_lshl_add_u64 v[110:111], v[108:109], 0, s[38:39]
	s_mov_b32 s58, s73
	s_branch .LBB0_549
.LBB0_547:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_dwordx4 v[112:113], v[14:17], off
.LBB0_548:                              ;   in Loop: Header=BB0_549 Depth=4
	s_add_i32 s12, s58, 1
	s_cmp_lt_u32 s58, 2
	s_mov_b32 s58, s12
	s_cbranch_scc0 .LBB0_511
.LBB0_549:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_500 Depth=2
                                        ;       Parent Loop BB0_512 Depth=3
                                        ; =>      This Inner Loop Header: Depth=4
	s_cmp_lg_u32 s58, 1
	s_cselect_b64 s[12:13], -1, 0
	s_or_b64 s[16:17], s[12:13], s[14:15]
	s_andn2_b64 vcc, exec, s[16:17]
	s_cbranch_vccnz .LBB0_548
; %bb.550:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cmp_eq_u32 s58, 2
	s_cselect_b32 s69, s25, s27
	s_cselect_b32 s68, s24, s26
	s_cmp_eq_u32 s58, 0
	v_cndmask_b32_e64 v1, v110, v106, s[12:13]
	v_cndmask_b32_e64 v14, v111, v107, s[12:13]
	s_cselect_b64 vcc, -1, 0
	v_cndmask_b32_e32 v113, v14, v109, vcc
	v_cndmask_b32_e32 v112, v1, v108, vcc
	v_cndmask_b32_e64 v1, v10, v6, s[12:13]
	v_cndmask_b32_e64 v14, v11, v7, s[12:13]
	v_cndmask_b32_e64 v15, v12, v8, s[12:13]
	v_cndmask_b32_e64 v16, v13, v9, s[12:13]
	v_cndmask_b32_e32 v17, v16, v5, vcc
	v_cndmask_b32_e32 v16, v15, v4, vcc
	v_cndmask_b32_e32 v15, v14, v3, vcc
	v_cndmask_b32_e32 v14, v1, v2, vcc
	s_cmp_lt_i32 s87, 3
	s_mov_b64 s[12:13], -1
	s_cbranch_scc1 .LBB0_594
; %bb.551:                              ;   in Loop: Header=BB0_549 Depth=4
	s_and_b32 s59, 0xffff, s87
	s_cmp_lt_i32 s59, 5
	s_cbranch_scc1 .LBB0_571
; %bb.552:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cmp_lt_i32 s59, 6
	s_cbranch_scc1 .LBB0_562
; %bb.553:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cmp_eq_u32 s59, 6
	s_cbranch_scc0 .LBB0_561
; %bb.554:                              ;   in Loop: Header=BB0_549 Depth=4
	v_and_b32_e32 v117, 0x7fffffff, v15
	v_and_b32_e32 v116, 0x7fffffff, v14
	v_lshrrev_b32_e32 v118, 21, v117
	v_lshrrev_b32_e32 v119, 21, v116
	v_and_b32_e32 v118, 1, v118
	v_and_b32_e32 v119, 1, v119
	s_mov_b32 s76, 0xfffff
	v_add3_u32 v119, v116, v119, s76
	v_add3_u32 v118, v117, v118, s76
	s_movk_i32 s75, 0x80
	v_lshrrev_b32_e32 v118, 21, v118
	v_lshrrev_b32_e32 v119, 21, v119
	s_mov_b32 s74, 0x42800000
	v_add_u32_e32 v129, 0xfffffe44, v119
	v_add_u32_e32 v130, 0xfffffe44, v118
	v_pk_add_f32 v[118:119], v[116:117], s[74:75] op_sel_hi:[1,0]
	s_brev_b32 s77, 28
	v_add_u32_e32 v119, 0xbd800000, v119
	v_cmp_gt_u32_e32 vcc, s77, v117
	v_and_b32_sdwa v1, v15, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_add_u32_e32 v118, 0xbd800000, v118
	v_cndmask_b32_e32 v119, v130, v119, vcc
	v_cmp_gt_u32_e32 vcc, s77, v116
	v_and_b32_sdwa v120, v14, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_or_b32_e32 v1, v119, v1
	v_cndmask_b32_e32 v118, v129, v118, vcc
	s_movk_i32 s78, 0x7f
	s_mov_b32 s79, 0x7f800000
	v_cmp_ne_u32_e64 s[20:21], 0, v119
	v_or_b32_e32 v120, v118, v120
	v_cmp_lt_i32_e32 vcc, s78, v118
	v_cmp_lt_u32_e64 s[16:17], s79, v116
	v_cndmask_b32_e64 v1, 0, v1, s[20:21]
	v_cmp_ne_u32_e64 s[20:21], 0, v118
	v_cmp_lt_i32_e64 s[12:13], s78, v119
	v_cmp_lt_u32_e64 s[18:19], s79, v117
	v_cndmask_b32_e64 v116, 0, v120, s[20:21]
	v_mov_b32_e32 v120, 0xffffff80
	s_or_b64 vcc, s[16:17], vcc
	v_cndmask_b32_e32 v116, v116, v120, vcc
	s_or_b64 vcc, s[18:19], s[12:13]
	v_cndmask_b32_e32 v1, v1, v120, vcc
	v_lshlrev_b16_e32 v1, 8, v1
	s_movk_i32 s20, 0xff
	v_bitop3_b16 v1, v116, v1, s20 bitop3:0xec
	v_and_b32_e32 v117, 0x7fffffff, v17
	v_and_b32_e32 v116, 0x7fffffff, v16
	v_lshrrev_b32_e32 v118, 21, v117
	v_lshrrev_b32_e32 v119, 21, v116
	v_and_b32_e32 v118, 1, v118
	v_and_b32_e32 v119, 1, v119
	v_add3_u32 v119, v116, v119, s76
	v_add3_u32 v118, v117, v118, s76
	v_lshrrev_b32_e32 v118, 21, v118
	v_lshrrev_b32_e32 v119, 21, v119
	v_add_u32_e32 v131, 0xfffffe44, v119
	v_add_u32_e32 v132, 0xfffffe44, v118
	v_pk_add_f32 v[118:119], v[116:117], s[74:75] op_sel_hi:[1,0]
	v_cmp_gt_u32_e32 vcc, s77, v117
	v_add_u32_e32 v119, 0xbd800000, v119
	v_and_b32_sdwa v129, v17, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v119, v132, v119, vcc
	v_add_u32_e32 v118, 0xbd800000, v118
	v_cmp_gt_u32_e32 vcc, s77, v116
	v_cmp_lt_i32_e64 s[12:13], s78, v119
	v_cmp_lt_u32_e64 s[18:19], s79, v117
	v_and_b32_sdwa v130, v16, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v118, v131, v118, vcc
	v_or_b32_e32 v129, v119, v129
	s_or_b64 s[12:13], s[18:19], s[12:13]
	v_cmp_ne_u32_e64 s[18:19], 0, v119
	v_or_b32_e32 v130, v118, v130
	v_cmp_lt_i32_e32 vcc, s78, v118
	v_cmp_lt_u32_e64 s[16:17], s79, v116
	v_cndmask_b32_e64 v116, 0, v129, s[18:19]
	v_cmp_ne_u32_e64 s[18:19], 0, v118
	s_or_b64 vcc, s[16:17], vcc
	v_and_b32_e32 v1, 0xffff, v1
	v_cndmask_b32_e64 v117, 0, v130, s[18:19]
	v_cndmask_b32_e32 v117, v117, v120, vcc
	s_mov_b64 vcc, s[12:13]
	v_cndmask_b32_sdwa v116, v116, v120, vcc dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	s_and_b64 vcc, exec, s[44:45]
	v_bitop3_b16 v116, v117, v116, s20 bitop3:0xec
	v_and_b32_e32 v118, 0xffff, v116
	v_lshl_add_u64 v[116:117], s[68:69], 0, v[112:113]
	s_cbranch_vccz .LBB0_628
; %bb.555:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_byte v[116:117], v1, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_626
; %bb.556:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshrrev_b16_e32 v119, 8, v1
	global_store_byte v[116:117], v119, off offset:1
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB0_627
.LBB0_557:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_559
.LBB0_558:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshrrev_b16_e32 v119, 8, v118
	global_store_byte v[116:117], v119, off offset:3
.LBB0_559:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB0_561
.LBB0_560:                              ;   in Loop: Header=BB0_549 Depth=4
	s_mov_b32 s12, 0x5040100
	v_perm_b32 v1, v118, v1, s12
	global_store_dword v[116:117], v1, off
.LBB0_561:                              ;   in Loop: Header=BB0_549 Depth=4
	s_mov_b64 s[12:13], 0
.LBB0_562:                              ;   in Loop: Header=BB0_549 Depth=4
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB0_570
; %bb.563:                              ;   in Loop: Header=BB0_549 Depth=4
	v_and_b32_e32 v117, 0x7fffffff, v15
	v_and_b32_e32 v116, 0x7fffffff, v14
	v_lshrrev_b32_e32 v118, 20, v117
	v_lshrrev_b32_e32 v119, 20, v116
	v_and_b32_e32 v118, 1, v118
	v_and_b32_e32 v119, 1, v119
	s_mov_b32 s76, 0x7ffff
	v_add3_u32 v119, v116, v119, s76
	v_add3_u32 v118, v117, v118, s76
	s_movk_i32 s75, 0x80
	v_lshrrev_b32_e32 v118, 20, v118
	v_lshrrev_b32_e32 v119, 20, v119
	s_mov_b32 s74, 0x46000000
	v_add_u32_e32 v129, 0xfffffc48, v119
	v_add_u32_e32 v130, 0xfffffc48, v118
	v_pk_add_f32 v[118:119], v[116:117], s[74:75] op_sel_hi:[1,0]
	s_brev_b32 s77, 60
	v_add_u32_e32 v119, 0xba000000, v119
	v_cmp_gt_u32_e32 vcc, s77, v117
	v_and_b32_sdwa v1, v15, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_add_u32_e32 v118, 0xba000000, v118
	v_cndmask_b32_e32 v119, v130, v119, vcc
	v_cmp_gt_u32_e32 vcc, s77, v116
	v_and_b32_sdwa v120, v14, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_or_b32_e32 v1, v119, v1
	v_cndmask_b32_e32 v118, v129, v118, vcc
	s_movk_i32 s78, 0x7f
	s_mov_b32 s79, 0x7f800000
	v_cmp_ne_u32_e64 s[20:21], 0, v119
	v_or_b32_e32 v120, v118, v120
	v_cmp_lt_i32_e32 vcc, s78, v118
	v_cmp_lt_u32_e64 s[16:17], s79, v116
	v_cndmask_b32_e64 v1, 0, v1, s[20:21]
	v_cmp_ne_u32_e64 s[20:21], 0, v118
	v_cmp_lt_i32_e64 s[12:13], s78, v119
	v_cmp_lt_u32_e64 s[18:19], s79, v117
	v_cndmask_b32_e64 v116, 0, v120, s[20:21]
	v_mov_b32_e32 v120, 0xffffff80
	s_or_b64 vcc, s[16:17], vcc
	v_cndmask_b32_e32 v116, v116, v120, vcc
	s_or_b64 vcc, s[18:19], s[12:13]
	v_cndmask_b32_e32 v1, v1, v120, vcc
	v_lshlrev_b16_e32 v1, 8, v1
	s_movk_i32 s20, 0xff
	v_bitop3_b16 v1, v116, v1, s20 bitop3:0xec
	v_and_b32_e32 v117, 0x7fffffff, v17
	v_and_b32_e32 v116, 0x7fffffff, v16
	v_lshrrev_b32_e32 v118, 20, v117
	v_lshrrev_b32_e32 v119, 20, v116
	v_and_b32_e32 v118, 1, v118
	v_and_b32_e32 v119, 1, v119
	v_add3_u32 v119, v116, v119, s76
	v_add3_u32 v118, v117, v118, s76
	v_lshrrev_b32_e32 v118, 20, v118
	v_lshrrev_b32_e32 v119, 20, v119
	v_add_u32_e32 v131, 0xfffffc48, v119
	v_add_u32_e32 v132, 0xfffffc48, v118
	v_pk_add_f32 v[118:119], v[116:117], s[74:75] op_sel_hi:[1,0]
	v_cmp_gt_u32_e32 vcc, s77, v117
	v_add_u32_e32 v119, 0xba000000, v119
	v_and_b32_sdwa v129, v17, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v119, v132, v119, vcc
	v_add_u32_e32 v118, 0xba000000, v118
	v_cmp_gt_u32_e32 vcc, s77, v116
	v_cmp_lt_i32_e64 s[12:13], s78, v119
	v_cmp_lt_u32_e64 s[18:19], s79, v117
	v_and_b32_sdwa v130, v16, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v118, v131, v118, vcc
	v_or_b32_e32 v129, v119, v129
	s_or_b64 s[12:13], s[18:19], s[12:13]
	v_cmp_ne_u32_e64 s[18:19], 0, v119
	v_or_b32_e32 v130, v118, v130
	v_cmp_lt_i32_e32 vcc, s78, v118
	v_cmp_lt_u32_e64 s[16:17], s79, v116
	v_cndmask_b32_e64 v116, 0, v129, s[18:19]
	v_cmp_ne_u32_e64 s[18:19], 0, v118
	s_or_b64 vcc, s[16:17], vcc
	v_and_b32_e32 v1, 0xffff, v1
	v_cndmask_b32_e64 v117, 0, v130, s[18:19]
	v_cndmask_b32_e32 v117, v117, v120, vcc
	s_mov_b64 vcc, s[12:13]
	v_cndmask_b32_sdwa v116, v116, v120, vcc dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	s_and_b64 vcc, exec, s[44:45]
	v_bitop3_b16 v116, v117, v116, s20 bitop3:0xec
	v_and_b32_e32 v118, 0xffff, v116
	v_lshl_add_u64 v[116:117], s[68:69], 0, v[112:113]
	s_cbranch_vccz .LBB0_623
; %bb.564:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_byte v[116:117], v1, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_621
; %bb.565:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshrrev_b16_e32 v119, 8, v1
	global_store_byte v[116:117], v119, off offset:1
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB0_622
.LBB0_566:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_568
.LBB0_567:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshrrev_b16_e32 v119, 8, v118
	global_store_byte v[116:117], v119, off offset:3
.LBB0_568:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB0_570
.LBB0_569:                              ;   in Loop: Header=BB0_549 Depth=4
	s_mov_b32 s12, 0x5040100
	v_perm_b32 v1, v118, v1, s12
	global_store_dword v[116:117], v1, off
.LBB0_570:                              ;   in Loop: Header=BB0_549 Depth=4
	s_mov_b64 s[12:13], 0
.LBB0_571:                              ;   in Loop: Header=BB0_549 Depth=4
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB0_593
; %bb.572:                              ;   in Loop: Header=BB0_549 Depth=4
	s_mov_b64 s[12:13], -1
	s_cmp_gt_i32 s59, 3
	v_lshl_add_u64 v[116:117], s[68:69], 0, v[112:113]
	s_cbranch_scc0 .LBB0_583
; %bb.573:                              ;   in Loop: Header=BB0_549 Depth=4
	v_and_b32_e32 v118, 0x7fffffff, v14
	v_and_b32_e32 v119, 0x7fffffff, v15
	v_lshrrev_b32_e32 v130, 21, v118
	v_lshrrev_b32_e32 v129, 21, v119
	v_and_b32_e32 v130, 1, v130
	s_mov_b32 s16, 0xfffff
	v_and_b32_e32 v129, 1, v129
	v_add3_u32 v130, v118, v130, s16
	s_movk_i32 s13, 0x80
	v_add3_u32 v129, v119, v129, s16
	v_lshrrev_b32_e32 v130, 21, v130
	s_mov_b32 s12, 0x43000000
	v_lshrrev_b32_e32 v129, 21, v129
	v_add_u32_e32 v132, 0xfffffe40, v130
	v_pk_add_f32 v[130:131], v[118:119], s[12:13] op_sel_hi:[1,0]
	s_mov_b32 s17, 0x38800000
	v_add_u32_e32 v129, 0xfffffe40, v129
	v_add_u32_e32 v131, 0xbd000000, v131
	v_cmp_gt_u32_e32 vcc, s17, v119
	v_add_u32_e32 v130, 0xbd000000, v130
	s_mov_b32 s18, 0x7f800001
	v_cndmask_b32_e32 v129, v129, v131, vcc
	v_cmp_gt_u32_e32 vcc, s17, v118
	v_min_i32_e32 v129, 0x7c, v129
	v_mov_b32_e32 v134, 0x7e
	v_cndmask_b32_e32 v130, v132, v130, vcc
	v_cmp_gt_u32_e32 vcc, s18, v119
	v_min_i32_e32 v130, 0x7c, v130
	v_and_b32_e32 v131, 0x7fffffff, v17
	v_cndmask_b32_e32 v119, v134, v129, vcc
	v_cmp_gt_u32_e32 vcc, s18, v118
	v_lshrrev_b32_e32 v129, 21, v131
	v_and_b32_e32 v129, 1, v129
	v_cndmask_b32_e32 v118, v134, v130, vcc
	v_and_b32_e32 v130, 0x7fffffff, v16
	v_lshrrev_b32_e32 v132, 21, v130
	v_and_b32_e32 v132, 1, v132
	v_add3_u32 v132, v130, v132, s16
	v_add3_u32 v129, v131, v129, s16
	v_lshrrev_b32_e32 v132, 21, v132
	v_lshrrev_b32_e32 v129, 21, v129
	v_add_u32_e32 v135, 0xfffffe40, v132
	v_pk_add_f32 v[132:133], v[130:131], s[12:13] op_sel_hi:[1,0]
	v_add_u32_e32 v129, 0xfffffe40, v129
	v_add_u32_e32 v133, 0xbd000000, v133
	v_cmp_gt_u32_e32 vcc, s17, v131
	v_add_u32_e32 v132, 0xbd000000, v132
	v_and_b32_sdwa v1, v15, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v129, v129, v133, vcc
	v_cmp_gt_u32_e32 vcc, s17, v130
	v_min_i32_e32 v129, 0x7c, v129
	v_and_b32_sdwa v120, v14, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v132, v135, v132, vcc
	v_cmp_gt_u32_e32 vcc, s18, v131
	v_min_i32_e32 v132, 0x7c, v132
	v_or_b32_e32 v1, v119, v1
	v_cndmask_b32_e32 v129, v134, v129, vcc
	v_cmp_gt_u32_e32 vcc, s18, v130
	v_or_b32_e32 v118, v118, v120
	v_and_b32_sdwa v119, v17, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_and_b32_sdwa v120, v16, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v130, v134, v132, vcc
	v_or_b32_e32 v119, v129, v119
	v_or_b32_e32 v120, v130, v120
	s_and_b64 vcc, exec, s[44:45]
	s_cbranch_vccz .LBB0_624
; %bb.574:                              ;   in Loop: Header=BB0_549 Depth=4
	s_movk_i32 s16, 0xff
	global_store_byte v[116:117], v118, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_576
; %bb.575:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshlrev_b16_e32 v129, 8, v1
	v_bitop3_b16 v129, v118, v129, s16 bitop3:0xec
	v_mov_b32_e32 v130, 8
	v_lshrrev_b16_sdwa v129, v130, v129 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	global_store_byte v[116:117], v129, off offset:1
.LBB0_576:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	v_lshlrev_b16_e32 v129, 8, v119
	v_bitop3_b16 v129, v120, v129, s16 bitop3:0xec
	v_and_b32_e32 v129, 0xffff, v129
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_578
; %bb.577:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_byte v[116:117], v129, off offset:2
.LBB0_578:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_580
; %bb.579:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshrrev_b16_e32 v129, 8, v129
	global_store_byte v[116:117], v129, off offset:3
.LBB0_580:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB0_582
.LBB0_581:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshlrev_b16_e32 v1, 8, v1
	s_movk_i32 s12, 0xff
	v_bitop3_b16 v1, v118, v1, s12 bitop3:0xec
	v_lshlrev_b16_e32 v118, 8, v119
	v_bitop3_b16 v118, v120, v118, s12 bitop3:0xec
	v_lshlrev_b32_e32 v118, 16, v118
	v_or_b32_sdwa v1, v1, v118 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	global_store_dword v[116:117], v1, off
.LBB0_582:                              ;   in Loop: Header=BB0_549 Depth=4
	s_mov_b64 s[12:13], 0
.LBB0_583:                              ;   in Loop: Header=BB0_549 Depth=4
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB0_593
; %bb.584:                              ;   in Loop: Header=BB0_549 Depth=4
	v_and_b32_e32 v118, 0x7fffffff, v14
	v_and_b32_e32 v119, 0x7fffffff, v15
	v_lshrrev_b32_e32 v130, 20, v118
	v_lshrrev_b32_e32 v129, 20, v119
	v_and_b32_e32 v130, 1, v130
	s_mov_b32 s16, 0x7ffff
	v_and_b32_e32 v129, 1, v129
	v_add3_u32 v130, v118, v130, s16
	s_movk_i32 s13, 0x80
	v_add3_u32 v129, v119, v129, s16
	v_lshrrev_b32_e32 v130, 20, v130
	s_mov_b32 s12, 0x46800000
	v_lshrrev_b32_e32 v129, 20, v129
	v_add_u32_e32 v132, 0xfffffc40, v130
	v_pk_add_f32 v[130:131], v[118:119], s[12:13] op_sel_hi:[1,0]
	s_mov_b32 s17, 0x3c800000
	v_add_u32_e32 v129, 0xfffffc40, v129
	v_add_u32_e32 v131, 0xb9800000, v131
	v_cmp_gt_u32_e32 vcc, s17, v119
	v_add_u32_e32 v130, 0xb9800000, v130
	s_mov_b32 s18, 0x7f800001
	v_cndmask_b32_e32 v129, v129, v131, vcc
	v_cmp_gt_u32_e32 vcc, s17, v118
	v_min_i32_e32 v129, 0x7f, v129
	v_mov_b32_e32 v134, 0x7f
	v_cndmask_b32_e32 v130, v132, v130, vcc
	v_cmp_gt_u32_e32 vcc, s18, v119
	v_min_i32_e32 v130, 0x7f, v130
	v_and_b32_e32 v131, 0x7fffffff, v17
	v_cndmask_b32_e32 v119, v134, v129, vcc
	v_cmp_gt_u32_e32 vcc, s18, v118
	v_lshrrev_b32_e32 v129, 20, v131
	v_and_b32_e32 v129, 1, v129
	v_cndmask_b32_e32 v118, v134, v130, vcc
	v_and_b32_e32 v130, 0x7fffffff, v16
	v_lshrrev_b32_e32 v132, 20, v130
	v_and_b32_e32 v132, 1, v132
	v_add3_u32 v132, v130, v132, s16
	v_add3_u32 v129, v131, v129, s16
	v_lshrrev_b32_e32 v132, 20, v132
	v_lshrrev_b32_e32 v129, 20, v129
	v_add_u32_e32 v135, 0xfffffc40, v132
	v_pk_add_f32 v[132:133], v[130:131], s[12:13] op_sel_hi:[1,0]
	v_add_u32_e32 v129, 0xfffffc40, v129
	v_add_u32_e32 v133, 0xb9800000, v133
	v_cmp_gt_u32_e32 vcc, s17, v131
	v_add_u32_e32 v132, 0xb9800000, v132
	v_and_b32_sdwa v1, v15, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v129, v129, v133, vcc
	v_cmp_gt_u32_e32 vcc, s17, v130
	v_min_i32_e32 v129, 0x7f, v129
	v_and_b32_sdwa v120, v14, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v132, v135, v132, vcc
	v_cmp_gt_u32_e32 vcc, s18, v131
	v_min_i32_e32 v132, 0x7f, v132
	v_or_b32_e32 v1, v119, v1
	v_cndmask_b32_e32 v129, v134, v129, vcc
	v_cmp_gt_u32_e32 vcc, s18, v130
	v_or_b32_e32 v118, v118, v120
	v_and_b32_sdwa v119, v17, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_and_b32_sdwa v120, v16, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v130, v134, v132, vcc
	v_or_b32_e32 v119, v129, v119
	v_or_b32_e32 v120, v130, v120
	s_and_b64 vcc, exec, s[44:45]
	s_cbranch_vccz .LBB0_625
; %bb.585:                              ;   in Loop: Header=BB0_549 Depth=4
	s_movk_i32 s16, 0xff
	global_store_byte v[116:117], v118, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_587
; %bb.586:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshlrev_b16_e32 v129, 8, v1
	v_bitop3_b16 v129, v118, v129, s16 bitop3:0xec
	v_mov_b32_e32 v130, 8
	v_lshrrev_b16_sdwa v129, v130, v129 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	global_store_byte v[116:117], v129, off offset:1
.LBB0_587:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	v_lshlrev_b16_e32 v129, 8, v119
	v_bitop3_b16 v129, v120, v129, s16 bitop3:0xec
	v_and_b32_e32 v129, 0xffff, v129
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_589
; %bb.588:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_byte v[116:117], v129, off offset:2
.LBB0_589:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_591
; %bb.590:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshrrev_b16_e32 v129, 8, v129
	global_store_byte v[116:117], v129, off offset:3
.LBB0_591:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB0_593
.LBB0_592:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshlrev_b16_e32 v1, 8, v1
	s_movk_i32 s12, 0xff
	v_bitop3_b16 v1, v118, v1, s12 bitop3:0xec
	v_lshlrev_b16_e32 v118, 8, v119
	v_bitop3_b16 v118, v120, v118, s12 bitop3:0xec
	v_lshlrev_b32_e32 v118, 16, v118
	v_or_b32_sdwa v1, v1, v118 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	global_store_dword v[116:117], v1, off
.LBB0_593:                              ;   in Loop: Header=BB0_549 Depth=4
	s_mov_b64 s[12:13], 0
.LBB0_594:                              ;   in Loop: Header=BB0_549 Depth=4
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB0_548
; %bb.595:                              ;   in Loop: Header=BB0_549 Depth=4
	s_and_b32 s16, 0xffff, s87
	s_cmp_lt_i32 s16, 1
	s_mov_b64 s[12:13], -1
	s_cbranch_scc1 .LBB0_608
; %bb.596:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cmp_gt_i32 s16, 1
	s_cbranch_scc0 .LBB0_598
; %bb.597:                              ;   in Loop: Header=BB0_549 Depth=4
	v_cvt_pk_bf16_f32 v1, v14, s0
	v_cvt_pk_bf16_f32 v116, v15, s0
	v_cvt_pk_bf16_f32 v117, v16, s0
	v_cvt_pk_bf16_f32 v118, v17, s0
	s_mov_b32 s12, 0x5040100
	v_perm_b32 v117, v118, v117, s12
	v_perm_b32 v116, v116, v1, s12
	s_cbranch_execz .LBB0_599
	s_branch .LBB0_600
.LBB0_598:                              ;   in Loop: Header=BB0_549 Depth=4
                                        ; implicit-def: $vgpr116_vgpr117
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB0_600
.LBB0_599:                              ;   in Loop: Header=BB0_549 Depth=4
	v_cvt_pk_f16_f32 v117, v16, v17
	v_cvt_pk_f16_f32 v116, v14, v15
.LBB0_600:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshl_add_u64 v[118:119], v[112:113], 1, s[68:69]
	s_and_b64 vcc, exec, s[44:45]
	s_cbranch_vccz .LBB0_619
; %bb.601:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_short v[118:119], v116, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_615
; %bb.602:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_short_d16_hi v[118:119], v116, off offset:2
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB0_616
.LBB0_603:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_605
.LBB0_604:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_short_d16_hi v[118:119], v117, off offset:6
.LBB0_605:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB0_607
.LBB0_606:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_dwordx2 v[118:119], v[116:117], off
.LBB0_607:                              ;   in Loop: Header=BB0_549 Depth=4
	s_mov_b64 s[12:13], 0
.LBB0_608:                              ;   in Loop: Header=BB0_549 Depth=4
	s_and_b64 vcc, exec, s[12:13]
	s_cbranch_vccz .LBB0_548
; %bb.609:                              ;   in Loop: Header=BB0_549 Depth=4
	v_lshl_add_u64 v[112:113], v[112:113], 2, s[68:69]
	s_and_b64 vcc, exec, s[44:45]
	s_cbranch_vccz .LBB0_620
; %bb.610:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_dword v[112:113], v14, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB0_617
; %bb.611:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_dword v[112:113], v15, off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB0_618
.LBB0_612:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB0_614
.LBB0_613:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_dword v[112:113], v17, off offset:12
.LBB0_614:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB0_548
.LBB0_615:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_603
.LBB0_616:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_short v[118:119], v117, off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB0_604
	s_branch .LBB0_605
.LBB0_617:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_612
.LBB0_618:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_dword v[112:113], v16, off offset:8
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB0_613
	s_branch .LBB0_614
.LBB0_619:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cbranch_execnz .LBB0_606
	s_branch .LBB0_607
.LBB0_620:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cbranch_execz .LBB0_548
	s_branch .LBB0_547
.LBB0_621:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_566
.LBB0_622:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_byte v[116:117], v118, off offset:2
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB0_567
	s_branch .LBB0_568
.LBB0_623:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cbranch_execnz .LBB0_569
	s_branch .LBB0_570
.LBB0_624:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cbranch_execnz .LBB0_581
	s_branch .LBB0_582
.LBB0_625:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cbranch_execnz .LBB0_592
	s_branch .LBB0_593
.LBB0_626:                              ;   in Loop: Header=BB0_549 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_557
.LBB0_627:                              ;   in Loop: Header=BB0_549 Depth=4
	global_store_byte v[116:117], v118, off offset:2
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB0_558
	s_branch .LBB0_559
.LBB0_628:                              ;   in Loop: Header=BB0_549 Depth=4
	s_cbranch_execnz .LBB0_560
	s_branch .LBB0_561
.LBB0_629:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_543
.LBB0_630:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v108, v[110:111], off offset:8
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v109, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB0_544
	s_branch .LBB0_545
.LBB0_631:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_528
.LBB0_632:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v12, v[98:99], off offset:8
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v13, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB0_529
	s_branch .LBB0_530
.LBB0_633:                              ;   in Loop: Header=BB0_512 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB0_535
.LBB0_634:                              ;   in Loop: Header=BB0_512 Depth=3
	global_load_dword v106, v[100:101], off offset:8
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v107, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB0_536
	s_branch .LBB0_537
.LBB0_635:                              ;   in Loop: Header=BB0_512 Depth=3
                                        ; implicit-def: $vgpr107
                                        ; implicit-def: $vgpr109
	s_cbranch_execnz .LBB0_538
	s_branch .LBB0_539
.LBB0_636:                              ;   in Loop: Header=BB0_124 Depth=1
	s_andn2_b64 vcc, exec, s[60:61]
	s_cbranch_vccnz .LBB0_640
; %bb.637:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	v_cmp_gt_i32_e64 s[4:5], s54, v124
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_b64 s[6:7], vcc, s[4:5]
	s_and_saveexec_b64 s[4:5], s[6:7]
	s_cbranch_execz .LBB0_639
; %bb.638:                              ;   in Loop: Header=BB0_124 Depth=1
	v_add_u32_e32 v1, s33, v124
	v_mov_b32_e32 v2, s54
	v_cmp_le_i32_e32 vcc, s54, v1
	s_nop 1
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_sub_u32_e32 v1, v1, v2
	v_lshlrev_b32_e32 v2, 6, v1
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[42:43]
	v_mov_b32_e32 v1, 1
	global_atomic_add v126, v[2:3], v1, off sc0
.LBB0_639:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[4:5]
.LBB0_640:                              ;   in Loop: Header=BB0_124 Depth=1
	s_and_b64 vcc, exec, s[56:57]
	s_cbranch_vccz .LBB0_672
; %bb.641:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v12, v124
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v126
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB0_674
; %bb.642:                              ;   in Loop: Header=BB0_124 Depth=1
	s_mov_b64 s[8:9], 0
	v_mov_b32_e32 v12, v124
	v_mov_b32_e32 v1, v126
                                        ; implicit-def: $sgpr10_sgpr11
                                        ; implicit-def: $vgpr10
	s_branch .LBB0_645
.LBB0_643:                              ;   in Loop: Header=BB0_645 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_cmp_lt_i32_e32 vcc, v1, v13
	s_andn2_b64 s[4:5], s[10:11], exec
	s_and_b64 s[10:11], vcc, exec
	s_or_b64 s[10:11], s[4:5], s[10:11]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v7
.LBB0_644:                              ;   in Loop: Header=BB0_645 Depth=2
	s_or_b64 exec, exec, s[12:13]
	s_and_b64 s[4:5], exec, s[10:11]
	s_or_b64 s[8:9], s[4:5], s[8:9]
	v_mov_b32_e32 v10, v6
	s_andn2_b64 exec, exec, s[8:9]
	s_cbranch_execz .LBB0_673
.LBB0_645:                              ;   Parent Loop BB0_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB0_658 Depth 3
	v_cmp_gt_i32_e32 vcc, s54, v12
	v_mov_b32_e32 v6, -1
	s_or_b64 s[10:11], s[10:11], exec
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB0_644
; %bb.646:                              ;   in Loop: Header=BB0_645 Depth=2
	v_add_u32_e32 v2, s33, v12
	v_mov_b32_e32 v3, s54
	v_cmp_le_i32_e32 vcc, s54, v2
	v_mov_b32_e32 v6, 0
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_sub_u32_e32 v8, v2, v3
	v_mad_i64_i32 v[4:5], s[4:5], v8, s3, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr2_vgpr3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[14:15], exec, s[4:5]
	s_cbranch_execz .LBB0_648
; %bb.647:                              ;   in Loop: Header=BB0_645 Depth=2
	s_add_u32 s4, s54, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[16:17], s[4:5], 0
	v_cvt_f32_u32_e32 v2, s16
	v_cvt_f32_u32_e32 v3, s17
	s_sub_u32 s4, 0, s16
	s_subb_u32 s5, 0, s17
	v_mov_b32_e32 v15, v6
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_mov_b32 s18, 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s19, v3
	v_readfirstlane_b32 s20, v2
	s_mul_i32 s21, s4, s19
	s_mul_hi_u32 s23, s4, s20
	s_mul_i32 s22, s5, s20
	s_add_i32 s21, s23, s21
	s_add_i32 s21, s21, s22
	s_mul_i32 s24, s4, s20
	s_mul_i32 s23, s20, s21
	s_mul_hi_u32 s25, s20, s24
	s_mul_hi_u32 s22, s20, s21
	s_add_u32 s23, s25, s23
	s_addc_u32 s22, 0, s22
	s_mul_hi_u32 s26, s19, s24
	s_mul_i32 s24, s19, s24
	s_add_u32 s23, s23, s24
	s_mul_hi_u32 s25, s19, s21
	s_addc_u32 s22, s22, s26
	s_addc_u32 s23, s25, 0
	s_mul_i32 s21, s19, s21
	s_add_u32 s21, s22, s21
	s_addc_u32 s22, 0, s23
	s_add_u32 s20, s20, s21
	s_addc_u32 s19, s19, s22
	s_mul_i32 s21, s4, s19
	s_mul_hi_u32 s22, s4, s20
	s_add_i32 s21, s22, s21
	s_mul_i32 s5, s5, s20
	s_add_i32 s21, s21, s5
	s_mul_i32 s4, s4, s20
	s_mul_hi_u32 s22, s19, s4
	s_mul_i32 s23, s19, s4
	s_mul_i32 s25, s20, s21
	s_mul_hi_u32 s4, s20, s4
	s_mul_hi_u32 s24, s20, s21
	s_add_u32 s4, s4, s25
	s_addc_u32 s24, 0, s24
	s_add_u32 s4, s4, s23
	s_mul_hi_u32 s5, s19, s21
	s_addc_u32 s4, s24, s22
	s_addc_u32 s5, s5, 0
	s_mul_i32 s21, s19, s21
	s_add_u32 s4, s4, s21
	v_ashrrev_i32_e32 v2, 31, v5
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v3, v2
	s_add_u32 s20, s20, s4
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[2:3]
	s_addc_u32 s19, s19, s5
	v_xor_b32_e32 v9, v4, v2
	v_xor_b32_e32 v3, v5, v2
	v_mad_u64_u32 v[4:5], s[4:5], v9, s19, 0
	v_mul_hi_u32 v14, v9, s20
	v_lshl_add_u64 v[4:5], v[14:15], 0, v[4:5]
	v_mad_u64_u32 v[14:15], s[4:5], v3, s20, 0
	v_add_co_u32_e32 v4, vcc, v4, v14
	v_mad_u64_u32 v[6:7], s[4:5], v3, s19, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v15, vcc
	v_mov_b32_e32 v5, s18
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v11, s17, v4
	v_mul_lo_u32 v13, s16, v5
	v_mad_u64_u32 v[6:7], s[4:5], s16, v4, 0
	v_add3_u32 v11, v7, v13, v11
	v_sub_u32_e32 v7, v3, v11
	v_mov_b32_e32 v13, s17
	v_sub_co_u32_e32 v9, vcc, v9, v6
	v_lshl_add_u64 v[14:15], v[4:5], 0, 1
	s_nop 0
	v_subb_co_u32_e64 v6, s[4:5], v7, v13, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s16, v9
	v_subb_co_u32_e32 v3, vcc, v3, v11, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s17, v6
	v_cmp_le_u32_e32 vcc, s17, v3
	s_nop 0
	v_cndmask_b32_e64 v13, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s16, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s17, v6
	s_nop 1
	v_cndmask_b32_e64 v13, v13, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s16, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s17, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v13
	s_nop 1
	v_cndmask_b32_e32 v5, v14, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v2
	v_sub_co_u32_e32 v2, vcc, v3, v2
                                        ; implicit-def: $vgpr4_vgpr5
.LBB0_648:                              ;   in Loop: Header=BB0_645 Depth=2
	s_or_saveexec_b64 s[4:5], s[14:15]
	v_cvt_f32_u32_e32 v11, s54
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB0_650
; %bb.649:                              ;   in Loop: Header=BB0_645 Depth=2
	v_rcp_iflag_f32_e32 v2, v11
	s_sub_i32 s14, 0, s54
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s14, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, v4, v2
	v_mul_lo_u32 v3, v2, s54
	v_sub_u32_e32 v3, v4, v3
	v_add_u32_e32 v5, 1, v2
	v_subrev_u32_e32 v4, s54, v3
	v_cmp_le_u32_e32 vcc, s54, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s54, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
.LBB0_650:                              ;   in Loop: Header=BB0_645 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v3, 1, v8
	v_mad_i64_i32 v[4:5], s[4:5], v3, s3, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr8_vgpr9
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[14:15], exec, s[4:5]
	s_cbranch_execz .LBB0_652
; %bb.651:                              ;   in Loop: Header=BB0_645 Depth=2
	s_add_u32 s4, s54, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[16:17], s[4:5], 0
	v_cvt_f32_u32_e32 v3, s16
	v_cvt_f32_u32_e32 v7, s17
	s_sub_u32 s4, 0, s16
	s_subb_u32 s5, 0, s17
	v_ashrrev_i32_e32 v8, 31, v5
	v_fmamk_f32 v3, v7, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	v_mov_b32_e32 v9, v8
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[8:9]
	v_xor_b32_e32 v9, v4, v8
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v7, 0x2f800000, v3
	v_trunc_f32_e32 v7, v7
	v_fmamk_f32 v3, v7, 0xcf800000, v3
	v_cvt_u32_f32_e32 v7, v7
	v_cvt_u32_f32_e32 v3, v3
	v_mov_b32_e32 v15, v6
	s_mov_b32 s18, 0
	v_readfirstlane_b32 s19, v7
	v_readfirstlane_b32 s20, v3
	s_mul_i32 s21, s4, s19
	s_mul_hi_u32 s23, s4, s20
	s_mul_i32 s22, s5, s20
	s_add_i32 s21, s23, s21
	s_add_i32 s21, s21, s22
	s_mul_i32 s24, s4, s20
	s_mul_i32 s23, s20, s21
	s_mul_hi_u32 s25, s20, s24
	s_mul_hi_u32 s22, s20, s21
	s_add_u32 s23, s25, s23
	s_addc_u32 s22, 0, s22
	s_mul_hi_u32 s26, s19, s24
	s_mul_i32 s24, s19, s24
	s_add_u32 s23, s23, s24
	s_mul_hi_u32 s25, s19, s21
	s_addc_u32 s22, s22, s26
	s_addc_u32 s23, s25, 0
	s_mul_i32 s21, s19, s21
	s_add_u32 s21, s22, s21
	s_addc_u32 s22, 0, s23
	s_add_u32 s20, s20, s21
	s_addc_u32 s19, s19, s22
	s_mul_i32 s21, s4, s19
	s_mul_hi_u32 s22, s4, s20
	s_add_i32 s21, s22, s21
	s_mul_i32 s5, s5, s20
	s_add_i32 s21, s21, s5
	s_mul_i32 s4, s4, s20
	s_mul_hi_u32 s22, s19, s4
	s_mul_i32 s23, s19, s4
	s_mul_i32 s25, s20, s21
	s_mul_hi_u32 s4, s20, s4
	s_mul_hi_u32 s24, s20, s21
	s_add_u32 s4, s4, s25
	s_addc_u32 s24, 0, s24
	s_add_u32 s4, s4, s23
	s_mul_hi_u32 s5, s19, s21
	s_addc_u32 s4, s24, s22
	s_addc_u32 s5, s5, 0
	s_mul_i32 s21, s19, s21
	s_add_u32 s4, s4, s21
	s_addc_u32 s5, 0, s5
	s_add_u32 s20, s20, s4
	s_addc_u32 s19, s19, s5
	v_xor_b32_e32 v3, v5, v8
	v_mad_u64_u32 v[4:5], s[4:5], v9, s19, 0
	v_mul_hi_u32 v14, v9, s20
	v_lshl_add_u64 v[4:5], v[14:15], 0, v[4:5]
	v_mad_u64_u32 v[14:15], s[4:5], v3, s20, 0
	v_add_co_u32_e32 v4, vcc, v4, v14
	v_mad_u64_u32 v[6:7], s[4:5], v3, s19, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v15, vcc
	v_mov_b32_e32 v5, s18
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v13, s17, v4
	v_mul_lo_u32 v14, s16, v5
	v_mad_u64_u32 v[6:7], s[4:5], s16, v4, 0
	v_add3_u32 v13, v7, v14, v13
	v_sub_u32_e32 v7, v3, v13
	v_mov_b32_e32 v14, s17
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v14, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s16, v9
	v_subb_co_u32_e32 v3, vcc, v3, v13, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s17, v6
	v_cmp_le_u32_e32 vcc, s17, v3
	s_nop 0
	v_cndmask_b32_e64 v14, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s16, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s17, v6
	s_nop 1
	v_cndmask_b32_e64 v16, v14, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[14:15], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s16, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s17, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v16
	s_nop 1
	v_cndmask_b32_e32 v5, v14, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v8, vcc, v3, v8
                                        ; implicit-def: $vgpr4_vgpr5
.LBB0_652:                              ;   in Loop: Header=BB0_645 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[14:15]
	s_cbranch_execz .LBB0_654
; %bb.653:                              ;   in Loop: Header=BB0_645 Depth=2
	v_rcp_iflag_f32_e32 v3, v11
	s_sub_i32 s14, 0, s54
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v5, s14, v3
	v_mul_hi_u32 v5, v3, v5
	v_add_u32_e32 v3, v3, v5
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v5, v3, s54
	v_sub_u32_e32 v4, v4, v5
	v_add_u32_e32 v6, 1, v3
	v_subrev_u32_e32 v5, s54, v4
	v_cmp_le_u32_e32 vcc, s54, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s54, v4
	s_nop 1
	v_cndmask_b32_e32 v8, v3, v5, vcc
.LBB0_654:                              ;   in Loop: Header=BB0_645 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_sub_u32_e32 v13, v8, v2
	v_cmp_ge_i32_e32 vcc, v1, v13
                                        ; implicit-def: $vgpr6
                                        ; implicit-def: $vgpr7
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[14:15], exec, s[4:5]
	s_cbranch_execz .LBB0_670
; %bb.655:                              ;   in Loop: Header=BB0_645 Depth=2
	v_add_u32_e32 v2, 1, v12
	v_add_lshl_u32 v12, s55, v12, 6
	s_mov_b64 s[16:17], 0
                                        ; implicit-def: $sgpr18_sgpr19
                                        ; implicit-def: $sgpr22_sgpr23
                                        ; implicit-def: $sgpr20_sgpr21
	s_branch .LBB0_658
.LBB0_656:                              ;   in Loop: Header=BB0_658 Depth=3
	s_or_b64 exec, exec, s[4:5]
	v_lshlrev_b32_e32 v3, 6, v15
	v_sub_u32_e32 v4, v12, v3
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[4:5], v[4:5], 2, s[42:43]
	global_load_dword v3, v[4:5], off sc1
	v_sub_u32_e32 v6, v2, v8
	s_andn2_b64 s[4:5], s[22:23], exec
	v_add_u32_e32 v2, 1, v14
	s_andn2_b64 s[20:21], s[20:21], exec
	v_add_u32_e32 v12, 64, v12
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, v3, v6
	s_and_b64 s[22:23], vcc, exec
	s_or_b64 s[22:23], s[4:5], s[22:23]
.LBB0_657:                              ;   in Loop: Header=BB0_658 Depth=3
	s_or_b64 exec, exec, s[24:25]
	s_and_b64 s[4:5], exec, s[22:23]
	s_or_b64 s[16:17], s[4:5], s[16:17]
	s_andn2_b64 s[4:5], s[18:19], exec
	s_and_b64 s[18:19], s[20:21], exec
	s_or_b64 s[18:19], s[4:5], s[18:19]
	s_andn2_b64 exec, exec, s[16:17]
	s_cbranch_execz .LBB0_667
.LBB0_658:                              ;   Parent Loop BB0_124 Depth=1
                                        ;     Parent Loop BB0_645 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_mov_b32_e32 v14, v2
	v_cmp_gt_i32_e32 vcc, s54, v14
	s_or_b64 s[20:21], s[20:21], exec
	s_or_b64 s[22:23], s[22:23], exec
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr4_vgpr5
	s_and_saveexec_b64 s[24:25], vcc
	s_cbranch_execz .LBB0_657
; %bb.659:                              ;   in Loop: Header=BB0_658 Depth=3
	v_add_u32_e32 v2, s33, v14
	v_mov_b32_e32 v3, s54
	v_cmp_le_i32_e32 vcc, s54, v2
	v_mov_b32_e32 v6, 0
	s_nop 0
	v_cndmask_b32_e32 v15, 0, v3, vcc
	v_sub_u32_e32 v8, v2, v15
	v_add_u32_e32 v2, 1, v8
	v_mad_i64_i32 v[4:5], s[4:5], v2, s3, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr2_vgpr3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[26:27], exec, s[4:5]
	s_cbranch_execz .LBB0_661
; %bb.660:                              ;   in Loop: Header=BB0_658 Depth=3
	s_add_u32 s4, s54, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[28:29], s[4:5], 0
	v_cvt_f32_u32_e32 v2, s28
	v_cvt_f32_u32_e32 v3, s29
	s_sub_u32 s4, 0, s28
	s_subb_u32 s5, 0, s29
	v_mov_b32_e32 v17, v6
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_mov_b32 s30, 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s31, v3
	v_readfirstlane_b32 s34, v2
	s_mul_i32 s35, s4, s31
	s_mul_hi_u32 s37, s4, s34
	s_mul_i32 s36, s5, s34
	s_add_i32 s35, s37, s35
	s_add_i32 s35, s35, s36
	s_mul_i32 s38, s4, s34
	s_mul_i32 s37, s34, s35
	s_mul_hi_u32 s39, s34, s38
	s_mul_hi_u32 s36, s34, s35
	s_add_u32 s37, s39, s37
	s_addc_u32 s36, 0, s36
	s_mul_hi_u32 s40, s31, s38
	s_mul_i32 s38, s31, s38
	s_add_u32 s37, s37, s38
	s_mul_hi_u32 s39, s31, s35
	s_addc_u32 s36, s36, s40
	s_addc_u32 s37, s39, 0
	s_mul_i32 s35, s31, s35
	s_add_u32 s35, s36, s35
	s_addc_u32 s36, 0, s37
	s_add_u32 s34, s34, s35
	s_addc_u32 s31, s31, s36
	s_mul_i32 s35, s4, s31
	s_mul_hi_u32 s36, s4, s34
	s_add_i32 s35, s36, s35
	s_mul_i32 s5, s5, s34
	s_add_i32 s35, s35, s5
	s_mul_i32 s4, s4, s34
	s_mul_hi_u32 s36, s31, s4
	s_mul_i32 s37, s31, s4
	s_mul_i32 s39, s34, s35
	s_mul_hi_u32 s4, s34, s4
	s_mul_hi_u32 s38, s34, s35
	s_add_u32 s4, s4, s39
	s_addc_u32 s38, 0, s38
	s_add_u32 s4, s4, s37
	s_mul_hi_u32 s5, s31, s35
	s_addc_u32 s4, s38, s36
	s_addc_u32 s5, s5, 0
	s_mul_i32 s35, s31, s35
	s_add_u32 s4, s4, s35
	v_ashrrev_i32_e32 v2, 31, v5
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v3, v2
	s_add_u32 s34, s34, s4
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[2:3]
	s_addc_u32 s31, s31, s5
	v_xor_b32_e32 v9, v4, v2
	v_xor_b32_e32 v3, v5, v2
	v_mad_u64_u32 v[4:5], s[4:5], v9, s31, 0
	v_mul_hi_u32 v16, v9, s34
	v_lshl_add_u64 v[4:5], v[16:17], 0, v[4:5]
	v_mad_u64_u32 v[16:17], s[4:5], v3, s34, 0
	v_add_co_u32_e32 v4, vcc, v4, v16
	v_mad_u64_u32 v[6:7], s[4:5], v3, s31, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v17, vcc
	v_mov_b32_e32 v5, s30
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v16, s29, v4
	v_mul_lo_u32 v17, s28, v5
	v_mad_u64_u32 v[6:7], s[4:5], s28, v4, 0
	v_add3_u32 v82, v7, v17, v16
	v_sub_u32_e32 v7, v3, v82
	v_mov_b32_e32 v16, s29
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v16, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s28, v9
	v_subb_co_u32_e32 v3, vcc, v3, v82, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s29, v6
	v_cmp_le_u32_e32 vcc, s29, v3
	s_nop 0
	v_cndmask_b32_e64 v16, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s28, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s29, v6
	s_nop 1
	v_cndmask_b32_e64 v83, v16, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[16:17], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s28, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s29, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v83
	s_nop 1
	v_cndmask_b32_e32 v5, v16, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v2
	v_sub_co_u32_e32 v2, vcc, v3, v2
                                        ; implicit-def: $vgpr4_vgpr5
.LBB0_661:                              ;   in Loop: Header=BB0_658 Depth=3
	s_andn2_saveexec_b64 s[4:5], s[26:27]
	s_cbranch_execz .LBB0_663
; %bb.662:                              ;   in Loop: Header=BB0_658 Depth=3
	v_rcp_iflag_f32_e32 v2, v11
	s_sub_i32 s26, 0, s54
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s26, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, v4, v2
	v_mul_lo_u32 v3, v2, s54
	v_sub_u32_e32 v3, v4, v3
	v_add_u32_e32 v5, 1, v2
	v_subrev_u32_e32 v4, s54, v3
	v_cmp_le_u32_e32 vcc, s54, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s54, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
.LBB0_663:                              ;   in Loop: Header=BB0_658 Depth=3
	s_or_b64 exec, exec, s[4:5]
	v_mad_i64_i32 v[4:5], s[4:5], v8, s3, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr8_vgpr9
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[26:27], exec, s[4:5]
	s_cbranch_execz .LBB0_665
; %bb.664:                              ;   in Loop: Header=BB0_658 Depth=3
	s_add_u32 s4, s54, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[28:29], s[4:5], 0
	v_cvt_f32_u32_e32 v3, s28
	v_cvt_f32_u32_e32 v7, s29
	s_sub_u32 s4, 0, s28
	s_subb_u32 s5, 0, s29
	v_ashrrev_i32_e32 v8, 31, v5
	v_fmamk_f32 v3, v7, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	v_mov_b32_e32 v9, v8
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[8:9]
	v_xor_b32_e32 v9, v4, v8
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v7, 0x2f800000, v3
	v_trunc_f32_e32 v7, v7
	v_fmamk_f32 v3, v7, 0xcf800000, v3
	v_cvt_u32_f32_e32 v7, v7
	v_cvt_u32_f32_e32 v3, v3
	v_mov_b32_e32 v17, v6
	s_mov_b32 s30, 0
	v_readfirstlane_b32 s31, v7
	v_readfirstlane_b32 s34, v3
	s_mul_i32 s35, s4, s31
	s_mul_hi_u32 s37, s4, s34
	s_mul_i32 s36, s5, s34
	s_add_i32 s35, s37, s35
	s_add_i32 s35, s35, s36
	s_mul_i32 s38, s4, s34
	s_mul_i32 s37, s34, s35
	s_mul_hi_u32 s39, s34, s38
	s_mul_hi_u32 s36, s34, s35
	s_add_u32 s37, s39, s37
	s_addc_u32 s36, 0, s36
	s_mul_hi_u32 s40, s31, s38
	s_mul_i32 s38, s31, s38
	s_add_u32 s37, s37, s38
	s_mul_hi_u32 s39, s31, s35
	s_addc_u32 s36, s36, s40
	s_addc_u32 s37, s39, 0
	s_mul_i32 s35, s31, s35
	s_add_u32 s35, s36, s35
	s_addc_u32 s36, 0, s37
	s_add_u32 s34, s34, s35
	s_addc_u32 s31, s31, s36
	s_mul_i32 s35, s4, s31
	s_mul_hi_u32 s36, s4, s34
	s_add_i32 s35, s36, s35
	s_mul_i32 s5, s5, s34
	s_add_i32 s35, s35, s5
	s_mul_i32 s4, s4, s34
	s_mul_hi_u32 s36, s31, s4
	s_mul_i32 s37, s31, s4
	s_mul_i32 s39, s34, s35
	s_mul_hi_u32 s4, s34, s4
	s_mul_hi_u32 s38, s34, s35
	s_add_u32 s4, s4, s39
	s_addc_u32 s38, 0, s38
	s_add_u32 s4, s4, s37
	s_mul_hi_u32 s5, s31, s35
	s_addc_u32 s4, s38, s36
	s_addc_u32 s5, s5, 0
	s_mul_i32 s35, s31, s35
	s_add_u32 s4, s4, s35
	s_addc_u32 s5, 0, s5
	s_add_u32 s34, s34, s4
	s_addc_u32 s31, s31, s5
	v_xor_b32_e32 v3, v5, v8
	v_mad_u64_u32 v[4:5], s[4:5], v9, s31, 0
	v_mul_hi_u32 v16, v9, s34
	v_lshl_add_u64 v[4:5], v[16:17], 0, v[4:5]
	v_mad_u64_u32 v[16:17], s[4:5], v3, s34, 0
	v_add_co_u32_e32 v4, vcc, v4, v16
	v_mad_u64_u32 v[6:7], s[4:5], v3, s31, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v17, vcc
	v_mov_b32_e32 v5, s30
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v16, s29, v4
	v_mul_lo_u32 v17, s28, v5
	v_mad_u64_u32 v[6:7], s[4:5], s28, v4, 0
	v_add3_u32 v82, v7, v17, v16
	v_sub_u32_e32 v7, v3, v82
	v_mov_b32_e32 v16, s29
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v16, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s28, v9
	v_subb_co_u32_e32 v3, vcc, v3, v82, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s29, v6
	v_cmp_le_u32_e32 vcc, s29, v3
	s_nop 0
	v_cndmask_b32_e64 v16, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s28, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s29, v6
	s_nop 1
	v_cndmask_b32_e64 v83, v16, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[16:17], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s28, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s29, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v83
	s_nop 1
	v_cndmask_b32_e32 v5, v16, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v8, vcc, v3, v8
                                        ; implicit-def: $vgpr4_vgpr5
.LBB0_665:                              ;   in Loop: Header=BB0_658 Depth=3
	s_andn2_saveexec_b64 s[4:5], s[26:27]
	s_cbranch_execz .LBB0_656
; %bb.666:                              ;   in Loop: Header=BB0_658 Depth=3
	v_rcp_iflag_f32_e32 v3, v11
	s_sub_i32 s26, 0, s54
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v5, s26, v3
	v_mul_hi_u32 v5, v3, v5
	v_add_u32_e32 v3, v3, v5
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v5, v3, s54
	v_sub_u32_e32 v4, v4, v5
	v_add_u32_e32 v6, 1, v3
	v_subrev_u32_e32 v5, s54, v4
	v_cmp_le_u32_e32 vcc, s54, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s54, v4
	s_nop 1
	v_cndmask_b32_e32 v8, v3, v5, vcc
	s_branch .LBB0_656
.LBB0_667:                              ;   in Loop: Header=BB0_645 Depth=2
	s_or_b64 exec, exec, s[16:17]
	s_xor_b64 s[4:5], s[18:19], -1
	v_mov_b32_e32 v12, s54
	v_mov_b32_e32 v6, v10
	v_mov_b32_e32 v7, v1
	s_and_saveexec_b64 s[16:17], s[4:5]
	s_xor_b64 s[4:5], exec, s[16:17]
	s_cbranch_execz .LBB0_669
; %bb.668:                              ;   in Loop: Header=BB0_645 Depth=2
	v_mov_b32_e32 v2, 1
	global_atomic_add v7, v[4:5], v2, off sc0
	v_mov_b32_e32 v6, v10
	v_mov_b32_e32 v12, v14
.LBB0_669:                              ;   in Loop: Header=BB0_645 Depth=2
	s_or_b64 exec, exec, s[4:5]
                                        ; implicit-def: $vgpr2_vgpr3
.LBB0_670:                              ;   in Loop: Header=BB0_645 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[14:15]
	s_cbranch_execz .LBB0_643
; %bb.671:                              ;   in Loop: Header=BB0_645 Depth=2
	v_add_u32_e32 v6, v1, v2
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v7, v1
	s_branch .LBB0_643
.LBB0_672:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr50
                                        ; implicit-def: $vgpr1
                                        ; implicit-def: $vgpr12
	s_cbranch_execz .LBB0_675
	s_branch .LBB0_123
.LBB0_673:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[8:9]
	v_mov_b32_e32 v2, 0
	ds_write_b32 v2, v10
.LBB0_674:                              ;   in Loop: Header=BB0_124 Depth=1
	s_or_b64 exec, exec, s[6:7]
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v2, v2
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s50, v2
.LBB0_675:                              ;   in Loop: Header=BB0_124 Depth=1
	v_mov_b32_e32 v124, v12
	s_cmp_lg_u32 s50, -1
	v_mov_b32_e32 v10, v125
	s_cbranch_scc1 .LBB0_124
	s_branch .LBB0_681
.LBB0_676:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr22_sgpr23
	v_cvt_f32_u32_e32 v4, s4
	s_andn2_b64 vcc, exec, s[36:37]
	s_cbranch_vccz .LBB0_145
	s_branch .LBB0_146
.LBB0_677:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $sgpr36_sgpr37
	s_andn2_b64 vcc, exec, s[34:35]
	v_mov_b64_e32 v[2:3], s[36:37]
	s_cbranch_vccz .LBB0_148
	s_branch .LBB0_149
.LBB0_678:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $vgpr9
	s_branch .LBB0_402
.LBB0_679:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $vgpr17
	s_branch .LBB0_408
.LBB0_680:                              ;   in Loop: Header=BB0_124 Depth=1
                                        ; implicit-def: $vgpr91
                                        ; implicit-def: $vgpr88_vgpr89
	s_cbranch_execnz .LBB0_493
	s_branch .LBB0_494
.LBB0_681:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 65536
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 416
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 169
		.amdhsa_next_free_sgpr 100
		.amdhsa_accum_offset 160
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	k, .Lfunc_end0-k
                                        ; -- End function
	.set k.num_vgpr, 159
	.set k.num_agpr, 0
	.set k.numbered_sgpr, 100
	.set k.num_named_barrier, 0
	.set k.private_seg_size, 0
	.set k.uses_vcc, 1
	.set k.uses_flat_scratch, 0
	.set k.has_dyn_sized_stack, 0
	.set k.has_recursion, 0
	.set k.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 59160
; TotalNumSgprs: 106
; NumVgprs: 159
; NumAgprs: 0
; TotalNumVgprs: 159
; ScratchSize: 0
; MemoryBound: 1
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 65536 bytes/workgroup (compile time only)
; SGPRBlocks: 13
; VGPRBlocks: 21
; NumSGPRsForWavesPerEU: 106
; NumVGPRsForWavesPerEU: 169
; AccumOffset: 160
; Occupancy: 2
; WaveLimiterHint : 1
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 2
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
; COMPUTE_PGM_RSRC3_GFX90A:ACCUM_OFFSET: 39
; COMPUTE_PGM_RSRC3_GFX90A:TG_SPLIT: 0
	.text
	.protected	k_mx                    ; -- Begin function k_mx
	.globl	k_mx
	.p2align	8
	.type	k_mx,@function
k_mx:                                   ; @k_mx
; %bb.0:
	s_mov_b64 s[6:7], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx2 s[34:35], s[6:7], 0x38
	s_load_dword s18, s[6:7], 0xb8
	s_load_dwordx4 s[36:39], s[6:7], 0x158
	s_load_dword s50, s[6:7], 0x170
	s_mov_b32 s20, 0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s18, 0xff
	s_cbranch_scc0 .LBB1_46
; %bb.1:
	s_load_dwordx4 s[8:11], s[6:7], 0xd8
	s_load_dwordx2 s[4:5], s[6:7], 0x118
	s_load_dwordx4 s[12:15], s[6:7], 0xbc
	s_load_dword s52, s[6:7], 0xcc
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[4:5], 0
	s_cbranch_scc1 .LBB1_3
; %bb.2:
	v_mov_b32_e32 v1, 0
	global_load_dword v1, v1, s[4:5]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s20, v1
.LBB1_3:
	s_cmp_lg_u32 s3, 1
	s_cselect_b64 s[16:17], -1, 0
	s_cmp_eq_u32 s3, 1
	s_cselect_b32 s33, 2, 0
	s_add_i32 s51, s13, s33
	s_mul_i32 s52, s52, s51
	s_cmp_lt_i32 s52, 1
	s_mov_b32 s11, 0
	s_cbranch_scc1 .LBB1_39
; %bb.4:
	v_cvt_f32_u32_e32 v1, s51
	s_bfe_u32 s4, s18, 0x80008
	s_min_i32 s11, s20, s12
	s_cmp_gt_i32 s20, -1
	s_cselect_b32 s53, s11, 0
	v_rcp_iflag_f32_e32 v1, v1
	s_load_dwordx2 s[18:19], s[6:7], 0xf8
	s_load_dword s5, s[6:7], 0xd0
	s_cmp_gt_i32 s53, 0
	s_cselect_b64 s[20:21], -1, 0
	s_min_i32 s54, s53, s12
	s_bitcmp1_b32 s4, 0
	s_cselect_b64 s[22:23], -1, 0
	s_cmp_eq_u32 s3, 2
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	s_cselect_b64 s[24:25], -1, 0
	s_cmp_lg_u32 s3, 2
	v_cvt_u32_f32_e32 v1, v1
	s_cselect_b64 s[26:27], -1, 0
	s_waitcnt lgkmcnt(0)
	s_bitcmp1_b32 s5, 0
	s_cselect_b64 s[28:29], -1, 0
	s_ashr_i32 s55, s15, 31
	s_add_u32 s30, s15, -1
	s_addc_u32 s31, s55, -1
	s_sub_i32 s4, 0, s51
	v_readfirstlane_b32 s5, v1
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_mov_b32 s59, 0
	s_mov_b32 s56, s15
	s_add_i32 s15, s5, s4
	s_mov_b32 s11, 0
	s_mov_b32 s57, 0
	s_branch .LBB1_8
.LBB1_5:                                ;   in Loop: Header=BB1_8 Depth=1
	s_or_b64 exec, exec, s[4:5]
.LBB1_6:                                ;   in Loop: Header=BB1_8 Depth=1
	v_mul_lo_u32 v2, v6, s9
.LBB1_7:                                ;   in Loop: Header=BB1_8 Depth=1
	s_or_b64 exec, exec, s[40:41]
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	v_and_b32_e32 v3, 63, v3
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v4, v3, 2, -4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_ne_u32_e32 vcc, 0, v3
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0xffe0
	v_and_b32_e32 v5, 63, v5
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_lshl_add_u32 v3, v5, 2, -8
	ds_bpermute_b32 v3, v3, v2
	v_cmp_lt_u32_e32 vcc, 1, v5
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v4
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_lshl_add_u32 v4, v3, 2, -16
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 3, v3
	;;#ASMSTART
	;;#ASMEND
	v_readlane_b32 s59, v1, 63
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v5
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 7, v3
	s_movk_i32 s4, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 15, v3
	s_movk_i32 s4, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 31, v3
	s_min_i32 s4, s58, 64
	s_add_i32 s57, s4, s57
	s_cmp_lt_i32 s57, s52
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, 0x7fffffff, v2
	v_add_u32_e32 v2, s11, v2
	s_nop 0
	v_readlane_b32 s11, v2, 63
	s_cbranch_scc0 .LBB1_39
.LBB1_8:                                ; =>This Loop Header: Depth=1
                                        ;     Child Loop BB1_12 Depth 2
	s_mul_hi_u32 s4, s57, s15
	s_mul_i32 s5, s4, s51
	s_sub_i32 s5, s57, s5
	s_add_i32 s40, s4, 1
	s_sub_i32 s41, s5, s51
	s_cmp_ge_u32 s5, s51
	s_cselect_b32 s4, s40, s4
	s_cselect_b32 s5, s41, s5
	s_add_i32 s40, s4, 1
	s_cmp_ge_u32 s5, s51
	s_cselect_b32 s60, s40, s4
	s_mul_i32 s40, s60, s51
	s_cmp_lg_u32 s57, s40
	s_mov_b32 s42, 0
	s_cbranch_scc1 .LBB1_15
; %bb.9:                                ;   in Loop: Header=BB1_8 Depth=1
	s_andn2_b64 vcc, exec, s[20:21]
	s_cbranch_vccnz .LBB1_14
; %bb.10:                               ;   in Loop: Header=BB1_8 Depth=1
	s_mul_i32 s41, s60, s12
	s_and_b64 s[4:5], s[22:23], exec
	s_cselect_b32 s41, s41, 0
	s_mov_b32 s43, 0
	s_branch .LBB1_12
.LBB1_11:                               ;   in Loop: Header=BB1_12 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v4, v0
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, -4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_ne_u32_e32 vcc, 0, v2
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0xffe0
	v_and_b32_e32 v4, 63, v4
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_min_u32_e32 v1, s14, v1
	v_lshl_add_u32 v2, v4, 2, -8
	ds_bpermute_b32 v2, v2, v1
	v_cmp_lt_u32_e32 vcc, 1, v4
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v4, v0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_add_u32_e32 v1, v2, v1
	v_and_b32_e32 v2, 63, v3
	v_min_u32_e32 v1, s14, v1
	v_lshl_add_u32 v3, v2, 2, -16
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 3, v2
	;;#ASMSTART
	;;#ASMEND
	s_sub_i32 s5, s14, s42
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_and_b32_e32 v2, 63, v4
	v_min_u32_e32 v1, s14, v1
	v_lshl_add_u32 v3, v2, 2, s4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 7, v2
	s_movk_i32 s4, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s14, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 15, v2
	s_movk_i32 s4, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s14, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 31, v2
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_min_u32_e32 v1, s14, v1
	s_nop 0
	v_readlane_b32 s4, v1, 63
	s_add_i32 s42, s4, s42
	s_cmp_lt_i32 s4, s5
	s_cselect_b32 s42, s42, s14
	s_add_i32 s43, s43, 64
	s_cmp_lt_i32 s43, s53
	s_cbranch_scc0 .LBB1_14
.LBB1_12:                               ;   Parent Loop BB1_8 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 63, v1
	v_add_u32_e32 v1, s43, v2
	v_cmp_gt_i32_e32 vcc, s54, v1
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_11
; %bb.13:                               ;   in Loop: Header=BB1_12 Depth=2
	s_add_i32 s44, s41, s43
	v_add_u32_e32 v2, s44, v2
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[18:19]
	global_load_dword v1, v[2:3], off
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v2, s14, v1
	v_cmp_lt_i32_e32 vcc, -1, v1
	s_nop 1
	v_cndmask_b32_e32 v1, 0, v2, vcc
	s_branch .LBB1_11
.LBB1_14:                               ;   in Loop: Header=BB1_8 Depth=1
	s_and_b64 s[4:5], s[24:25], exec
	s_cselect_b32 s59, s42, 0
.LBB1_15:                               ;   in Loop: Header=BB1_8 Depth=1
	s_sub_i32 s40, s57, s40
	v_mov_b32_e32 v1, v0
	s_sub_i32 s58, s13, s40
	;;#ASMSTART
	;;#ASMEND
	s_add_i32 s58, s58, s33
	v_and_b32_e32 v1, 63, v1
	v_cmp_gt_i32_e32 vcc, s58, v1
	v_mov_b32_e32 v3, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_31
; %bb.16:                               ;   in Loop: Header=BB1_8 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_and_b64 vcc, exec, s[26:27]
	v_and_b32_e32 v1, 63, v1
	v_add_u32_e32 v1, s40, v1
	s_cbranch_vccz .LBB1_23
; %bb.17:                               ;   in Loop: Header=BB1_8 Depth=1
	v_cmp_ne_u32_e32 vcc, 0, v1
	s_mov_b64 s[40:41], 0
	v_mov_b32_e32 v3, s42
	s_mov_b64 s[42:43], 0
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[44:45], vcc
	s_cbranch_execz .LBB1_24
; %bb.18:                               ;   in Loop: Header=BB1_8 Depth=1
	v_cmp_ge_i32_e32 vcc, s13, v1
	s_mov_b64 s[46:47], 0
	v_mov_b32_e32 v3, s14
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[42:43], vcc
	s_cbranch_execz .LBB1_22
; %bb.19:                               ;   in Loop: Header=BB1_8 Depth=1
	v_add_u32_e32 v3, s53, v1
	v_cmp_ge_i32_e32 vcc, s12, v3
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[48:49], vcc
	s_xor_b64 s[48:49], exec, s[48:49]
; %bb.20:                               ;   in Loop: Header=BB1_8 Depth=1
	s_mul_i32 s61, s60, s12
	s_add_i32 s61, s61, -1
	s_and_b64 s[62:63], s[22:23], exec
	s_cselect_b32 s61, s61, -1
	s_mov_b64 s[46:47], exec
	v_add_u32_e32 v2, s61, v3
; %bb.21:                               ;   in Loop: Header=BB1_8 Depth=1
	s_or_b64 exec, exec, s[48:49]
	v_mov_b32_e32 v3, 0
	s_and_b64 s[46:47], s[46:47], exec
.LBB1_22:                               ;   in Loop: Header=BB1_8 Depth=1
	s_or_b64 exec, exec, s[42:43]
	s_and_b64 s[42:43], s[46:47], exec
	s_or_b64 exec, exec, s[44:45]
	s_and_b64 vcc, exec, s[40:41]
	s_cbranch_vccnz .LBB1_25
	s_branch .LBB1_28
.LBB1_23:                               ;   in Loop: Header=BB1_8 Depth=1
	s_mov_b64 s[42:43], 0
                                        ; implicit-def: $vgpr3
                                        ; implicit-def: $vgpr2
	s_cbranch_execnz .LBB1_25
	s_branch .LBB1_28
.LBB1_24:                               ;   in Loop: Header=BB1_8 Depth=1
	s_or_b64 exec, exec, s[44:45]
	s_and_b64 vcc, exec, s[40:41]
	s_cbranch_vccz .LBB1_28
.LBB1_25:                               ;   in Loop: Header=BB1_8 Depth=1
	v_add_u32_e32 v1, s53, v1
	v_cmp_gt_i32_e32 vcc, s12, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[40:41], vcc
; %bb.26:                               ;   in Loop: Header=BB1_8 Depth=1
	s_mul_i32 s60, s60, s12
	s_and_b64 s[44:45], s[22:23], exec
	s_cselect_b32 s44, s60, 0
	v_add_u32_e32 v2, s44, v1
	s_or_b64 s[42:43], s[42:43], exec
; %bb.27:                               ;   in Loop: Header=BB1_8 Depth=1
	s_or_b64 exec, exec, s[40:41]
	v_mov_b32_e32 v3, 0
.LBB1_28:                               ;   in Loop: Header=BB1_8 Depth=1
	s_and_saveexec_b64 s[40:41], s[42:43]
	s_cbranch_execz .LBB1_30
; %bb.29:                               ;   in Loop: Header=BB1_8 Depth=1
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[18:19]
	global_load_dword v1, v[2:3], off
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v2, s14, v1
	v_cmp_lt_i32_e32 vcc, -1, v1
	s_nop 1
	v_cndmask_b32_e32 v3, 0, v2, vcc
.LBB1_30:                               ;   in Loop: Header=BB1_8 Depth=1
	s_or_b64 exec, exec, s[40:41]
.LBB1_31:                               ;   in Loop: Header=BB1_8 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_sub_i32 s4, s14, s59
	v_and_b32_e32 v2, 63, v2
	v_min_i32_e32 v1, s4, v3
	v_lshl_add_u32 v3, v2, 2, -4
	ds_bpermute_b32 v3, v3, v1
	v_cmp_ne_u32_e32 vcc, 0, v2
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s5, 0xffe0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_and_b32_e32 v2, 63, v4
	v_min_u32_e32 v1, s4, v1
	v_lshl_add_u32 v3, v2, 2, -8
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 1, v2
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s4, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, -16
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 3, v2
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s4, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s5
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 7, v2
	s_movk_i32 s5, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s4, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s5
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 15, v2
	s_movk_i32 s5, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v1, s4, v1
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, s5
	ds_bpermute_b32 v3, v3, v1
	v_cmp_lt_u32_e32 vcc, 31, v2
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_add_u32_e32 v1, v2, v1
	v_mov_b32_e32 v2, v0
	v_min_u32_e32 v1, s4, v1
	;;#ASMSTART
	;;#ASMEND
	v_add_u32_e32 v1, s59, v1
	v_and_b32_e32 v3, 63, v2
	v_lshl_add_u32 v2, v3, 2, -4
	ds_bpermute_b32 v4, v2, v1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 63, v2
	v_cmp_gt_i32_e32 vcc, s58, v2
	v_mov_b32_e32 v2, 0
	s_and_saveexec_b64 s[40:41], vcc
	s_cbranch_execz .LBB1_7
; %bb.32:                               ;   in Loop: Header=BB1_8 Depth=1
	v_mov_b32_e32 v2, s59
	v_cmp_eq_u32_e32 vcc, 0, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v2, v4, v2, vcc
	s_and_b64 vcc, exec, s[16:17]
	s_cbranch_vccz .LBB1_34
; %bb.33:                               ;   in Loop: Header=BB1_8 Depth=1
	v_cmp_eq_u32_e32 vcc, v1, v2
	v_mov_b32_e32 v3, s8
	s_and_b64 s[4:5], vcc, s[28:29]
	v_cndmask_b32_e64 v6, v3, 0, s[4:5]
	s_cbranch_execnz .LBB1_6
	s_branch .LBB1_35
.LBB1_34:                               ;   in Loop: Header=BB1_8 Depth=1
                                        ; implicit-def: $vgpr6
.LBB1_35:                               ;   in Loop: Header=BB1_8 Depth=1
	v_sub_u32_e32 v2, v1, v2
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], s[30:31], 0, v[2:3]
	v_or_b32_e32 v5, s55, v3
	v_mov_b32_e32 v4, 0
	v_cmp_ne_u64_e32 vcc, 0, v[4:5]
                                        ; implicit-def: $vgpr6_vgpr7
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[42:43], exec, s[4:5]
	s_cbranch_execz .LBB1_37
; %bb.36:                               ;   in Loop: Header=BB1_8 Depth=1
	s_ashr_i32 s44, s55, 31
	s_add_u32 s4, s56, s44
	s_mov_b32 s45, s44
	s_addc_u32 s5, s55, s44
	s_xor_b64 s[46:47], s[4:5], s[44:45]
	v_cvt_f32_u32_e32 v5, s46
	v_cvt_f32_u32_e32 v6, s47
	s_sub_u32 s4, 0, s46
	s_subb_u32 s5, 0, s47
	v_mov_b32_e32 v9, v4
	v_fmamk_f32 v5, v6, 0x4f800000, v5
	v_rcp_f32_e32 v5, v5
	s_mov_b32 s63, 0
	v_mul_f32_e32 v5, 0x5f7ffffc, v5
	v_mul_f32_e32 v6, 0x2f800000, v5
	v_trunc_f32_e32 v6, v6
	v_fmamk_f32 v5, v6, 0xcf800000, v5
	v_cvt_u32_f32_e32 v6, v6
	v_cvt_u32_f32_e32 v5, v5
	v_readfirstlane_b32 s45, v6
	v_readfirstlane_b32 s48, v5
	s_mul_i32 s49, s4, s45
	s_mul_hi_u32 s60, s4, s48
	s_mul_i32 s59, s5, s48
	s_add_i32 s49, s60, s49
	s_add_i32 s49, s49, s59
	s_mul_i32 s61, s4, s48
	s_mul_i32 s60, s48, s49
	s_mul_hi_u32 s62, s48, s61
	s_mul_hi_u32 s59, s48, s49
	s_add_u32 s60, s62, s60
	s_addc_u32 s59, 0, s59
	s_mul_hi_u32 s64, s45, s61
	s_mul_i32 s61, s45, s61
	s_add_u32 s60, s60, s61
	s_mul_hi_u32 s62, s45, s49
	s_addc_u32 s59, s59, s64
	s_addc_u32 s60, s62, 0
	s_mul_i32 s49, s45, s49
	s_add_u32 s49, s59, s49
	s_addc_u32 s59, 0, s60
	s_add_u32 s48, s48, s49
	s_addc_u32 s45, s45, s59
	s_mul_i32 s49, s4, s45
	s_mul_hi_u32 s59, s4, s48
	s_add_i32 s49, s59, s49
	s_mul_i32 s5, s5, s48
	s_add_i32 s49, s49, s5
	s_mul_i32 s4, s4, s48
	s_mul_hi_u32 s59, s45, s4
	s_mul_i32 s60, s45, s4
	s_mul_i32 s62, s48, s49
	s_mul_hi_u32 s4, s48, s4
	s_mul_hi_u32 s61, s48, s49
	s_add_u32 s4, s4, s62
	s_addc_u32 s61, 0, s61
	s_add_u32 s4, s4, s60
	s_mul_hi_u32 s5, s45, s49
	s_addc_u32 s4, s61, s59
	s_addc_u32 s5, s5, 0
	s_mul_i32 s49, s45, s49
	s_add_u32 s4, s4, s49
	v_ashrrev_i32_e32 v6, 31, v3
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v7, v6
	s_add_u32 s48, s48, s4
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[6:7]
	s_addc_u32 s45, s45, s5
	v_xor_b32_e32 v10, v2, v6
	v_xor_b32_e32 v7, v3, v6
	v_mad_u64_u32 v[2:3], s[4:5], v10, s45, 0
	v_mul_hi_u32 v8, v10, s48
	v_lshl_add_u64 v[2:3], v[8:9], 0, v[2:3]
	v_mad_u64_u32 v[8:9], s[4:5], v7, s48, 0
	v_add_co_u32_e32 v2, vcc, v2, v8
	v_mad_u64_u32 v[4:5], s[4:5], v7, s45, 0
	s_nop 0
	v_addc_co_u32_e32 v2, vcc, v3, v9, vcc
	v_mov_b32_e32 v3, s63
	s_nop 0
	v_addc_co_u32_e32 v5, vcc, 0, v5, vcc
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[4:5]
	v_mul_lo_u32 v8, s47, v2
	v_mul_lo_u32 v9, s46, v3
	v_mad_u64_u32 v[4:5], s[4:5], s46, v2, 0
	v_add3_u32 v11, v5, v9, v8
	v_sub_u32_e32 v5, v7, v11
	v_mov_b32_e32 v8, s47
	v_sub_co_u32_e32 v10, vcc, v10, v4
	s_nop 1
	v_subb_co_u32_e64 v4, s[4:5], v5, v8, vcc
	v_subrev_co_u32_e64 v5, s[4:5], s46, v10
	s_nop 1
	v_subbrev_co_u32_e64 v4, s[4:5], 0, v4, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s47, v4
	s_nop 1
	v_cndmask_b32_e64 v8, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s46, v5
	s_nop 1
	v_cndmask_b32_e64 v5, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s47, v4
	s_nop 1
	v_cndmask_b32_e64 v12, v8, v5, s[4:5]
	v_lshl_add_u64 v[4:5], v[2:3], 0, 2
	v_lshl_add_u64 v[8:9], v[2:3], 0, 1
	v_subb_co_u32_e32 v3, vcc, v7, v11, vcc
	v_cmp_le_u32_e32 vcc, s47, v3
	s_nop 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s46, v10
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s47, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v12
	s_nop 1
	v_cndmask_b32_e32 v4, v8, v4, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_xor_b32_e32 v3, s44, v6
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_xor_b32_e32 v2, v2, v3
	v_sub_co_u32_e32 v6, vcc, v2, v3
                                        ; implicit-def: $vgpr2_vgpr3
.LBB1_37:                               ;   in Loop: Header=BB1_8 Depth=1
	s_andn2_saveexec_b64 s[4:5], s[42:43]
	s_cbranch_execz .LBB1_5
; %bb.38:                               ;   in Loop: Header=BB1_8 Depth=1
	v_cvt_f32_u32_e32 v3, s56
	s_sub_i32 s42, 0, s56
	v_rcp_iflag_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v4, s42, v3
	v_mul_hi_u32 v4, v3, v4
	v_add_u32_e32 v3, v3, v4
	v_mul_hi_u32 v3, v2, v3
	v_mul_lo_u32 v4, v3, s56
	v_sub_u32_e32 v2, v2, v4
	v_add_u32_e32 v5, 1, v3
	v_subrev_u32_e32 v4, s56, v2
	v_cmp_le_u32_e32 vcc, s56, v2
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_add_u32_e32 v4, 1, v3
	v_cmp_le_u32_e32 vcc, s56, v2
	s_nop 1
	v_cndmask_b32_e32 v6, v3, v4, vcc
	s_branch .LBB1_5
.LBB1_39:
	s_cmp_eq_u32 s36, 0
	s_cselect_b64 s[8:9], -1, 0
	s_cmp_eq_u32 s11, 0
	s_cselect_b64 s[12:13], -1, 0
	s_or_b64 s[8:9], s[8:9], s[12:13]
	s_mov_b32 s4, 0
	s_and_b64 vcc, exec, s[8:9]
	s_cbranch_vccnz .LBB1_47
; %bb.40:
	s_cmp_lt_i32 s11, s37
	s_mov_b32 s4, s11
	s_cbranch_scc1 .LBB1_42
; %bb.41:
	v_cvt_f32_u32_e32 v1, s37
	s_sub_i32 s4, 0, s37
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s5, v1
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_add_i32 s5, s5, s4
	s_mul_hi_u32 s4, s11, s5
	s_mul_i32 s4, s4, s37
	s_sub_i32 s4, s11, s4
	s_sub_i32 s5, s4, s37
	s_cmp_ge_u32 s4, s37
	s_cselect_b32 s4, s5, s4
	s_sub_i32 s5, s4, s37
	s_cmp_ge_u32 s4, s37
	s_cselect_b32 s4, s5, s4
.LBB1_42:
	s_ashr_i32 s13, s36, 31
	s_mov_b32 s12, s36
	s_mul_i32 s8, s4, s10
	s_mul_hi_i32 s9, s4, s10
	v_mov_b64_e32 v[2:3], s[12:13]
	v_cmp_lt_i64_e32 vcc, s[8:9], v[2:3]
	s_and_b64 s[12:13], vcc, exec
	s_cselect_b32 s8, s8, s36
	s_cmp_eq_u32 s4, 0
	s_cselect_b64 s[12:13], -1, 0
	s_lshl_b32 s9, s4, 1
	s_cmp_gt_i32 s9, s8
	s_cselect_b64 s[14:15], -1, 0
	s_or_b64 s[12:13], s[12:13], s[14:15]
	s_mov_b32 s5, 0
	s_and_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB1_48
; %bb.43:
	s_cmp_lg_u32 s3, 2
	s_cbranch_scc1 .LBB1_45
; %bb.44:
	v_cvt_f32_u32_e32 v1, s4
	s_sub_i32 s3, 0, s4
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s5, v1
	s_mul_i32 s3, s3, s5
	s_mul_hi_u32 s3, s5, s3
	s_add_i32 s5, s5, s3
	s_mul_hi_u32 s3, s8, s5
	s_mul_i32 s3, s3, s4
	s_sub_i32 s3, s8, s3
	s_sub_i32 s5, s3, s4
	s_cmp_ge_u32 s3, s4
	s_cselect_b32 s3, s5, s3
	s_sub_i32 s5, s3, s4
	s_cmp_ge_u32 s3, s4
	s_cselect_b32 s3, s5, s3
	s_sub_i32 s8, s8, s3
.LBB1_45:
	s_sub_i32 s11, s11, s4
	s_mov_b32 s5, s8
	s_branch .LBB1_49
.LBB1_46:
                                        ; implicit-def: $vgpr10
	s_cbranch_execnz .LBB1_50
	s_branch .LBB1_70
.LBB1_47:
	s_mov_b32 s5, 0
	s_branch .LBB1_49
.LBB1_48:
	s_mov_b32 s4, 0
.LBB1_49:
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v2, s11
	v_and_b32_e32 v1, 63, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	v_mov_b32_e32 v3, s4
	s_nop 0
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cmp_eq_u32_e32 vcc, 1, v1
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_mov_b32_e32 v3, s5
	v_cmp_eq_u32_e32 vcc, 2, v1
	v_add_u32_e32 v1, -3, v1
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_cmp_lt_u32_e32 vcc, 4, v1
	s_nop 1
	v_cndmask_b32_e32 v10, 0, v2, vcc
	s_branch .LBB1_70
.LBB1_50:
	s_load_dwordx2 s[4:5], s[6:7], 0x138
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[4:5], 0
	s_cbranch_scc1 .LBB1_68
; %bb.51:
	v_readfirstlane_b32 s3, v0
	s_cmp_gt_u32 s3, 63
	s_cbranch_scc1 .LBB1_67
; %bb.52:
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx2 s[12:13], s[4:5], 0x138
	s_load_dword s3, s[4:5], 0xa0
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[12:13], 0
	s_cbranch_scc1 .LBB1_64
; %bb.53:
	s_load_dword s17, s[4:5], 0x90
	s_load_dwordx4 s[8:11], s[4:5], 0x120
	s_load_dword s16, s[4:5], 0x148
	s_load_dwordx2 s[6:7], s[4:5], 0x150
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v2, 0
	v_and_b32_e32 v1, 63, v1
	v_cmp_eq_u32_e64 s[4:5], 0, v1
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[14:15], s[4:5]
	s_cbranch_execz .LBB1_55
; %bb.54:
	global_load_dword v1, v2, s[12:13] sc1
.LBB1_55:
	s_or_b64 exec, exec, s[14:15]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s14, v1, 0
	s_cmp_lg_u32 s14, 0
	s_cbranch_scc1 .LBB1_63
; %bb.56:
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_u32_e32 v1, s16
	s_sub_i32 s14, 0, s16
	s_mul_i32 s15, s7, s17
	s_add_i32 s6, s16, s6
	v_rcp_iflag_f32_e32 v1, v1
	s_add_i32 s6, s6, -1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s17, v1
	s_mul_i32 s14, s14, s17
	s_mul_hi_u32 s14, s17, s14
	s_add_i32 s17, s17, s14
	s_mul_hi_u32 s14, s6, s17
	s_mul_i32 s17, s14, s16
	s_sub_i32 s6, s6, s17
	s_add_i32 s18, s14, 1
	s_sub_i32 s17, s6, s16
	s_cmp_ge_u32 s6, s16
	s_cselect_b32 s14, s18, s14
	s_cselect_b32 s6, s17, s6
	s_add_i32 s17, s14, 1
	s_cmp_ge_u32 s6, s16
	s_cselect_b32 s6, s17, s14
	s_cmp_eq_u32 s7, 0
	s_cselect_b32 s14, s6, s15
	s_cmp_lt_i32 s14, 1
	s_mov_b32 s15, 2
	s_cbranch_scc1 .LBB1_60
; %bb.57:
	v_mov_b32_e32 v3, 0
	global_load_dword v1, v3, s[10:11]
	v_and_b32_e32 v4, 63, v2
	s_mov_b32 s10, 0
.LBB1_58:                               ; =>This Inner Loop Header: Depth=1
	v_add_u32_e32 v5, s10, v4
	v_mov_b32_e32 v8, s10
	v_cmp_gt_i32_e32 vcc, s14, v5
	v_add_u32_e32 v9, 64, v5
	v_add_u32_e32 v10, 0x80, v5
	v_cndmask_b32_e32 v2, v8, v5, vcc
	v_cmp_gt_i32_e32 vcc, s14, v9
	v_add_u32_e32 v5, 0xc0, v5
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[8:9]
	v_cndmask_b32_e32 v2, v8, v9, vcc
	v_cmp_gt_i32_e32 vcc, s14, v10
	v_cmp_gt_i32_e64 s[6:7], s14, v5
	global_load_dword v9, v[6:7], off sc0 sc1
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[8:9]
	v_cndmask_b32_e32 v2, v8, v10, vcc
	global_load_dword v10, v[6:7], off sc0 sc1
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[8:9]
	v_cndmask_b32_e64 v2, v8, v5, s[6:7]
	global_load_dword v5, v[6:7], off sc0 sc1
	v_lshl_add_u64 v[6:7], v[2:3], 2, s[8:9]
	global_load_dword v2, v[6:7], off sc0 sc1
	s_waitcnt vmcnt(3)
	v_cmp_ne_u32_e32 vcc, v9, v1
	s_waitcnt vmcnt(2)
	v_cmp_ne_u32_e64 s[6:7], v10, v1
	s_or_b64 s[6:7], vcc, s[6:7]
	s_waitcnt vmcnt(1)
	v_cmp_ne_u32_e32 vcc, v5, v1
	s_or_b64 s[6:7], s[6:7], vcc
	s_waitcnt vmcnt(0)
	v_cmp_ne_u32_e32 vcc, v2, v1
	s_or_b64 s[6:7], s[6:7], vcc
	v_cndmask_b32_e64 v2, 0, 1, s[6:7]
	v_cmp_ne_u32_e32 vcc, 0, v2
	s_cmp_eq_u64 vcc, 0
	s_cselect_b64 s[6:7], -1, 0
	s_addk_i32 s10, 0x100
	s_cmp_lt_i32 s10, s14
	s_cselect_b64 s[18:19], -1, 0
	s_and_b64 s[18:19], s[6:7], s[18:19]
	s_and_b64 vcc, exec, s[18:19]
	s_cbranch_vccnz .LBB1_58
; %bb.59:
	s_and_b64 s[6:7], s[6:7], exec
	s_cselect_b32 s15, 2, 1
.LBB1_60:
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v1, 0
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_cbranch_execz .LBB1_62
; %bb.61:
	v_mov_b32_e32 v2, s15
	global_atomic_cmpswap v1, v3, v[2:3], s[12:13] sc0
.LBB1_62:
	s_or_b64 exec, exec, s[6:7]
	s_waitcnt vmcnt(0)
	v_readlane_b32 s4, v1, 0
	s_cmp_eq_u32 s4, 0
	s_cselect_b32 s14, s15, s4
.LBB1_63:
	s_cmp_eq_u32 s14, 2
	s_waitcnt lgkmcnt(0)
	s_cselect_b32 s3, s3, s16
.LBB1_64:
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v1, 63, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[4:5], vcc
; %bb.65:
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, s3
	ds_write_b32 v1, v2
; %bb.66:
	s_or_b64 exec, exec, s[4:5]
.LBB1_67:
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v1
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s3, v1
	s_branch .LBB1_69
.LBB1_68:
	s_load_dword s3, s[6:7], 0xa0
.LBB1_69:
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v10, s3
.LBB1_70:
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dword s3, s[4:5], 0xb8
	s_waitcnt lgkmcnt(0)
	s_and_b32 s3, s3, 0xff
	s_cbranch_scc0 .LBB1_76
; %bb.71:
	s_and_b32 s3, 0xffff, s3
	s_cmp_lg_u32 s3, 2
	s_cselect_b64 s[6:7], -1, 0
	v_cndmask_b32_e64 v1, 0, 1, s[6:7]
	v_readlane_b32 s9, v10, 2
	v_readfirstlane_b32 s3, v1
	v_readlane_b32 s8, v10, 0
	s_lshl_b32 s3, s9, s3
	s_add_i32 s3, s3, s8
	s_cbranch_execnz .LBB1_73
.LBB1_72:
	s_load_dword s3, s[4:5], 0xa8
	s_load_dword s6, s[4:5], 0xb0
	s_waitcnt lgkmcnt(0)
	s_lshl1_add_u32 s3, s6, s3
.LBB1_73:
	s_cmp_lt_i32 s38, 1
	s_cselect_b64 s[6:7], -1, 0
	s_cmp_gt_i32 s38, 0
	s_mov_b32 s33, 0
	s_cselect_b64 s[44:45], -1, 0
	s_and_b64 vcc, exec, s[6:7]
	s_cbranch_vccnz .LBB1_79
; %bb.74:
	v_cvt_f32_u32_e32 v1, s39
	s_sub_i32 s4, 0, s39
	s_getreg_b32 s5, hwreg(HW_REG_XCC_ID, 0, 4)
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s8, v1
	s_mul_i32 s4, s4, s8
	s_mul_hi_u32 s4, s8, s4
	s_add_i32 s4, s8, s4
	s_mul_hi_u32 s8, s5, s4
	s_mul_i32 s8, s8, s39
	s_sub_i32 s5, s5, s8
	s_sub_i32 s8, s5, s39
	s_cmp_ge_u32 s5, s39
	s_cselect_b32 s5, s8, s5
	s_sub_i32 s8, s5, s39
	s_cmp_ge_u32 s5, s39
	s_cselect_b32 s8, s8, s5
	s_cmp_le_u32 s39, s38
	s_cbranch_scc0 .LBB1_77
; %bb.75:
	s_mul_hi_u32 s5, s38, s4
	s_mul_i32 s9, s5, s39
	s_sub_i32 s9, s38, s9
	s_add_i32 s10, s5, 1
	s_sub_i32 s11, s9, s39
	s_cmp_ge_u32 s9, s39
	s_cselect_b32 s5, s10, s5
	s_cselect_b32 s9, s11, s9
	s_add_i32 s10, s5, 1
	s_cmp_ge_u32 s9, s39
	s_cselect_b32 s5, s10, s5
	v_cvt_f32_u32_e32 v1, s5
	s_mul_hi_u32 s4, s2, s4
	s_mul_i32 s10, s4, s39
	s_sub_i32 s10, s2, s10
	v_rcp_iflag_f32_e32 v1, v1
	s_add_i32 s11, s4, 1
	s_sub_i32 s12, s10, s39
	s_cmp_ge_u32 s10, s39
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_cselect_b32 s4, s11, s4
	s_cselect_b32 s10, s12, s10
	s_add_i32 s11, s4, 1
	s_cmp_ge_u32 s10, s39
	s_cselect_b32 s4, s11, s4
	s_sub_i32 s10, 0, s5
	v_readfirstlane_b32 s11, v1
	s_mul_i32 s10, s10, s11
	s_mul_hi_u32 s10, s11, s10
	s_add_i32 s11, s11, s10
	s_mul_hi_u32 s10, s4, s11
	s_mul_i32 s10, s10, s5
	s_sub_i32 s4, s4, s10
	s_sub_i32 s10, s4, s5
	s_cmp_ge_u32 s4, s5
	s_cselect_b32 s4, s10, s4
	s_sub_i32 s10, s4, s5
	s_cmp_ge_u32 s4, s5
	s_mul_i32 s9, s5, s8
	s_cselect_b32 s4, s10, s4
	s_add_i32 s33, s4, s9
	s_cbranch_execz .LBB1_78
	s_branch .LBB1_79
.LBB1_76:
                                        ; implicit-def: $sgpr3
	s_branch .LBB1_72
.LBB1_77:
                                        ; implicit-def: $sgpr33
.LBB1_78:
	v_cvt_f32_u32_e32 v1, s38
	s_sub_i32 s4, 0, s38
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s5, v1
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_add_i32 s5, s5, s4
	s_mul_hi_u32 s4, s8, s5
	s_mul_i32 s4, s4, s38
	s_sub_i32 s4, s8, s4
	s_sub_i32 s5, s4, s38
	s_cmp_ge_u32 s4, s38
	s_cselect_b32 s4, s5, s4
	s_sub_i32 s5, s4, s38
	s_cmp_ge_u32 s4, s38
	s_cselect_b32 s33, s5, s4
.LBB1_79:
	s_andn2_b64 vcc, exec, s[44:45]
	v_mov_b32_e32 v11, 0
	s_cbranch_vccnz .LBB1_85
; %bb.80:
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v11, 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_84
; %bb.81:
	s_mov_b64 s[10:11], exec
	v_mbcnt_lo_u32_b32 v1, s10, 0
	v_mbcnt_hi_u32_b32 v1, s11, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB1_83
; %bb.82:
	s_cmp_ge_i32 s33, s38
	s_cselect_b32 s12, s38, 0
	s_sub_i32 s12, s33, s12
	s_lshl_b32 s12, s12, 6
	s_ashr_i32 s13, s12, 31
	s_lshl_b64 s[12:13], s[12:13], 2
	s_add_u32 s12, s34, s12
	s_addc_u32 s13, s35, s13
	s_bcnt1_i32_b64 s10, s[10:11]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s10
	global_atomic_add v2, v2, v3, s[12:13] sc0
.LBB1_83:
	s_or_b64 exec, exec, s[8:9]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s8, v2
	s_nop 1
	v_add_u32_e32 v11, s8, v1
.LBB1_84:
	s_or_b64 exec, exec, s[4:5]
.LBB1_85:
	s_and_b64 vcc, exec, s[44:45]
	s_cbranch_vccz .LBB1_117
; %bb.86:
	v_mov_b32_e32 v1, v0
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v124, 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	v_mov_b32_e32 v1, v11
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz .LBB1_119
; %bb.87:
	s_add_i32 s36, s33, 1
	s_mov_b64 s[10:11], 0
	v_mov_b32_e32 v124, 0
	v_mov_b32_e32 v1, v11
                                        ; implicit-def: $sgpr12_sgpr13
                                        ; implicit-def: $vgpr12
	s_branch .LBB1_90
.LBB1_88:                               ;   in Loop: Header=BB1_90 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_cmp_lt_i32_e32 vcc, v1, v14
	s_andn2_b64 s[4:5], s[12:13], exec
	s_and_b64 s[12:13], vcc, exec
	s_or_b64 s[12:13], s[4:5], s[12:13]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v7
.LBB1_89:                               ;   in Loop: Header=BB1_90 Depth=1
	s_or_b64 exec, exec, s[14:15]
	s_and_b64 s[4:5], exec, s[12:13]
	s_or_b64 s[10:11], s[4:5], s[10:11]
	v_mov_b32_e32 v12, v6
	s_andn2_b64 exec, exec, s[10:11]
	s_cbranch_execz .LBB1_118
.LBB1_90:                               ; =>This Loop Header: Depth=1
                                        ;     Child Loop BB1_103 Depth 2
	v_cmp_gt_i32_e32 vcc, s38, v124
	v_mov_b32_e32 v6, -1
	s_or_b64 s[12:13], s[12:13], exec
	s_and_saveexec_b64 s[14:15], vcc
	s_cbranch_execz .LBB1_89
; %bb.91:                               ;   in Loop: Header=BB1_90 Depth=1
	v_add_u32_e32 v2, s33, v124
	v_mov_b32_e32 v3, s38
	v_cmp_le_i32_e32 vcc, s38, v2
	v_mov_b32_e32 v6, 0
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_sub_u32_e32 v8, v2, v3
	v_mad_i64_i32 v[4:5], s[4:5], v8, s3, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr2_vgpr3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[16:17], exec, s[4:5]
	s_cbranch_execz .LBB1_93
; %bb.92:                               ;   in Loop: Header=BB1_90 Depth=1
	s_add_u32 s4, s38, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[18:19], s[4:5], 0
	v_cvt_f32_u32_e32 v2, s18
	v_cvt_f32_u32_e32 v3, s19
	s_sub_u32 s4, 0, s18
	s_subb_u32 s5, 0, s19
	v_mov_b32_e32 v15, v6
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_mov_b32 s20, 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s21, v3
	v_readfirstlane_b32 s22, v2
	s_mul_i32 s23, s4, s21
	s_mul_hi_u32 s25, s4, s22
	s_mul_i32 s24, s5, s22
	s_add_i32 s23, s25, s23
	s_add_i32 s23, s23, s24
	s_mul_i32 s26, s4, s22
	s_mul_i32 s25, s22, s23
	s_mul_hi_u32 s27, s22, s26
	s_mul_hi_u32 s24, s22, s23
	s_add_u32 s25, s27, s25
	s_addc_u32 s24, 0, s24
	s_mul_hi_u32 s28, s21, s26
	s_mul_i32 s26, s21, s26
	s_add_u32 s25, s25, s26
	s_mul_hi_u32 s27, s21, s23
	s_addc_u32 s24, s24, s28
	s_addc_u32 s25, s27, 0
	s_mul_i32 s23, s21, s23
	s_add_u32 s23, s24, s23
	s_addc_u32 s24, 0, s25
	s_add_u32 s22, s22, s23
	s_addc_u32 s21, s21, s24
	s_mul_i32 s23, s4, s21
	s_mul_hi_u32 s24, s4, s22
	s_add_i32 s23, s24, s23
	s_mul_i32 s5, s5, s22
	s_add_i32 s23, s23, s5
	s_mul_i32 s4, s4, s22
	s_mul_hi_u32 s24, s21, s4
	s_mul_i32 s25, s21, s4
	s_mul_i32 s27, s22, s23
	s_mul_hi_u32 s4, s22, s4
	s_mul_hi_u32 s26, s22, s23
	s_add_u32 s4, s4, s27
	s_addc_u32 s26, 0, s26
	s_add_u32 s4, s4, s25
	s_mul_hi_u32 s5, s21, s23
	s_addc_u32 s4, s26, s24
	s_addc_u32 s5, s5, 0
	s_mul_i32 s23, s21, s23
	s_add_u32 s4, s4, s23
	v_ashrrev_i32_e32 v2, 31, v5
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v3, v2
	s_add_u32 s22, s22, s4
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[2:3]
	s_addc_u32 s21, s21, s5
	v_xor_b32_e32 v9, v4, v2
	v_xor_b32_e32 v3, v5, v2
	v_mad_u64_u32 v[4:5], s[4:5], v9, s21, 0
	v_mul_hi_u32 v14, v9, s22
	v_lshl_add_u64 v[4:5], v[14:15], 0, v[4:5]
	v_mad_u64_u32 v[14:15], s[4:5], v3, s22, 0
	v_add_co_u32_e32 v4, vcc, v4, v14
	v_mad_u64_u32 v[6:7], s[4:5], v3, s21, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v15, vcc
	v_mov_b32_e32 v5, s20
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v13, s19, v4
	v_mul_lo_u32 v14, s18, v5
	v_mad_u64_u32 v[6:7], s[4:5], s18, v4, 0
	v_add3_u32 v13, v7, v14, v13
	v_sub_u32_e32 v7, v3, v13
	v_mov_b32_e32 v14, s19
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v14, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s18, v9
	v_subb_co_u32_e32 v3, vcc, v3, v13, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s19, v6
	v_cmp_le_u32_e32 vcc, s19, v3
	s_nop 0
	v_cndmask_b32_e64 v14, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s18, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s19, v6
	s_nop 1
	v_cndmask_b32_e64 v16, v14, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[14:15], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s18, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s19, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v16
	s_nop 1
	v_cndmask_b32_e32 v5, v14, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v2
	v_sub_co_u32_e32 v2, vcc, v3, v2
                                        ; implicit-def: $vgpr4_vgpr5
.LBB1_93:                               ;   in Loop: Header=BB1_90 Depth=1
	s_or_saveexec_b64 s[4:5], s[16:17]
	v_cvt_f32_u32_e32 v13, s38
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB1_95
; %bb.94:                               ;   in Loop: Header=BB1_90 Depth=1
	v_rcp_iflag_f32_e32 v2, v13
	s_sub_i32 s16, 0, s38
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s16, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, v4, v2
	v_mul_lo_u32 v3, v2, s38
	v_sub_u32_e32 v3, v4, v3
	v_add_u32_e32 v5, 1, v2
	v_subrev_u32_e32 v4, s38, v3
	v_cmp_le_u32_e32 vcc, s38, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s38, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
.LBB1_95:                               ;   in Loop: Header=BB1_90 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v3, 1, v8
	v_mad_i64_i32 v[4:5], s[4:5], v3, s3, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr8_vgpr9
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[16:17], exec, s[4:5]
	s_cbranch_execz .LBB1_97
; %bb.96:                               ;   in Loop: Header=BB1_90 Depth=1
	s_add_u32 s4, s38, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[18:19], s[4:5], 0
	v_cvt_f32_u32_e32 v3, s18
	v_cvt_f32_u32_e32 v7, s19
	s_sub_u32 s4, 0, s18
	s_subb_u32 s5, 0, s19
	v_ashrrev_i32_e32 v8, 31, v5
	v_fmamk_f32 v3, v7, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	v_mov_b32_e32 v9, v8
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[8:9]
	v_xor_b32_e32 v9, v4, v8
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v7, 0x2f800000, v3
	v_trunc_f32_e32 v7, v7
	v_fmamk_f32 v3, v7, 0xcf800000, v3
	v_cvt_u32_f32_e32 v7, v7
	v_cvt_u32_f32_e32 v3, v3
	v_mov_b32_e32 v15, v6
	s_mov_b32 s20, 0
	v_readfirstlane_b32 s21, v7
	v_readfirstlane_b32 s22, v3
	s_mul_i32 s23, s4, s21
	s_mul_hi_u32 s25, s4, s22
	s_mul_i32 s24, s5, s22
	s_add_i32 s23, s25, s23
	s_add_i32 s23, s23, s24
	s_mul_i32 s26, s4, s22
	s_mul_i32 s25, s22, s23
	s_mul_hi_u32 s27, s22, s26
	s_mul_hi_u32 s24, s22, s23
	s_add_u32 s25, s27, s25
	s_addc_u32 s24, 0, s24
	s_mul_hi_u32 s28, s21, s26
	s_mul_i32 s26, s21, s26
	s_add_u32 s25, s25, s26
	s_mul_hi_u32 s27, s21, s23
	s_addc_u32 s24, s24, s28
	s_addc_u32 s25, s27, 0
	s_mul_i32 s23, s21, s23
	s_add_u32 s23, s24, s23
	s_addc_u32 s24, 0, s25
	s_add_u32 s22, s22, s23
	s_addc_u32 s21, s21, s24
	s_mul_i32 s23, s4, s21
	s_mul_hi_u32 s24, s4, s22
	s_add_i32 s23, s24, s23
	s_mul_i32 s5, s5, s22
	s_add_i32 s23, s23, s5
	s_mul_i32 s4, s4, s22
	s_mul_hi_u32 s24, s21, s4
	s_mul_i32 s25, s21, s4
	s_mul_i32 s27, s22, s23
	s_mul_hi_u32 s4, s22, s4
	s_mul_hi_u32 s26, s22, s23
	s_add_u32 s4, s4, s27
	s_addc_u32 s26, 0, s26
	s_add_u32 s4, s4, s25
	s_mul_hi_u32 s5, s21, s23
	s_addc_u32 s4, s26, s24
	s_addc_u32 s5, s5, 0
	s_mul_i32 s23, s21, s23
	s_add_u32 s4, s4, s23
	s_addc_u32 s5, 0, s5
	s_add_u32 s22, s22, s4
	s_addc_u32 s21, s21, s5
	v_xor_b32_e32 v3, v5, v8
	v_mad_u64_u32 v[4:5], s[4:5], v9, s21, 0
	v_mul_hi_u32 v14, v9, s22
	v_lshl_add_u64 v[4:5], v[14:15], 0, v[4:5]
	v_mad_u64_u32 v[14:15], s[4:5], v3, s22, 0
	v_add_co_u32_e32 v4, vcc, v4, v14
	v_mad_u64_u32 v[6:7], s[4:5], v3, s21, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v15, vcc
	v_mov_b32_e32 v5, s20
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v14, s19, v4
	v_mul_lo_u32 v15, s18, v5
	v_mad_u64_u32 v[6:7], s[4:5], s18, v4, 0
	v_add3_u32 v16, v7, v15, v14
	v_sub_u32_e32 v7, v3, v16
	v_mov_b32_e32 v14, s19
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v14, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s18, v9
	v_subb_co_u32_e32 v3, vcc, v3, v16, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s19, v6
	v_cmp_le_u32_e32 vcc, s19, v3
	s_nop 0
	v_cndmask_b32_e64 v14, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s18, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s19, v6
	s_nop 1
	v_cndmask_b32_e64 v17, v14, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[14:15], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s18, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s19, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v17
	s_nop 1
	v_cndmask_b32_e32 v5, v14, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v8, vcc, v3, v8
                                        ; implicit-def: $vgpr4_vgpr5
.LBB1_97:                               ;   in Loop: Header=BB1_90 Depth=1
	s_andn2_saveexec_b64 s[4:5], s[16:17]
	s_cbranch_execz .LBB1_99
; %bb.98:                               ;   in Loop: Header=BB1_90 Depth=1
	v_rcp_iflag_f32_e32 v3, v13
	s_sub_i32 s16, 0, s38
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v5, s16, v3
	v_mul_hi_u32 v5, v3, v5
	v_add_u32_e32 v3, v3, v5
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v5, v3, s38
	v_sub_u32_e32 v4, v4, v5
	v_add_u32_e32 v6, 1, v3
	v_subrev_u32_e32 v5, s38, v4
	v_cmp_le_u32_e32 vcc, s38, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s38, v4
	s_nop 1
	v_cndmask_b32_e32 v8, v3, v5, vcc
.LBB1_99:                               ;   in Loop: Header=BB1_90 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_sub_u32_e32 v14, v8, v2
	v_cmp_ge_i32_e32 vcc, v1, v14
                                        ; implicit-def: $vgpr6
                                        ; implicit-def: $vgpr7
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[16:17], exec, s[4:5]
	s_cbranch_execz .LBB1_115
; %bb.100:                              ;   in Loop: Header=BB1_90 Depth=1
	v_add_u32_e32 v2, 1, v124
	v_add_lshl_u32 v16, s36, v124, 6
	s_mov_b64 s[18:19], 0
                                        ; implicit-def: $sgpr20_sgpr21
                                        ; implicit-def: $sgpr24_sgpr25
                                        ; implicit-def: $sgpr22_sgpr23
	s_branch .LBB1_103
.LBB1_101:                              ;   in Loop: Header=BB1_103 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_lshlrev_b32_e32 v3, 6, v17
	v_sub_u32_e32 v4, v16, v3
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[4:5], v[4:5], 2, s[34:35]
	global_load_dword v3, v[4:5], off sc1
	v_sub_u32_e32 v6, v2, v8
	s_andn2_b64 s[4:5], s[24:25], exec
	v_add_u32_e32 v2, 1, v15
	s_andn2_b64 s[22:23], s[22:23], exec
	v_add_u32_e32 v16, 64, v16
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, v3, v6
	s_and_b64 s[24:25], vcc, exec
	s_or_b64 s[24:25], s[4:5], s[24:25]
.LBB1_102:                              ;   in Loop: Header=BB1_103 Depth=2
	s_or_b64 exec, exec, s[26:27]
	s_and_b64 s[4:5], exec, s[24:25]
	s_or_b64 s[18:19], s[4:5], s[18:19]
	s_andn2_b64 s[4:5], s[20:21], exec
	s_and_b64 s[20:21], s[22:23], exec
	s_or_b64 s[20:21], s[4:5], s[20:21]
	s_andn2_b64 exec, exec, s[18:19]
	s_cbranch_execz .LBB1_112
.LBB1_103:                              ;   Parent Loop BB1_90 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	v_mov_b32_e32 v15, v2
	v_cmp_gt_i32_e32 vcc, s38, v15
	s_or_b64 s[22:23], s[22:23], exec
	s_or_b64 s[24:25], s[24:25], exec
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr4_vgpr5
	s_and_saveexec_b64 s[26:27], vcc
	s_cbranch_execz .LBB1_102
; %bb.104:                              ;   in Loop: Header=BB1_103 Depth=2
	v_add_u32_e32 v2, s33, v15
	v_mov_b32_e32 v3, s38
	v_cmp_le_i32_e32 vcc, s38, v2
	v_mov_b32_e32 v6, 0
	s_nop 0
	v_cndmask_b32_e32 v17, 0, v3, vcc
	v_sub_u32_e32 v8, v2, v17
	v_add_u32_e32 v2, 1, v8
	v_mad_i64_i32 v[4:5], s[4:5], v2, s3, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr2_vgpr3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[28:29], exec, s[4:5]
	s_cbranch_execz .LBB1_106
; %bb.105:                              ;   in Loop: Header=BB1_103 Depth=2
	s_add_u32 s4, s38, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[30:31], s[4:5], 0
	v_cvt_f32_u32_e32 v2, s30
	v_cvt_f32_u32_e32 v3, s31
	s_sub_u32 s4, 0, s30
	s_subb_u32 s5, 0, s31
	v_mov_b32_e32 v19, v6
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_mov_b32 s39, 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s40, v3
	v_readfirstlane_b32 s41, v2
	s_mul_i32 s42, s4, s40
	s_mul_hi_u32 s46, s4, s41
	s_mul_i32 s43, s5, s41
	s_add_i32 s42, s46, s42
	s_add_i32 s42, s42, s43
	s_mul_i32 s47, s4, s41
	s_mul_i32 s46, s41, s42
	s_mul_hi_u32 s48, s41, s47
	s_mul_hi_u32 s43, s41, s42
	s_add_u32 s46, s48, s46
	s_addc_u32 s43, 0, s43
	s_mul_hi_u32 s49, s40, s47
	s_mul_i32 s47, s40, s47
	s_add_u32 s46, s46, s47
	s_mul_hi_u32 s48, s40, s42
	s_addc_u32 s43, s43, s49
	s_addc_u32 s46, s48, 0
	s_mul_i32 s42, s40, s42
	s_add_u32 s42, s43, s42
	s_addc_u32 s43, 0, s46
	s_add_u32 s41, s41, s42
	s_addc_u32 s40, s40, s43
	s_mul_i32 s42, s4, s40
	s_mul_hi_u32 s43, s4, s41
	s_add_i32 s42, s43, s42
	s_mul_i32 s5, s5, s41
	s_add_i32 s42, s42, s5
	s_mul_i32 s4, s4, s41
	s_mul_hi_u32 s43, s40, s4
	s_mul_i32 s46, s40, s4
	s_mul_i32 s48, s41, s42
	s_mul_hi_u32 s4, s41, s4
	s_mul_hi_u32 s47, s41, s42
	s_add_u32 s4, s4, s48
	s_addc_u32 s47, 0, s47
	s_add_u32 s4, s4, s46
	s_mul_hi_u32 s5, s40, s42
	s_addc_u32 s4, s47, s43
	s_addc_u32 s5, s5, 0
	s_mul_i32 s42, s40, s42
	s_add_u32 s4, s4, s42
	v_ashrrev_i32_e32 v2, 31, v5
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v3, v2
	s_add_u32 s41, s41, s4
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[2:3]
	s_addc_u32 s40, s40, s5
	v_xor_b32_e32 v9, v4, v2
	v_xor_b32_e32 v3, v5, v2
	v_mad_u64_u32 v[4:5], s[4:5], v9, s40, 0
	v_mul_hi_u32 v18, v9, s41
	v_lshl_add_u64 v[4:5], v[18:19], 0, v[4:5]
	v_mad_u64_u32 v[18:19], s[4:5], v3, s41, 0
	v_add_co_u32_e32 v4, vcc, v4, v18
	v_mad_u64_u32 v[6:7], s[4:5], v3, s40, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v19, vcc
	v_mov_b32_e32 v5, s39
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v18, s31, v4
	v_mul_lo_u32 v19, s30, v5
	v_mad_u64_u32 v[6:7], s[4:5], s30, v4, 0
	v_add3_u32 v20, v7, v19, v18
	v_sub_u32_e32 v7, v3, v20
	v_mov_b32_e32 v18, s31
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v18, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s30, v9
	v_subb_co_u32_e32 v3, vcc, v3, v20, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s31, v6
	v_cmp_le_u32_e32 vcc, s31, v3
	s_nop 0
	v_cndmask_b32_e64 v18, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s30, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s31, v6
	s_nop 1
	v_cndmask_b32_e64 v21, v18, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[18:19], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s30, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s31, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v21
	s_nop 1
	v_cndmask_b32_e32 v5, v18, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v2
	v_sub_co_u32_e32 v2, vcc, v3, v2
                                        ; implicit-def: $vgpr4_vgpr5
.LBB1_106:                              ;   in Loop: Header=BB1_103 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[28:29]
	s_cbranch_execz .LBB1_108
; %bb.107:                              ;   in Loop: Header=BB1_103 Depth=2
	v_rcp_iflag_f32_e32 v2, v13
	s_sub_i32 s28, 0, s38
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s28, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, v4, v2
	v_mul_lo_u32 v3, v2, s38
	v_sub_u32_e32 v3, v4, v3
	v_add_u32_e32 v5, 1, v2
	v_subrev_u32_e32 v4, s38, v3
	v_cmp_le_u32_e32 vcc, s38, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s38, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
.LBB1_108:                              ;   in Loop: Header=BB1_103 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_mad_i64_i32 v[4:5], s[4:5], v8, s3, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr8_vgpr9
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[28:29], exec, s[4:5]
	s_cbranch_execz .LBB1_110
; %bb.109:                              ;   in Loop: Header=BB1_103 Depth=2
	s_add_u32 s4, s38, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[30:31], s[4:5], 0
	v_cvt_f32_u32_e32 v3, s30
	v_cvt_f32_u32_e32 v7, s31
	s_sub_u32 s4, 0, s30
	s_subb_u32 s5, 0, s31
	v_ashrrev_i32_e32 v8, 31, v5
	v_fmamk_f32 v3, v7, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	v_mov_b32_e32 v9, v8
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[8:9]
	v_xor_b32_e32 v9, v4, v8
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v7, 0x2f800000, v3
	v_trunc_f32_e32 v7, v7
	v_fmamk_f32 v3, v7, 0xcf800000, v3
	v_cvt_u32_f32_e32 v7, v7
	v_cvt_u32_f32_e32 v3, v3
	v_mov_b32_e32 v19, v6
	s_mov_b32 s39, 0
	v_readfirstlane_b32 s40, v7
	v_readfirstlane_b32 s41, v3
	s_mul_i32 s42, s4, s40
	s_mul_hi_u32 s46, s4, s41
	s_mul_i32 s43, s5, s41
	s_add_i32 s42, s46, s42
	s_add_i32 s42, s42, s43
	s_mul_i32 s47, s4, s41
	s_mul_i32 s46, s41, s42
	s_mul_hi_u32 s48, s41, s47
	s_mul_hi_u32 s43, s41, s42
	s_add_u32 s46, s48, s46
	s_addc_u32 s43, 0, s43
	s_mul_hi_u32 s49, s40, s47
	s_mul_i32 s47, s40, s47
	s_add_u32 s46, s46, s47
	s_mul_hi_u32 s48, s40, s42
	s_addc_u32 s43, s43, s49
	s_addc_u32 s46, s48, 0
	s_mul_i32 s42, s40, s42
	s_add_u32 s42, s43, s42
	s_addc_u32 s43, 0, s46
	s_add_u32 s41, s41, s42
	s_addc_u32 s40, s40, s43
	s_mul_i32 s42, s4, s40
	s_mul_hi_u32 s43, s4, s41
	s_add_i32 s42, s43, s42
	s_mul_i32 s5, s5, s41
	s_add_i32 s42, s42, s5
	s_mul_i32 s4, s4, s41
	s_mul_hi_u32 s43, s40, s4
	s_mul_i32 s46, s40, s4
	s_mul_i32 s48, s41, s42
	s_mul_hi_u32 s4, s41, s4
	s_mul_hi_u32 s47, s41, s42
	s_add_u32 s4, s4, s48
	s_addc_u32 s47, 0, s47
	s_add_u32 s4, s4, s46
	s_mul_hi_u32 s5, s40, s42
	s_addc_u32 s4, s47, s43
	s_addc_u32 s5, s5, 0
	s_mul_i32 s42, s40, s42
	s_add_u32 s4, s4, s42
	s_addc_u32 s5, 0, s5
	s_add_u32 s41, s41, s4
	s_addc_u32 s40, s40, s5
	v_xor_b32_e32 v3, v5, v8
	v_mad_u64_u32 v[4:5], s[4:5], v9, s40, 0
	v_mul_hi_u32 v18, v9, s41
	v_lshl_add_u64 v[4:5], v[18:19], 0, v[4:5]
	v_mad_u64_u32 v[18:19], s[4:5], v3, s41, 0
	v_add_co_u32_e32 v4, vcc, v4, v18
	v_mad_u64_u32 v[6:7], s[4:5], v3, s40, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v19, vcc
	v_mov_b32_e32 v5, s39
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v18, s31, v4
	v_mul_lo_u32 v19, s30, v5
	v_mad_u64_u32 v[6:7], s[4:5], s30, v4, 0
	v_add3_u32 v20, v7, v19, v18
	v_sub_u32_e32 v7, v3, v20
	v_mov_b32_e32 v18, s31
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v18, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s30, v9
	v_subb_co_u32_e32 v3, vcc, v3, v20, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s31, v6
	v_cmp_le_u32_e32 vcc, s31, v3
	s_nop 0
	v_cndmask_b32_e64 v18, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s30, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s31, v6
	s_nop 1
	v_cndmask_b32_e64 v21, v18, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[18:19], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s30, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s31, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v21
	s_nop 1
	v_cndmask_b32_e32 v5, v18, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v8, vcc, v3, v8
                                        ; implicit-def: $vgpr4_vgpr5
.LBB1_110:                              ;   in Loop: Header=BB1_103 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[28:29]
	s_cbranch_execz .LBB1_101
; %bb.111:                              ;   in Loop: Header=BB1_103 Depth=2
	v_rcp_iflag_f32_e32 v3, v13
	s_sub_i32 s28, 0, s38
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v5, s28, v3
	v_mul_hi_u32 v5, v3, v5
	v_add_u32_e32 v3, v3, v5
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v5, v3, s38
	v_sub_u32_e32 v4, v4, v5
	v_add_u32_e32 v6, 1, v3
	v_subrev_u32_e32 v5, s38, v4
	v_cmp_le_u32_e32 vcc, s38, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s38, v4
	s_nop 1
	v_cndmask_b32_e32 v8, v3, v5, vcc
	s_branch .LBB1_101
.LBB1_112:                              ;   in Loop: Header=BB1_90 Depth=1
	s_or_b64 exec, exec, s[18:19]
	s_xor_b64 s[4:5], s[20:21], -1
	v_mov_b32_e32 v124, s38
	v_mov_b32_e32 v6, v12
	v_mov_b32_e32 v7, v1
	s_and_saveexec_b64 s[18:19], s[4:5]
	s_xor_b64 s[4:5], exec, s[18:19]
	s_cbranch_execz .LBB1_114
; %bb.113:                              ;   in Loop: Header=BB1_90 Depth=1
	v_mov_b32_e32 v2, 1
	global_atomic_add v7, v[4:5], v2, off sc0
	v_mov_b32_e32 v6, v12
	v_mov_b32_e32 v124, v15
.LBB1_114:                              ;   in Loop: Header=BB1_90 Depth=1
	s_or_b64 exec, exec, s[4:5]
                                        ; implicit-def: $vgpr2_vgpr3
.LBB1_115:                              ;   in Loop: Header=BB1_90 Depth=1
	s_andn2_saveexec_b64 s[4:5], s[16:17]
	s_cbranch_execz .LBB1_88
; %bb.116:                              ;   in Loop: Header=BB1_90 Depth=1
	v_add_u32_e32 v6, v1, v2
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v7, v1
	s_branch .LBB1_88
.LBB1_117:
                                        ; implicit-def: $sgpr36
                                        ; implicit-def: $vgpr1
                                        ; implicit-def: $vgpr124
	s_cbranch_execnz .LBB1_120
	s_branch .LBB1_121
.LBB1_118:
	s_or_b64 exec, exec, s[10:11]
	v_mov_b32_e32 v2, 0
	ds_write_b32 v2, v12
.LBB1_119:
	s_or_b64 exec, exec, s[8:9]
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v2, v2
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s36, v2
	s_branch .LBB1_121
.LBB1_120:
	s_cmp_lt_i32 s2, s3
	s_cselect_b32 s4, s37, 0
	s_cselect_b32 s36, s2, -1
	s_add_i32 s2, s4, s2
	v_mov_b32_e32 v124, 0
	v_mov_b32_e32 v1, v11
.LBB1_121:
	s_cmp_eq_u32 s36, -1
	s_cbranch_scc1 .LBB1_678
; %bb.122:
	s_bitcmp1_b32 s50, 24
	s_cselect_b64 s[4:5], -1, 0
	s_xor_b64 s[8:9], s[6:7], -1
                                        ; implicit-def: $vgpr158 : SGPR spill to VGPR lane
	s_and_b64 s[82:83], s[8:9], s[4:5]
	s_nor_b64 s[48:49], s[6:7], s[4:5]
	s_add_i32 s39, s33, 1
	v_mov_b64_e32 v[114:115], 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v78, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v81, 0
	v_writelane_b32 v158, s44, 0
	s_mov_b32 s96, 0x3d2aa9c1
	s_mov_b32 s98, 0x3e2aaaaa
	v_writelane_b32 v158, s45, 1
	s_branch .LBB1_124
.LBB1_123:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_lt_i32 s2, s3
	s_cselect_b32 s4, s37, 0
	s_cselect_b32 s36, s2, -1
	s_add_i32 s2, s4, s2
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v126
	s_cmp_lg_u32 s36, -1
	v_mov_b32_e32 v10, v125
	s_cbranch_scc0 .LBB1_678
.LBB1_124:                              ; =>This Loop Header: Depth=1
                                        ;     Child Loop BB1_164 Depth 2
                                        ;       Child Loop BB1_168 Depth 3
                                        ;     Child Loop BB1_260 Depth 2
                                        ;     Child Loop BB1_317 Depth 2
                                        ;     Child Loop BB1_372 Depth 2
                                        ;       Child Loop BB1_374 Depth 3
                                        ;     Child Loop BB1_340 Depth 2
                                        ;       Child Loop BB1_347 Depth 3
                                        ;     Child Loop BB1_416 Depth 2
                                        ;       Child Loop BB1_422 Depth 3
                                        ;       Child Loop BB1_428 Depth 3
                                        ;     Child Loop BB1_501 Depth 2
                                        ;       Child Loop BB1_507 Depth 3
                                        ;       Child Loop BB1_513 Depth 3
                                        ;         Child Loop BB1_550 Depth 4
                                        ;     Child Loop BB1_643 Depth 2
                                        ;       Child Loop BB1_656 Depth 3
	s_mov_b64 s[16:17], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dword s47, s[16:17], 0xb8
	s_waitcnt lgkmcnt(0)
	s_and_b32 s68, s47, 0xff
	s_cbranch_scc0 .LBB1_129
; %bb.125:                              ;   in Loop: Header=BB1_124 Depth=1
	s_load_dwordx2 s[6:7], s[16:17], 0x118
	s_mov_b32 s54, 0
	s_mov_b64 s[4:5], 0
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[6:7], 0
	s_cbranch_scc1 .LBB1_127
; %bb.126:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v2, 0
	global_load_dword v2, v2, s[6:7]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s54, v2
.LBB1_127:                              ;   in Loop: Header=BB1_124 Depth=1
	v_readlane_b32 s66, v10, 0
	s_cmp_lg_u32 s68, 2
	s_cselect_b64 s[6:7], -1, 0
	s_cmp_ge_i32 s36, s66
	s_cselect_b64 s[22:23], -1, 0
	s_cmp_lt_i32 s36, s66
	s_cselect_b64 s[8:9], -1, 0
	s_or_b64 s[6:7], s[6:7], s[8:9]
	v_readlane_b32 s64, v10, 1
	v_readlane_b32 s18, v10, 2
	v_readlane_b32 s65, v10, 3
	v_readlane_b32 s67, v10, 4
	v_readlane_b32 s46, v10, 5
	v_readlane_b32 s56, v10, 6
	v_readlane_b32 s57, v10, 7
	s_and_b64 vcc, exec, s[6:7]
	s_cbranch_vccnz .LBB1_130
; %bb.128:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s64
	s_sub_i32 s4, 0, s64
	s_mov_b64 s[24:25], 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s5, v2
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_add_i32 s5, s5, s4
	s_mul_hi_u32 s4, s18, s5
	s_mul_i32 s5, s4, s64
	s_sub_i32 s5, s18, s5
	s_add_i32 s6, s4, 1
	s_sub_i32 s7, s5, s64
	s_cmp_ge_u32 s5, s64
	s_cselect_b32 s4, s6, s4
	s_cselect_b32 s5, s7, s5
	s_add_i32 s6, s4, 1
	s_cmp_ge_u32 s5, s64
	s_cselect_b32 s19, s6, s4
	v_cvt_f32_u32_e32 v2, s19
	s_sub_i32 s5, 0, s19
	s_sub_i32 s4, s36, s66
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s6, v2
	s_mul_i32 s5, s5, s6
	s_mul_hi_u32 s5, s6, s5
	s_add_i32 s6, s6, s5
	s_mul_hi_u32 s5, s4, s6
	s_mul_i32 s6, s5, s19
	s_sub_i32 s4, s4, s6
	s_add_i32 s7, s5, 1
	s_sub_i32 s6, s4, s19
	s_cmp_ge_u32 s4, s19
	s_cselect_b32 s5, s7, s5
	s_cselect_b32 s4, s6, s4
	s_add_i32 s6, s5, 1
	s_cmp_ge_u32 s4, s19
	s_cselect_b32 s28, s6, s5
	s_mul_i32 s30, s28, s19
	s_add_i32 s4, s66, s30
	s_add_i32 s70, s28, s66
	s_sub_i32 s29, s36, s4
	s_mov_b64 s[4:5], -1
	s_branch .LBB1_131
.LBB1_129:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr52_sgpr53
                                        ; implicit-def: $sgpr89
                                        ; implicit-def: $sgpr85
                                        ; implicit-def: $sgpr91
                                        ; implicit-def: $sgpr14_sgpr15
                                        ; implicit-def: $sgpr28
                                        ; implicit-def: $sgpr30
                                        ; implicit-def: $vgpr120
                                        ; implicit-def: $sgpr29
                                        ; implicit-def: $sgpr42
                                        ; implicit-def: $sgpr40
                                        ; implicit-def: $sgpr56
                                        ; implicit-def: $sgpr54
                                        ; implicit-def: $sgpr50
                                        ; implicit-def: $vgpr125
	s_cbranch_execnz .LBB1_224
	s_branch .LBB1_254
.LBB1_130:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[24:25], -1
                                        ; implicit-def: $sgpr19
                                        ; implicit-def: $sgpr70
                                        ; implicit-def: $sgpr29
                                        ; implicit-def: $sgpr30
                                        ; implicit-def: $sgpr28
.LBB1_131:                              ;   in Loop: Header=BB1_124 Depth=1
	s_load_dwordx4 s[8:11], s[16:17], 0xbc
	s_load_dwordx2 s[6:7], s[16:17], 0xcc
	s_load_dwordx4 s[12:15], s[16:17], 0xd8
	s_load_dword s55, s[16:17], 0xe8
	s_load_dwordx2 s[20:21], s[16:17], 0xf8
	s_mov_b32 s89, 0
	s_andn2_b64 vcc, exec, s[24:25]
	v_mov_b32_e32 v120, 1
	s_mov_b32 s31, 0
	s_mov_b32 s69, 0
	s_cbranch_vccnz .LBB1_156
; %bb.132:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 vcc, exec, s[22:23]
	s_cbranch_vccz .LBB1_150
; %bb.133:                              ;   in Loop: Header=BB1_124 Depth=1
	s_sub_i32 s19, s36, s66
	s_cmp_ge_i32 s19, s18
	s_cselect_b64 s[22:23], -1, 0
	s_and_b64 s[4:5], s[22:23], exec
	s_cselect_b32 s4, s18, 0
	s_sub_i32 s58, s19, s4
	s_ashr_i32 s19, s58, 31
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s4, s64, s14
	s_mul_hi_i32 s5, s64, s14
	s_mul_i32 s19, s4, s19
	s_mul_hi_u32 s25, s4, s58
	s_add_i32 s19, s25, s19
	s_mul_i32 s25, s5, s58
	s_add_i32 s27, s19, s25
	s_mul_i32 s26, s4, s58
	s_ashr_i32 s19, s18, 31
	s_or_b64 s[28:29], s[26:27], s[18:19]
	s_mov_b32 s24, 0
	s_mov_b32 s25, s29
	s_cmp_lg_u64 s[24:25], 0
	s_cbranch_scc0 .LBB1_354
; %bb.134:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s24, s19, 31
	s_add_u32 s28, s18, s24
	s_mov_b32 s25, s24
	s_addc_u32 s29, s19, s24
	s_xor_b64 s[30:31], s[28:29], s[24:25]
	v_cvt_f32_u32_e32 v2, s30
	v_cvt_f32_u32_e32 v3, s31
	s_sub_u32 s40, 0, s30
	s_subb_u32 s41, 0, s31
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s42, v3
	v_readfirstlane_b32 s43, v2
	s_mul_i32 s50, s40, s42
	s_mul_hi_u32 s52, s40, s43
	s_mul_i32 s51, s41, s43
	s_add_i32 s50, s52, s50
	s_add_i32 s50, s50, s51
	s_mul_i32 s53, s40, s43
	s_mul_i32 s52, s43, s50
	s_mul_hi_u32 s59, s43, s53
	s_mul_hi_u32 s51, s43, s50
	s_add_u32 s52, s59, s52
	s_addc_u32 s51, 0, s51
	s_mul_hi_u32 s60, s42, s53
	s_mul_i32 s53, s42, s53
	s_add_u32 s52, s52, s53
	s_mul_hi_u32 s59, s42, s50
	s_addc_u32 s51, s51, s60
	s_addc_u32 s52, s59, 0
	s_mul_i32 s50, s42, s50
	s_add_u32 s50, s51, s50
	s_addc_u32 s51, 0, s52
	s_add_u32 s43, s43, s50
	s_addc_u32 s42, s42, s51
	s_mul_i32 s50, s40, s42
	s_mul_hi_u32 s51, s40, s43
	s_add_i32 s50, s51, s50
	s_mul_i32 s41, s41, s43
	s_add_i32 s50, s50, s41
	s_mul_i32 s40, s40, s43
	s_mul_hi_u32 s51, s42, s40
	s_mul_i32 s52, s42, s40
	s_mul_i32 s59, s43, s50
	s_mul_hi_u32 s40, s43, s40
	s_mul_hi_u32 s53, s43, s50
	s_add_u32 s40, s40, s59
	s_addc_u32 s53, 0, s53
	s_add_u32 s40, s40, s52
	s_mul_hi_u32 s41, s42, s50
	s_addc_u32 s40, s53, s51
	s_addc_u32 s41, s41, 0
	s_mul_i32 s50, s42, s50
	s_add_u32 s40, s40, s50
	s_addc_u32 s41, 0, s41
	s_add_u32 s50, s43, s40
	s_addc_u32 s51, s42, s41
	s_ashr_i32 s40, s27, 31
	s_add_u32 s42, s26, s40
	s_mov_b32 s41, s40
	s_addc_u32 s43, s27, s40
	s_xor_b64 s[42:43], s[42:43], s[40:41]
	s_mul_i32 s52, s42, s51
	s_mul_hi_u32 s53, s42, s50
	s_mul_hi_u32 s27, s42, s51
	s_add_u32 s52, s53, s52
	s_addc_u32 s27, 0, s27
	s_mul_hi_u32 s59, s43, s50
	s_mul_i32 s50, s43, s50
	s_add_u32 s50, s52, s50
	s_mul_hi_u32 s53, s43, s51
	s_addc_u32 s27, s27, s59
	s_addc_u32 s50, s53, 0
	s_mul_i32 s51, s43, s51
	s_add_u32 s27, s27, s51
	s_addc_u32 s52, 0, s50
	s_mul_i32 s50, s30, s52
	s_mul_hi_u32 s51, s30, s27
	s_add_i32 s50, s51, s50
	s_mul_i32 s51, s31, s27
	s_add_i32 s53, s50, s51
	s_sub_i32 s59, s43, s53
	s_mul_i32 s50, s30, s27
	s_sub_u32 s42, s42, s50
	s_cselect_b64 s[50:51], -1, 0
	s_subb_u32 s59, s59, s31
	s_sub_u32 s60, s42, s30
	s_subb_u32 s59, s59, 0
	s_cmp_ge_u32 s59, s31
	s_cselect_b32 s61, -1, 0
	s_cmp_ge_u32 s60, s30
	s_cselect_b32 s60, -1, 0
	s_cmp_eq_u32 s59, s31
	s_cselect_b32 s59, s60, s61
	s_add_u32 s60, s27, 1
	s_addc_u32 s61, s52, 0
	s_add_u32 s62, s27, 2
	s_addc_u32 s63, s52, 0
	s_cmp_lg_u32 s59, 0
	s_cselect_b32 s59, s62, s60
	s_cselect_b32 s60, s63, s61
	s_cmp_lg_u64 s[50:51], 0
	s_subb_u32 s43, s43, s53
	s_cmp_ge_u32 s43, s31
	s_cselect_b32 s50, -1, 0
	s_cmp_ge_u32 s42, s30
	s_cselect_b32 s30, -1, 0
	s_cmp_eq_u32 s43, s31
	s_cselect_b32 s30, s30, s50
	s_cmp_lg_u32 s30, 0
	s_cselect_b32 s31, s60, s52
	s_cselect_b32 s30, s59, s27
	s_xor_b64 s[24:25], s[40:41], s[24:25]
	s_xor_b64 s[30:31], s[30:31], s[24:25]
	s_sub_u32 s24, s30, s24
	s_subb_u32 s25, s31, s25
	v_cvt_f32_u32_e32 v2, s18
	s_cbranch_execnz .LBB1_136
.LBB1_135:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v3, v2
	s_sub_i32 s24, 0, s18
	s_mov_b32 s25, 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	s_nop 0
	v_readfirstlane_b32 s27, v3
	s_mul_i32 s24, s24, s27
	s_mul_hi_u32 s24, s27, s24
	s_add_i32 s27, s27, s24
	s_mul_hi_u32 s24, s26, s27
	s_mul_i32 s28, s24, s18
	s_sub_i32 s26, s26, s28
	s_add_i32 s27, s24, 1
	s_sub_i32 s28, s26, s18
	s_cmp_ge_u32 s26, s18
	s_cselect_b32 s24, s27, s24
	s_cselect_b32 s26, s28, s26
	s_add_i32 s27, s24, 1
	s_cmp_ge_u32 s26, s18
	s_cselect_b32 s24, s27, s24
.LBB1_136:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_i32 s26, s58, 1
	s_ashr_i32 s27, s26, 31
	s_mul_i32 s27, s4, s27
	s_mul_hi_u32 s28, s4, s26
	s_add_i32 s27, s28, s27
	s_mul_i32 s28, s5, s26
	s_add_i32 s27, s27, s28
	s_mul_i32 s26, s4, s26
	s_or_b64 s[28:29], s[26:27], s[18:19]
	s_mov_b32 s28, 0
	s_cmp_lg_u64 s[28:29], 0
	s_cbranch_scc0 .LBB1_355
; %bb.137:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s28, s19, 31
	s_add_u32 s30, s18, s28
	s_mov_b32 s29, s28
	s_addc_u32 s31, s19, s28
	s_xor_b64 s[40:41], s[30:31], s[28:29]
	v_cvt_f32_u32_e32 v3, s40
	v_cvt_f32_u32_e32 v4, s41
	s_sub_u32 s42, 0, s40
	s_subb_u32 s43, 0, s41
	v_fmamk_f32 v3, v4, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v4, 0x2f800000, v3
	v_trunc_f32_e32 v4, v4
	v_fmamk_f32 v3, v4, 0xcf800000, v3
	v_cvt_u32_f32_e32 v4, v4
	v_cvt_u32_f32_e32 v3, v3
	v_readfirstlane_b32 s50, v4
	v_readfirstlane_b32 s51, v3
	s_mul_i32 s52, s42, s50
	s_mul_hi_u32 s59, s42, s51
	s_mul_i32 s53, s43, s51
	s_add_i32 s52, s59, s52
	s_add_i32 s52, s52, s53
	s_mul_i32 s60, s42, s51
	s_mul_i32 s59, s51, s52
	s_mul_hi_u32 s61, s51, s60
	s_mul_hi_u32 s53, s51, s52
	s_add_u32 s59, s61, s59
	s_addc_u32 s53, 0, s53
	s_mul_hi_u32 s62, s50, s60
	s_mul_i32 s60, s50, s60
	s_add_u32 s59, s59, s60
	s_mul_hi_u32 s61, s50, s52
	s_addc_u32 s53, s53, s62
	s_addc_u32 s59, s61, 0
	s_mul_i32 s52, s50, s52
	s_add_u32 s52, s53, s52
	s_addc_u32 s53, 0, s59
	s_add_u32 s51, s51, s52
	s_addc_u32 s50, s50, s53
	s_mul_i32 s52, s42, s50
	s_mul_hi_u32 s53, s42, s51
	s_add_i32 s52, s53, s52
	s_mul_i32 s43, s43, s51
	s_add_i32 s52, s52, s43
	s_mul_i32 s42, s42, s51
	s_mul_hi_u32 s53, s50, s42
	s_mul_i32 s59, s50, s42
	s_mul_i32 s61, s51, s52
	s_mul_hi_u32 s42, s51, s42
	s_mul_hi_u32 s60, s51, s52
	s_add_u32 s42, s42, s61
	s_addc_u32 s60, 0, s60
	s_add_u32 s42, s42, s59
	s_mul_hi_u32 s43, s50, s52
	s_addc_u32 s42, s60, s53
	s_addc_u32 s43, s43, 0
	s_mul_i32 s52, s50, s52
	s_add_u32 s42, s42, s52
	s_addc_u32 s43, 0, s43
	s_add_u32 s52, s51, s42
	s_addc_u32 s53, s50, s43
	s_ashr_i32 s42, s27, 31
	s_add_u32 s50, s26, s42
	s_mov_b32 s43, s42
	s_addc_u32 s51, s27, s42
	s_xor_b64 s[50:51], s[50:51], s[42:43]
	s_mul_i32 s59, s50, s53
	s_mul_hi_u32 s60, s50, s52
	s_mul_hi_u32 s27, s50, s53
	s_add_u32 s59, s60, s59
	s_addc_u32 s27, 0, s27
	s_mul_hi_u32 s61, s51, s52
	s_mul_i32 s52, s51, s52
	s_add_u32 s52, s59, s52
	s_mul_hi_u32 s60, s51, s53
	s_addc_u32 s27, s27, s61
	s_addc_u32 s52, s60, 0
	s_mul_i32 s53, s51, s53
	s_add_u32 s27, s27, s53
	s_addc_u32 s59, 0, s52
	s_mul_i32 s52, s40, s59
	s_mul_hi_u32 s53, s40, s27
	s_add_i32 s52, s53, s52
	s_mul_i32 s53, s41, s27
	s_add_i32 s60, s52, s53
	s_sub_i32 s61, s51, s60
	s_mul_i32 s52, s40, s27
	s_sub_u32 s50, s50, s52
	s_cselect_b64 s[52:53], -1, 0
	s_subb_u32 s61, s61, s41
	s_sub_u32 s62, s50, s40
	s_subb_u32 s61, s61, 0
	s_cmp_ge_u32 s61, s41
	s_cselect_b32 s63, -1, 0
	s_cmp_ge_u32 s62, s40
	s_cselect_b32 s62, -1, 0
	s_cmp_eq_u32 s61, s41
	s_cselect_b32 s61, s62, s63
	s_add_u32 s62, s27, 1
	s_addc_u32 s63, s59, 0
	s_add_u32 s69, s27, 2
	s_addc_u32 s70, s59, 0
	s_cmp_lg_u32 s61, 0
	s_cselect_b32 s61, s69, s62
	s_cselect_b32 s62, s70, s63
	s_cmp_lg_u64 s[52:53], 0
	s_subb_u32 s51, s51, s60
	s_cmp_ge_u32 s51, s41
	s_cselect_b32 s52, -1, 0
	s_cmp_ge_u32 s50, s40
	s_cselect_b32 s40, -1, 0
	s_cmp_eq_u32 s51, s41
	s_cselect_b32 s40, s40, s52
	s_cmp_lg_u32 s40, 0
	s_cselect_b32 s41, s62, s59
	s_cselect_b32 s40, s61, s27
	s_xor_b64 s[28:29], s[42:43], s[28:29]
	s_xor_b64 s[40:41], s[40:41], s[28:29]
	s_sub_u32 s28, s40, s28
	s_subb_u32 s29, s41, s29
	s_cbranch_execnz .LBB1_139
.LBB1_138:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v2
	s_sub_i32 s27, 0, s18
	s_mov_b32 s29, 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s28, v2
	s_mul_i32 s27, s27, s28
	s_mul_hi_u32 s27, s28, s27
	s_add_i32 s28, s28, s27
	s_mul_hi_u32 s27, s26, s28
	s_mul_i32 s30, s27, s18
	s_sub_i32 s26, s26, s30
	s_add_i32 s28, s27, 1
	s_sub_i32 s30, s26, s18
	s_cmp_ge_u32 s26, s18
	s_cselect_b32 s27, s28, s27
	s_cselect_b32 s26, s30, s26
	s_add_i32 s28, s27, 1
	s_cmp_ge_u32 s26, s18
	s_cselect_b32 s28, s28, s27
.LBB1_139:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s27, s14, 31
	s_mov_b32 s26, s14
	s_or_b64 s[30:31], s[24:25], s[26:27]
	s_mov_b32 s30, 0
	s_cmp_lg_u64 s[30:31], 0
	s_cbranch_scc0 .LBB1_356
; %bb.140:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s30, s27, 31
	s_add_u32 s40, s26, s30
	s_mov_b32 s31, s30
	s_addc_u32 s41, s27, s30
	s_xor_b64 s[42:43], s[40:41], s[30:31]
	v_cvt_f32_u32_e32 v2, s42
	v_cvt_f32_u32_e32 v3, s43
	s_sub_u32 s50, 0, s42
	s_subb_u32 s51, 0, s43
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s52, v3
	v_readfirstlane_b32 s53, v2
	s_mul_i32 s59, s50, s52
	s_mul_hi_u32 s61, s50, s53
	s_mul_i32 s60, s51, s53
	s_add_i32 s59, s61, s59
	s_add_i32 s59, s59, s60
	s_mul_i32 s62, s50, s53
	s_mul_i32 s61, s53, s59
	s_mul_hi_u32 s63, s53, s62
	s_mul_hi_u32 s60, s53, s59
	s_add_u32 s61, s63, s61
	s_addc_u32 s60, 0, s60
	s_mul_hi_u32 s69, s52, s62
	s_mul_i32 s62, s52, s62
	s_add_u32 s61, s61, s62
	s_mul_hi_u32 s63, s52, s59
	s_addc_u32 s60, s60, s69
	s_addc_u32 s61, s63, 0
	s_mul_i32 s59, s52, s59
	s_add_u32 s59, s60, s59
	s_addc_u32 s60, 0, s61
	s_add_u32 s53, s53, s59
	s_addc_u32 s52, s52, s60
	s_mul_i32 s59, s50, s52
	s_mul_hi_u32 s60, s50, s53
	s_add_i32 s59, s60, s59
	s_mul_i32 s51, s51, s53
	s_add_i32 s59, s59, s51
	s_mul_i32 s50, s50, s53
	s_mul_hi_u32 s60, s52, s50
	s_mul_i32 s61, s52, s50
	s_mul_i32 s63, s53, s59
	s_mul_hi_u32 s50, s53, s50
	s_mul_hi_u32 s62, s53, s59
	s_add_u32 s50, s50, s63
	s_addc_u32 s62, 0, s62
	s_add_u32 s50, s50, s61
	s_mul_hi_u32 s51, s52, s59
	s_addc_u32 s50, s62, s60
	s_addc_u32 s51, s51, 0
	s_mul_i32 s59, s52, s59
	s_add_u32 s50, s50, s59
	s_addc_u32 s51, 0, s51
	s_add_u32 s59, s53, s50
	s_addc_u32 s60, s52, s51
	s_ashr_i32 s50, s25, 31
	s_add_u32 s52, s24, s50
	s_mov_b32 s51, s50
	s_addc_u32 s53, s25, s50
	s_xor_b64 s[52:53], s[52:53], s[50:51]
	s_mul_i32 s62, s52, s60
	s_mul_hi_u32 s63, s52, s59
	s_mul_hi_u32 s61, s52, s60
	s_add_u32 s62, s63, s62
	s_addc_u32 s61, 0, s61
	s_mul_hi_u32 s69, s53, s59
	s_mul_i32 s59, s53, s59
	s_add_u32 s59, s62, s59
	s_mul_hi_u32 s63, s53, s60
	s_addc_u32 s59, s61, s69
	s_addc_u32 s61, s63, 0
	s_mul_i32 s60, s53, s60
	s_add_u32 s59, s59, s60
	s_addc_u32 s62, 0, s61
	s_mul_i32 s60, s42, s62
	s_mul_hi_u32 s61, s42, s59
	s_add_i32 s60, s61, s60
	s_mul_i32 s61, s43, s59
	s_add_i32 s63, s60, s61
	s_sub_i32 s69, s53, s63
	s_mul_i32 s60, s42, s59
	s_sub_u32 s52, s52, s60
	s_cselect_b64 s[60:61], -1, 0
	s_subb_u32 s69, s69, s43
	s_sub_u32 s70, s52, s42
	s_subb_u32 s69, s69, 0
	s_cmp_ge_u32 s69, s43
	s_cselect_b32 s71, -1, 0
	s_cmp_ge_u32 s70, s42
	s_cselect_b32 s70, -1, 0
	s_cmp_eq_u32 s69, s43
	s_cselect_b32 s69, s70, s71
	s_add_u32 s70, s59, 1
	s_addc_u32 s71, s62, 0
	s_add_u32 s72, s59, 2
	s_addc_u32 s73, s62, 0
	s_cmp_lg_u32 s69, 0
	s_cselect_b32 s69, s72, s70
	s_cselect_b32 s70, s73, s71
	s_cmp_lg_u64 s[60:61], 0
	s_subb_u32 s53, s53, s63
	s_cmp_ge_u32 s53, s43
	s_cselect_b32 s60, -1, 0
	s_cmp_ge_u32 s52, s42
	s_cselect_b32 s42, -1, 0
	s_cmp_eq_u32 s53, s43
	s_cselect_b32 s42, s42, s60
	s_cmp_lg_u32 s42, 0
	s_cselect_b32 s43, s70, s62
	s_cselect_b32 s42, s69, s59
	s_xor_b64 s[30:31], s[50:51], s[30:31]
	s_xor_b64 s[42:43], s[42:43], s[30:31]
	s_sub_u32 s42, s42, s30
	s_subb_u32 s43, s43, s31
	s_cbranch_execnz .LBB1_142
.LBB1_141:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s26
	s_sub_i32 s30, 0, s26
	s_mov_b32 s43, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s31, v2
	s_mul_i32 s30, s30, s31
	s_mul_hi_u32 s30, s31, s30
	s_add_i32 s31, s31, s30
	s_mul_hi_u32 s30, s24, s31
	s_mul_i32 s40, s30, s26
	s_sub_i32 s40, s24, s40
	s_add_i32 s31, s30, 1
	s_sub_i32 s41, s40, s26
	s_cmp_ge_u32 s40, s26
	s_cselect_b32 s30, s31, s30
	s_cselect_b32 s40, s41, s40
	s_add_i32 s31, s30, 1
	s_cmp_ge_u32 s40, s26
	s_cselect_b32 s42, s31, s30
.LBB1_142:                              ;   in Loop: Header=BB1_124 Depth=1
	s_bfe_i64 s[30:31], s[42:43], 0x200000
	s_add_u32 s30, s30, 1
	s_addc_u32 s31, s31, 0
	s_mul_i32 s40, s30, s27
	s_mul_hi_u32 s41, s30, s26
	s_add_i32 s40, s41, s40
	s_mul_i32 s31, s31, s26
	s_add_i32 s31, s40, s31
	s_mul_i32 s30, s30, s26
	v_mov_b64_e32 v[2:3], s[28:29]
	v_cmp_lt_i64_e32 vcc, s[30:31], v[2:3]
	s_and_b64 s[40:41], vcc, exec
	s_cselect_b32 s40, s31, s29
	s_cselect_b32 s43, s30, s28
	s_and_b64 s[30:31], s[22:23], exec
	s_cselect_b32 s31, s40, s25
	s_cselect_b32 s41, s29, s40
	s_cselect_b32 s40, s28, s43
	s_cselect_b32 s30, s43, s24
	v_mov_b64_e32 v[2:3], s[40:41]
	v_cmp_ge_i64_e32 vcc, s[30:31], v[2:3]
	s_mov_b64 s[24:25], 0
	s_cbranch_vccnz .LBB1_151
; %bb.143:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cndmask_b32_e64 v2, 0, 1, s[22:23]
	s_mov_b64 s[50:51], -1
	v_readfirstlane_b32 s22, v2
	s_add_i32 s28, s42, s22
	s_mul_i32 s29, s28, s26
	s_mul_hi_i32 s31, s28, s26
	s_add_u32 s22, s29, 1
	s_addc_u32 s23, s31, 0
	s_mul_i32 s41, s22, s19
	s_mul_hi_u32 s42, s22, s18
	s_add_i32 s41, s42, s41
	s_mul_i32 s23, s23, s18
	s_add_i32 s41, s41, s23
	s_mul_i32 s22, s22, s18
	s_add_u32 s42, s22, -1
	s_addc_u32 s43, s41, -1
	s_or_b64 s[22:23], s[42:43], s[4:5]
	s_mov_b32 s22, 0
	s_cmp_lg_u64 s[22:23], 0
	s_cbranch_scc0 .LBB1_673
; %bb.144:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s22, s5, 31
	s_add_u32 s50, s4, s22
	s_mov_b32 s23, s22
	s_addc_u32 s51, s5, s22
	s_xor_b64 s[52:53], s[50:51], s[22:23]
	v_cvt_f32_u32_e32 v2, s52
	v_cvt_f32_u32_e32 v3, s53
	s_sub_u32 s41, 0, s52
	s_subb_u32 s59, 0, s53
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s60, v3
	v_readfirstlane_b32 s61, v2
	s_mul_i32 s62, s41, s60
	s_mul_hi_u32 s69, s41, s61
	s_mul_i32 s63, s59, s61
	s_add_i32 s62, s69, s62
	s_add_i32 s62, s62, s63
	s_mul_i32 s70, s41, s61
	s_mul_i32 s69, s61, s62
	s_mul_hi_u32 s71, s61, s70
	s_mul_hi_u32 s63, s61, s62
	s_add_u32 s69, s71, s69
	s_addc_u32 s63, 0, s63
	s_mul_hi_u32 s72, s60, s70
	s_mul_i32 s70, s60, s70
	s_add_u32 s69, s69, s70
	s_mul_hi_u32 s71, s60, s62
	s_addc_u32 s63, s63, s72
	s_addc_u32 s69, s71, 0
	s_mul_i32 s62, s60, s62
	s_add_u32 s62, s63, s62
	s_addc_u32 s63, 0, s69
	s_add_u32 s61, s61, s62
	s_addc_u32 s60, s60, s63
	s_mul_i32 s62, s41, s60
	s_mul_hi_u32 s63, s41, s61
	s_add_i32 s62, s63, s62
	s_mul_i32 s59, s59, s61
	s_add_i32 s62, s62, s59
	s_mul_i32 s41, s41, s61
	s_mul_hi_u32 s63, s60, s41
	s_mul_i32 s69, s60, s41
	s_mul_i32 s71, s61, s62
	s_mul_hi_u32 s41, s61, s41
	s_mul_hi_u32 s70, s61, s62
	s_add_u32 s41, s41, s71
	s_addc_u32 s70, 0, s70
	s_add_u32 s41, s41, s69
	s_mul_hi_u32 s59, s60, s62
	s_addc_u32 s41, s70, s63
	s_addc_u32 s59, s59, 0
	s_mul_i32 s62, s60, s62
	s_add_u32 s41, s41, s62
	s_addc_u32 s59, 0, s59
	s_add_u32 s41, s61, s41
	s_addc_u32 s59, s60, s59
	s_ashr_i32 s60, s43, 31
	s_add_u32 s62, s42, s60
	s_mov_b32 s61, s60
	s_addc_u32 s63, s43, s60
	s_xor_b64 s[62:63], s[62:63], s[60:61]
	s_mul_i32 s69, s62, s59
	s_mul_hi_u32 s70, s62, s41
	s_mul_hi_u32 s43, s62, s59
	s_add_u32 s69, s70, s69
	s_addc_u32 s43, 0, s43
	s_mul_hi_u32 s71, s63, s41
	s_mul_i32 s41, s63, s41
	s_add_u32 s41, s69, s41
	s_mul_hi_u32 s70, s63, s59
	s_addc_u32 s41, s43, s71
	s_addc_u32 s43, s70, 0
	s_mul_i32 s59, s63, s59
	s_add_u32 s41, s41, s59
	s_addc_u32 s43, 0, s43
	s_mul_i32 s59, s52, s43
	s_mul_hi_u32 s69, s52, s41
	s_add_i32 s59, s69, s59
	s_mul_i32 s69, s53, s41
	s_add_i32 s59, s59, s69
	s_sub_i32 s69, s63, s59
	s_mul_i32 s70, s52, s41
	s_sub_u32 s62, s62, s70
	s_cselect_b64 s[70:71], -1, 0
	s_subb_u32 s69, s69, s53
	s_sub_u32 s72, s62, s52
	s_subb_u32 s69, s69, 0
	s_cmp_ge_u32 s69, s53
	s_cselect_b32 s73, -1, 0
	s_cmp_ge_u32 s72, s52
	s_cselect_b32 s72, -1, 0
	s_cmp_eq_u32 s69, s53
	s_cselect_b32 s69, s72, s73
	s_add_u32 s72, s41, 1
	s_addc_u32 s73, s43, 0
	s_add_u32 s74, s41, 2
	s_addc_u32 s75, s43, 0
	s_cmp_lg_u32 s69, 0
	s_cselect_b32 s69, s74, s72
	s_cselect_b32 s72, s75, s73
	s_cmp_lg_u64 s[70:71], 0
	s_subb_u32 s59, s63, s59
	s_cmp_ge_u32 s59, s53
	s_cselect_b32 s63, -1, 0
	s_cmp_ge_u32 s62, s52
	s_cselect_b32 s52, -1, 0
	s_cmp_eq_u32 s59, s53
	s_cselect_b32 s52, s52, s63
	s_cmp_lg_u32 s52, 0
	s_cselect_b32 s53, s72, s43
	s_cselect_b32 s52, s69, s41
	s_xor_b64 s[22:23], s[60:61], s[22:23]
	s_xor_b64 s[52:53], s[52:53], s[22:23]
	s_sub_u32 s22, s52, s22
	v_cvt_f32_u32_e32 v4, s4
	s_cbranch_execnz .LBB1_146
.LBB1_145:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s22, 0, s4
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s23, v2
	s_mul_i32 s22, s22, s23
	s_mul_hi_u32 s22, s23, s22
	s_add_i32 s23, s23, s22
	s_mul_hi_u32 s22, s42, s23
	s_mul_i32 s41, s22, s4
	s_sub_i32 s41, s42, s41
	s_add_i32 s23, s22, 1
	s_sub_i32 s42, s41, s4
	s_cmp_ge_u32 s41, s4
	s_cselect_b32 s22, s23, s22
	s_cselect_b32 s41, s42, s41
	s_add_i32 s23, s22, 1
	s_cmp_ge_u32 s41, s4
	s_cselect_b32 s22, s23, s22
.LBB1_146:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_u32 s23, s29, s26
	s_addc_u32 s26, s31, s27
	s_mul_i32 s19, s23, s19
	s_mul_hi_u32 s27, s23, s18
	s_add_i32 s19, s27, s19
	s_mul_i32 s26, s26, s18
	s_add_i32 s19, s19, s26
	s_mul_i32 s23, s23, s18
	s_add_u32 s26, s23, -1
	s_addc_u32 s27, s19, -1
	s_or_b64 s[42:43], s[26:27], s[4:5]
	s_mov_b32 s42, 0
	s_cmp_lg_u64 s[42:43], 0
	s_mov_b64 s[42:43], -1
	s_cbranch_scc0 .LBB1_674
; %bb.147:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s50, s5, 31
	s_add_u32 s42, s4, s50
	s_mov_b32 s51, s50
	s_addc_u32 s43, s5, s50
	s_xor_b64 s[52:53], s[42:43], s[50:51]
	v_cvt_f32_u32_e32 v2, s52
	v_cvt_f32_u32_e32 v3, s53
	s_sub_u32 s5, 0, s52
	s_subb_u32 s19, 0, s53
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s23, v3
	v_readfirstlane_b32 s31, v2
	s_mul_i32 s41, s5, s23
	s_mul_hi_u32 s60, s5, s31
	s_mul_i32 s59, s19, s31
	s_add_i32 s41, s60, s41
	s_add_i32 s41, s41, s59
	s_mul_i32 s61, s5, s31
	s_mul_i32 s60, s31, s41
	s_mul_hi_u32 s62, s31, s61
	s_mul_hi_u32 s59, s31, s41
	s_add_u32 s60, s62, s60
	s_addc_u32 s59, 0, s59
	s_mul_hi_u32 s63, s23, s61
	s_mul_i32 s61, s23, s61
	s_add_u32 s60, s60, s61
	s_mul_hi_u32 s62, s23, s41
	s_addc_u32 s59, s59, s63
	s_addc_u32 s60, s62, 0
	s_mul_i32 s41, s23, s41
	s_add_u32 s41, s59, s41
	s_addc_u32 s59, 0, s60
	s_add_u32 s31, s31, s41
	s_addc_u32 s23, s23, s59
	s_mul_i32 s41, s5, s23
	s_mul_hi_u32 s59, s5, s31
	s_add_i32 s41, s59, s41
	s_mul_i32 s19, s19, s31
	s_add_i32 s41, s41, s19
	s_mul_i32 s5, s5, s31
	s_mul_hi_u32 s59, s23, s5
	s_mul_i32 s60, s23, s5
	s_mul_i32 s62, s31, s41
	s_mul_hi_u32 s5, s31, s5
	s_mul_hi_u32 s61, s31, s41
	s_add_u32 s5, s5, s62
	s_addc_u32 s61, 0, s61
	s_add_u32 s5, s5, s60
	s_mul_hi_u32 s19, s23, s41
	s_addc_u32 s5, s61, s59
	s_addc_u32 s19, s19, 0
	s_mul_i32 s41, s23, s41
	s_add_u32 s5, s5, s41
	s_addc_u32 s19, 0, s19
	s_add_u32 s5, s31, s5
	s_addc_u32 s19, s23, s19
	s_ashr_i32 s60, s27, 31
	s_add_u32 s62, s26, s60
	s_mov_b32 s61, s60
	s_addc_u32 s63, s27, s60
	s_xor_b64 s[62:63], s[62:63], s[60:61]
	s_mul_i32 s27, s62, s19
	s_mul_hi_u32 s31, s62, s5
	s_mul_hi_u32 s23, s62, s19
	s_add_u32 s27, s31, s27
	s_addc_u32 s23, 0, s23
	s_mul_hi_u32 s41, s63, s5
	s_mul_i32 s5, s63, s5
	s_add_u32 s5, s27, s5
	s_mul_hi_u32 s31, s63, s19
	s_addc_u32 s5, s23, s41
	s_addc_u32 s23, s31, 0
	s_mul_i32 s19, s63, s19
	s_add_u32 s5, s5, s19
	s_addc_u32 s19, 0, s23
	s_mul_i32 s23, s52, s19
	s_mul_hi_u32 s27, s52, s5
	s_add_i32 s23, s27, s23
	s_mul_i32 s27, s53, s5
	s_add_i32 s23, s23, s27
	s_sub_i32 s27, s63, s23
	s_mul_i32 s31, s52, s5
	s_sub_u32 s31, s62, s31
	s_cselect_b64 s[70:71], -1, 0
	s_subb_u32 s27, s27, s53
	s_sub_u32 s41, s31, s52
	s_subb_u32 s27, s27, 0
	s_cmp_ge_u32 s27, s53
	s_cselect_b32 s59, -1, 0
	s_cmp_ge_u32 s41, s52
	s_cselect_b32 s41, -1, 0
	s_cmp_eq_u32 s27, s53
	s_cselect_b32 s27, s41, s59
	s_add_u32 s41, s5, 1
	s_addc_u32 s59, s19, 0
	s_add_u32 s62, s5, 2
	s_addc_u32 s69, s19, 0
	s_cmp_lg_u32 s27, 0
	s_cselect_b32 s27, s62, s41
	s_cselect_b32 s41, s69, s59
	s_cmp_lg_u64 s[70:71], 0
	s_subb_u32 s23, s63, s23
	s_cmp_ge_u32 s23, s53
	s_cselect_b32 s59, -1, 0
	s_cmp_ge_u32 s31, s52
	s_cselect_b32 s31, -1, 0
	s_cmp_eq_u32 s23, s53
	s_cselect_b32 s23, s31, s59
	s_cmp_lg_u32 s23, 0
	s_cselect_b32 s53, s41, s19
	s_cselect_b32 s52, s27, s5
	s_xor_b64 s[50:51], s[60:61], s[50:51]
	s_xor_b64 s[52:53], s[52:53], s[50:51]
	s_sub_u32 s50, s52, s50
	s_subb_u32 s51, s53, s51
	v_mov_b64_e32 v[2:3], s[50:51]
	s_cbranch_execnz .LBB1_149
.LBB1_148:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s5, 0, s4
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s5, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s26, v2
	v_mul_lo_u32 v4, v2, s4
	v_sub_u32_e32 v4, s26, v4
	v_add_u32_e32 v3, 1, v2
	v_subrev_u32_e32 v5, s4, v4
	v_cmp_le_u32_e32 vcc, s4, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_add_u32_e32 v3, 1, v2
	v_cmp_le_u32_e32 vcc, s4, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
.LBB1_149:                              ;   in Loop: Header=BB1_124 Depth=1
	v_subrev_u32_e32 v2, s22, v2
	s_add_i32 s70, s28, s66
	s_sub_i32 s31, s30, s29
	s_sub_i32 s69, s40, s29
	s_sub_i32 s29, s58, s22
	v_add_u32_e32 v120, 1, v2
	s_add_i32 s30, s28, s22
	s_mov_b64 s[4:5], -1
	s_and_b64 vcc, exec, s[24:25]
	s_cbranch_vccnz .LBB1_152
	s_branch .LBB1_155
.LBB1_150:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr4_sgpr5
                                        ; implicit-def: $sgpr28
                                        ; implicit-def: $sgpr30
                                        ; implicit-def: $sgpr31
                                        ; implicit-def: $sgpr69
                                        ; implicit-def: $sgpr29
                                        ; implicit-def: $vgpr120
                                        ; implicit-def: $sgpr70
	s_cbranch_execnz .LBB1_152
	s_branch .LBB1_155
.LBB1_151:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s28, 0
	v_mov_b32_e32 v120, 1
	s_mov_b64 s[4:5], 0
	s_mov_b32 s30, 0
	s_mov_b32 s31, 0
	s_mov_b32 s69, 0
	s_mov_b32 s29, 0
	s_mov_b32 s70, 0
	s_and_b64 vcc, exec, s[24:25]
	s_cbranch_vccz .LBB1_155
.LBB1_152:                              ;   in Loop: Header=BB1_124 Depth=1
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s55, 1
	s_mov_b32 s70, s36
	s_cbranch_scc1 .LBB1_154
; %bb.153:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s55
	s_sub_i32 s4, 0, s55
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s5, v2
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_add_i32 s5, s5, s4
	s_mul_hi_u32 s4, s36, s5
	s_mul_i32 s19, s4, s55
	s_sub_i32 s19, s36, s19
	s_add_i32 s22, s4, 1
	s_sub_i32 s24, s19, s55
	s_cmp_ge_u32 s19, s55
	s_cselect_b32 s4, s22, s4
	s_cselect_b32 s19, s24, s19
	s_add_i32 s22, s4, 1
	s_mul_hi_u32 s5, s66, s5
	s_cmp_ge_u32 s19, s55
	s_mul_i32 s23, s5, s55
	s_cselect_b32 s4, s22, s4
	s_sub_i32 s19, s66, s23
	s_mul_i32 s23, s4, s55
	s_add_i32 s22, s5, 1
	s_sub_i32 s24, s19, s55
	s_sub_i32 s23, s36, s23
	s_cmp_ge_u32 s19, s55
	s_cselect_b32 s5, s22, s5
	s_cselect_b32 s19, s24, s19
	s_add_i32 s22, s5, 1
	s_cmp_ge_u32 s19, s55
	s_cselect_b32 s5, s22, s5
	s_mul_i32 s19, s5, s55
	s_sub_i32 s19, s66, s19
	s_mul_i32 s5, s23, s5
	s_min_i32 s19, s23, s19
	s_add_i32 s4, s5, s4
	s_add_i32 s70, s4, s19
.LBB1_154:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[4:5], -1
	s_mov_b32 s29, 0
	v_mov_b32_e32 v120, 1
	s_mov_b32 s69, s14
	s_mov_b32 s31, 0
	s_mov_b32 s30, 0
	s_mov_b32 s28, 0
.LBB1_155:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s19, 1
.LBB1_156:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB1_200
; %bb.157:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_ge_i32 s70, s67
	s_cbranch_scc1 .LBB1_159
; %bb.158:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s57, 0
	s_mov_b32 s56, 0
	s_mov_b32 s46, 0
	s_mov_b32 s67, 0
	s_mov_b32 s65, 0
.LBB1_159:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_i32 s4, s67, s57
	s_cmp_lt_i32 s70, s4
	s_cbranch_scc1 .LBB1_201
; %bb.160:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_lg_u32 s68, 1
	s_cselect_b64 s[22:23], -1, 0
	s_cmp_eq_u32 s68, 1
	s_waitcnt lgkmcnt(0)
	s_cselect_b32 s14, 2, 0
	s_add_i32 s71, s9, s14
	s_mul_i32 s6, s6, s71
	s_cmp_ge_i32 s65, s6
	s_cbranch_scc1 .LBB1_201
; %bb.161:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s71
	s_bfe_u32 s4, s47, 0x80008
	s_min_i32 s5, s54, s8
	s_cmp_gt_i32 s54, -1
	s_cselect_b32 s47, s5, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_cmp_gt_i32 s47, 0
	s_cselect_b64 s[24:25], -1, 0
	s_min_i32 s72, s47, s8
	s_bitcmp1_b32 s4, 0
	s_cselect_b64 s[26:27], -1, 0
	s_cmp_eq_u32 s68, 2
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	s_cselect_b64 s[40:41], -1, 0
	s_cmp_lg_u32 s68, 2
	v_cvt_u32_f32_e32 v2, v2
	s_cselect_b64 s[42:43], -1, 0
	s_bitcmp1_b32 s7, 0
	s_cselect_b64 s[50:51], -1, 0
	s_ashr_i32 s73, s11, 31
	s_add_u32 s52, s11, -1
	s_addc_u32 s53, s73, -1
	s_sub_i32 s4, 0, s71
	v_readfirstlane_b32 s5, v2
	s_mul_i32 s4, s4, s5
	s_mul_hi_u32 s4, s5, s4
	s_mov_b32 s74, s11
	s_add_i32 s75, s5, s4
	s_branch .LBB1_164
.LBB1_162:                              ;   in Loop: Header=BB1_164 Depth=2
	s_min_i32 s58, s76, 64
	v_readlane_b32 s67, v3, 63
	v_readlane_b32 s46, v8, 63
	s_mov_b32 s56, 0
	s_mov_b32 s57, 0
.LBB1_163:                              ;   in Loop: Header=BB1_164 Depth=2
	s_add_i32 s65, s58, s65
	s_cmp_lt_i32 s65, s6
	s_cselect_b64 s[54:55], -1, 0
	s_and_b64 s[4:5], s[4:5], s[54:55]
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB1_201
.LBB1_164:                              ;   Parent Loop BB1_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB1_168 Depth 3
	s_mul_hi_u32 s4, s65, s75
	s_mul_i32 s5, s4, s71
	s_sub_i32 s5, s65, s5
	s_add_i32 s54, s4, 1
	s_sub_i32 s55, s5, s71
	s_cmp_ge_u32 s5, s71
	s_cselect_b32 s4, s54, s4
	s_cselect_b32 s5, s55, s5
	s_add_i32 s54, s4, 1
	s_cmp_ge_u32 s5, s71
	s_cselect_b32 s77, s54, s4
	s_mul_i32 s54, s77, s71
	s_cmp_lg_u32 s65, s54
	s_mov_b32 s56, 0
	s_cbranch_scc1 .LBB1_171
; %bb.165:                              ;   in Loop: Header=BB1_164 Depth=2
	s_andn2_b64 vcc, exec, s[24:25]
	s_cbranch_vccnz .LBB1_170
; %bb.166:                              ;   in Loop: Header=BB1_164 Depth=2
	s_mul_i32 s46, s77, s8
	s_and_b64 s[4:5], s[26:27], exec
	s_cselect_b32 s46, s46, 0
	s_mov_b32 s55, 0
	s_branch .LBB1_168
.LBB1_167:                              ;   in Loop: Header=BB1_168 Depth=3
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, -4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_ne_u32_e32 vcc, 0, v3
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0xffe0
	v_and_b32_e32 v5, 63, v5
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, s10, v2
	v_lshl_add_u32 v3, v5, 2, -8
	ds_bpermute_b32 v3, v3, v2
	v_cmp_lt_u32_e32 vcc, 1, v5
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v4
	v_min_u32_e32 v2, s10, v2
	v_lshl_add_u32 v4, v3, 2, -16
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 3, v3
	;;#ASMSTART
	;;#ASMEND
	s_sub_i32 s5, s10, s56
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v5
	v_min_u32_e32 v2, s10, v2
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 7, v3
	s_movk_i32 s4, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s10, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 15, v3
	s_movk_i32 s4, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s10, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 31, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, s10, v2
	s_nop 0
	v_readlane_b32 s4, v2, 63
	s_add_i32 s56, s4, s56
	s_cmp_lt_i32 s4, s5
	s_cselect_b32 s56, s56, s10
	s_add_i32 s55, s55, 64
	s_cmp_lt_i32 s55, s47
	s_cbranch_scc0 .LBB1_170
.LBB1_168:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_164 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v3, 63, v2
	v_add_u32_e32 v2, s55, v3
	v_cmp_gt_i32_e32 vcc, s72, v2
	v_mov_b32_e32 v2, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_167
; %bb.169:                              ;   in Loop: Header=BB1_168 Depth=3
	s_add_i32 s57, s46, s55
	v_add_u32_e32 v2, s57, v3
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[20:21]
	global_load_dword v2, v[2:3], off
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v3, s10, v2
	v_cmp_lt_i32_e32 vcc, -1, v2
	s_nop 1
	v_cndmask_b32_e32 v2, 0, v3, vcc
	s_branch .LBB1_167
.LBB1_170:                              ;   in Loop: Header=BB1_164 Depth=2
	s_and_b64 s[4:5], s[40:41], exec
	s_cselect_b32 s46, s56, 0
.LBB1_171:                              ;   in Loop: Header=BB1_164 Depth=2
	s_sub_i32 s54, s65, s54
	v_mov_b32_e32 v2, v0
	s_sub_i32 s76, s9, s54
	;;#ASMSTART
	;;#ASMEND
	s_add_i32 s76, s76, s14
	v_and_b32_e32 v2, 63, v2
	v_cmp_gt_i32_e32 vcc, s76, v2
	v_mov_b32_e32 v4, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_187
; %bb.172:                              ;   in Loop: Header=BB1_164 Depth=2
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_and_b64 vcc, exec, s[42:43]
	v_and_b32_e32 v2, 63, v2
	v_add_u32_e32 v3, s54, v2
	s_cbranch_vccz .LBB1_179
; %bb.173:                              ;   in Loop: Header=BB1_164 Depth=2
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_mov_b64 s[54:55], 0
	v_mov_b32_e32 v4, s56
	s_mov_b64 s[56:57], 0
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[58:59], vcc
	s_cbranch_execz .LBB1_180
; %bb.174:                              ;   in Loop: Header=BB1_164 Depth=2
	v_cmp_ge_i32_e32 vcc, s9, v3
	s_mov_b64 s[60:61], 0
	v_mov_b32_e32 v4, s10
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[56:57], vcc
	s_cbranch_execz .LBB1_178
; %bb.175:                              ;   in Loop: Header=BB1_164 Depth=2
	v_add_u32_e32 v4, s47, v3
	v_cmp_ge_i32_e32 vcc, s8, v4
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[62:63], vcc
	s_xor_b64 s[62:63], exec, s[62:63]
; %bb.176:                              ;   in Loop: Header=BB1_164 Depth=2
	s_mul_i32 s78, s77, s8
	s_add_i32 s80, s78, -1
	s_and_b64 s[78:79], s[26:27], exec
	s_cselect_b32 s78, s80, -1
	s_mov_b64 s[60:61], exec
	v_add_u32_e32 v2, s78, v4
; %bb.177:                              ;   in Loop: Header=BB1_164 Depth=2
	s_or_b64 exec, exec, s[62:63]
	v_mov_b32_e32 v4, 0
	s_and_b64 s[60:61], s[60:61], exec
.LBB1_178:                              ;   in Loop: Header=BB1_164 Depth=2
	s_or_b64 exec, exec, s[56:57]
	s_and_b64 s[56:57], s[60:61], exec
	s_or_b64 exec, exec, s[58:59]
	s_and_b64 vcc, exec, s[54:55]
	s_cbranch_vccnz .LBB1_181
	s_branch .LBB1_184
.LBB1_179:                              ;   in Loop: Header=BB1_164 Depth=2
	s_mov_b64 s[56:57], 0
                                        ; implicit-def: $vgpr4
                                        ; implicit-def: $vgpr2
	s_cbranch_execnz .LBB1_181
	s_branch .LBB1_184
.LBB1_180:                              ;   in Loop: Header=BB1_164 Depth=2
	s_or_b64 exec, exec, s[58:59]
	s_and_b64 vcc, exec, s[54:55]
	s_cbranch_vccz .LBB1_184
.LBB1_181:                              ;   in Loop: Header=BB1_164 Depth=2
	v_add_u32_e32 v3, s47, v3
	v_cmp_gt_i32_e32 vcc, s8, v3
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[54:55], vcc
; %bb.182:                              ;   in Loop: Header=BB1_164 Depth=2
	s_mul_i32 s77, s77, s8
	s_and_b64 s[58:59], s[26:27], exec
	s_cselect_b32 s58, s77, 0
	v_add_u32_e32 v2, s58, v3
	s_or_b64 s[56:57], s[56:57], exec
; %bb.183:                              ;   in Loop: Header=BB1_164 Depth=2
	s_or_b64 exec, exec, s[54:55]
	v_mov_b32_e32 v4, 0
.LBB1_184:                              ;   in Loop: Header=BB1_164 Depth=2
	s_and_saveexec_b64 s[54:55], s[56:57]
	s_cbranch_execz .LBB1_186
; %bb.185:                              ;   in Loop: Header=BB1_164 Depth=2
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[20:21]
	global_load_dword v2, v[2:3], off
	s_waitcnt vmcnt(0)
	v_min_i32_e32 v3, s10, v2
	v_cmp_lt_i32_e32 vcc, -1, v2
	s_nop 1
	v_cndmask_b32_e32 v4, 0, v3, vcc
.LBB1_186:                              ;   in Loop: Header=BB1_164 Depth=2
	s_or_b64 exec, exec, s[54:55]
.LBB1_187:                              ;   in Loop: Header=BB1_164 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_sub_i32 s4, s10, s46
	v_and_b32_e32 v3, 63, v3
	v_min_i32_e32 v2, s4, v4
	v_lshl_add_u32 v4, v3, 2, -4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s5, 0xffe0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_and_b32_e32 v3, 63, v5
	v_min_u32_e32 v2, s4, v2
	v_lshl_add_u32 v4, v3, 2, -8
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 1, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s4, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, -16
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 3, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s4, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s5
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 7, v3
	s_movk_i32 s5, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s4, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s5
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 15, v3
	s_movk_i32 s5, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v2, s4, v2
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, s5
	ds_bpermute_b32 v4, v4, v2
	v_cmp_lt_u32_e32 vcc, 31, v3
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v2, v3, v2
	v_min_u32_e32 v2, s4, v2
	v_add_u32_e32 v8, s46, v2
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v4, s46
	v_and_b32_e32 v2, 63, v2
	v_lshl_add_u32 v3, v2, 2, -4
	ds_bpermute_b32 v3, v3, v8
	v_cmp_eq_u32_e32 vcc, 0, v2
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 63, v2
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v9, v3, v4, vcc
	v_cmp_gt_i32_e32 vcc, s76, v2
	v_mov_b32_e32 v2, 0
	s_and_saveexec_b64 s[54:55], vcc
	s_cbranch_execz .LBB1_197
; %bb.188:                              ;   in Loop: Header=BB1_164 Depth=2
	s_and_b64 vcc, exec, s[22:23]
	s_cbranch_vccz .LBB1_190
; %bb.189:                              ;   in Loop: Header=BB1_164 Depth=2
	v_cmp_eq_u32_e32 vcc, v8, v9
	v_mov_b32_e32 v2, s12
	s_and_b64 s[4:5], vcc, s[50:51]
	v_cndmask_b32_e64 v6, v2, 0, s[4:5]
	s_cbranch_execz .LBB1_191
	s_branch .LBB1_196
.LBB1_190:                              ;   in Loop: Header=BB1_164 Depth=2
                                        ; implicit-def: $vgpr6
.LBB1_191:                              ;   in Loop: Header=BB1_164 Depth=2
	v_sub_u32_e32 v2, v8, v9
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], s[52:53], 0, v[2:3]
	v_or_b32_e32 v5, s73, v3
	v_mov_b32_e32 v4, 0
	v_cmp_ne_u64_e32 vcc, 0, v[4:5]
                                        ; implicit-def: $vgpr6_vgpr7
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[56:57], exec, s[4:5]
	s_cbranch_execz .LBB1_193
; %bb.192:                              ;   in Loop: Header=BB1_164 Depth=2
	s_ashr_i32 s58, s73, 31
	s_add_u32 s4, s74, s58
	s_mov_b32 s59, s58
	s_addc_u32 s5, s73, s58
	s_xor_b64 s[60:61], s[4:5], s[58:59]
	v_cvt_f32_u32_e32 v5, s60
	v_cvt_f32_u32_e32 v6, s61
	s_sub_u32 s4, 0, s60
	s_subb_u32 s5, 0, s61
	v_mov_b32_e32 v13, v4
	v_fmamk_f32 v5, v6, 0x4f800000, v5
	v_rcp_f32_e32 v5, v5
	s_mov_b32 s80, 0
	v_mul_f32_e32 v5, 0x5f7ffffc, v5
	v_mul_f32_e32 v6, 0x2f800000, v5
	v_trunc_f32_e32 v6, v6
	v_fmamk_f32 v5, v6, 0xcf800000, v5
	v_cvt_u32_f32_e32 v6, v6
	v_cvt_u32_f32_e32 v5, v5
	v_readfirstlane_b32 s46, v6
	v_readfirstlane_b32 s59, v5
	s_mul_i32 s62, s4, s46
	s_mul_hi_u32 s77, s4, s59
	s_mul_i32 s63, s5, s59
	s_add_i32 s62, s77, s62
	s_add_i32 s62, s62, s63
	s_mul_i32 s78, s4, s59
	s_mul_i32 s77, s59, s62
	s_mul_hi_u32 s79, s59, s78
	s_mul_hi_u32 s63, s59, s62
	s_add_u32 s77, s79, s77
	s_addc_u32 s63, 0, s63
	s_mul_hi_u32 s81, s46, s78
	s_mul_i32 s78, s46, s78
	s_add_u32 s77, s77, s78
	s_mul_hi_u32 s79, s46, s62
	s_addc_u32 s63, s63, s81
	s_addc_u32 s77, s79, 0
	s_mul_i32 s62, s46, s62
	s_add_u32 s62, s63, s62
	s_addc_u32 s63, 0, s77
	s_add_u32 s59, s59, s62
	s_addc_u32 s46, s46, s63
	s_mul_i32 s62, s4, s46
	s_mul_hi_u32 s63, s4, s59
	s_add_i32 s62, s63, s62
	s_mul_i32 s5, s5, s59
	s_add_i32 s62, s62, s5
	s_mul_i32 s4, s4, s59
	s_mul_hi_u32 s63, s46, s4
	s_mul_i32 s77, s46, s4
	s_mul_i32 s79, s59, s62
	s_mul_hi_u32 s4, s59, s4
	s_mul_hi_u32 s78, s59, s62
	s_add_u32 s4, s4, s79
	s_addc_u32 s78, 0, s78
	s_add_u32 s4, s4, s77
	s_mul_hi_u32 s5, s46, s62
	s_addc_u32 s4, s78, s63
	s_addc_u32 s5, s5, 0
	s_mul_i32 s62, s46, s62
	s_add_u32 s4, s4, s62
	v_ashrrev_i32_e32 v6, 31, v3
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v7, v6
	s_add_u32 s59, s59, s4
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[6:7]
	s_addc_u32 s46, s46, s5
	v_xor_b32_e32 v11, v2, v6
	v_xor_b32_e32 v7, v3, v6
	v_mad_u64_u32 v[2:3], s[4:5], v11, s46, 0
	v_mul_hi_u32 v12, v11, s59
	v_lshl_add_u64 v[2:3], v[12:13], 0, v[2:3]
	v_mad_u64_u32 v[12:13], s[4:5], v7, s59, 0
	v_add_co_u32_e32 v2, vcc, v2, v12
	v_mad_u64_u32 v[4:5], s[4:5], v7, s46, 0
	s_nop 0
	v_addc_co_u32_e32 v2, vcc, v3, v13, vcc
	v_mov_b32_e32 v3, s80
	s_nop 0
	v_addc_co_u32_e32 v5, vcc, 0, v5, vcc
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[4:5]
	v_mul_lo_u32 v12, s61, v2
	v_mul_lo_u32 v13, s60, v3
	v_mad_u64_u32 v[4:5], s[4:5], s60, v2, 0
	v_add3_u32 v14, v5, v13, v12
	v_sub_u32_e32 v5, v7, v14
	v_mov_b32_e32 v12, s61
	v_sub_co_u32_e32 v11, vcc, v11, v4
	s_nop 1
	v_subb_co_u32_e64 v4, s[4:5], v5, v12, vcc
	v_subrev_co_u32_e64 v5, s[4:5], s60, v11
	s_nop 1
	v_subbrev_co_u32_e64 v4, s[4:5], 0, v4, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s61, v4
	s_nop 1
	v_cndmask_b32_e64 v12, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s60, v5
	s_nop 1
	v_cndmask_b32_e64 v5, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s61, v4
	s_nop 1
	v_cndmask_b32_e64 v15, v12, v5, s[4:5]
	v_lshl_add_u64 v[4:5], v[2:3], 0, 2
	v_lshl_add_u64 v[12:13], v[2:3], 0, 1
	v_subb_co_u32_e32 v3, vcc, v7, v14, vcc
	v_cmp_le_u32_e32 vcc, s61, v3
	s_nop 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s60, v11
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s61, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v15
	s_nop 1
	v_cndmask_b32_e32 v4, v12, v4, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_xor_b32_e32 v3, s58, v6
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_xor_b32_e32 v2, v2, v3
	v_sub_co_u32_e32 v6, vcc, v2, v3
                                        ; implicit-def: $vgpr2_vgpr3
.LBB1_193:                              ;   in Loop: Header=BB1_164 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[56:57]
	s_cbranch_execz .LBB1_195
; %bb.194:                              ;   in Loop: Header=BB1_164 Depth=2
	v_cvt_f32_u32_e32 v3, s74
	s_sub_i32 s46, 0, s74
	v_rcp_iflag_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v4, s46, v3
	v_mul_hi_u32 v4, v3, v4
	v_add_u32_e32 v3, v3, v4
	v_mul_hi_u32 v3, v2, v3
	v_mul_lo_u32 v4, v3, s74
	v_sub_u32_e32 v2, v2, v4
	v_add_u32_e32 v5, 1, v3
	v_subrev_u32_e32 v4, s74, v2
	v_cmp_le_u32_e32 vcc, s74, v2
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_add_u32_e32 v4, 1, v3
	v_cmp_le_u32_e32 vcc, s74, v2
	s_nop 1
	v_cndmask_b32_e32 v6, v3, v4, vcc
.LBB1_195:                              ;   in Loop: Header=BB1_164 Depth=2
	s_or_b64 exec, exec, s[4:5]
.LBB1_196:                              ;   in Loop: Header=BB1_164 Depth=2
	v_mul_lo_u32 v2, v6, s13
.LBB1_197:                              ;   in Loop: Header=BB1_164 Depth=2
	s_or_b64 exec, exec, s[54:55]
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v5, v0
	v_and_b32_e32 v3, 63, v3
	v_lshl_add_u32 v4, v3, 2, -4
	ds_bpermute_b32 v4, v4, v2
	v_cmp_ne_u32_e32 vcc, 0, v3
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v6, v0
	v_and_b32_e32 v5, 63, v5
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v3, 0, v4, vcc
	v_add_u32_e32 v3, v3, v2
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_lshl_add_u32 v4, v5, 2, -8
	ds_bpermute_b32 v4, v4, v3
	v_cmp_lt_u32_e32 vcc, 1, v5
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0xffe0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_add_u32_e32 v3, v4, v3
	v_and_b32_e32 v4, 63, v6
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_lshl_add_u32 v5, v4, 2, -16
	ds_bpermute_b32 v5, v5, v3
	v_cmp_lt_u32_e32 vcc, 3, v4
	v_mov_b32_e32 v6, v0
	;;#ASMSTART
	;;#ASMEND
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v4, 0, v5, vcc
	v_add_u32_e32 v3, v4, v3
	v_and_b32_e32 v4, 63, v6
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_lshl_add_u32 v5, v4, 2, s4
	ds_bpermute_b32 v5, v5, v3
	v_cmp_lt_u32_e32 vcc, 7, v4
	s_movk_i32 s4, 0xffc0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v4, 0, v5, vcc
	v_add_u32_e32 v3, v4, v3
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_and_b32_e32 v4, 63, v4
	v_lshl_add_u32 v5, v4, 2, s4
	ds_bpermute_b32 v5, v5, v3
	v_cmp_lt_u32_e32 vcc, 15, v4
	s_movk_i32 s4, 0xff80
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v4, 0, v5, vcc
	v_add_u32_e32 v3, v4, v3
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_and_b32_e32 v4, 63, v4
	v_lshl_add_u32 v5, v4, 2, s4
	ds_bpermute_b32 v5, v5, v3
	v_cmp_lt_u32_e32 vcc, 31, v4
	s_waitcnt lgkmcnt(0)
	s_nop 0
	v_cndmask_b32_e32 v4, 0, v5, vcc
	v_add_u32_e32 v3, v4, v3
	v_min_u32_e32 v3, 0x7fffffff, v3
	v_add_u32_e32 v3, s67, v3
	v_cmp_lt_i32_e32 vcc, s70, v3
	s_ff1_i32_b64 s4, vcc
	s_min_u32 s58, s4, 64
	s_cmp_gt_u32 s58, 63
	s_cselect_b64 s[4:5], -1, 0
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccnz .LBB1_199
; %bb.198:                              ;   in Loop: Header=BB1_164 Depth=2
	v_sub_u32_e32 v4, v3, v2
	v_readlane_b32 s46, v9, s58
	v_readlane_b32 s67, v4, s58
	v_sub_u32_e32 v4, v8, v9
	v_readlane_b32 s57, v2, s58
	v_readlane_b32 s56, v4, s58
	s_cbranch_execnz .LBB1_163
	s_branch .LBB1_162
.LBB1_199:                              ;   in Loop: Header=BB1_164 Depth=2
                                        ; implicit-def: $sgpr57
                                        ; implicit-def: $sgpr56
                                        ; implicit-def: $sgpr46
                                        ; implicit-def: $sgpr67
                                        ; implicit-def: $sgpr58
	s_branch .LBB1_162
.LBB1_200:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v4, s69
	v_mov_b32_e32 v2, s31
	s_mov_b64 s[52:53], 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	s_mov_b32 s85, 0
	s_mov_b32 s50, 0
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[14:15], 0
	s_branch .LBB1_223
.LBB1_201:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s68, 1
	s_mov_b32 s85, s46
	s_cselect_b64 s[4:5], -1, 0
	s_cmp_lg_u32 s68, 1
	s_cbranch_scc0 .LBB1_203
; %bb.202:                              ;   in Loop: Header=BB1_124 Depth=1
	s_waitcnt lgkmcnt(0)
	s_bitcmp1_b32 s7, 0
	s_cselect_b64 s[6:7], -1, 0
	s_cmp_eq_u32 s56, 0
	s_cselect_b64 s[20:21], -1, 0
	s_and_b64 s[6:7], s[20:21], s[6:7]
	s_and_b64 s[6:7], s[6:7], exec
	s_cselect_b32 s8, 0, s12
	v_mov_b32_e32 v2, s8
	s_cbranch_execz .LBB1_204
	s_branch .LBB1_207
.LBB1_203:                              ;   in Loop: Header=BB1_124 Depth=1
	s_waitcnt lgkmcnt(0)
                                        ; implicit-def: $sgpr8
	v_mov_b32_e32 v2, s8
.LBB1_204:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s8, s56, 31
	s_ashr_i32 s7, s11, 31
	s_add_u32 s10, s11, s56
	s_addc_u32 s8, s7, s8
	s_add_u32 s20, s10, -1
	s_mov_b32 s6, s11
	s_addc_u32 s21, s8, -1
	s_or_b64 s[22:23], s[20:21], s[6:7]
	s_mov_b32 s22, 0
	s_cmp_lg_u64 s[22:23], 0
	s_mov_b64 s[22:23], -1
	s_cbranch_scc0 .LBB1_357
; %bb.205:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s24, s7, 31
	s_add_u32 s22, s6, s24
	s_mov_b32 s25, s24
	s_addc_u32 s23, s7, s24
	s_xor_b64 s[26:27], s[22:23], s[24:25]
	v_cvt_f32_u32_e32 v2, s26
	v_cvt_f32_u32_e32 v3, s27
	s_sub_u32 s7, 0, s26
	s_subb_u32 s8, 0, s27
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s10, v3
	v_readfirstlane_b32 s12, v2
	s_mul_i32 s14, s7, s10
	s_mul_hi_u32 s41, s7, s12
	s_mul_i32 s40, s8, s12
	s_add_i32 s14, s41, s14
	s_add_i32 s14, s14, s40
	s_mul_i32 s42, s7, s12
	s_mul_i32 s41, s12, s14
	s_mul_hi_u32 s43, s12, s42
	s_mul_hi_u32 s40, s12, s14
	s_add_u32 s41, s43, s41
	s_addc_u32 s40, 0, s40
	s_mul_hi_u32 s46, s10, s42
	s_mul_i32 s42, s10, s42
	s_add_u32 s41, s41, s42
	s_mul_hi_u32 s43, s10, s14
	s_addc_u32 s40, s40, s46
	s_addc_u32 s41, s43, 0
	s_mul_i32 s14, s10, s14
	s_add_u32 s14, s40, s14
	s_addc_u32 s40, 0, s41
	s_add_u32 s12, s12, s14
	s_addc_u32 s10, s10, s40
	s_mul_i32 s14, s7, s10
	s_mul_hi_u32 s40, s7, s12
	s_add_i32 s14, s40, s14
	s_mul_i32 s8, s8, s12
	s_add_i32 s14, s14, s8
	s_mul_i32 s7, s7, s12
	s_mul_hi_u32 s40, s10, s7
	s_mul_i32 s41, s10, s7
	s_mul_i32 s43, s12, s14
	s_mul_hi_u32 s7, s12, s7
	s_mul_hi_u32 s42, s12, s14
	s_add_u32 s7, s7, s43
	s_addc_u32 s42, 0, s42
	s_add_u32 s7, s7, s41
	s_mul_hi_u32 s8, s10, s14
	s_addc_u32 s7, s42, s40
	s_addc_u32 s8, s8, 0
	s_mul_i32 s14, s10, s14
	s_add_u32 s7, s7, s14
	s_addc_u32 s8, 0, s8
	s_add_u32 s7, s12, s7
	s_addc_u32 s8, s10, s8
	s_ashr_i32 s40, s21, 31
	s_add_u32 s42, s20, s40
	s_mov_b32 s41, s40
	s_addc_u32 s43, s21, s40
	s_xor_b64 s[42:43], s[42:43], s[40:41]
	s_mul_i32 s12, s42, s8
	s_mul_hi_u32 s14, s42, s7
	s_mul_hi_u32 s10, s42, s8
	s_add_u32 s12, s14, s12
	s_addc_u32 s10, 0, s10
	s_mul_hi_u32 s21, s43, s7
	s_mul_i32 s7, s43, s7
	s_add_u32 s7, s12, s7
	s_mul_hi_u32 s14, s43, s8
	s_addc_u32 s7, s10, s21
	s_addc_u32 s10, s14, 0
	s_mul_i32 s8, s43, s8
	s_add_u32 s7, s7, s8
	s_addc_u32 s8, 0, s10
	s_mul_i32 s10, s26, s8
	s_mul_hi_u32 s12, s26, s7
	s_add_i32 s10, s12, s10
	s_mul_i32 s12, s27, s7
	s_add_i32 s10, s10, s12
	s_sub_i32 s12, s43, s10
	s_mul_i32 s14, s26, s7
	s_sub_u32 s14, s42, s14
	s_cselect_b64 s[46:47], -1, 0
	s_subb_u32 s12, s12, s27
	s_sub_u32 s21, s14, s26
	s_subb_u32 s12, s12, 0
	s_cmp_ge_u32 s12, s27
	s_cselect_b32 s42, -1, 0
	s_cmp_ge_u32 s21, s26
	s_cselect_b32 s21, -1, 0
	s_cmp_eq_u32 s12, s27
	s_cselect_b32 s12, s21, s42
	s_add_u32 s21, s7, 1
	s_addc_u32 s42, s8, 0
	s_add_u32 s50, s7, 2
	s_addc_u32 s51, s8, 0
	s_cmp_lg_u32 s12, 0
	s_cselect_b32 s12, s50, s21
	s_cselect_b32 s21, s51, s42
	s_cmp_lg_u64 s[46:47], 0
	s_subb_u32 s10, s43, s10
	s_cmp_ge_u32 s10, s27
	s_cselect_b32 s42, -1, 0
	s_cmp_ge_u32 s14, s26
	s_cselect_b32 s14, -1, 0
	s_cmp_eq_u32 s10, s27
	s_cselect_b32 s10, s14, s42
	s_cmp_lg_u32 s10, 0
	s_cselect_b32 s27, s21, s8
	s_cselect_b32 s26, s12, s7
	s_xor_b64 s[24:25], s[40:41], s[24:25]
	s_xor_b64 s[26:27], s[26:27], s[24:25]
	s_sub_u32 s24, s26, s24
	s_subb_u32 s25, s27, s25
	v_mov_b64_e32 v[2:3], s[24:25]
	s_cbranch_execnz .LBB1_207
.LBB1_206:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s6
	s_sub_i32 s7, 0, s6
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s7, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s20, v2
	v_mul_lo_u32 v4, v2, s6
	v_sub_u32_e32 v4, s20, v4
	v_add_u32_e32 v3, 1, v2
	v_subrev_u32_e32 v5, s6, v4
	v_cmp_le_u32_e32 vcc, s6, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_add_u32_e32 v3, 1, v2
	v_cmp_le_u32_e32 vcc, s6, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
.LBB1_207:                              ;   in Loop: Header=BB1_124 Depth=1
	s_sub_i32 s6, s70, s67
	s_mul_i32 s7, s15, s13
	s_cmp_lt_i32 s6, s7
	v_mov_b32_e32 v3, 0
	s_cbranch_scc1 .LBB1_209
; %bb.208:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v3, s7
	s_sub_i32 s8, 0, s7
	v_rcp_iflag_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v4, s8, v3
	v_mul_hi_u32 v4, v3, v4
	v_add_u32_e32 v3, v3, v4
	v_mul_hi_u32 v3, s6, v3
	v_mul_lo_u32 v4, v3, s7
	v_sub_u32_e32 v4, s6, v4
	v_add_u32_e32 v5, 1, v3
	v_subrev_u32_e32 v6, s7, v4
	v_cmp_le_u32_e32 vcc, s7, v4
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_cndmask_b32_e32 v4, v4, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s7, v4
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v5, vcc
.LBB1_209:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 s[4:5], s[4:5], exec
	s_cselect_b32 s4, 2, 0
	s_add_i32 s8, s9, s4
	v_cvt_f32_u32_e32 v4, s8
	v_mul_lo_u32 v6, v3, s15
	v_sub_u32_e32 v2, v2, v6
	v_min_i32_e32 v7, s15, v2
	v_rcp_iflag_f32_e32 v4, v4
	v_cvt_f32_u32_e32 v2, v7
	s_sub_i32 s10, 0, s8
	v_mul_lo_u32 v3, v3, s7
	v_mul_f32_e32 v4, 0x4f7ffffe, v4
	v_cvt_u32_f32_e32 v4, v4
	v_rcp_iflag_f32_e32 v2, v2
	v_sub_u32_e32 v8, s6, v3
	v_sub_u32_e32 v3, 0, v7
	v_readfirstlane_b32 s12, v4
	s_mul_i32 s10, s10, s12
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	s_mul_hi_u32 s10, s12, s10
	v_cvt_u32_f32_e32 v2, v2
	s_add_i32 s12, s12, s10
	s_mul_hi_u32 s10, s65, s12
	s_mul_i32 s12, s10, s8
	s_sub_i32 s12, s65, s12
	v_mul_lo_u32 v3, v3, v2
	s_add_i32 s13, s10, 1
	s_sub_i32 s14, s12, s8
	v_mul_hi_u32 v3, v2, v3
	s_cmp_ge_u32 s12, s8
	v_add_u32_e32 v2, v2, v3
	s_cselect_b32 s10, s13, s10
	v_mul_hi_u32 v9, v8, v2
	s_cselect_b32 s12, s14, s12
	s_add_i32 s13, s10, 1
	v_mul_lo_u32 v2, v9, v7
	s_cmp_ge_u32 s12, s8
	v_sub_u32_e32 v2, v8, v2
	s_cselect_b32 s50, s13, s10
	v_sub_u32_e32 v3, v2, v7
	v_cmp_ge_u32_e64 s[6:7], v2, v7
	s_mul_i32 s8, s50, s8
	s_sub_i32 s24, s65, s8
	v_cndmask_b32_e64 v2, v2, v3, s[6:7]
	v_cmp_ge_u32_e64 s[4:5], v2, v7
	s_cmp_lg_u32 s68, 2
	s_mov_b64 s[14:15], -1
	s_cbranch_scc0 .LBB1_211
; %bb.210:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_gt_i32 s24, s9
	v_sub_co_u32_e64 v2, s[12:13], s24, 1
	s_cselect_b64 s[8:9], -1, 0
	s_or_b64 s[52:53], s[12:13], s[8:9]
	s_and_b64 s[8:9], s[52:53], exec
	v_cndmask_b32_e64 v3, v2, 0, s[52:53]
	s_cselect_b32 s10, s31, s69
	v_mov_b32_e32 v4, s10
	v_mov_b32_e32 v2, s31
	s_cbranch_execz .LBB1_212
	s_branch .LBB1_222
.LBB1_211:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr52_sgpr53
                                        ; implicit-def: $vgpr3
                                        ; implicit-def: $sgpr10
	v_mov_b32_e32 v4, s10
	v_mov_b32_e32 v2, s31
.LBB1_212:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s10, s56, 31
	s_ashr_i32 s9, s11, 31
	s_mov_b32 s8, s11
	s_add_u32 s11, s11, s56
	s_addc_u32 s10, s9, s10
	s_add_u32 s12, s11, -1
	s_addc_u32 s13, s10, -1
	s_or_b64 s[10:11], s[12:13], s[8:9]
	s_mov_b32 s10, 0
	s_cmp_lg_u64 s[10:11], 0
	s_cbranch_scc0 .LBB1_358
; %bb.213:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s10, s9, 31
	s_add_u32 s14, s8, s10
	s_mov_b32 s11, s10
	s_addc_u32 s15, s9, s10
	s_xor_b64 s[20:21], s[14:15], s[10:11]
	v_cvt_f32_u32_e32 v2, s20
	v_cvt_f32_u32_e32 v3, s21
	s_sub_u32 s9, 0, s20
	s_subb_u32 s22, 0, s21
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s23, v3
	v_readfirstlane_b32 s25, v2
	s_mul_i32 s26, s9, s23
	s_mul_hi_u32 s31, s9, s25
	s_mul_i32 s27, s22, s25
	s_add_i32 s26, s31, s26
	s_add_i32 s26, s26, s27
	s_mul_i32 s40, s9, s25
	s_mul_i32 s31, s25, s26
	s_mul_hi_u32 s41, s25, s40
	s_mul_hi_u32 s27, s25, s26
	s_add_u32 s31, s41, s31
	s_addc_u32 s27, 0, s27
	s_mul_hi_u32 s42, s23, s40
	s_mul_i32 s40, s23, s40
	s_add_u32 s31, s31, s40
	s_mul_hi_u32 s41, s23, s26
	s_addc_u32 s27, s27, s42
	s_addc_u32 s31, s41, 0
	s_mul_i32 s26, s23, s26
	s_add_u32 s26, s27, s26
	s_addc_u32 s27, 0, s31
	s_add_u32 s25, s25, s26
	s_addc_u32 s23, s23, s27
	s_mul_i32 s26, s9, s23
	s_mul_hi_u32 s27, s9, s25
	s_add_i32 s26, s27, s26
	s_mul_i32 s22, s22, s25
	s_add_i32 s26, s26, s22
	s_mul_i32 s9, s9, s25
	s_mul_hi_u32 s27, s23, s9
	s_mul_i32 s31, s23, s9
	s_mul_i32 s41, s25, s26
	s_mul_hi_u32 s9, s25, s9
	s_mul_hi_u32 s40, s25, s26
	s_add_u32 s9, s9, s41
	s_addc_u32 s40, 0, s40
	s_add_u32 s9, s9, s31
	s_mul_hi_u32 s22, s23, s26
	s_addc_u32 s9, s40, s27
	s_addc_u32 s22, s22, 0
	s_mul_i32 s26, s23, s26
	s_add_u32 s9, s9, s26
	s_addc_u32 s22, 0, s22
	s_add_u32 s9, s25, s9
	s_addc_u32 s25, s23, s22
	s_ashr_i32 s22, s13, 31
	s_add_u32 s26, s12, s22
	s_mov_b32 s23, s22
	s_addc_u32 s27, s13, s22
	s_xor_b64 s[26:27], s[26:27], s[22:23]
	s_mul_i32 s31, s26, s25
	s_mul_hi_u32 s40, s26, s9
	s_mul_hi_u32 s13, s26, s25
	s_add_u32 s31, s40, s31
	s_addc_u32 s13, 0, s13
	s_mul_hi_u32 s41, s27, s9
	s_mul_i32 s9, s27, s9
	s_add_u32 s9, s31, s9
	s_mul_hi_u32 s40, s27, s25
	s_addc_u32 s9, s13, s41
	s_addc_u32 s13, s40, 0
	s_mul_i32 s25, s27, s25
	s_add_u32 s9, s9, s25
	s_addc_u32 s13, 0, s13
	s_mul_i32 s25, s20, s13
	s_mul_hi_u32 s31, s20, s9
	s_add_i32 s25, s31, s25
	s_mul_i32 s31, s21, s9
	s_add_i32 s25, s25, s31
	s_sub_i32 s31, s27, s25
	s_mul_i32 s40, s20, s9
	s_sub_u32 s26, s26, s40
	s_cselect_b64 s[40:41], -1, 0
	s_subb_u32 s31, s31, s21
	s_sub_u32 s42, s26, s20
	s_subb_u32 s31, s31, 0
	s_cmp_ge_u32 s31, s21
	s_cselect_b32 s43, -1, 0
	s_cmp_ge_u32 s42, s20
	s_cselect_b32 s42, -1, 0
	s_cmp_eq_u32 s31, s21
	s_cselect_b32 s31, s42, s43
	s_add_u32 s42, s9, 1
	s_addc_u32 s43, s13, 0
	s_add_u32 s46, s9, 2
	s_addc_u32 s47, s13, 0
	s_cmp_lg_u32 s31, 0
	s_cselect_b32 s31, s46, s42
	s_cselect_b32 s42, s47, s43
	s_cmp_lg_u64 s[40:41], 0
	s_subb_u32 s25, s27, s25
	s_cmp_ge_u32 s25, s21
	s_cselect_b32 s27, -1, 0
	s_cmp_ge_u32 s26, s20
	s_cselect_b32 s20, -1, 0
	s_cmp_eq_u32 s25, s21
	s_cselect_b32 s20, s20, s27
	s_cmp_lg_u32 s20, 0
	s_cselect_b32 s21, s42, s13
	s_cselect_b32 s20, s31, s9
	s_xor_b64 s[10:11], s[22:23], s[10:11]
	s_xor_b64 s[20:21], s[20:21], s[10:11]
	s_sub_u32 s10, s20, s10
	s_subb_u32 s11, s21, s11
	s_cbranch_execnz .LBB1_215
.LBB1_214:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s8
	s_sub_i32 s9, 0, s8
	s_mov_b32 s11, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s10, v2
	s_mul_i32 s9, s9, s10
	s_mul_hi_u32 s9, s10, s9
	s_add_i32 s10, s10, s9
	s_mul_hi_u32 s9, s12, s10
	s_mul_i32 s13, s9, s8
	s_sub_i32 s12, s12, s13
	s_add_i32 s10, s9, 1
	s_sub_i32 s13, s12, s8
	s_cmp_ge_u32 s12, s8
	s_cselect_b32 s9, s10, s9
	s_cselect_b32 s12, s13, s12
	s_add_i32 s10, s9, 1
	s_cmp_ge_u32 s12, s8
	s_cselect_b32 s10, s10, s9
.LBB1_215:                              ;   in Loop: Header=BB1_124 Depth=1
	s_min_i32 s8, s10, s19
	s_cmp_gt_i32 s10, 0
	s_cselect_b32 s8, s8, 1
	s_mul_hi_i32 s13, s10, s29
	s_mul_i32 s12, s10, s29
	s_ashr_i32 s9, s8, 31
	s_or_b64 s[20:21], s[12:13], s[8:9]
	s_mov_b32 s14, 0
	s_mov_b32 s15, s21
	s_cmp_lg_u64 s[14:15], 0
	s_cbranch_scc0 .LBB1_359
; %bb.216:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s20, s9, 31
	s_add_u32 s14, s8, s20
	s_mov_b32 s21, s20
	s_addc_u32 s15, s9, s20
	s_xor_b64 s[22:23], s[14:15], s[20:21]
	v_cvt_f32_u32_e32 v2, s22
	v_cvt_f32_u32_e32 v3, s23
	s_sub_u32 s19, 0, s22
	s_subb_u32 s25, 0, s23
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s26, v3
	v_readfirstlane_b32 s27, v2
	s_mul_i32 s31, s19, s26
	s_mul_hi_u32 s41, s19, s27
	s_mul_i32 s40, s25, s27
	s_add_i32 s31, s41, s31
	s_add_i32 s31, s31, s40
	s_mul_i32 s42, s19, s27
	s_mul_i32 s41, s27, s31
	s_mul_hi_u32 s43, s27, s42
	s_mul_hi_u32 s40, s27, s31
	s_add_u32 s41, s43, s41
	s_addc_u32 s40, 0, s40
	s_mul_hi_u32 s46, s26, s42
	s_mul_i32 s42, s26, s42
	s_add_u32 s41, s41, s42
	s_mul_hi_u32 s43, s26, s31
	s_addc_u32 s40, s40, s46
	s_addc_u32 s41, s43, 0
	s_mul_i32 s31, s26, s31
	s_add_u32 s31, s40, s31
	s_addc_u32 s40, 0, s41
	s_add_u32 s27, s27, s31
	s_addc_u32 s26, s26, s40
	s_mul_i32 s31, s19, s26
	s_mul_hi_u32 s40, s19, s27
	s_add_i32 s31, s40, s31
	s_mul_i32 s25, s25, s27
	s_add_i32 s31, s31, s25
	s_mul_i32 s19, s19, s27
	s_mul_hi_u32 s40, s26, s19
	s_mul_i32 s41, s26, s19
	s_mul_i32 s43, s27, s31
	s_mul_hi_u32 s19, s27, s19
	s_mul_hi_u32 s42, s27, s31
	s_add_u32 s19, s19, s43
	s_addc_u32 s42, 0, s42
	s_add_u32 s19, s19, s41
	s_mul_hi_u32 s25, s26, s31
	s_addc_u32 s19, s42, s40
	s_addc_u32 s25, s25, 0
	s_mul_i32 s31, s26, s31
	s_add_u32 s19, s19, s31
	s_addc_u32 s25, 0, s25
	s_add_u32 s19, s27, s19
	s_addc_u32 s25, s26, s25
	s_ashr_i32 s26, s13, 31
	s_add_u32 s40, s12, s26
	s_mov_b32 s27, s26
	s_addc_u32 s41, s13, s26
	s_xor_b64 s[40:41], s[40:41], s[26:27]
	s_mul_i32 s31, s40, s25
	s_mul_hi_u32 s42, s40, s19
	s_mul_hi_u32 s13, s40, s25
	s_add_u32 s31, s42, s31
	s_addc_u32 s13, 0, s13
	s_mul_hi_u32 s43, s41, s19
	s_mul_i32 s19, s41, s19
	s_add_u32 s19, s31, s19
	s_mul_hi_u32 s42, s41, s25
	s_addc_u32 s13, s13, s43
	s_addc_u32 s19, s42, 0
	s_mul_i32 s25, s41, s25
	s_add_u32 s13, s13, s25
	s_addc_u32 s19, 0, s19
	s_mul_i32 s25, s22, s19
	s_mul_hi_u32 s31, s22, s13
	s_add_i32 s25, s31, s25
	s_mul_i32 s31, s23, s13
	s_add_i32 s25, s25, s31
	s_sub_i32 s31, s41, s25
	s_mul_i32 s42, s22, s13
	s_sub_u32 s40, s40, s42
	s_cselect_b64 s[42:43], -1, 0
	s_subb_u32 s31, s31, s23
	s_sub_u32 s46, s40, s22
	s_subb_u32 s31, s31, 0
	s_cmp_ge_u32 s31, s23
	s_cselect_b32 s47, -1, 0
	s_cmp_ge_u32 s46, s22
	s_cselect_b32 s46, -1, 0
	s_cmp_eq_u32 s31, s23
	s_cselect_b32 s31, s46, s47
	s_add_u32 s46, s13, 1
	s_addc_u32 s47, s19, 0
	s_add_u32 s51, s13, 2
	s_addc_u32 s52, s19, 0
	s_cmp_lg_u32 s31, 0
	s_cselect_b32 s31, s51, s46
	s_cselect_b32 s46, s52, s47
	s_cmp_lg_u64 s[42:43], 0
	s_subb_u32 s25, s41, s25
	s_cmp_ge_u32 s25, s23
	s_cselect_b32 s41, -1, 0
	s_cmp_ge_u32 s40, s22
	s_cselect_b32 s22, -1, 0
	s_cmp_eq_u32 s25, s23
	s_cselect_b32 s22, s22, s41
	s_cmp_lg_u32 s22, 0
	s_cselect_b32 s23, s46, s19
	s_cselect_b32 s22, s31, s13
	s_xor_b64 s[20:21], s[26:27], s[20:21]
	s_xor_b64 s[22:23], s[22:23], s[20:21]
	s_sub_u32 s20, s22, s20
	s_subb_u32 s21, s23, s21
	v_cvt_f32_u32_e32 v11, s8
	v_mov_b64_e32 v[2:3], s[20:21]
	s_cbranch_execnz .LBB1_218
.LBB1_217:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v11
	s_sub_i32 s13, 0, s8
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s13, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s12, v2
	v_mul_lo_u32 v4, v2, s8
	v_sub_u32_e32 v4, s12, v4
	v_add_u32_e32 v3, 1, v2
	v_subrev_u32_e32 v5, s8, v4
	v_cmp_le_u32_e32 vcc, s8, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_add_u32_e32 v3, 1, v2
	v_cmp_le_u32_e32 vcc, s8, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
.LBB1_218:                              ;   in Loop: Header=BB1_124 Depth=1
	s_bfe_i64 s[10:11], s[10:11], 0x200000
	s_add_i32 s12, s29, 1
	s_mul_hi_i32 s11, s10, s12
	s_mul_i32 s10, s10, s12
	s_or_b64 s[12:13], s[10:11], s[8:9]
	s_mov_b32 s12, 0
	s_cmp_lg_u64 s[12:13], 0
	s_cbranch_scc0 .LBB1_360
; %bb.219:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s12, s9, 31
	s_add_u32 s14, s8, s12
	s_mov_b32 s13, s12
	s_addc_u32 s15, s9, s12
	s_xor_b64 s[20:21], s[14:15], s[12:13]
	v_cvt_f32_u32_e32 v3, s20
	v_cvt_f32_u32_e32 v4, s21
	s_sub_u32 s9, 0, s20
	s_subb_u32 s19, 0, s21
	v_fmamk_f32 v3, v4, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v4, 0x2f800000, v3
	v_trunc_f32_e32 v4, v4
	v_fmamk_f32 v3, v4, 0xcf800000, v3
	v_cvt_u32_f32_e32 v4, v4
	v_cvt_u32_f32_e32 v3, v3
	v_readfirstlane_b32 s22, v4
	v_readfirstlane_b32 s23, v3
	s_mul_i32 s25, s9, s22
	s_mul_hi_u32 s27, s9, s23
	s_mul_i32 s26, s19, s23
	s_add_i32 s25, s27, s25
	s_add_i32 s25, s25, s26
	s_mul_i32 s31, s9, s23
	s_mul_i32 s27, s23, s25
	s_mul_hi_u32 s40, s23, s31
	s_mul_hi_u32 s26, s23, s25
	s_add_u32 s27, s40, s27
	s_addc_u32 s26, 0, s26
	s_mul_hi_u32 s41, s22, s31
	s_mul_i32 s31, s22, s31
	s_add_u32 s27, s27, s31
	s_mul_hi_u32 s40, s22, s25
	s_addc_u32 s26, s26, s41
	s_addc_u32 s27, s40, 0
	s_mul_i32 s25, s22, s25
	s_add_u32 s25, s26, s25
	s_addc_u32 s26, 0, s27
	s_add_u32 s23, s23, s25
	s_addc_u32 s22, s22, s26
	s_mul_i32 s25, s9, s22
	s_mul_hi_u32 s26, s9, s23
	s_add_i32 s25, s26, s25
	s_mul_i32 s19, s19, s23
	s_add_i32 s25, s25, s19
	s_mul_i32 s9, s9, s23
	s_mul_hi_u32 s26, s22, s9
	s_mul_i32 s27, s22, s9
	s_mul_i32 s40, s23, s25
	s_mul_hi_u32 s9, s23, s9
	s_mul_hi_u32 s31, s23, s25
	s_add_u32 s9, s9, s40
	s_addc_u32 s31, 0, s31
	s_add_u32 s9, s9, s27
	s_mul_hi_u32 s19, s22, s25
	s_addc_u32 s9, s31, s26
	s_addc_u32 s19, s19, 0
	s_mul_i32 s25, s22, s25
	s_add_u32 s9, s9, s25
	s_addc_u32 s19, 0, s19
	s_add_u32 s9, s23, s9
	s_addc_u32 s19, s22, s19
	s_ashr_i32 s22, s11, 31
	s_add_u32 s26, s10, s22
	s_mov_b32 s23, s22
	s_addc_u32 s27, s11, s22
	s_xor_b64 s[26:27], s[26:27], s[22:23]
	s_mul_i32 s25, s26, s19
	s_mul_hi_u32 s31, s26, s9
	s_mul_hi_u32 s11, s26, s19
	s_add_u32 s25, s31, s25
	s_addc_u32 s11, 0, s11
	s_mul_hi_u32 s40, s27, s9
	s_mul_i32 s9, s27, s9
	s_add_u32 s9, s25, s9
	s_mul_hi_u32 s31, s27, s19
	s_addc_u32 s9, s11, s40
	s_addc_u32 s11, s31, 0
	s_mul_i32 s19, s27, s19
	s_add_u32 s9, s9, s19
	s_addc_u32 s11, 0, s11
	s_mul_i32 s19, s20, s11
	s_mul_hi_u32 s25, s20, s9
	s_add_i32 s19, s25, s19
	s_mul_i32 s25, s21, s9
	s_add_i32 s19, s19, s25
	s_sub_i32 s25, s27, s19
	s_mul_i32 s31, s20, s9
	s_sub_u32 s26, s26, s31
	s_cselect_b64 s[40:41], -1, 0
	s_subb_u32 s25, s25, s21
	s_sub_u32 s31, s26, s20
	s_subb_u32 s25, s25, 0
	s_cmp_ge_u32 s25, s21
	s_cselect_b32 s42, -1, 0
	s_cmp_ge_u32 s31, s20
	s_cselect_b32 s31, -1, 0
	s_cmp_eq_u32 s25, s21
	s_cselect_b32 s25, s31, s42
	s_add_u32 s31, s9, 1
	s_addc_u32 s42, s11, 0
	s_add_u32 s43, s9, 2
	s_addc_u32 s46, s11, 0
	s_cmp_lg_u32 s25, 0
	s_cselect_b32 s25, s43, s31
	s_cselect_b32 s31, s46, s42
	s_cmp_lg_u64 s[40:41], 0
	s_subb_u32 s19, s27, s19
	s_cmp_ge_u32 s19, s21
	s_cselect_b32 s27, -1, 0
	s_cmp_ge_u32 s26, s20
	s_cselect_b32 s20, -1, 0
	s_cmp_eq_u32 s19, s21
	s_cselect_b32 s19, s20, s27
	s_cmp_lg_u32 s19, 0
	s_cselect_b32 s21, s31, s11
	s_cselect_b32 s20, s25, s9
	s_xor_b64 s[12:13], s[22:23], s[12:13]
	s_xor_b64 s[20:21], s[20:21], s[12:13]
	s_sub_u32 s12, s20, s12
	s_subb_u32 s13, s21, s13
	v_mov_b64_e32 v[4:5], s[12:13]
	s_cbranch_execnz .LBB1_221
.LBB1_220:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v3, v11
	s_sub_i32 s9, 0, s8
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v4, s9, v3
	v_mul_hi_u32 v4, v3, v4
	v_add_u32_e32 v3, v3, v4
	v_mul_hi_u32 v3, s10, v3
	v_mul_lo_u32 v5, v3, s8
	v_sub_u32_e32 v5, s10, v5
	v_add_u32_e32 v4, 1, v3
	v_subrev_u32_e32 v11, s8, v5
	v_cmp_le_u32_e32 vcc, s8, v5
	s_nop 1
	v_cndmask_b32_e32 v5, v5, v11, vcc
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_add_u32_e32 v4, 1, v3
	v_cmp_le_u32_e32 vcc, s8, v5
	s_nop 1
	v_cndmask_b32_e32 v4, v3, v4, vcc
.LBB1_221:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_lt_i32 s29, s8
	s_cselect_b64 s[14:15], -1, 0
	s_mov_b64 s[52:53], 0
	v_mov_b32_e32 v3, s24
	v_mov_b32_e32 v120, s8
.LBB1_222:                              ;   in Loop: Header=BB1_124 Depth=1
	v_add_u32_e32 v5, 1, v9
	v_cndmask_b32_e64 v5, v9, v5, s[6:7]
	v_add_u32_e32 v9, 1, v5
	v_cndmask_b32_e64 v5, v5, v9, s[4:5]
	v_add_u32_e32 v6, v8, v6
	v_mul_lo_u32 v7, v7, v5
	v_sub_u32_e32 v6, v6, v7
	s_add_i32 s89, s85, s56
	s_mov_b32 s46, s85
.LBB1_223:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v7, v0
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v8, s66
	v_and_b32_e32 v7, 63, v7
	v_cmp_eq_u32_e32 vcc, 0, v7
	v_mov_b32_e32 v9, s64
	v_readfirstlane_b32 s54, v6
	v_cndmask_b32_e32 v8, v10, v8, vcc
	v_cmp_eq_u32_e32 vcc, 1, v7
	v_readfirstlane_b32 s40, v2
	v_readfirstlane_b32 s42, v4
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s18
	v_cmp_eq_u32_e32 vcc, 2, v7
	v_readfirstlane_b32 s91, v3
	s_nop 0
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s65
	v_cmp_eq_u32_e32 vcc, 3, v7
	s_nop 1
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s67
	v_cmp_eq_u32_e32 vcc, 4, v7
	s_nop 1
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s46
	v_cmp_eq_u32_e32 vcc, 5, v7
	s_nop 1
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s56
	v_cmp_eq_u32_e32 vcc, 6, v7
	v_readfirstlane_b32 s56, v5
	s_nop 0
	v_cndmask_b32_e32 v8, v8, v9, vcc
	v_mov_b32_e32 v9, s57
	v_cmp_eq_u32_e32 vcc, 7, v7
	s_nop 1
	v_cndmask_b32_e32 v125, v8, v9, vcc
	s_branch .LBB1_254
.LBB1_224:                              ;   in Loop: Header=BB1_124 Depth=1
	s_load_dwordx4 s[4:7], s[16:17], 0x90
	s_load_dwordx4 s[8:11], s[16:17], 0xa4
	v_readfirstlane_b32 s41, v10
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s12, s7
	s_cmp_ge_i32 s36, s9
	s_cbranch_scc0 .LBB1_242
; %bb.225:                              ;   in Loop: Header=BB1_124 Depth=1
	s_sub_i32 s13, s36, s9
	s_cmp_ge_i32 s13, s11
	s_cselect_b64 s[18:19], -1, 0
	s_and_b64 s[14:15], s[18:19], exec
	s_cselect_b32 s14, s11, 0
	s_sub_i32 s29, s13, s14
	s_ashr_i32 s13, s29, 31
	s_mul_i32 s14, s10, s7
	s_mul_hi_i32 s15, s10, s7
	s_mul_i32 s10, s14, s13
	s_mul_hi_u32 s13, s14, s29
	s_add_i32 s10, s13, s10
	s_mul_i32 s13, s15, s29
	s_add_i32 s21, s10, s13
	s_mul_i32 s20, s14, s29
	s_ashr_i32 s17, s11, 31
	s_mov_b32 s16, s11
	s_or_b64 s[10:11], s[20:21], s[16:17]
	s_mov_b32 s22, 0
	s_mov_b32 s23, s11
	s_cmp_lg_u64 s[22:23], 0
	s_cbranch_scc0 .LBB1_263
; %bb.226:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s10, s17, 31
	s_add_u32 s22, s16, s10
	s_mov_b32 s11, s10
	s_addc_u32 s23, s17, s10
	s_xor_b64 s[24:25], s[22:23], s[10:11]
	v_cvt_f32_u32_e32 v2, s24
	v_cvt_f32_u32_e32 v3, s25
	s_sub_u32 s13, 0, s24
	s_subb_u32 s26, 0, s25
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s27, v3
	v_readfirstlane_b32 s28, v2
	s_mul_i32 s30, s13, s27
	s_mul_hi_u32 s40, s13, s28
	s_mul_i32 s31, s26, s28
	s_add_i32 s30, s40, s30
	s_add_i32 s30, s30, s31
	s_mul_i32 s42, s13, s28
	s_mul_i32 s40, s28, s30
	s_mul_hi_u32 s43, s28, s42
	s_mul_hi_u32 s31, s28, s30
	s_add_u32 s40, s43, s40
	s_addc_u32 s31, 0, s31
	s_mul_hi_u32 s46, s27, s42
	s_mul_i32 s42, s27, s42
	s_add_u32 s40, s40, s42
	s_mul_hi_u32 s43, s27, s30
	s_addc_u32 s31, s31, s46
	s_addc_u32 s40, s43, 0
	s_mul_i32 s30, s27, s30
	s_add_u32 s30, s31, s30
	s_addc_u32 s31, 0, s40
	s_add_u32 s28, s28, s30
	s_addc_u32 s27, s27, s31
	s_mul_i32 s30, s13, s27
	s_mul_hi_u32 s31, s13, s28
	s_add_i32 s30, s31, s30
	s_mul_i32 s26, s26, s28
	s_add_i32 s30, s30, s26
	s_mul_i32 s13, s13, s28
	s_mul_hi_u32 s31, s27, s13
	s_mul_i32 s40, s27, s13
	s_mul_i32 s43, s28, s30
	s_mul_hi_u32 s13, s28, s13
	s_mul_hi_u32 s42, s28, s30
	s_add_u32 s13, s13, s43
	s_addc_u32 s42, 0, s42
	s_add_u32 s13, s13, s40
	s_mul_hi_u32 s26, s27, s30
	s_addc_u32 s13, s42, s31
	s_addc_u32 s26, s26, 0
	s_mul_i32 s30, s27, s30
	s_add_u32 s13, s13, s30
	s_addc_u32 s26, 0, s26
	s_add_u32 s13, s28, s13
	s_addc_u32 s28, s27, s26
	s_ashr_i32 s26, s21, 31
	s_add_u32 s30, s20, s26
	s_mov_b32 s27, s26
	s_addc_u32 s31, s21, s26
	s_xor_b64 s[30:31], s[30:31], s[26:27]
	s_mul_i32 s40, s30, s28
	s_mul_hi_u32 s42, s30, s13
	s_mul_hi_u32 s21, s30, s28
	s_add_u32 s40, s42, s40
	s_addc_u32 s21, 0, s21
	s_mul_hi_u32 s43, s31, s13
	s_mul_i32 s13, s31, s13
	s_add_u32 s13, s40, s13
	s_mul_hi_u32 s42, s31, s28
	s_addc_u32 s13, s21, s43
	s_addc_u32 s21, s42, 0
	s_mul_i32 s28, s31, s28
	s_add_u32 s13, s13, s28
	s_addc_u32 s21, 0, s21
	s_mul_i32 s28, s24, s21
	s_mul_hi_u32 s40, s24, s13
	s_add_i32 s28, s40, s28
	s_mul_i32 s40, s25, s13
	s_add_i32 s28, s28, s40
	s_sub_i32 s40, s31, s28
	s_mul_i32 s42, s24, s13
	s_sub_u32 s30, s30, s42
	s_cselect_b64 s[42:43], -1, 0
	s_subb_u32 s40, s40, s25
	s_sub_u32 s46, s30, s24
	s_subb_u32 s40, s40, 0
	s_cmp_ge_u32 s40, s25
	s_cselect_b32 s47, -1, 0
	s_cmp_ge_u32 s46, s24
	s_cselect_b32 s46, -1, 0
	s_cmp_eq_u32 s40, s25
	s_cselect_b32 s40, s46, s47
	s_add_u32 s46, s13, 1
	s_addc_u32 s47, s21, 0
	s_add_u32 s50, s13, 2
	s_addc_u32 s51, s21, 0
	s_cmp_lg_u32 s40, 0
	s_cselect_b32 s40, s50, s46
	s_cselect_b32 s46, s51, s47
	s_cmp_lg_u64 s[42:43], 0
	s_subb_u32 s28, s31, s28
	s_cmp_ge_u32 s28, s25
	s_cselect_b32 s31, -1, 0
	s_cmp_ge_u32 s30, s24
	s_cselect_b32 s24, -1, 0
	s_cmp_eq_u32 s28, s25
	s_cselect_b32 s24, s24, s31
	s_cmp_lg_u32 s24, 0
	s_cselect_b32 s25, s46, s21
	s_cselect_b32 s24, s40, s13
	s_xor_b64 s[10:11], s[26:27], s[10:11]
	s_xor_b64 s[24:25], s[24:25], s[10:11]
	s_sub_u32 s10, s24, s10
	s_subb_u32 s11, s25, s11
	v_cvt_f32_u32_e32 v2, s16
	s_cbranch_execnz .LBB1_228
.LBB1_227:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v3, v2
	s_sub_i32 s10, 0, s16
	s_mov_b32 s11, 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	s_nop 0
	v_readfirstlane_b32 s13, v3
	s_mul_i32 s10, s10, s13
	s_mul_hi_u32 s10, s13, s10
	s_add_i32 s13, s13, s10
	s_mul_hi_u32 s10, s20, s13
	s_mul_i32 s21, s10, s16
	s_sub_i32 s20, s20, s21
	s_add_i32 s13, s10, 1
	s_sub_i32 s21, s20, s16
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s10, s13, s10
	s_cselect_b32 s20, s21, s20
	s_add_i32 s13, s10, 1
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s10, s13, s10
.LBB1_228:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_i32 s13, s29, 1
	s_ashr_i32 s20, s13, 31
	s_mul_i32 s20, s14, s20
	s_mul_hi_u32 s21, s14, s13
	s_add_i32 s20, s21, s20
	s_mul_i32 s21, s15, s13
	s_add_i32 s21, s20, s21
	s_mul_i32 s20, s14, s13
	s_or_b64 s[22:23], s[20:21], s[16:17]
	s_mov_b32 s22, 0
	s_cmp_lg_u64 s[22:23], 0
	s_cbranch_scc0 .LBB1_264
; %bb.229:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s22, s17, 31
	s_add_u32 s24, s16, s22
	s_mov_b32 s23, s22
	s_addc_u32 s25, s17, s22
	s_xor_b64 s[26:27], s[24:25], s[22:23]
	v_cvt_f32_u32_e32 v3, s26
	v_cvt_f32_u32_e32 v4, s27
	s_sub_u32 s13, 0, s26
	s_subb_u32 s28, 0, s27
	v_fmamk_f32 v3, v4, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v4, 0x2f800000, v3
	v_trunc_f32_e32 v4, v4
	v_fmamk_f32 v3, v4, 0xcf800000, v3
	v_cvt_u32_f32_e32 v4, v4
	v_cvt_u32_f32_e32 v3, v3
	v_readfirstlane_b32 s30, v4
	v_readfirstlane_b32 s31, v3
	s_mul_i32 s40, s13, s30
	s_mul_hi_u32 s43, s13, s31
	s_mul_i32 s42, s28, s31
	s_add_i32 s40, s43, s40
	s_add_i32 s40, s40, s42
	s_mul_i32 s46, s13, s31
	s_mul_i32 s43, s31, s40
	s_mul_hi_u32 s47, s31, s46
	s_mul_hi_u32 s42, s31, s40
	s_add_u32 s43, s47, s43
	s_addc_u32 s42, 0, s42
	s_mul_hi_u32 s50, s30, s46
	s_mul_i32 s46, s30, s46
	s_add_u32 s43, s43, s46
	s_mul_hi_u32 s47, s30, s40
	s_addc_u32 s42, s42, s50
	s_addc_u32 s43, s47, 0
	s_mul_i32 s40, s30, s40
	s_add_u32 s40, s42, s40
	s_addc_u32 s42, 0, s43
	s_add_u32 s31, s31, s40
	s_addc_u32 s30, s30, s42
	s_mul_i32 s40, s13, s30
	s_mul_hi_u32 s42, s13, s31
	s_add_i32 s40, s42, s40
	s_mul_i32 s28, s28, s31
	s_add_i32 s40, s40, s28
	s_mul_i32 s13, s13, s31
	s_mul_hi_u32 s42, s30, s13
	s_mul_i32 s43, s30, s13
	s_mul_i32 s47, s31, s40
	s_mul_hi_u32 s13, s31, s13
	s_mul_hi_u32 s46, s31, s40
	s_add_u32 s13, s13, s47
	s_addc_u32 s46, 0, s46
	s_add_u32 s13, s13, s43
	s_mul_hi_u32 s28, s30, s40
	s_addc_u32 s13, s46, s42
	s_addc_u32 s28, s28, 0
	s_mul_i32 s40, s30, s40
	s_add_u32 s13, s13, s40
	s_addc_u32 s28, 0, s28
	s_add_u32 s13, s31, s13
	s_addc_u32 s28, s30, s28
	s_ashr_i32 s30, s21, 31
	s_add_u32 s42, s20, s30
	s_mov_b32 s31, s30
	s_addc_u32 s43, s21, s30
	s_xor_b64 s[42:43], s[42:43], s[30:31]
	s_mul_i32 s40, s42, s28
	s_mul_hi_u32 s46, s42, s13
	s_mul_hi_u32 s21, s42, s28
	s_add_u32 s40, s46, s40
	s_addc_u32 s21, 0, s21
	s_mul_hi_u32 s47, s43, s13
	s_mul_i32 s13, s43, s13
	s_add_u32 s13, s40, s13
	s_mul_hi_u32 s46, s43, s28
	s_addc_u32 s13, s21, s47
	s_addc_u32 s21, s46, 0
	s_mul_i32 s28, s43, s28
	s_add_u32 s13, s13, s28
	s_addc_u32 s21, 0, s21
	s_mul_i32 s28, s26, s21
	s_mul_hi_u32 s40, s26, s13
	s_add_i32 s28, s40, s28
	s_mul_i32 s40, s27, s13
	s_add_i32 s28, s28, s40
	s_sub_i32 s40, s43, s28
	s_mul_i32 s46, s26, s13
	s_sub_u32 s42, s42, s46
	s_cselect_b64 s[46:47], -1, 0
	s_subb_u32 s40, s40, s27
	s_sub_u32 s50, s42, s26
	s_subb_u32 s40, s40, 0
	s_cmp_ge_u32 s40, s27
	s_cselect_b32 s51, -1, 0
	s_cmp_ge_u32 s50, s26
	s_cselect_b32 s50, -1, 0
	s_cmp_eq_u32 s40, s27
	s_cselect_b32 s40, s50, s51
	s_add_u32 s50, s13, 1
	s_addc_u32 s51, s21, 0
	s_add_u32 s52, s13, 2
	s_addc_u32 s53, s21, 0
	s_cmp_lg_u32 s40, 0
	s_cselect_b32 s40, s52, s50
	s_cselect_b32 s50, s53, s51
	s_cmp_lg_u64 s[46:47], 0
	s_subb_u32 s28, s43, s28
	s_cmp_ge_u32 s28, s27
	s_cselect_b32 s43, -1, 0
	s_cmp_ge_u32 s42, s26
	s_cselect_b32 s26, -1, 0
	s_cmp_eq_u32 s28, s27
	s_cselect_b32 s26, s26, s43
	s_cmp_lg_u32 s26, 0
	s_cselect_b32 s27, s50, s21
	s_cselect_b32 s26, s40, s13
	s_xor_b64 s[22:23], s[30:31], s[22:23]
	s_xor_b64 s[26:27], s[26:27], s[22:23]
	s_sub_u32 s22, s26, s22
	s_subb_u32 s23, s27, s23
	s_cbranch_execnz .LBB1_231
.LBB1_230:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v2
	s_sub_i32 s13, 0, s16
	s_mov_b32 s23, 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s21, v2
	s_mul_i32 s13, s13, s21
	s_mul_hi_u32 s13, s21, s13
	s_add_i32 s21, s21, s13
	s_mul_hi_u32 s13, s20, s21
	s_mul_i32 s22, s13, s16
	s_sub_i32 s20, s20, s22
	s_add_i32 s21, s13, 1
	s_sub_i32 s22, s20, s16
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s13, s21, s13
	s_cselect_b32 s20, s22, s20
	s_add_i32 s21, s13, 1
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s22, s21, s13
.LBB1_231:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s13, s7, 31
	s_or_b64 s[20:21], s[10:11], s[12:13]
	s_mov_b32 s20, 0
	s_cmp_lg_u64 s[20:21], 0
	s_cbranch_scc0 .LBB1_265
; %bb.232:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s20, s13, 31
	s_add_u32 s24, s12, s20
	s_mov_b32 s21, s20
	s_addc_u32 s25, s13, s20
	s_xor_b64 s[26:27], s[24:25], s[20:21]
	v_cvt_f32_u32_e32 v2, s26
	v_cvt_f32_u32_e32 v3, s27
	s_sub_u32 s7, 0, s26
	s_subb_u32 s28, 0, s27
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s30, v3
	v_readfirstlane_b32 s31, v2
	s_mul_i32 s40, s7, s30
	s_mul_hi_u32 s43, s7, s31
	s_mul_i32 s42, s28, s31
	s_add_i32 s40, s43, s40
	s_add_i32 s40, s40, s42
	s_mul_i32 s46, s7, s31
	s_mul_i32 s43, s31, s40
	s_mul_hi_u32 s47, s31, s46
	s_mul_hi_u32 s42, s31, s40
	s_add_u32 s43, s47, s43
	s_addc_u32 s42, 0, s42
	s_mul_hi_u32 s50, s30, s46
	s_mul_i32 s46, s30, s46
	s_add_u32 s43, s43, s46
	s_mul_hi_u32 s47, s30, s40
	s_addc_u32 s42, s42, s50
	s_addc_u32 s43, s47, 0
	s_mul_i32 s40, s30, s40
	s_add_u32 s40, s42, s40
	s_addc_u32 s42, 0, s43
	s_add_u32 s31, s31, s40
	s_addc_u32 s30, s30, s42
	s_mul_i32 s40, s7, s30
	s_mul_hi_u32 s42, s7, s31
	s_add_i32 s40, s42, s40
	s_mul_i32 s28, s28, s31
	s_add_i32 s40, s40, s28
	s_mul_i32 s7, s7, s31
	s_mul_hi_u32 s42, s30, s7
	s_mul_i32 s43, s30, s7
	s_mul_i32 s47, s31, s40
	s_mul_hi_u32 s7, s31, s7
	s_mul_hi_u32 s46, s31, s40
	s_add_u32 s7, s7, s47
	s_addc_u32 s46, 0, s46
	s_add_u32 s7, s7, s43
	s_mul_hi_u32 s28, s30, s40
	s_addc_u32 s7, s46, s42
	s_addc_u32 s28, s28, 0
	s_mul_i32 s40, s30, s40
	s_add_u32 s7, s7, s40
	s_addc_u32 s28, 0, s28
	s_add_u32 s7, s31, s7
	s_addc_u32 s28, s30, s28
	s_ashr_i32 s30, s11, 31
	s_add_u32 s42, s10, s30
	s_mov_b32 s31, s30
	s_addc_u32 s43, s11, s30
	s_xor_b64 s[42:43], s[42:43], s[30:31]
	s_mul_i32 s46, s42, s28
	s_mul_hi_u32 s47, s42, s7
	s_mul_hi_u32 s40, s42, s28
	s_add_u32 s46, s47, s46
	s_addc_u32 s40, 0, s40
	s_mul_hi_u32 s50, s43, s7
	s_mul_i32 s7, s43, s7
	s_add_u32 s7, s46, s7
	s_mul_hi_u32 s47, s43, s28
	s_addc_u32 s7, s40, s50
	s_addc_u32 s40, s47, 0
	s_mul_i32 s28, s43, s28
	s_add_u32 s7, s7, s28
	s_addc_u32 s28, 0, s40
	s_mul_i32 s40, s26, s28
	s_mul_hi_u32 s46, s26, s7
	s_add_i32 s40, s46, s40
	s_mul_i32 s46, s27, s7
	s_add_i32 s40, s40, s46
	s_sub_i32 s50, s43, s40
	s_mul_i32 s46, s26, s7
	s_sub_u32 s42, s42, s46
	s_cselect_b64 s[46:47], -1, 0
	s_subb_u32 s50, s50, s27
	s_sub_u32 s51, s42, s26
	s_subb_u32 s50, s50, 0
	s_cmp_ge_u32 s50, s27
	s_cselect_b32 s52, -1, 0
	s_cmp_ge_u32 s51, s26
	s_cselect_b32 s51, -1, 0
	s_cmp_eq_u32 s50, s27
	s_cselect_b32 s50, s51, s52
	s_add_u32 s51, s7, 1
	s_addc_u32 s52, s28, 0
	s_add_u32 s53, s7, 2
	s_addc_u32 s54, s28, 0
	s_cmp_lg_u32 s50, 0
	s_cselect_b32 s50, s53, s51
	s_cselect_b32 s51, s54, s52
	s_cmp_lg_u64 s[46:47], 0
	s_subb_u32 s40, s43, s40
	s_cmp_ge_u32 s40, s27
	s_cselect_b32 s43, -1, 0
	s_cmp_ge_u32 s42, s26
	s_cselect_b32 s26, -1, 0
	s_cmp_eq_u32 s40, s27
	s_cselect_b32 s26, s26, s43
	s_cmp_lg_u32 s26, 0
	s_cselect_b32 s27, s51, s28
	s_cselect_b32 s26, s50, s7
	s_xor_b64 s[20:21], s[30:31], s[20:21]
	s_xor_b64 s[26:27], s[26:27], s[20:21]
	s_sub_u32 s26, s26, s20
	s_subb_u32 s27, s27, s21
	s_cbranch_execnz .LBB1_234
.LBB1_233:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s12
	s_sub_i32 s7, 0, s12
	s_mov_b32 s27, 0
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s20, v2
	s_mul_i32 s7, s7, s20
	s_mul_hi_u32 s7, s20, s7
	s_add_i32 s20, s20, s7
	s_mul_hi_u32 s7, s10, s20
	s_mul_i32 s21, s7, s12
	s_sub_i32 s21, s10, s21
	s_add_i32 s20, s7, 1
	s_sub_i32 s24, s21, s12
	s_cmp_ge_u32 s21, s12
	s_cselect_b32 s7, s20, s7
	s_cselect_b32 s21, s24, s21
	s_add_i32 s20, s7, 1
	s_cmp_ge_u32 s21, s12
	s_cselect_b32 s26, s20, s7
.LBB1_234:                              ;   in Loop: Header=BB1_124 Depth=1
	s_bfe_i64 s[20:21], s[26:27], 0x200000
	s_add_u32 s7, s20, 1
	s_addc_u32 s20, s21, 0
	s_mul_i32 s21, s7, s13
	s_mul_hi_u32 s24, s7, s12
	s_add_i32 s21, s24, s21
	s_mul_i32 s20, s20, s12
	s_add_i32 s21, s21, s20
	s_mul_i32 s20, s7, s12
	v_mov_b64_e32 v[2:3], s[22:23]
	v_cmp_lt_i64_e32 vcc, s[20:21], v[2:3]
	s_and_b64 s[24:25], vcc, exec
	s_cselect_b32 s7, s21, s23
	s_cselect_b32 s24, s20, s22
	s_and_b64 s[20:21], s[18:19], exec
	s_cselect_b32 s23, s23, s7
	s_cselect_b32 s22, s22, s24
	s_cselect_b32 s21, s7, s11
	s_cselect_b32 s20, s24, s10
	v_mov_b64_e32 v[2:3], s[22:23]
	v_cmp_ge_i64_e32 vcc, s[20:21], v[2:3]
	s_mov_b64 s[10:11], 0
	s_cbranch_vccnz .LBB1_243
; %bb.235:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cndmask_b32_e64 v2, 0, 1, s[18:19]
	s_nop 0
	v_readfirstlane_b32 s7, v2
	s_add_i32 s28, s26, s7
	s_mul_i32 s7, s28, s12
	s_mul_hi_i32 s21, s28, s12
	s_add_u32 s18, s7, 1
	s_addc_u32 s19, s21, 0
	s_mul_i32 s23, s18, s17
	s_mul_hi_u32 s24, s18, s16
	s_add_i32 s23, s24, s23
	s_mul_i32 s19, s19, s16
	s_add_i32 s23, s23, s19
	s_mul_i32 s18, s18, s16
	s_add_u32 s24, s18, -1
	s_addc_u32 s25, s23, -1
	s_or_b64 s[18:19], s[24:25], s[14:15]
	s_mov_b32 s18, 0
	s_cmp_lg_u64 s[18:19], 0
	s_mov_b64 s[26:27], -1
	s_cbranch_scc0 .LBB1_361
; %bb.236:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s18, s15, 31
	s_add_u32 s26, s14, s18
	s_mov_b32 s19, s18
	s_addc_u32 s27, s15, s18
	s_xor_b64 s[30:31], s[26:27], s[18:19]
	v_cvt_f32_u32_e32 v2, s30
	v_cvt_f32_u32_e32 v3, s31
	s_sub_u32 s23, 0, s30
	s_subb_u32 s40, 0, s31
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s42, v3
	v_readfirstlane_b32 s43, v2
	s_mul_i32 s46, s23, s42
	s_mul_hi_u32 s50, s23, s43
	s_mul_i32 s47, s40, s43
	s_add_i32 s46, s50, s46
	s_add_i32 s46, s46, s47
	s_mul_i32 s51, s23, s43
	s_mul_i32 s50, s43, s46
	s_mul_hi_u32 s52, s43, s51
	s_mul_hi_u32 s47, s43, s46
	s_add_u32 s50, s52, s50
	s_addc_u32 s47, 0, s47
	s_mul_hi_u32 s53, s42, s51
	s_mul_i32 s51, s42, s51
	s_add_u32 s50, s50, s51
	s_mul_hi_u32 s52, s42, s46
	s_addc_u32 s47, s47, s53
	s_addc_u32 s50, s52, 0
	s_mul_i32 s46, s42, s46
	s_add_u32 s46, s47, s46
	s_addc_u32 s47, 0, s50
	s_add_u32 s43, s43, s46
	s_addc_u32 s42, s42, s47
	s_mul_i32 s46, s23, s42
	s_mul_hi_u32 s47, s23, s43
	s_add_i32 s46, s47, s46
	s_mul_i32 s40, s40, s43
	s_add_i32 s46, s46, s40
	s_mul_i32 s23, s23, s43
	s_mul_hi_u32 s47, s42, s23
	s_mul_i32 s50, s42, s23
	s_mul_i32 s52, s43, s46
	s_mul_hi_u32 s23, s43, s23
	s_mul_hi_u32 s51, s43, s46
	s_add_u32 s23, s23, s52
	s_addc_u32 s51, 0, s51
	s_add_u32 s23, s23, s50
	s_mul_hi_u32 s40, s42, s46
	s_addc_u32 s23, s51, s47
	s_addc_u32 s40, s40, 0
	s_mul_i32 s46, s42, s46
	s_add_u32 s23, s23, s46
	s_addc_u32 s40, 0, s40
	s_add_u32 s23, s43, s23
	s_addc_u32 s40, s42, s40
	s_ashr_i32 s42, s25, 31
	s_add_u32 s46, s24, s42
	s_mov_b32 s43, s42
	s_addc_u32 s47, s25, s42
	s_xor_b64 s[46:47], s[46:47], s[42:43]
	s_mul_i32 s50, s46, s40
	s_mul_hi_u32 s51, s46, s23
	s_mul_hi_u32 s25, s46, s40
	s_add_u32 s50, s51, s50
	s_addc_u32 s25, 0, s25
	s_mul_hi_u32 s52, s47, s23
	s_mul_i32 s23, s47, s23
	s_add_u32 s23, s50, s23
	s_mul_hi_u32 s51, s47, s40
	s_addc_u32 s23, s25, s52
	s_addc_u32 s25, s51, 0
	s_mul_i32 s40, s47, s40
	s_add_u32 s23, s23, s40
	s_addc_u32 s25, 0, s25
	s_mul_i32 s40, s30, s25
	s_mul_hi_u32 s50, s30, s23
	s_add_i32 s40, s50, s40
	s_mul_i32 s50, s31, s23
	s_add_i32 s40, s40, s50
	s_sub_i32 s52, s47, s40
	s_mul_i32 s50, s30, s23
	s_sub_u32 s46, s46, s50
	s_cselect_b64 s[50:51], -1, 0
	s_subb_u32 s52, s52, s31
	s_sub_u32 s53, s46, s30
	s_subb_u32 s52, s52, 0
	s_cmp_ge_u32 s52, s31
	s_cselect_b32 s54, -1, 0
	s_cmp_ge_u32 s53, s30
	s_cselect_b32 s53, -1, 0
	s_cmp_eq_u32 s52, s31
	s_cselect_b32 s52, s53, s54
	s_add_u32 s53, s23, 1
	s_addc_u32 s54, s25, 0
	s_add_u32 s55, s23, 2
	s_addc_u32 s56, s25, 0
	s_cmp_lg_u32 s52, 0
	s_cselect_b32 s52, s55, s53
	s_cselect_b32 s53, s56, s54
	s_cmp_lg_u64 s[50:51], 0
	s_subb_u32 s40, s47, s40
	s_cmp_ge_u32 s40, s31
	s_cselect_b32 s47, -1, 0
	s_cmp_ge_u32 s46, s30
	s_cselect_b32 s30, -1, 0
	s_cmp_eq_u32 s40, s31
	s_cselect_b32 s30, s30, s47
	s_cmp_lg_u32 s30, 0
	s_cselect_b32 s31, s53, s25
	s_cselect_b32 s30, s52, s23
	s_xor_b64 s[18:19], s[42:43], s[18:19]
	s_xor_b64 s[30:31], s[30:31], s[18:19]
	s_sub_u32 s18, s30, s18
	v_cvt_f32_u32_e32 v4, s14
	s_cbranch_execnz .LBB1_238
.LBB1_237:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s18, 0, s14
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s19, v2
	s_mul_i32 s18, s18, s19
	s_mul_hi_u32 s18, s19, s18
	s_add_i32 s19, s19, s18
	s_mul_hi_u32 s18, s24, s19
	s_mul_i32 s23, s18, s14
	s_sub_i32 s23, s24, s23
	s_add_i32 s19, s18, 1
	s_sub_i32 s24, s23, s14
	s_cmp_ge_u32 s23, s14
	s_cselect_b32 s18, s19, s18
	s_cselect_b32 s23, s24, s23
	s_add_i32 s19, s18, 1
	s_cmp_ge_u32 s23, s14
	s_cselect_b32 s18, s19, s18
.LBB1_238:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_u32 s19, s7, s12
	s_addc_u32 s13, s21, s13
	s_mul_i32 s17, s19, s17
	s_mul_hi_u32 s21, s19, s16
	s_add_i32 s17, s21, s17
	s_mul_i32 s13, s13, s16
	s_add_i32 s17, s17, s13
	s_mul_i32 s19, s19, s16
	s_add_u32 s16, s19, -1
	s_addc_u32 s17, s17, -1
	s_or_b64 s[24:25], s[16:17], s[14:15]
	s_mov_b32 s24, 0
	s_cmp_lg_u64 s[24:25], 0
	s_mov_b64 s[24:25], -1
	s_cbranch_scc0 .LBB1_362
; %bb.239:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s26, s15, 31
	s_add_u32 s24, s14, s26
	s_mov_b32 s27, s26
	s_addc_u32 s25, s15, s26
	s_xor_b64 s[30:31], s[24:25], s[26:27]
	v_cvt_f32_u32_e32 v2, s30
	v_cvt_f32_u32_e32 v3, s31
	s_sub_u32 s13, 0, s30
	s_subb_u32 s15, 0, s31
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s19, v3
	v_readfirstlane_b32 s21, v2
	s_mul_i32 s23, s13, s19
	s_mul_hi_u32 s42, s13, s21
	s_mul_i32 s40, s15, s21
	s_add_i32 s23, s42, s23
	s_add_i32 s23, s23, s40
	s_mul_i32 s43, s13, s21
	s_mul_i32 s42, s21, s23
	s_mul_hi_u32 s46, s21, s43
	s_mul_hi_u32 s40, s21, s23
	s_add_u32 s42, s46, s42
	s_addc_u32 s40, 0, s40
	s_mul_hi_u32 s47, s19, s43
	s_mul_i32 s43, s19, s43
	s_add_u32 s42, s42, s43
	s_mul_hi_u32 s46, s19, s23
	s_addc_u32 s40, s40, s47
	s_addc_u32 s42, s46, 0
	s_mul_i32 s23, s19, s23
	s_add_u32 s23, s40, s23
	s_addc_u32 s40, 0, s42
	s_add_u32 s21, s21, s23
	s_addc_u32 s19, s19, s40
	s_mul_i32 s23, s13, s19
	s_mul_hi_u32 s40, s13, s21
	s_add_i32 s23, s40, s23
	s_mul_i32 s15, s15, s21
	s_add_i32 s23, s23, s15
	s_mul_i32 s13, s13, s21
	s_mul_hi_u32 s40, s19, s13
	s_mul_i32 s42, s19, s13
	s_mul_i32 s46, s21, s23
	s_mul_hi_u32 s13, s21, s13
	s_mul_hi_u32 s43, s21, s23
	s_add_u32 s13, s13, s46
	s_addc_u32 s43, 0, s43
	s_add_u32 s13, s13, s42
	s_mul_hi_u32 s15, s19, s23
	s_addc_u32 s13, s43, s40
	s_addc_u32 s15, s15, 0
	s_mul_i32 s23, s19, s23
	s_add_u32 s13, s13, s23
	s_addc_u32 s15, 0, s15
	s_add_u32 s13, s21, s13
	s_addc_u32 s15, s19, s15
	s_ashr_i32 s42, s17, 31
	s_add_u32 s46, s16, s42
	s_mov_b32 s43, s42
	s_addc_u32 s47, s17, s42
	s_xor_b64 s[46:47], s[46:47], s[42:43]
	s_mul_i32 s19, s46, s15
	s_mul_hi_u32 s21, s46, s13
	s_mul_hi_u32 s17, s46, s15
	s_add_u32 s19, s21, s19
	s_addc_u32 s17, 0, s17
	s_mul_hi_u32 s23, s47, s13
	s_mul_i32 s13, s47, s13
	s_add_u32 s13, s19, s13
	s_mul_hi_u32 s21, s47, s15
	s_addc_u32 s13, s17, s23
	s_addc_u32 s17, s21, 0
	s_mul_i32 s15, s47, s15
	s_add_u32 s13, s13, s15
	s_addc_u32 s15, 0, s17
	s_mul_i32 s17, s30, s15
	s_mul_hi_u32 s19, s30, s13
	s_add_i32 s17, s19, s17
	s_mul_i32 s19, s31, s13
	s_add_i32 s17, s17, s19
	s_sub_i32 s19, s47, s17
	s_mul_i32 s21, s30, s13
	s_sub_u32 s21, s46, s21
	s_cselect_b64 s[50:51], -1, 0
	s_subb_u32 s19, s19, s31
	s_sub_u32 s23, s21, s30
	s_subb_u32 s19, s19, 0
	s_cmp_ge_u32 s19, s31
	s_cselect_b32 s40, -1, 0
	s_cmp_ge_u32 s23, s30
	s_cselect_b32 s23, -1, 0
	s_cmp_eq_u32 s19, s31
	s_cselect_b32 s19, s23, s40
	s_add_u32 s23, s13, 1
	s_addc_u32 s40, s15, 0
	s_add_u32 s46, s13, 2
	s_addc_u32 s52, s15, 0
	s_cmp_lg_u32 s19, 0
	s_cselect_b32 s19, s46, s23
	s_cselect_b32 s23, s52, s40
	s_cmp_lg_u64 s[50:51], 0
	s_subb_u32 s17, s47, s17
	s_cmp_ge_u32 s17, s31
	s_cselect_b32 s40, -1, 0
	s_cmp_ge_u32 s21, s30
	s_cselect_b32 s21, -1, 0
	s_cmp_eq_u32 s17, s31
	s_cselect_b32 s17, s21, s40
	s_cmp_lg_u32 s17, 0
	s_cselect_b32 s31, s23, s15
	s_cselect_b32 s30, s19, s13
	s_xor_b64 s[26:27], s[42:43], s[26:27]
	s_xor_b64 s[30:31], s[30:31], s[26:27]
	s_sub_u32 s26, s30, s26
	s_subb_u32 s27, s31, s27
	v_mov_b64_e32 v[2:3], s[26:27]
	s_cbranch_execnz .LBB1_241
.LBB1_240:                              ;   in Loop: Header=BB1_124 Depth=1
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s13, 0, s14
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s13, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s16, v2
	v_mul_lo_u32 v4, v2, s14
	v_sub_u32_e32 v4, s16, v4
	v_add_u32_e32 v3, 1, v2
	v_subrev_u32_e32 v5, s14, v4
	v_cmp_le_u32_e32 vcc, s14, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_add_u32_e32 v3, 1, v2
	v_cmp_le_u32_e32 vcc, s14, v4
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
.LBB1_241:                              ;   in Loop: Header=BB1_124 Depth=1
	v_subrev_u32_e32 v2, s18, v2
	s_add_i32 s13, s28, s9
	s_sub_i32 s40, s20, s7
	s_sub_i32 s42, s22, s7
	s_sub_i32 s29, s29, s18
	v_add_u32_e32 v120, 1, v2
	s_add_i32 s30, s28, s18
	s_mov_b64 s[14:15], -1
	s_and_b64 vcc, exec, s[10:11]
	s_cbranch_vccnz .LBB1_244
	s_branch .LBB1_247
.LBB1_242:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr14_sgpr15
                                        ; implicit-def: $sgpr28
                                        ; implicit-def: $sgpr30
                                        ; implicit-def: $sgpr40
                                        ; implicit-def: $sgpr42
                                        ; implicit-def: $sgpr29
                                        ; implicit-def: $vgpr120
                                        ; implicit-def: $sgpr13
	s_cbranch_execnz .LBB1_244
	s_branch .LBB1_247
.LBB1_243:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s28, 0
	v_mov_b32_e32 v120, 1
	s_mov_b64 s[14:15], 0
	s_mov_b32 s30, 0
	s_mov_b32 s40, 0
	s_mov_b32 s42, 0
	s_mov_b32 s29, 0
                                        ; implicit-def: $sgpr13
	s_and_b64 vcc, exec, s[10:11]
	s_cbranch_vccz .LBB1_247
.LBB1_244:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s8, 1
	s_cbranch_scc1 .LBB1_246
; %bb.245:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s8
	s_sub_i32 s7, 0, s8
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s10, v2
	s_mul_i32 s7, s7, s10
	s_mul_hi_u32 s7, s10, s7
	s_add_i32 s10, s10, s7
	s_mul_hi_u32 s7, s36, s10
	s_mul_i32 s11, s7, s8
	s_sub_i32 s11, s36, s11
	s_add_i32 s13, s7, 1
	s_sub_i32 s15, s11, s8
	s_cmp_ge_u32 s11, s8
	s_cselect_b32 s7, s13, s7
	s_cselect_b32 s11, s15, s11
	s_add_i32 s13, s7, 1
	s_mul_hi_u32 s10, s9, s10
	s_cmp_ge_u32 s11, s8
	s_mul_i32 s14, s10, s8
	s_cselect_b32 s7, s13, s7
	s_sub_i32 s11, s9, s14
	s_mul_i32 s14, s7, s8
	s_add_i32 s13, s10, 1
	s_sub_i32 s15, s11, s8
	s_sub_i32 s14, s36, s14
	s_cmp_ge_u32 s11, s8
	s_cselect_b32 s10, s13, s10
	s_cselect_b32 s11, s15, s11
	s_add_i32 s13, s10, 1
	s_cmp_ge_u32 s11, s8
	s_cselect_b32 s10, s13, s10
	s_mul_i32 s8, s10, s8
	s_sub_i32 s8, s9, s8
	s_mul_i32 s9, s14, s10
	s_min_i32 s8, s14, s8
	s_add_i32 s7, s9, s7
	s_add_i32 s36, s7, s8
.LBB1_246:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[14:15], -1
	s_mov_b32 s29, 0
	v_mov_b32_e32 v120, 1
	s_mov_b32 s13, s36
	s_mov_b32 s42, s12
	s_mov_b32 s40, 0
	s_mov_b32 s30, 0
	s_mov_b32 s28, 0
.LBB1_247:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s50, 0
	s_andn2_b64 vcc, exec, s[14:15]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	s_cbranch_vccnz .LBB1_253
; %bb.248:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_i32 s8, s6, s5
	s_mov_b32 s7, 0
	s_cmp_eq_u32 s4, 1
	s_cbranch_scc1 .LBB1_250
; %bb.249:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s8
	s_sub_i32 s4, 0, s8
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s9, v2
	s_mul_i32 s4, s4, s9
	s_mul_hi_u32 s4, s9, s4
	s_add_i32 s9, s9, s4
	s_mul_hi_u32 s4, s13, s9
	s_mul_i32 s9, s4, s8
	s_sub_i32 s9, s13, s9
	s_add_i32 s10, s4, 1
	s_sub_i32 s11, s9, s8
	s_cmp_ge_u32 s9, s8
	s_cselect_b32 s4, s10, s4
	s_cselect_b32 s9, s11, s9
	s_add_i32 s10, s4, 1
	s_cmp_ge_u32 s9, s8
	s_cselect_b32 s50, s10, s4
.LBB1_250:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_i32 s4, s50, s8
	s_sub_i32 s4, s13, s4
	s_mul_i32 s6, s41, s6
	s_cmp_lt_i32 s4, s6
	s_cbranch_scc1 .LBB1_252
; %bb.251:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cvt_f32_u32_e32 v2, s6
	s_sub_i32 s7, 0, s6
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s8, v2
	s_mul_i32 s7, s7, s8
	s_mul_hi_u32 s7, s8, s7
	s_add_i32 s8, s8, s7
	s_mul_hi_u32 s7, s4, s8
	s_mul_i32 s8, s7, s6
	s_sub_i32 s8, s4, s8
	s_add_i32 s9, s7, 1
	s_sub_i32 s10, s8, s6
	s_cmp_ge_u32 s8, s6
	s_cselect_b32 s7, s9, s7
	s_cselect_b32 s8, s10, s8
	s_add_i32 s9, s7, 1
	s_cmp_ge_u32 s8, s6
	s_cselect_b32 s7, s9, s7
.LBB1_252:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_i32 s8, s7, s41
	s_sub_i32 s5, s5, s8
	s_min_i32 s5, s5, s41
	v_cvt_f32_u32_e32 v2, s5
	s_mul_i32 s6, s7, s6
	s_sub_i32 s4, s4, s6
	s_sub_i32 s6, 0, s5
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s6, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, s4, v2
	v_mul_lo_u32 v3, v2, s5
	v_sub_u32_e32 v3, s4, v3
	v_add_u32_e32 v4, 1, v2
	v_subrev_u32_e32 v5, s5, v3
	v_cmp_le_u32_e32 vcc, s5, v3
	s_add_i32 s4, s4, s8
	s_nop 0
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s5, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
	v_mul_lo_u32 v3, s5, v2
	v_sub_u32_e32 v3, s4, v3
.LBB1_253:                              ;   in Loop: Header=BB1_124 Depth=1
	s_nop 0
	v_readfirstlane_b32 s54, v3
	v_readfirstlane_b32 s56, v2
	s_mov_b32 s89, 0
	s_mov_b64 s[52:53], 0
	s_mov_b32 s85, 0
	s_mov_b32 s91, 0
	v_mov_b32_e32 v125, v10
.LBB1_254:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cndmask_b32_e64 v2, 0, 1, s[14:15]
	v_cmp_ne_u32_e64 s[6:7], 1, v2
	s_andn2_b64 vcc, exec, s[14:15]
	s_cbranch_vccnz .LBB1_324
; %bb.255:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx2 s[12:13], s[4:5], 0x14c
	s_load_dwordx2 s[14:15], s[4:5], 0x120
	s_mov_b64 s[16:17], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx4 s[8:11], s[16:17], 0x120
	s_waitcnt lgkmcnt(0)
	s_add_i32 s4, s12, s54
	s_cmp_ge_i32 s4, s13
	s_cselect_b32 s5, s13, 0
	s_sub_i32 s4, s4, s5
	s_cmp_eq_u64 s[14:15], 0
	s_cselect_b32 s54, s54, s4
	s_cmp_eq_u64 s[8:9], 0
	s_cbranch_scc1 .LBB1_273
; %bb.256:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v2, v0
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 0x3ff, v2
	v_cmp_eq_u32_e32 vcc, 0, v2
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_272
; %bb.257:                              ;   in Loop: Header=BB1_124 Depth=1
	s_load_dword s18, s[16:17], 0x148
	s_load_dword s19, s[16:17], 0x154
	s_load_dwordx2 s[12:13], s[16:17], 0x130
	s_load_dwordx2 s[14:15], s[16:17], 0x140
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_u32_e32 v2, s18
	s_sub_i32 s16, 0, s18
	s_mul_i32 s19, s19, s50
	v_rcp_iflag_f32_e32 v2, v2
	s_nop 0
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_nop 0
	v_readfirstlane_b32 s17, v2
	s_mul_i32 s16, s16, s17
	s_mul_hi_u32 s16, s17, s16
	s_add_i32 s17, s17, s16
	s_mul_hi_u32 s16, s54, s17
	s_mul_i32 s17, s16, s18
	s_sub_i32 s17, s54, s17
	s_add_i32 s20, s16, 1
	s_sub_i32 s21, s17, s18
	s_cmp_ge_u32 s17, s18
	s_cselect_b32 s16, s20, s16
	s_cselect_b32 s17, s21, s17
	s_add_i32 s20, s16, 1
	s_cmp_ge_u32 s17, s18
	s_cselect_b32 s16, s20, s16
	s_add_i32 s16, s16, s19
	s_ashr_i32 s17, s16, 31
	global_load_dword v2, v3, s[10:11]
	s_lshl_b64 s[10:11], s[16:17], 2
	s_add_u32 s8, s8, s10
	s_addc_u32 s9, s9, s11
	global_load_dword v3, v3, s[8:9] sc0 sc1
	s_mov_b32 s17, 0
	s_mov_b64 s[10:11], -1
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc, v3, v2
	s_cbranch_vccnz .LBB1_269
; %bb.258:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[10:11], 0
	s_branch .LBB1_260
.LBB1_259:                              ;   in Loop: Header=BB1_260 Depth=2
	s_and_b64 vcc, exec, s[22:23]
	s_cbranch_vccnz .LBB1_266
.LBB1_260:                              ;   Parent Loop BB1_124 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	v_mov_b32_e32 v3, 0
	global_load_dword v3, v3, s[12:13] sc1
	s_mov_b64 s[18:19], -1
	s_mov_b64 s[20:21], 0
	s_mov_b64 s[22:23], -1
	s_waitcnt vmcnt(0)
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_cbranch_vccnz .LBB1_259
; %bb.261:                              ;   in Loop: Header=BB1_260 Depth=2
	s_memrealtime s[20:21]
	v_mov_b64_e32 v[4:5], s[14:15]
	s_mov_b64 s[18:19], 0
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s21, s21, 10
	s_mul_hi_u32 s22, s20, 10
	s_add_i32 s22, s22, s21
	s_mul_i32 s20, s20, 10
	s_cmp_eq_u64 s[10:11], 0
	s_cselect_b32 s10, s20, s10
	s_cselect_b32 s11, s22, s11
	s_sub_u32 s20, s20, s10
	s_subb_u32 s21, s22, s11
	v_cmp_le_i64_e32 vcc, s[20:21], v[4:5]
	s_mov_b64 s[20:21], -1
	s_mov_b64 s[22:23], -1
	s_cbranch_vccz .LBB1_259
; %bb.262:                              ;   in Loop: Header=BB1_260 Depth=2
	v_mov_b32_e32 v3, 0
	s_sleep 32
	global_load_dword v3, v3, s[8:9] sc0 sc1
	s_mov_b64 s[20:21], 0
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e64 s[22:23], v3, v2
	s_branch .LBB1_259
.LBB1_263:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr10_sgpr11
	v_cvt_f32_u32_e32 v2, s16
	s_branch .LBB1_227
.LBB1_264:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr22_sgpr23
	s_branch .LBB1_230
.LBB1_265:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr26_sgpr27
	s_branch .LBB1_233
.LBB1_266:                              ;   in Loop: Header=BB1_124 Depth=1
	s_xor_b64 s[8:9], s[18:19], -1
	s_andn2_b64 vcc, exec, s[8:9]
	s_mov_b64 s[10:11], 0
	s_cbranch_vccnz .LBB1_269
; %bb.267:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[10:11], -1
	s_and_b64 vcc, exec, s[20:21]
	s_cbranch_vccz .LBB1_269
; %bb.268:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_i32 s8, s16, 1
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s8
	s_mov_b64 s[10:11], 0
	global_store_dword v2, v3, s[12:13] sc1
.LBB1_269:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 vcc, exec, s[10:11]
	s_cbranch_vccz .LBB1_271
; %bb.270:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s17, 1
	s_waitcnt vmcnt(0)
	buffer_inv sc0 sc1
.LBB1_271:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s17
	ds_write_b32 v2, v3
.LBB1_272:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v2, v2
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s4, v2
	;;#ASMSTART
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 .Lready1
	s_endpgm
.Lready1:
	;;#ASMEND
.LBB1_273:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx4 s[24:27], s[4:5], 0x0
	s_load_dwordx8 s[16:23], s[4:5], 0x50
	s_load_dword s8, s[4:5], 0xb8
	s_load_dwordx2 s[64:65], s[4:5], 0x70
	s_load_dword s31, s[4:5], 0xc0
	s_load_dword s41, s[4:5], 0x174
	s_load_dword s46, s[4:5], 0x17c
	s_ashr_i32 s51, s50, 31
	s_waitcnt lgkmcnt(0)
	s_and_b32 s36, s8, 0xff
	s_load_dwordx8 s[8:15], s[4:5], 0x180
	s_mul_hi_u32 s4, s22, s50
	s_mul_i32 s5, s22, s51
	s_add_i32 s4, s4, s5
	s_mul_i32 s5, s23, s50
	s_add_i32 s5, s4, s5
	s_mul_i32 s4, s22, s50
	s_add_u32 s4, s4, s24
	s_addc_u32 s5, s5, s25
	s_cmp_lt_i32 s36, 2
	s_cbranch_scc1 .LBB1_278
; %bb.274:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b32 s22, 0xffff, s36
	s_cmp_eq_u32 s22, 2
	s_mov_b64 s[22:23], s[20:21]
	s_mov_b64 s[60:61], s[4:5]
	s_cbranch_scc0 .LBB1_276
; %bb.275:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s22, s85, 31
	s_add_u32 s60, s4, s85
	s_addc_u32 s61, s5, s22
	s_sub_i32 s22, s89, s85
	s_ashr_i32 s23, s22, 31
.LBB1_276:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cbranch_execz .LBB1_279
; %bb.277:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[62:63], s[16:17]
	s_branch .LBB1_282
.LBB1_278:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr22_sgpr23
                                        ; implicit-def: $sgpr60_sgpr61
.LBB1_279:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b32 s22, 0xffff, s36
	s_cmp_lg_u32 s22, 1
	s_mov_b64 s[62:63], s[16:17]
	s_cbranch_scc1 .LBB1_281
; %bb.280:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s22, s85, 31
	s_mul_hi_u32 s23, s20, s85
	s_mul_i32 s22, s20, s22
	s_add_i32 s22, s23, s22
	s_mul_i32 s23, s21, s85
	s_add_i32 s22, s22, s23
	s_mul_i32 s23, s20, s85
	s_add_u32 s4, s4, s23
	s_addc_u32 s5, s5, s22
	s_sub_i32 s62, s89, s85
	s_ashr_i32 s63, s62, 31
.LBB1_281:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[60:61], s[4:5]
	s_mov_b64 s[22:23], s[20:21]
.LBB1_282:                              ;   in Loop: Header=BB1_124 Depth=1
	s_bitcmp1_b32 s41, 8
	s_mul_i32 s4, s64, s51
	s_mul_hi_u32 s5, s64, s50
	s_cselect_b32 s59, s19, 0
	s_cselect_b32 s58, s18, 0
	s_add_i32 s4, s5, s4
	s_mul_i32 s5, s65, s50
	s_add_i32 s4, s4, s5
	s_mul_i32 s5, s64, s50
	s_add_u32 s24, s5, s26
	s_addc_u32 s25, s4, s27
	s_and_b32 s36, 0xffff, s36
	s_cmp_lt_i32 s36, 2
	s_cbranch_scc1 .LBB1_286
; %bb.283:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s36, 2
	s_mov_b64 s[4:5], s[24:25]
	s_cbranch_scc0 .LBB1_285
; %bb.284:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s5, s85, 31
	s_add_u32 s4, s24, s85
	s_addc_u32 s5, s25, s5
.LBB1_285:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cbranch_execz .LBB1_287
	s_branch .LBB1_290
.LBB1_286:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr4_sgpr5
.LBB1_287:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_lg_u32 s36, 1
	s_cbranch_scc1 .LBB1_289
; %bb.288:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s4, s91, 31
	s_add_u32 s5, s58, s18
	s_mul_hi_u32 s27, s20, s91
	s_mul_i32 s4, s20, s4
	s_addc_u32 s26, s59, s19
	s_add_i32 s4, s27, s4
	s_mul_i32 s27, s21, s91
	s_add_i32 s4, s4, s27
	s_mul_i32 s27, s20, s91
	s_mul_i32 s26, s27, s26
	s_mul_hi_u32 s41, s27, s5
	s_add_i32 s26, s41, s26
	s_mul_i32 s4, s4, s5
	s_add_i32 s26, s26, s4
	s_mul_i32 s27, s27, s5
	s_add_u32 s24, s27, s24
	s_addc_u32 s25, s26, s25
.LBB1_289:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[4:5], s[24:25]
.LBB1_290:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s42, s40
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v81, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v78, 0
	s_cbranch_scc1 .LBB1_323
; %bb.291:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s36, 1
	s_cselect_b64 s[66:67], -1, 0
	s_cmp_lg_u32 s36, 1
	v_readfirstlane_b32 s24, v0
	s_mov_b64 s[26:27], s[50:51]
	s_cbranch_scc1 .LBB1_293
; %bb.292:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_i32 s31, s31, s50
	s_cmp_lg_u64 s[64:65], 0
	s_cselect_b32 s25, s31, 0
	s_add_i32 s26, s25, s91
	s_ashr_i32 s27, s26, 31
.LBB1_293:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmpk_gt_u32 s24, 0x7f
	s_cselect_b64 s[68:69], -1, 0
	s_and_b64 vcc, exec, s[68:69]
	s_cbranch_vccz .LBB1_295
; %bb.294:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s57, s56, 31
	s_lshl_b64 s[24:25], s[56:57], 7
	s_mov_b64 s[64:65], s[18:19]
	s_cbranch_execz .LBB1_296
	s_branch .LBB1_297
.LBB1_295:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr24_sgpr25
	s_mov_b64 s[64:65], s[18:19]
.LBB1_296:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s31, s85, 31
	s_and_b64 s[24:25], s[66:67], exec
	s_cselect_b32 s31, s31, 0
	s_cselect_b32 s36, s85, 0
	s_ashr_i32 s41, s89, 31
	s_and_b64 s[24:25], s[66:67], exec
	s_cselect_b32 s65, s41, s17
	s_cselect_b32 s64, s89, s16
	s_ashr_i32 s55, s54, 31
	s_lshl_b64 s[16:17], s[54:55], 7
	s_add_u32 s24, s36, s16
	s_addc_u32 s25, s31, s17
.LBB1_297:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 vcc, exec, s[68:69]
	s_cbranch_vccz .LBB1_299
; %bb.298:                              ;   in Loop: Header=BB1_124 Depth=1
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s16, s14, s27
	s_mul_hi_u32 s17, s14, s26
	s_add_i32 s16, s17, s16
	s_mul_i32 s15, s15, s26
	s_add_i32 s27, s16, s15
	s_mul_i32 s26, s14, s26
	s_cbranch_execz .LBB1_300
	s_branch .LBB1_301
.LBB1_299:                              ;   in Loop: Header=BB1_124 Depth=1
	s_waitcnt lgkmcnt(0)
                                        ; implicit-def: $sgpr26_sgpr27
.LBB1_300:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_i32 s10, s12, s51
	s_mul_hi_u32 s11, s12, s50
	s_add_i32 s10, s11, s10
	s_mul_i32 s11, s13, s50
	s_add_i32 s27, s10, s11
	s_mul_i32 s26, s12, s50
	s_mov_b64 s[10:11], s[8:9]
.LBB1_301:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s55, s54, 31
	s_lshl_b64 s[8:9], s[54:55], 7
	s_mul_i32 s14, s20, s9
	s_mul_hi_u32 s15, s20, s8
	s_ashr_i32 s41, s40, 31
	s_add_i32 s14, s15, s14
	s_mul_i32 s15, s21, s8
	s_sub_i32 s31, s42, s40
	s_lshl_b64 s[12:13], s[40:41], 7
	s_add_i32 s14, s14, s15
	s_add_u32 s36, s12, 0xfffffc00
	s_mul_i32 s15, s20, s8
	s_addc_u32 s43, s13, -1
	s_add_u32 s12, s36, s15
	s_addc_u32 s13, s43, s14
	s_add_u32 s16, s12, s60
	s_addc_u32 s17, s13, s61
	s_sub_u32 s8, s62, s8
	s_subb_u32 s9, s63, s9
	v_mov_b64_e32 v[6:7], 0x80
	v_cmp_lt_i64_e32 vcc, s[8:9], v[6:7]
	v_mov_b32_e32 v4, v0
	v_mov_b32_e32 v2, v0
	s_and_b64 s[12:13], vcc, exec
	v_mov_b32_e32 v3, v0
	v_readfirstlane_b32 s47, v0
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	s_cselect_b32 s8, s8, 0x80
	;;#ASMSTART
	;;#ASMEND
	s_lshl_b32 s55, s47, 5
	v_lshlrev_b32_e32 v5, 4, v3
	s_and_b32 s60, s55, 0x800
	v_and_b32_e32 v8, 0x3f0, v5
	v_or_b32_e32 v8, s60, v8
	s_lshr_b32 s51, s47, 1
	v_lshrrev_b32_e32 v8, 7, v8
	v_bfe_u32 v5, v5, 8, 2
	s_and_b32 s62, s51, 0x3ffffc0
	s_add_i32 s8, s8, -1
	v_bitop3_b32 v3, v5, v3, 7 bitop3:0x78
	v_or_b32_e32 v5, s62, v8
	v_min_u32_e32 v5, s8, v5
	v_lshlrev_b32_e32 v3, 4, v3
	v_mul_lo_u32 v5, v5, s20
	s_movk_i32 s63, 0x400
	v_add3_u32 v82, v5, v3, s63
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_bfe_i32 s61, s47, 0x10006
	v_lshlrev_b32_e32 v5, 4, v3
	v_and_b32_e32 v5, 0x3f0, v5
	v_or_b32_e32 v5, 0x400, v5
	v_or_b32_e32 v8, s60, v5
	v_lshrrev_b32_e32 v8, 7, v8
	v_lshrrev_b32_e32 v5, 8, v5
	v_bitop3_b32 v3, v5, v3, 7 bitop3:0x78
	v_or_b32_e32 v5, s62, v8
	v_min_u32_e32 v5, s8, v5
	v_mul_lo_u32 v5, v5, s20
	v_lshl_add_u32 v83, v3, 4, v5
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_ashr_i32 s57, s56, 31
	v_lshlrev_b32_e32 v5, 4, v3
	v_and_b32_e32 v8, 0x3f0, v5
	v_or_b32_e32 v8, s60, v8
	v_lshrrev_b32_e32 v8, 7, v8
	v_bfe_u32 v5, v5, 8, 2
	v_bitop3_b32 v3, v5, v3, 7 bitop3:0x78
	v_or3_b32 v5, s62, v8, 32
	v_min_u32_e32 v5, s8, v5
	v_lshlrev_b32_e32 v3, 4, v3
	v_mul_lo_u32 v5, v5, s20
	v_add3_u32 v84, v5, v3, s63
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_cmp_eq_u64 s[58:59], 0
	v_lshlrev_b32_e32 v5, 4, v3
	v_and_b32_e32 v5, 0x3f0, v5
	v_or_b32_e32 v5, 0x400, v5
	v_or_b32_e32 v8, s60, v5
	v_lshrrev_b32_e32 v8, 7, v8
	v_lshrrev_b32_e32 v5, 8, v5
	v_bitop3_b32 v3, v5, v3, 7 bitop3:0x78
	v_or3_b32 v5, s62, v8, 32
	s_cselect_b64 vcc, -1, 0
	v_min_u32_e32 v5, s8, v5
	s_and_b64 s[8:9], vcc, exec
	s_cselect_b32 s8, 7, 6
	s_lshl_b64 s[12:13], s[56:57], s8
	s_mul_i32 s8, s12, s21
	s_mul_hi_u32 s9, s12, s20
	s_add_i32 s8, s9, s8
	s_mul_i32 s9, s13, s20
	s_add_i32 s8, s8, s9
	s_mul_i32 s9, s12, s20
	s_add_u32 s9, s36, s9
	s_addc_u32 s21, s43, s8
	s_add_u32 s8, s9, s4
	v_mul_lo_u32 v5, v5, s20
	s_addc_u32 s9, s21, s5
	v_lshl_add_u32 v85, v3, 4, v5
	v_mov_b32_e32 v92, v0
	v_mov_b32_e32 v3, v0
	s_sub_u32 s12, s18, s12
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	s_subb_u32 s13, s19, s13
	v_lshlrev_b32_e32 v5, 4, v3
	v_and_b32_e32 v8, 0x3f0, v5
	v_cmp_lt_i64_e64 s[4:5], s[12:13], v[6:7]
	v_or_b32_e32 v8, s60, v8
	s_and_b64 s[4:5], s[4:5], exec
	v_lshrrev_b32_e32 v8, 7, v8
	s_cselect_b32 s4, s12, 0x80
	v_bfe_u32 v5, v5, 8, 2
	s_lshr_b32 s5, s62, 1
	v_or_b32_e32 v9, s62, v8
	v_bitop3_b32 v3, v5, v3, 7 bitop3:0x78
	v_and_or_b32 v5, v8, 7, s5
	s_add_i32 s4, s4, -1
	v_cndmask_b32_e32 v5, v5, v9, vcc
	s_and_b32 s5, s61, s58
	v_min_u32_e32 v5, s4, v5
	v_add_u32_e32 v5, s5, v5
	v_lshlrev_b32_e32 v3, 4, v3
	v_mul_lo_u32 v5, v5, s20
	v_add3_u32 v86, v5, v3, s63
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_mov_b32 s12, 0x1ffffe0
	v_lshlrev_b32_e32 v5, 4, v3
	v_and_b32_e32 v5, 0x3f0, v5
	v_or_b32_e32 v5, 0x400, v5
	v_or_b32_e32 v8, s60, v5
	v_lshrrev_b32_e32 v9, 7, v8
	v_lshrrev_b32_e32 v5, 8, v5
	v_bitop3_b32 v3, v5, v3, 7 bitop3:0x78
	v_or_b32_e32 v5, s62, v9
	v_lshrrev_b32_e32 v9, 1, v5
	v_bfe_u32 v8, v8, 7, 4
	v_and_or_b32 v8, v9, s12, v8
	v_cndmask_b32_e32 v5, v8, v5, vcc
	v_min_u32_e32 v5, s4, v5
	v_add_u32_e32 v5, s5, v5
	v_mul_lo_u32 v5, v5, s20
	v_lshl_add_u32 v87, v3, 4, v5
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_mov_b32 s12, 0x1fffff0
	v_lshlrev_b32_e32 v5, 4, v3
	v_and_b32_e32 v8, 0x3f0, v5
	v_or_b32_e32 v8, s60, v8
	v_lshrrev_b32_e32 v9, 7, v8
	v_bfe_u32 v5, v5, 8, 2
	v_bitop3_b32 v3, v5, v3, 7 bitop3:0x78
	v_or3_b32 v5, s62, v9, 32
	v_lshrrev_b32_e32 v9, 1, v5
	v_bfe_u32 v8, v8, 7, 3
	v_and_or_b32 v8, v9, s12, v8
	v_cndmask_b32_e32 v5, v8, v5, vcc
	v_min_u32_e32 v5, s4, v5
	v_add_u32_e32 v5, s5, v5
	v_lshlrev_b32_e32 v3, 4, v3
	v_mul_lo_u32 v5, v5, s20
	v_add3_u32 v88, v5, v3, s63
	v_mov_b32_e32 v3, v0
	;;#ASMSTART
	;;#ASMEND
	s_mov_b32 s15, 0x20000
	v_lshlrev_b32_e32 v5, 4, v3
	v_and_b32_e32 v5, 0x3f0, v5
	v_or_b32_e32 v5, 0x400, v5
	v_or_b32_e32 v8, s60, v5
	v_lshrrev_b32_e32 v9, 7, v8
	v_lshrrev_b32_e32 v5, 8, v5
	v_bitop3_b32 v3, v5, v3, 7 bitop3:0x78
	v_or3_b32 v5, s62, v9, 32
	v_lshrrev_b32_e32 v9, 1, v5
	v_bfe_u32 v8, v8, 7, 4
	v_and_or_b32 v8, v9, s12, v8
	v_cndmask_b32_e32 v5, v8, v5, vcc
	v_min_u32_e32 v5, s4, v5
	s_sub_u32 s4, s64, s24
	v_add_u32_e32 v5, s5, v5
	s_subb_u32 s5, s65, s25
	v_cmp_lt_i64_e32 vcc, s[4:5], v[6:7]
	s_and_b64 s[12:13], vcc, exec
	s_cselect_b32 s12, s4, 0x80
	s_ashr_i32 s43, s42, 31
	s_lshl_b64 s[4:5], s[42:43], 7
	s_sub_u32 s4, s22, s4
	s_subb_u32 s5, s23, s5
	s_add_u32 s4, s4, 0x80
	s_addc_u32 s5, s5, 0
	v_cmp_lt_i64_e32 vcc, s[4:5], v[6:7]
	v_mul_lo_u32 v5, v5, s20
	s_and_b64 s[18:19], vcc, exec
	s_brev_b32 s14, 1
	v_lshl_add_u32 v89, v3, 4, v5
	v_mov_b32_e32 v3, v0
	s_cselect_b32 s36, s4, 0x80
	s_cmp_gt_i32 s31, 1
	;;#ASMSTART
	;;#ASMEND
	s_barrier
	s_cbranch_scc1 .LBB1_304
; %bb.302:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_lg_u32 s31, 1
	s_cbranch_scc0 .LBB1_305
; %bb.303:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s18, 0
	s_cbranch_execz .LBB1_306
	s_branch .LBB1_307
.LBB1_304:                              ;   in Loop: Header=BB1_124 Depth=1
	s_brev_b32 s18, 1
	s_branch .LBB1_307
.LBB1_305:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s18, 0
.LBB1_306:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0x70
	v_lshlrev_b32_e32 v6, 4, v5
	v_and_b32_e32 v5, 48, v5
	v_bitop3_b32 v5, v6, v5, s4 bitop3:0x6c
	v_cmp_gt_u32_e32 vcc, s36, v5
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	v_bfrev_b32_e32 v6, 1
	v_lshrrev_b32_e32 v7, 4, v5
	v_bitop3_b32 v5, v7, v5, 4 bitop3:0x36
	v_lshlrev_b32_e32 v5, 4, v5
	v_and_b32_e32 v5, 0x70, v5
	v_cndmask_b32_e32 v82, v6, v82, vcc
	v_cmp_gt_u32_e32 vcc, s36, v5
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_brev_b32 s18, 1
	v_lshlrev_b32_e32 v7, 4, v5
	v_and_b32_e32 v5, 48, v5
	v_bitop3_b32 v5, v7, v5, s4 bitop3:0x6c
	v_cndmask_b32_e32 v83, v6, v83, vcc
	v_cmp_gt_u32_e32 vcc, s36, v5
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v7, 4, v5
	v_bitop3_b32 v5, v7, v5, 4 bitop3:0x36
	v_lshlrev_b32_e32 v5, 4, v5
	v_and_b32_e32 v5, 0x70, v5
	v_cndmask_b32_e32 v84, v6, v84, vcc
	v_cmp_gt_u32_e32 vcc, s36, v5
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v7, 4, v5
	v_and_b32_e32 v5, 48, v5
	v_bitop3_b32 v5, v7, v5, s4 bitop3:0x6c
	v_cndmask_b32_e32 v85, v6, v85, vcc
	v_cmp_gt_u32_e32 vcc, s36, v5
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v7, 4, v5
	v_bitop3_b32 v5, v7, v5, 4 bitop3:0x36
	v_lshlrev_b32_e32 v5, 4, v5
	v_and_b32_e32 v5, 0x70, v5
	v_cndmask_b32_e32 v86, v6, v86, vcc
	v_cmp_gt_u32_e32 vcc, s36, v5
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v7, 4, v5
	v_and_b32_e32 v5, 48, v5
	v_bitop3_b32 v5, v7, v5, s4 bitop3:0x6c
	v_cndmask_b32_e32 v87, v6, v87, vcc
	v_cmp_gt_u32_e32 vcc, s36, v5
	v_mov_b32_e32 v5, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v7, 4, v5
	v_bitop3_b32 v5, v7, v5, 4 bitop3:0x36
	v_lshlrev_b32_e32 v5, 4, v5
	v_and_b32_e32 v5, 0x70, v5
	v_cndmask_b32_e32 v88, v6, v88, vcc
	v_cmp_gt_u32_e32 vcc, s36, v5
	s_nop 1
	v_cndmask_b32_e32 v89, v6, v89, vcc
.LBB1_307:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s4, s46, 31
	s_mul_hi_u32 s5, s24, s46
	s_mul_i32 s4, s24, s4
	v_and_b32_e32 v4, 0x7f, v4
	s_add_i32 s12, s12, -1
	s_add_i32 s4, s5, s4
	s_mul_i32 s5, s25, s46
	v_min_u32_e32 v4, s12, v4
	s_add_i32 s12, s4, s5
	s_mul_i32 s13, s24, s46
	s_lshl_b64 s[4:5], s[40:41], 2
	s_add_u32 s4, s13, s4
	s_addc_u32 s5, s12, s5
	s_add_u32 s4, s4, s10
	s_addc_u32 s5, s5, s11
	s_add_u32 s12, s4, s26
	s_addc_u32 s13, s5, s27
	s_lshl_b32 s4, s47, 2
	s_and_b32 s4, s4, 0x7fffff00
	s_add_i32 s40, s4, 0x10000
	s_and_b32 s43, s55, 0x7ffff800
	s_mov_b32 s19, s15
	s_mov_b32 s10, s18
	s_mov_b32 s11, s15
	;;#ASMSTART
	s_nop 4
	;;#ASMEND
	;;#ASMSTART
	s_nop 4
	;;#ASMEND
	;;#ASMSTART
	s_nop 4
	;;#ASMEND
	s_cmp_gt_i32 s31, 0
	v_mul_lo_u32 v90, v4, s46
	s_cselect_b32 s14, s14, 0
	;;#ASMSTART
	s_mov_b32 m0, s40
	s_nop 0
	buffer_load_dword v90, s[12:15], 0 offen lds
	;;#ASMEND
	s_add_u32 s12, s12, 4
	s_addc_u32 s13, s13, 0
	s_cmp_gt_i32 s31, 1
	s_cselect_b32 s14, s14, 0
	s_add_i32 s4, s4, 0x10400
	;;#ASMSTART
	s_mov_b32 m0, s4
	s_nop 0
	buffer_load_dword v90, s[12:15], 0 offen lds
	;;#ASMEND
	s_add_i32 s4, s43, 0x4000
	;;#ASMSTART
	s_add_u32 m0, s4, 0
	s_nop 0
	buffer_load_dwordx4 v86, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v87, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	s_mov_b32 s41, 0x10000
	;;#ASMSTART
	s_add_u32 m0, s43, 0
	s_nop 0
	buffer_load_dwordx4 v82, s[16:19], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v83, s[16:19], 0 offen offset:0x400 lds
	;;#ASMEND
	s_nop 0
	;;#ASMSTART
	s_add_u32 m0, s4, 0x2000
	s_nop 0
	buffer_load_dwordx4 v88, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v89, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	s_nop 0
	;;#ASMSTART
	s_add_u32 m0, s43, 0x2000
	s_nop 0
	buffer_load_dwordx4 v84, s[16:19], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v85, s[16:19], 0 offen offset:0x400 lds
	;;#ASMEND
	s_add_u32 s16, s16, 0x80
	s_addc_u32 s17, s17, 0
	s_add_u32 s8, s8, 0x80
	s_addc_u32 s9, s9, 0
	s_cmp_gt_i32 s31, 2
	s_cbranch_scc1 .LBB1_313
; %bb.308:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_lg_u32 s31, 2
	s_cbranch_scc0 .LBB1_311
; %bb.309:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b32 s4, 0
	s_mov_b64 s[22:23], s[18:19]
	s_mov_b64 s[26:27], s[10:11]
	s_mov_b64 s[20:21], s[16:17]
	s_mov_b32 s22, s4
	s_mov_b64 s[24:25], s[8:9]
	s_mov_b32 s26, s4
	s_cbranch_execz .LBB1_312
; %bb.310:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[8:9], s[24:25]
	s_mov_b64 s[16:17], s[20:21]
	s_mov_b64 s[10:11], s[26:27]
	s_mov_b64 s[18:19], s[22:23]
	s_branch .LBB1_313
.LBB1_311:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr24_sgpr25_sgpr26_sgpr27
                                        ; implicit-def: $sgpr20_sgpr21_sgpr22_sgpr23
.LBB1_312:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0x70
	v_lshlrev_b32_e32 v5, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v5, v4, s4 bitop3:0x6c
	v_cmp_gt_u32_e32 vcc, s36, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	v_bfrev_b32_e32 v5, 1
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v82, v5, v82, vcc
	v_cmp_gt_u32_e32 vcc, s36, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v83, v5, v83, vcc
	v_cmp_gt_u32_e32 vcc, s36, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v84, v5, v84, vcc
	v_cmp_gt_u32_e32 vcc, s36, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v85, v5, v85, vcc
	v_cmp_gt_u32_e32 vcc, s36, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v86, v5, v86, vcc
	v_cmp_gt_u32_e32 vcc, s36, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v6, 4, v4
	v_and_b32_e32 v4, 48, v4
	v_bitop3_b32 v4, v6, v4, s4 bitop3:0x6c
	v_cndmask_b32_e32 v87, v5, v87, vcc
	v_cmp_gt_u32_e32 vcc, s36, v4
	v_mov_b32_e32 v4, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v6, 4, v4
	v_bitop3_b32 v4, v6, v4, 4 bitop3:0x36
	v_lshlrev_b32_e32 v4, 4, v4
	v_and_b32_e32 v4, 0x70, v4
	v_cndmask_b32_e32 v88, v5, v88, vcc
	v_cmp_gt_u32_e32 vcc, s36, v4
	s_nop 1
	v_cndmask_b32_e32 v89, v5, v89, vcc
.LBB1_313:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b32 s4, s51, 32
	v_and_or_b32 v6, v3, 15, s4
	s_add_i32 s4, s43, 0xc000
	;;#ASMSTART
	s_add_u32 m0, s4, 0
	s_nop 0
	buffer_load_dwordx4 v86, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v87, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	s_add_i32 s42, s43, 0x8000
	;;#ASMSTART
	s_add_u32 m0, s42, 0
	s_nop 0
	buffer_load_dwordx4 v82, s[16:19], 0 offen lds
	;;#ASMEND
	v_lshrrev_b32_e32 v4, 4, v3
	v_bfe_u32 v5, v3, 4, 2
	v_bfe_u32 v3, v3, 1, 3
	;;#ASMSTART
	buffer_load_dwordx4 v83, s[16:19], 0 offen offset:0x400 lds
	;;#ASMEND
	v_lshlrev_b32_e32 v6, 7, v6
	v_bitop3_b32 v4, v4, v3, 3 bitop3:0x6c
	v_bitop3_b32 v3, v5, v3, 4 bitop3:0x36
	;;#ASMSTART
	s_add_u32 m0, s4, 0x2000
	s_nop 0
	buffer_load_dwordx4 v88, s[8:11], 0 offen lds
	;;#ASMEND
	v_lshl_or_b32 v95, v3, 4, v6
	v_lshlrev_b32_e32 v3, 2, v2
	;;#ASMSTART
	buffer_load_dwordx4 v89, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	v_and_b32_e32 v3, 60, v3
	v_bfe_u32 v2, v2, 4, 2
	v_lshl_or_b32 v94, v4, 4, v6
	v_or3_b32 v91, v3, v2, s41
	s_mov_b32 s41, 0x8000
	s_waitcnt vmcnt(9) lgkmcnt(0)
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	v_readfirstlane_b32 s4, v0
	s_lshl_b32 s4, s4, 2
	ds_read_b128 v[2:5], v94 offset:16384
	ds_read_b128 v[10:13], v94 offset:18432
	ds_read_b128 v[6:9], v95 offset:16384
	ds_read_b128 v[14:17], v95 offset:18432
	s_and_b32 s4, s4, 0x100
	v_or_b32_e32 v18, s4, v91
	ds_read_u8 v93, v18 offset:512
	ds_read_u8 v97, v18 offset:576
	s_waitcnt vmcnt(9) lgkmcnt(0)
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_cmp_lt_i32 s31, 1
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v81, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v78, 0
	s_cbranch_scc1 .LBB1_322
; %bb.314:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_u32 s12, s12, 4
	s_addc_u32 s13, s13, 0
	s_lshr_b32 s4, s47, 2
	s_and_b32 s4, s4, 0x1ffffe0
	v_lshrrev_b32_e32 v18, 4, v92
	v_and_or_b32 v20, v92, 15, s4
	v_bfe_u32 v21, v92, 1, 3
	v_bfe_u32 v19, v92, 4, 2
	v_lshlrev_b32_e32 v20, 7, v20
	v_bitop3_b32 v18, v18, v21, 3 bitop3:0x6c
	v_lshl_or_b32 v92, v18, 4, v20
	v_bitop3_b32 v18, v19, v21, 4 bitop3:0x36
	v_and_b32_e32 v96, 0xff, v93
	v_and_b32_e32 v97, 0xff, v97
	v_lshl_or_b32 v93, v18, 4, v20
	v_or_b32_e32 v94, 0x4000, v94
	v_or_b32_e32 v95, 0x4000, v95
	s_movk_i32 s43, 0x800
	s_mov_b32 s46, 0
	v_mov_b32_e32 v78, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v81, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	s_branch .LBB1_317
.LBB1_315:                              ;   in Loop: Header=BB1_317 Depth=2
	v_mov_b32_e32 v101, v0
	;;#ASMSTART
	;;#ASMEND
	s_movk_i32 s4, 0x70
	v_lshlrev_b32_e32 v118, 4, v101
	v_and_b32_e32 v101, 48, v101
	v_bitop3_b32 v101, v118, v101, s4 bitop3:0x6c
	v_cmp_gt_u32_e32 vcc, s36, v101
	v_mov_b32_e32 v101, v0
	;;#ASMSTART
	;;#ASMEND
	v_bfrev_b32_e32 v118, 1
	v_lshrrev_b32_e32 v119, 4, v101
	v_bitop3_b32 v101, v119, v101, 4 bitop3:0x36
	v_lshlrev_b32_e32 v101, 4, v101
	v_and_b32_e32 v101, 0x70, v101
	v_cndmask_b32_e32 v82, v118, v82, vcc
	v_cmp_gt_u32_e32 vcc, s36, v101
	v_mov_b32_e32 v101, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v119, 4, v101
	v_and_b32_e32 v101, 48, v101
	v_bitop3_b32 v101, v119, v101, s4 bitop3:0x6c
	v_cndmask_b32_e32 v83, v118, v83, vcc
	v_cmp_gt_u32_e32 vcc, s36, v101
	v_mov_b32_e32 v101, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v119, 4, v101
	v_bitop3_b32 v101, v119, v101, 4 bitop3:0x36
	v_lshlrev_b32_e32 v101, 4, v101
	v_and_b32_e32 v101, 0x70, v101
	v_cndmask_b32_e32 v84, v118, v84, vcc
	v_cmp_gt_u32_e32 vcc, s36, v101
	v_mov_b32_e32 v101, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v119, 4, v101
	v_and_b32_e32 v101, 48, v101
	v_bitop3_b32 v101, v119, v101, s4 bitop3:0x6c
	v_cndmask_b32_e32 v85, v118, v85, vcc
	v_cmp_gt_u32_e32 vcc, s36, v101
	v_mov_b32_e32 v101, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v119, 4, v101
	v_bitop3_b32 v101, v119, v101, 4 bitop3:0x36
	v_lshlrev_b32_e32 v101, 4, v101
	v_and_b32_e32 v101, 0x70, v101
	v_cndmask_b32_e32 v86, v118, v86, vcc
	v_cmp_gt_u32_e32 vcc, s36, v101
	v_mov_b32_e32 v101, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshlrev_b32_e32 v119, 4, v101
	v_and_b32_e32 v101, 48, v101
	v_bitop3_b32 v101, v119, v101, s4 bitop3:0x6c
	v_cndmask_b32_e32 v87, v118, v87, vcc
	v_cmp_gt_u32_e32 vcc, s36, v101
	v_mov_b32_e32 v101, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_lshrrev_b32_e32 v119, 4, v101
	v_bitop3_b32 v101, v119, v101, 4 bitop3:0x36
	v_lshlrev_b32_e32 v101, 4, v101
	v_and_b32_e32 v101, 0x70, v101
	v_cndmask_b32_e32 v88, v118, v88, vcc
	v_cmp_gt_u32_e32 vcc, s36, v101
	s_nop 1
	v_cndmask_b32_e32 v89, v118, v89, vcc
.LBB1_316:                              ;   in Loop: Header=BB1_317 Depth=2
	s_add_u32 s12, s12, 4
	s_addc_u32 s13, s13, 0
	s_add_i32 s4, s43, 0x400
	s_and_b32 s43, s4, 0xfff
	v_readfirstlane_b32 s4, v0
	v_mfma_scale_f32_16x16x128_f8f6f4 v[74:77], v[2:9], v[102:109], v[74:77], v96, v100 op_sel_hi:[0,0,0]
	s_lshl_b32 s5, s4, 2
	s_waitcnt vmcnt(0)
	ds_read_b128 v[126:129], v94 offset:8192
	ds_read_b128 v[134:137], v94 offset:10240
	ds_read_b128 v[130:133], v95 offset:8192
	ds_read_b128 v[138:141], v95 offset:10240
	s_and_b32 s5, s5, 0x100
	v_add_u32_e32 v101, s5, v98
	ds_read_u8 v118, v101 offset:640
	ds_read_u8 v101, v101 offset:704
	s_sub_i32 s42, s42, s41
	s_add_i32 s20, s42, 0x4000
	v_mfma_scale_f32_16x16x128_f8f6f4 v[70:73], v[10:17], v[102:109], v[70:73], v97, v100 op_sel_hi:[0,0,0]
	;;#ASMSTART
	s_add_u32 m0, s20, 0
	s_nop 0
	buffer_load_dwordx4 v86, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v87, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	v_mfma_scale_f32_16x16x128_f8f6f4 v[58:61], v[2:9], v[110:117], v[58:61], v96, v99 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[54:57], v[10:17], v[110:117], v[54:57], v97, v99 op_sel_hi:[0,0,0]
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_waitcnt vmcnt(9) lgkmcnt(0)
	s_setprio 1
	; sched_barrier mask(0x00000000)
	v_mfma_scale_f32_16x16x128_f8f6f4 v[66:69], v[126:133], v[102:109], v[66:69], v118, v100 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[62:65], v[134:141], v[102:109], v[62:65], v101, v100 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[50:53], v[126:133], v[110:117], v[50:53], v118, v99 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[78:81], v[134:141], v[110:117], v[78:81], v101, v99 op_sel_hi:[0,0,0]
	; sched_barrier mask(0x00000000)
	s_setprio 0
	s_lshl_b32 s4, s4, 1
	ds_read_b128 v[102:105], v92 offset:8192
	ds_read_b128 v[110:113], v92 offset:10240
	ds_read_b128 v[106:109], v93 offset:8192
	ds_read_b128 v[114:117], v93 offset:10240
	s_and_b32 s4, s4, 0x7fffff00
	v_add_u32_e32 v98, s4, v98
	ds_read_u8 v99, v98 offset:128
	ds_read_u8 v98, v98 offset:192
	;;#ASMSTART
	s_add_u32 m0, s42, 0
	s_nop 0
	buffer_load_dwordx4 v82, s[16:19], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v83, s[16:19], 0 offen offset:0x400 lds
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_waitcnt vmcnt(9) lgkmcnt(0)
	s_setprio 1
	; sched_barrier mask(0x00000000)
	v_mfma_scale_f32_16x16x128_f8f6f4 v[46:49], v[2:9], v[102:109], v[46:49], v96, v99 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[42:45], v[10:17], v[102:109], v[42:45], v97, v99 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[30:33], v[2:9], v[110:117], v[30:33], v96, v98 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[26:29], v[10:17], v[110:117], v[26:29], v97, v98 op_sel_hi:[0,0,0]
	; sched_barrier mask(0x00000000)
	s_setprio 0
	s_add_i32 s4, s46, 0x400
	s_ashr_i32 s21, s4, 31
	s_lshr_b32 s21, s21, 20
	s_add_i32 s21, s4, s21
	s_and_b32 s21, s21, 0xfffff000
	v_add_u32_e32 v94, s41, v94
	s_sub_i32 s46, s4, s21
	v_add_u32_e32 v95, s41, v95
	ds_read_b128 v[2:5], v94
	ds_read_b128 v[10:13], v94 offset:2048
	ds_read_b128 v[6:9], v95
	ds_read_b128 v[14:17], v95 offset:2048
	s_add_i32 s5, s5, s46
	v_add_u32_e32 v97, s5, v91
	ds_read_u8 v96, v97 offset:512
	ds_read_u8 v97, v97 offset:576
	;;#ASMSTART
	s_add_u32 m0, s20, 0x2000
	s_nop 0
	buffer_load_dwordx4 v88, s[8:11], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v89, s[8:11], 0 offen offset:0x400 lds
	;;#ASMEND
	v_add_u32_e32 v92, s41, v92
	v_add_u32_e32 v93, s41, v93
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_waitcnt vmcnt(9) lgkmcnt(0)
	s_setprio 1
	; sched_barrier mask(0x00000000)
	v_mfma_scale_f32_16x16x128_f8f6f4 v[38:41], v[126:133], v[102:109], v[38:41], v118, v99 op_sel_hi:[0,0,0]
	s_sub_i32 s41, 0, s41
	v_mfma_scale_f32_16x16x128_f8f6f4 v[34:37], v[134:141], v[102:109], v[34:37], v101, v99 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[22:25], v[126:133], v[110:117], v[22:25], v118, v98 op_sel_hi:[0,0,0]
	v_mfma_scale_f32_16x16x128_f8f6f4 v[18:21], v[134:141], v[110:117], v[18:21], v101, v98 op_sel_hi:[0,0,0]
	; sched_barrier mask(0x00000000)
	s_setprio 0
	s_add_i32 s4, s31, -1
	s_cmp_gt_u32 s31, 1
	s_mov_b32 s31, s4
	s_cbranch_scc0 .LBB1_322
.LBB1_317:                              ;   Parent Loop BB1_124 Depth=1
                                        ; =>  This Inner Loop Header: Depth=2
	s_add_i32 s4, s31, -2
	s_cmp_gt_i32 s4, 0
	s_cselect_b32 s14, s14, 0
	s_add_i32 s4, s43, s40
	;;#ASMSTART
	s_mov_b32 m0, s4
	s_nop 0
	buffer_load_dword v90, s[12:15], 0 offen lds
	;;#ASMEND
	v_readfirstlane_b32 s4, v0
	s_lshl_b32 s4, s4, 1
	ds_read_b128 v[102:105], v92
	ds_read_b128 v[110:113], v92 offset:2048
	ds_read_b128 v[106:109], v93
	ds_read_b128 v[114:117], v93 offset:2048
	v_add_u32_e32 v98, s46, v91
	s_and_b32 s4, s4, 0x7fffff00
	v_add_u32_e32 v99, s4, v98
	ds_read_u8 v100, v99
	ds_read_u8 v99, v99 offset:64
	;;#ASMSTART
	s_add_u32 m0, s42, 0x2000
	s_nop 0
	buffer_load_dwordx4 v84, s[16:19], 0 offen lds
	;;#ASMEND
	;;#ASMSTART
	buffer_load_dwordx4 v85, s[16:19], 0 offen offset:0x400 lds
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	s_waitcnt vmcnt(9) lgkmcnt(0)
	s_setprio 1
	; sched_barrier mask(0x00000000)
	; sched_barrier mask(0x00000000)
	s_setprio 0
	s_add_u32 s16, s16, 0x80
	s_addc_u32 s17, s17, 0
	s_add_u32 s8, s8, 0x80
	s_addc_u32 s9, s9, 0
	s_cmp_gt_u32 s31, 3
	s_cbranch_scc1 .LBB1_316
; %bb.318:                              ;   in Loop: Header=BB1_317 Depth=2
	s_cmp_lg_u32 s31, 3
	s_cbranch_scc0 .LBB1_320
; %bb.319:                              ;   in Loop: Header=BB1_317 Depth=2
	s_mov_b32 s4, 0
	s_mov_b64 s[22:23], s[18:19]
	s_mov_b64 s[26:27], s[10:11]
	s_mov_b64 s[20:21], s[16:17]
	s_mov_b32 s22, s4
	s_mov_b64 s[24:25], s[8:9]
	s_mov_b32 s26, s4
	s_cbranch_execz .LBB1_315
	s_branch .LBB1_321
.LBB1_320:                              ;   in Loop: Header=BB1_317 Depth=2
                                        ; implicit-def: $sgpr24_sgpr25_sgpr26_sgpr27
                                        ; implicit-def: $sgpr20_sgpr21_sgpr22_sgpr23
	s_branch .LBB1_315
.LBB1_321:                              ;   in Loop: Header=BB1_317 Depth=2
	s_mov_b64 s[8:9], s[24:25]
	s_mov_b64 s[16:17], s[20:21]
	s_mov_b64 s[10:11], s[26:27]
	s_mov_b64 s[18:19], s[22:23]
	s_branch .LBB1_316
.LBB1_322:                              ;   in Loop: Header=BB1_124 Depth=1
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	; sched_barrier mask(0x00000000)
	;;#ASMSTART
	s_barrier
	;;#ASMEND
	; sched_barrier mask(0x00000000)
.LBB1_323:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b64_e32 v[114:115], 0
.LBB1_324:                              ;   in Loop: Header=BB1_124 Depth=1
	s_waitcnt lgkmcnt(0)
	s_xor_b64 s[12:13], s[52:53], -1
	s_andn2_b64 vcc, exec, s[82:83]
	v_cmp_gt_i32_e64 s[4:5], s38, v124
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v126, v1
	s_cbranch_vccnz .LBB1_333
; %bb.325:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v2, 0x3ff, v2
	v_cmp_eq_u32_e32 vcc, 0, v2
	s_and_b64 s[8:9], vcc, s[4:5]
	s_and_saveexec_b64 s[4:5], s[8:9]
	s_cbranch_execz .LBB1_327
; %bb.326:                              ;   in Loop: Header=BB1_124 Depth=1
	v_add_u32_e32 v1, s33, v124
	v_mov_b32_e32 v2, s38
	v_cmp_le_i32_e32 vcc, s38, v1
	s_nop 1
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_sub_u32_e32 v1, v1, v2
	v_lshlrev_b32_e32 v2, 6, v1
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[34:35]
	v_mov_b32_e32 v1, 1
	global_atomic_add v1, v[2:3], v1, off sc0
.LBB1_327:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v126, v1
	s_and_b64 vcc, exec, s[6:7]
	s_cbranch_vccz .LBB1_334
.LBB1_328:                              ;   in Loop: Header=BB1_124 Depth=1
	s_andn2_b64 vcc, exec, s[48:49]
	s_cbranch_vccnz .LBB1_638
.LBB1_329:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	v_cmp_gt_i32_e64 s[4:5], s38, v124
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_b64 s[6:7], vcc, s[4:5]
	s_and_saveexec_b64 s[4:5], s[6:7]
	s_cbranch_execz .LBB1_331
; %bb.330:                              ;   in Loop: Header=BB1_124 Depth=1
	v_add_u32_e32 v1, s33, v124
	v_mov_b32_e32 v2, s38
	v_cmp_le_i32_e32 vcc, s38, v1
	s_nop 1
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_sub_u32_e32 v1, v1, v2
	v_lshlrev_b32_e32 v2, 6, v1
	v_ashrrev_i32_e32 v3, 31, v2
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[34:35]
	v_mov_b32_e32 v1, 1
	global_atomic_add v126, v[2:3], v1, off sc0
.LBB1_331:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[4:5]
	s_and_b64 vcc, exec, s[44:45]
	s_cbranch_vccnz .LBB1_639
.LBB1_332:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr36
                                        ; implicit-def: $vgpr1
                                        ; implicit-def: $vgpr12
	s_cbranch_execnz .LBB1_123
	s_branch .LBB1_672
.LBB1_333:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 vcc, exec, s[6:7]
	s_cbranch_vccnz .LBB1_328
.LBB1_334:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cmp_eq_u32_e32 vcc, 1, v120
	s_mov_b64 s[8:9], s[0:1]
	s_mov_b64 s[4:5], -1
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_vccnz .LBB1_386
; %bb.335:                              ;   in Loop: Header=BB1_124 Depth=1
	s_load_dwordx4 s[4:7], s[8:9], 0x40
	s_load_dword s10, s[8:9], 0x170
	s_ashr_i32 s31, s30, 31
	s_lshl_b64 s[8:9], s[30:31], 2
	s_waitcnt lgkmcnt(0)
	s_add_u32 s8, s4, s8
	s_addc_u32 s9, s5, s9
	s_bfe_u32 s4, s10, 0x80010
	s_cmp_lg_u32 s4, 2
	s_cbranch_scc0 .LBB1_353
; %bb.336:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_i32 s10, s30, s29
	s_ashr_i32 s11, s10, 31
	v_mov_b32_e32 v1, v0
	s_lshl_b64 s[10:11], s[10:11], 16
	;;#ASMSTART
	;;#ASMEND
	s_add_u32 s10, s6, s10
	v_and_b32_e32 v1, 0x3ff, v1
	s_addc_u32 s11, s7, s11
	v_lshlrev_b32_e32 v2, 4, v1
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[4:5], s[10:11], 0, v[2:3]
	global_store_dwordx4 v2, v[74:77], s[10:11]
	s_mov_b64 s[10:11], 0x1000
	v_lshl_add_u64 v[2:3], v[4:5], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[70:73]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[66:69]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[62:65]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[58:61]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[54:57]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[50:53]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[78:81]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[46:49]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[42:45]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[38:41]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[34:37]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[30:33]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[26:29]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[22:25]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_store_dwordx4 v[2:3], v[18:21]
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	s_cmp_lg_u32 s4, 0
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc0 .LBB1_363
; %bb.337:                              ;   in Loop: Header=BB1_124 Depth=1
	v_cmp_lt_i32_e32 vcc, 1, v120
	s_mov_b64 s[4:5], -1
	s_mov_b32 s18, 1
	s_cbranch_vccnz .LBB1_340
; %bb.338:                              ;   in Loop: Header=BB1_124 Depth=1
	s_branch .LBB1_376
.LBB1_339:                              ;   in Loop: Header=BB1_340 Depth=2
	s_andn2_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB1_364
.LBB1_340:                              ;   Parent Loop BB1_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB1_347 Depth 3
	s_or_b32 s10, s29, s18
	v_cmp_ge_i32_e32 vcc, s10, v120
	s_andn2_b32 s29, s29, s18
	s_mov_b32 s16, 4
	s_cbranch_vccnz .LBB1_348
; %bb.341:                              ;   in Loop: Header=BB1_340 Depth=2
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz .LBB1_345
; %bb.342:                              ;   in Loop: Header=BB1_340 Depth=2
	s_mov_b64 s[14:15], exec
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	v_mbcnt_lo_u32_b32 v1, s14, 0
	v_mbcnt_hi_u32_b32 v1, s15, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[16:17], vcc
	s_cbranch_execz .LBB1_344
; %bb.343:                              ;   in Loop: Header=BB1_340 Depth=2
	s_ashr_i32 s11, s10, 31
	s_lshl_b64 s[10:11], s[10:11], 2
	s_add_u32 s10, s8, s10
	s_addc_u32 s11, s9, s11
	s_bcnt1_i32_b64 s14, s[14:15]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s14
	global_atomic_add v2, v2, v3, s[10:11] sc0
.LBB1_344:                              ;   in Loop: Header=BB1_340 Depth=2
	s_or_b64 exec, exec, s[16:17]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s10, v2
	v_mov_b32_e32 v2, 0
	buffer_inv sc1
	v_add_u32_e32 v1, s10, v1
	ds_write_b32 v2, v1
.LBB1_345:                              ;   in Loop: Header=BB1_340 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v1
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s4, v1
	s_cmp_eq_u32 s4, 0
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc1 .LBB1_350
; %bb.346:                              ;   in Loop: Header=BB1_340 Depth=2
	s_add_i32 s4, s29, s30
	s_ashr_i32 s5, s4, 31
	v_mov_b32_e32 v1, v0
	v_mov_b32_e32 v2, v0
	s_lshl_b64 s[10:11], s[4:5], 16
	;;#ASMSTART
	;;#ASMEND
	s_add_i32 s4, s4, s18
	;;#ASMSTART
	;;#ASMEND
	v_lshlrev_b32_e32 v1, 4, v1
	s_ashr_i32 s5, s4, 31
	v_lshlrev_b32_e32 v2, 4, v2
	v_and_b32_e32 v1, 0x3ff0, v1
	s_lshl_b64 s[4:5], s[4:5], 16
	v_and_b32_e32 v2, 0x3ff0, v2
	v_or_b32_e32 v2, s4, v2
	v_mov_b32_e32 v3, s5
	v_or_b32_e32 v4, s10, v1
	v_mov_b32_e32 v5, s11
	s_mov_b64 s[14:15], -1
	s_mov_b64 s[10:11], s[6:7]
.LBB1_347:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_340 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_lshl_add_u64 v[122:123], s[10:11], 0, v[4:5]
	v_add_co_u32_e32 v144, vcc, 0x1000, v122
	s_movk_i32 s4, 0x2000
	s_nop 0
	v_addc_co_u32_e32 v145, vcc, 0, v123, vcc
	v_add_co_u32_e32 v146, vcc, 0x2000, v122
	v_lshl_add_u64 v[14:15], s[10:11], 0, v[2:3]
	s_nop 0
	v_addc_co_u32_e32 v147, vcc, 0, v123, vcc
	v_add_co_u32_e64 v110, s[4:5], s4, v14
	v_add_co_u32_e32 v148, vcc, 0x3000, v122
	s_movk_i32 s16, 0x4000
	v_addc_co_u32_e64 v111, s[4:5], 0, v15, s[4:5]
	v_addc_co_u32_e32 v149, vcc, 0, v123, vcc
	v_add_co_u32_e64 v112, s[4:5], s16, v14
	v_add_co_u32_e32 v150, vcc, 0x4000, v122
	s_movk_i32 s17, 0x6000
	v_addc_co_u32_e64 v113, s[4:5], 0, v15, s[4:5]
	v_addc_co_u32_e32 v151, vcc, 0, v123, vcc
	v_add_co_u32_e64 v116, s[4:5], s17, v14
	v_add_co_u32_e32 v152, vcc, 0x5000, v122
	s_movk_i32 s19, 0x7000
	v_addc_co_u32_e64 v117, s[4:5], 0, v15, s[4:5]
	v_addc_co_u32_e32 v153, vcc, 0, v123, vcc
	global_load_dwordx4 v[6:9], v[122:123], off
	global_load_dwordx4 v[10:13], v[14:15], off
	v_add_co_u32_e64 v118, s[4:5], s19, v14
	v_add_co_u32_e32 v154, vcc, 0x6000, v122
	s_nop 0
	v_addc_co_u32_e64 v119, s[4:5], 0, v15, s[4:5]
	global_load_dwordx4 v[14:17], v[110:111], off offset:-4096
	global_load_dwordx4 v[82:85], v[110:111], off
	global_load_dwordx4 v[86:89], v[112:113], off offset:-4096
	global_load_dwordx4 v[90:93], v[112:113], off
	global_load_dwordx4 v[94:97], v[116:117], off offset:-4096
	global_load_dwordx4 v[98:101], v[116:117], off
	global_load_dwordx4 v[102:105], v[118:119], off
	global_load_dwordx4 v[106:109], v[144:145], off
	v_addc_co_u32_e32 v155, vcc, 0, v123, vcc
	global_load_dwordx4 v[110:113], v[146:147], off
	global_load_dwordx4 v[116:119], v[148:149], off
	v_add_co_u32_e32 v156, vcc, 0x7000, v122
	global_load_dwordx4 v[128:131], v[150:151], off
	global_load_dwordx4 v[132:135], v[152:153], off
	global_load_dwordx4 v[136:139], v[154:155], off
	v_addc_co_u32_e32 v157, vcc, 0, v123, vcc
	global_load_dwordx4 v[140:143], v[156:157], off
	s_add_u32 s10, s10, 0x8000
	s_mov_b32 s16, 0
	s_addc_u32 s11, s11, 0
	s_and_b64 vcc, exec, s[14:15]
	s_mov_b64 s[14:15], 0
	s_waitcnt vmcnt(0)
	v_pk_add_f32 v[8:9], v[8:9], v[12:13]
	v_pk_add_f32 v[6:7], v[6:7], v[10:11]
	global_store_dwordx4 v[122:123], v[6:9], off
	v_pk_add_f32 v[12:13], v[112:113], v[84:85]
	s_nop 0
	v_pk_add_f32 v[8:9], v[108:109], v[16:17]
	v_pk_add_f32 v[6:7], v[106:107], v[14:15]
	v_pk_add_f32 v[10:11], v[110:111], v[82:83]
	global_store_dwordx4 v[144:145], v[6:9], off
	global_store_dwordx4 v[146:147], v[10:13], off
	s_nop 0
	v_pk_add_f32 v[8:9], v[118:119], v[88:89]
	v_pk_add_f32 v[6:7], v[116:117], v[86:87]
	v_pk_add_f32 v[12:13], v[130:131], v[92:93]
	v_pk_add_f32 v[10:11], v[128:129], v[90:91]
	global_store_dwordx4 v[148:149], v[6:9], off
	global_store_dwordx4 v[150:151], v[10:13], off
	s_nop 0
	v_pk_add_f32 v[8:9], v[134:135], v[96:97]
	v_pk_add_f32 v[6:7], v[132:133], v[94:95]
	v_pk_add_f32 v[12:13], v[138:139], v[100:101]
	v_pk_add_f32 v[10:11], v[136:137], v[98:99]
	global_store_dwordx4 v[152:153], v[6:9], off
	s_nop 1
	v_pk_add_f32 v[8:9], v[142:143], v[104:105]
	v_pk_add_f32 v[6:7], v[140:141], v[102:103]
	global_store_dwordx4 v[154:155], v[10:13], off
	global_store_dwordx4 v[156:157], v[6:9], off
	s_cbranch_vccnz .LBB1_347
.LBB1_348:                              ;   in Loop: Header=BB1_340 Depth=2
	s_mov_b64 s[4:5], -1
	s_cmp_gt_i32 s16, 3
	s_mov_b64 s[10:11], -1
	s_cbranch_scc1 .LBB1_351
.LBB1_349:                              ;   in Loop: Header=BB1_340 Depth=2
	s_cmp_eq_u32 s16, 0
	s_cselect_b64 s[10:11], -1, 0
	s_andn2_b64 vcc, exec, s[10:11]
	s_cbranch_vccnz .LBB1_339
	s_branch .LBB1_352
.LBB1_350:                              ;   in Loop: Header=BB1_340 Depth=2
	s_mov_b32 s16, 1
	s_mov_b64 s[4:5], -1
	s_cmp_gt_i32 s16, 3
	s_mov_b64 s[10:11], -1
	s_cbranch_scc0 .LBB1_349
.LBB1_351:                              ;   in Loop: Header=BB1_340 Depth=2
	s_andn2_b64 vcc, exec, s[10:11]
	s_cbranch_vccnz .LBB1_339
.LBB1_352:                              ;   in Loop: Header=BB1_340 Depth=2
	s_lshl_b32 s18, s18, 1
	s_mov_b32 s16, 2
	v_cmp_ge_i32_e64 s[4:5], s18, v120
	s_branch .LBB1_339
.LBB1_353:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[10:11], -1
	s_mov_b64 s[4:5], 0
                                        ; implicit-def: $vgpr2_vgpr3
	s_branch .LBB1_378
.LBB1_354:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr24_sgpr25
	v_cvt_f32_u32_e32 v2, s18
	s_branch .LBB1_135
.LBB1_355:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr28_sgpr29
	s_branch .LBB1_138
.LBB1_356:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr42_sgpr43
	s_branch .LBB1_141
.LBB1_357:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr24_sgpr25
	s_andn2_b64 vcc, exec, s[22:23]
	v_mov_b64_e32 v[2:3], s[24:25]
	s_cbranch_vccz .LBB1_206
	s_branch .LBB1_207
.LBB1_358:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr10_sgpr11
	s_andn2_b64 vcc, exec, s[14:15]
	s_cbranch_vccz .LBB1_214
	s_branch .LBB1_215
.LBB1_359:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr20_sgpr21
	v_cvt_f32_u32_e32 v11, s8
	v_mov_b64_e32 v[2:3], s[20:21]
	s_branch .LBB1_217
.LBB1_360:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr12_sgpr13
	v_mov_b64_e32 v[4:5], s[12:13]
	s_branch .LBB1_220
.LBB1_361:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr18_sgpr19
	v_cvt_f32_u32_e32 v4, s14
	s_andn2_b64 vcc, exec, s[26:27]
	s_cbranch_vccz .LBB1_237
	s_branch .LBB1_238
.LBB1_362:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr26_sgpr27
	s_andn2_b64 vcc, exec, s[24:25]
	v_mov_b64_e32 v[2:3], s[26:27]
	s_cbranch_vccz .LBB1_240
	s_branch .LBB1_241
.LBB1_363:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[4:5], 0
	s_cbranch_execnz .LBB1_365
	s_branch .LBB1_376
.LBB1_364:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b32 s4, s16, 5
	s_cmp_eq_u32 s4, 0
	s_cselect_b64 s[4:5], -1, 0
	s_branch .LBB1_376
.LBB1_365:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB1_369
; %bb.366:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[16:17], exec
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	v_mbcnt_lo_u32_b32 v1, s16, 0
	v_mbcnt_hi_u32_b32 v1, s17, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[14:15], vcc
	s_cbranch_execz .LBB1_368
; %bb.367:                              ;   in Loop: Header=BB1_124 Depth=1
	s_bcnt1_i32_b64 s16, s[16:17]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s16
	global_atomic_add v2, v2, v3, s[8:9] sc0
.LBB1_368:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[14:15]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s14, v2
	v_mov_b32_e32 v2, 0
	buffer_inv sc1
	v_add_u32_e32 v1, s14, v1
	ds_write_b32 v2, v1
.LBB1_369:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[10:11]
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v3
	v_add_u32_e32 v2, -1, v120
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s16, v1
	s_nop 1
	v_cmp_ne_u32_e32 vcc, s16, v2
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_vccnz .LBB1_376
; %bb.370:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_lshl_b64 s[10:11], s[30:31], 16
	v_lshlrev_b32_e32 v1, 4, v1
	v_and_b32_e32 v2, 0x3ff0, v1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_lshl_b64 s[4:5], s[30:31], 16
	v_lshlrev_b32_e32 v1, 4, v1
	s_add_u32 s4, s4, 0x10000
	v_and_b32_e32 v1, 0x3ff0, v1
	v_or_b32_e32 v4, s10, v2
	s_addc_u32 s5, s5, 0
	v_or_b32_e32 v6, s4, v1
	v_mov_b32_e32 v5, s11
	v_mov_b32_e32 v1, s5
	v_sub_co_u32_e32 v100, vcc, v6, v4
	v_lshl_add_u64 v[98:99], s[6:7], 0, v[4:5]
	s_nop 0
	v_subb_co_u32_e32 v101, vcc, v1, v5, vcc
	v_lshl_add_u64 v[4:5], s[10:11], 0, v[100:101]
	v_lshl_add_u64 v[2:3], v[4:5], 0, v[2:3]
	v_cmp_lt_i32_e64 s[4:5], 1, v120
	v_lshl_add_u64 v[102:103], s[6:7], 0, v[2:3]
	s_mov_b64 s[10:11], -1
	s_branch .LBB1_372
.LBB1_371:                              ;   in Loop: Header=BB1_372 Depth=2
	s_xor_b64 s[14:15], s[10:11], -1
	s_mov_b64 s[10:11], 0x1000
	v_lshl_add_u64 v[104:105], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x2000
	v_lshl_add_u64 v[106:107], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x3000
	v_lshl_add_u64 v[108:109], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x4000
	v_lshl_add_u64 v[110:111], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x5000
	v_lshl_add_u64 v[112:113], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x6000
	v_lshl_add_u64 v[116:117], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x7000
	v_lshl_add_u64 v[118:119], v[98:99], 0, s[10:11]
	s_mov_b64 s[10:11], 0x8000
	s_waitcnt vmcnt(0)
	global_store_dwordx4 v[98:99], v[94:97], off
	global_store_dwordx4 v[104:105], v[2:5], off
	global_store_dwordx4 v[106:107], v[6:9], off
	global_store_dwordx4 v[108:109], v[10:13], off
	global_store_dwordx4 v[110:111], v[14:17], off
	global_store_dwordx4 v[112:113], v[82:85], off
	global_store_dwordx4 v[116:117], v[86:89], off
	global_store_dwordx4 v[118:119], v[90:93], off
	v_lshl_add_u64 v[98:99], v[98:99], 0, s[10:11]
	v_lshl_add_u64 v[102:103], v[102:103], 0, s[10:11]
	s_mov_b64 s[10:11], 0
	s_and_b64 vcc, exec, s[14:15]
	s_cbranch_vccnz .LBB1_375
.LBB1_372:                              ;   Parent Loop BB1_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB1_374 Depth 3
	v_add_co_u32_e32 v10, vcc, 0x1000, v98
	s_nop 1
	v_addc_co_u32_e32 v11, vcc, 0, v99, vcc
	v_add_co_u32_e32 v12, vcc, 0x2000, v98
	s_nop 1
	v_addc_co_u32_e32 v13, vcc, 0, v99, vcc
	v_add_co_u32_e32 v82, vcc, 0x3000, v98
	global_load_dwordx4 v[2:5], v[10:11], off
	global_load_dwordx4 v[6:9], v[12:13], off
	v_addc_co_u32_e32 v83, vcc, 0, v99, vcc
	v_add_co_u32_e32 v84, vcc, 0x4000, v98
	s_nop 1
	v_addc_co_u32_e32 v85, vcc, 0, v99, vcc
	v_add_co_u32_e32 v90, vcc, 0x5000, v98
	global_load_dwordx4 v[10:13], v[82:83], off
	global_load_dwordx4 v[14:17], v[84:85], off
	v_addc_co_u32_e32 v91, vcc, 0, v99, vcc
	v_add_co_u32_e32 v92, vcc, 0x6000, v98
	s_nop 1
	v_addc_co_u32_e32 v93, vcc, 0, v99, vcc
	v_add_co_u32_e32 v104, vcc, 0x7000, v98
	global_load_dwordx4 v[82:85], v[90:91], off
	global_load_dwordx4 v[86:89], v[92:93], off
	v_addc_co_u32_e32 v105, vcc, 0, v99, vcc
	global_load_dwordx4 v[94:97], v[98:99], off
	global_load_dwordx4 v[90:93], v[104:105], off
	s_andn2_b64 vcc, exec, s[4:5]
	s_cbranch_vccnz .LBB1_371
; %bb.373:                              ;   in Loop: Header=BB1_372 Depth=2
	v_mov_b64_e32 v[104:105], v[102:103]
	s_mov_b32 s14, s16
.LBB1_374:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_372 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	s_movk_i32 s15, 0x2000
	v_add_co_u32_e32 v116, vcc, s15, v104
	s_movk_i32 s17, 0x4000
	s_nop 0
	v_addc_co_u32_e32 v117, vcc, 0, v105, vcc
	v_add_co_u32_e32 v122, vcc, s17, v104
	s_movk_i32 s18, 0x6000
	s_nop 0
	v_addc_co_u32_e32 v123, vcc, 0, v105, vcc
	v_add_co_u32_e32 v140, vcc, s18, v104
	s_movk_i32 s19, 0x7000
	s_nop 0
	v_addc_co_u32_e32 v141, vcc, 0, v105, vcc
	v_add_co_u32_e32 v144, vcc, s19, v104
	global_load_dwordx4 v[106:109], v[104:105], off
	s_nop 0
	v_addc_co_u32_e32 v145, vcc, 0, v105, vcc
	global_load_dwordx4 v[110:113], v[116:117], off offset:-4096
	s_nop 0
	global_load_dwordx4 v[116:119], v[116:117], off
	s_nop 0
	global_load_dwordx4 v[128:131], v[122:123], off offset:-4096
	global_load_dwordx4 v[132:135], v[122:123], off
	global_load_dwordx4 v[136:139], v[140:141], off offset:-4096
	s_nop 0
	global_load_dwordx4 v[140:143], v[140:141], off
	s_nop 0
	global_load_dwordx4 v[144:147], v[144:145], off
	s_add_i32 s14, s14, -1
	s_cmp_eq_u32 s14, 0
	v_lshl_add_u64 v[104:105], v[104:105], 0, v[100:101]
	s_waitcnt vmcnt(0)
	v_pk_add_f32 v[4:5], v[4:5], v[112:113]
	v_pk_add_f32 v[2:3], v[2:3], v[110:111]
	v_pk_add_f32 v[8:9], v[8:9], v[118:119]
	v_pk_add_f32 v[96:97], v[96:97], v[108:109]
	v_pk_add_f32 v[94:95], v[94:95], v[106:107]
	v_pk_add_f32 v[6:7], v[6:7], v[116:117]
	v_pk_add_f32 v[12:13], v[12:13], v[130:131]
	v_pk_add_f32 v[10:11], v[10:11], v[128:129]
	v_pk_add_f32 v[16:17], v[16:17], v[134:135]
	v_pk_add_f32 v[14:15], v[14:15], v[132:133]
	v_pk_add_f32 v[84:85], v[84:85], v[138:139]
	v_pk_add_f32 v[82:83], v[82:83], v[136:137]
	v_pk_add_f32 v[88:89], v[88:89], v[142:143]
	v_pk_add_f32 v[86:87], v[86:87], v[140:141]
	v_pk_add_f32 v[92:93], v[92:93], v[146:147]
	v_pk_add_f32 v[90:91], v[90:91], v[144:145]
	s_cbranch_scc0 .LBB1_374
	s_branch .LBB1_371
.LBB1_375:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[4:5], -1
.LBB1_376:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[10:11], 0
	s_and_b64 vcc, exec, s[4:5]
	v_mov_b64_e32 v[2:3], v[114:115]
	s_mov_b64 s[4:5], 0
	s_cbranch_vccz .LBB1_378
; %bb.377:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v1, v0
	s_lshl_b64 s[4:5], s[30:31], 16
	;;#ASMSTART
	;;#ASMEND
	s_add_u32 s4, s6, s4
	v_and_b32_e32 v1, 0x3ff, v1
	s_addc_u32 s5, s7, s5
	v_lshlrev_b32_e32 v2, 4, v1
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[2:3]
	s_mov_b64 s[4:5], -1
.LBB1_378:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 vcc, exec, s[10:11]
	s_cbranch_vccz .LBB1_385
; %bb.379:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s29, s28, 31
	v_mov_b32_e32 v1, v0
	s_lshl_b64 s[10:11], s[28:29], 16
	;;#ASMSTART
	;;#ASMEND
	s_add_u32 s6, s6, s10
	v_and_b32_e32 v1, 0x3ff, v1
	s_addc_u32 s7, s7, s11
	v_lshlrev_b32_e32 v2, 4, v1
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[4:5], s[6:7], 0, v[2:3]
	s_mov_b64 s[10:11], 0x1000
	global_atomic_add_f32 v2, v74, s[6:7]
	global_atomic_add_f32 v2, v75, s[6:7] offset:4
	global_atomic_add_f32 v2, v76, s[6:7] offset:8
	global_atomic_add_f32 v2, v77, s[6:7] offset:12
	v_lshl_add_u64 v[2:3], v[4:5], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v70
	flat_atomic_add_f32 v[2:3], v71 offset:4
	flat_atomic_add_f32 v[2:3], v72 offset:8
	flat_atomic_add_f32 v[2:3], v73 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v66
	flat_atomic_add_f32 v[2:3], v67 offset:4
	flat_atomic_add_f32 v[2:3], v68 offset:8
	flat_atomic_add_f32 v[2:3], v69 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v62
	flat_atomic_add_f32 v[2:3], v63 offset:4
	flat_atomic_add_f32 v[2:3], v64 offset:8
	flat_atomic_add_f32 v[2:3], v65 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v58
	flat_atomic_add_f32 v[2:3], v59 offset:4
	flat_atomic_add_f32 v[2:3], v60 offset:8
	flat_atomic_add_f32 v[2:3], v61 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v54
	flat_atomic_add_f32 v[2:3], v55 offset:4
	flat_atomic_add_f32 v[2:3], v56 offset:8
	flat_atomic_add_f32 v[2:3], v57 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v50
	flat_atomic_add_f32 v[2:3], v51 offset:4
	flat_atomic_add_f32 v[2:3], v52 offset:8
	flat_atomic_add_f32 v[2:3], v53 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v78
	flat_atomic_add_f32 v[2:3], v79 offset:4
	flat_atomic_add_f32 v[2:3], v80 offset:8
	flat_atomic_add_f32 v[2:3], v81 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v46
	flat_atomic_add_f32 v[2:3], v47 offset:4
	flat_atomic_add_f32 v[2:3], v48 offset:8
	flat_atomic_add_f32 v[2:3], v49 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v42
	flat_atomic_add_f32 v[2:3], v43 offset:4
	flat_atomic_add_f32 v[2:3], v44 offset:8
	flat_atomic_add_f32 v[2:3], v45 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v38
	flat_atomic_add_f32 v[2:3], v39 offset:4
	flat_atomic_add_f32 v[2:3], v40 offset:8
	flat_atomic_add_f32 v[2:3], v41 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v34
	flat_atomic_add_f32 v[2:3], v35 offset:4
	flat_atomic_add_f32 v[2:3], v36 offset:8
	flat_atomic_add_f32 v[2:3], v37 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v30
	flat_atomic_add_f32 v[2:3], v31 offset:4
	flat_atomic_add_f32 v[2:3], v32 offset:8
	flat_atomic_add_f32 v[2:3], v33 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v26
	flat_atomic_add_f32 v[2:3], v27 offset:4
	flat_atomic_add_f32 v[2:3], v28 offset:8
	flat_atomic_add_f32 v[2:3], v29 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v22
	flat_atomic_add_f32 v[2:3], v23 offset:4
	flat_atomic_add_f32 v[2:3], v24 offset:8
	flat_atomic_add_f32 v[2:3], v25 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	;;#ASMSTART
	;;#ASMEND
	flat_atomic_add_f32 v[2:3], v18
	flat_atomic_add_f32 v[2:3], v19 offset:4
	flat_atomic_add_f32 v[2:3], v20 offset:8
	flat_atomic_add_f32 v[2:3], v21 offset:12
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[10:11]
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[10:11], vcc
	s_cbranch_execz .LBB1_383
; %bb.380:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[16:17], exec
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	;;#ASMSTART
	s_waitcnt vmcnt(0)
	;;#ASMEND
	v_mbcnt_lo_u32_b32 v1, s16, 0
	v_mbcnt_hi_u32_b32 v1, s17, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
                                        ; implicit-def: $vgpr2
	s_and_saveexec_b64 s[14:15], vcc
	s_cbranch_execz .LBB1_382
; %bb.381:                              ;   in Loop: Header=BB1_124 Depth=1
	s_bcnt1_i32_b64 s16, s[16:17]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, s16
	global_atomic_add v2, v2, v3, s[8:9] sc0
.LBB1_382:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[14:15]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s8, v2
	v_mov_b32_e32 v2, 0
	buffer_inv sc1
	v_add_u32_e32 v1, s8, v1
	ds_write_b32 v2, v1
.LBB1_383:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[10:11]
	v_mov_b32_e32 v3, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v3
	v_add_u32_e32 v2, -1, v120
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s8, v1
	s_nop 1
	v_cmp_ne_u32_e32 vcc, s8, v2
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_vccnz .LBB1_386
; %bb.384:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v1, v0
	;;#ASMSTART
	;;#ASMEND
	s_mov_b64 s[4:5], -1
	v_and_b32_e32 v1, 0x3ff, v1
	v_lshlrev_b32_e32 v2, 4, v1
	v_lshl_add_u64 v[114:115], s[6:7], 0, v[2:3]
	s_branch .LBB1_386
.LBB1_385:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b64_e32 v[114:115], v[2:3]
.LBB1_386:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[44:45], s[48:49]
	s_mov_b64 s[48:49], s[82:83]
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB1_637
; %bb.387:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[4:5], s[0:1]
	;;#ASMSTART
	;;#ASMEND
	s_load_dwordx8 s[24:31], s[4:5], 0x10
	s_load_dwordx2 s[6:7], s[4:5], 0x30
	s_load_dwordx4 s[40:43], s[4:5], 0x50
	s_load_dword s97, s[4:5], 0xb8
	s_load_dword s51, s[4:5], 0xc0
	s_load_dwordx4 s[8:11], s[4:5], 0x168
	s_load_dwordx2 s[62:63], s[4:5], 0x88
	s_load_dwordx4 s[16:19], s[4:5], 0x78
	v_readfirstlane_b32 s4, v0
	s_lshl_b32 s4, s4, 7
	s_and_b32 s93, s4, 0x7fffe000
	s_waitcnt lgkmcnt(0)
	s_and_b32 s95, s10, 0xff
	s_cmp_gt_u32 s95, 4
	s_cselect_b64 s[4:5], -1, 0
	s_bitcmp1_b32 s11, 8
	s_cselect_b64 s[14:15], -1, 0
	s_or_b64 s[4:5], s[4:5], s[14:15]
	s_cmp_lg_u64 s[26:27], 0
	s_cselect_b64 s[60:61], -1, 0
	s_or_b64 s[4:5], s[4:5], s[60:61]
	s_bitcmp1_b32 s11, 0
	s_cselect_b64 s[58:59], -1, 0
	s_or_b64 s[4:5], s[4:5], s[58:59]
	s_and_b32 s20, s42, 7
	s_mov_b32 s21, 0
	s_cmp_lg_u64 s[20:21], 0
	v_mov_b64_e32 v[2:3], 0x7fffff
	s_cselect_b64 s[20:21], -1, 0
	v_cmp_gt_i64_e32 vcc, s[42:43], v[2:3]
	s_or_b64 s[20:21], vcc, s[20:21]
	s_or_b64 s[20:21], s[4:5], s[20:21]
	s_mov_b64 s[4:5], -1
	s_and_b64 vcc, exec, s[20:21]
	s_cbranch_vccnz .LBB1_462
; %bb.388:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s22, s50, 31
	s_and_b32 s36, s97, 0xff
	v_mov_b32_e32 v88, v0
	s_cmp_gt_i32 s36, 1
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc0 .LBB1_390
; %bb.389:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_i32 s5, s51, s50
	s_ashr_i32 s20, s91, 31
	s_mul_hi_i32 s4, s51, s50
	s_add_u32 s5, s5, s91
	s_addc_u32 s4, s4, s20
	s_mul_i32 s20, s5, s41
	s_mul_hi_u32 s21, s5, s40
	s_add_i32 s20, s21, s20
	s_mul_i32 s4, s4, s40
	s_add_i32 s21, s20, s4
	s_mul_i32 s20, s5, s40
	s_mov_b64 s[68:69], s[40:41]
	s_cbranch_execz .LBB1_391
	s_branch .LBB1_393
.LBB1_390:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr20_sgpr21
	s_andn2_b64 vcc, exec, s[4:5]
	s_mov_b64 s[68:69], s[40:41]
	s_cbranch_vccnz .LBB1_393
.LBB1_391:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_i32 s4, s40, s22
	s_mul_hi_u32 s5, s40, s50
	s_add_i32 s4, s5, s4
	s_mul_i32 s5, s41, s50
	s_add_i32 s21, s4, s5
	s_and_b32 s4, 0xffff, s36
	s_mul_i32 s20, s40, s50
	s_cmp_lg_u32 s4, 1
	s_mov_b64 s[68:69], s[40:41]
	s_cbranch_scc1 .LBB1_393
; %bb.392:                              ;   in Loop: Header=BB1_124 Depth=1
	s_sub_i32 s68, s89, s85
	s_ashr_i32 s69, s68, 31
	s_ashr_i32 s4, s85, 31
	s_add_u32 s20, s20, s85
	s_addc_u32 s21, s21, s4
.LBB1_393:                              ;   in Loop: Header=BB1_124 Depth=1
	v_readfirstlane_b32 s46, v0
	s_mov_b64 s[22:23], 0
	s_andn2_b64 vcc, exec, s[12:13]
	s_mov_b64 s[64:65], 0
	s_cbranch_vccnz .LBB1_398
; %bb.394:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s36, 1
	s_cselect_b32 s4, s91, s50
	s_cmp_eq_u64 s[28:29], 0
	s_cbranch_scc1 .LBB1_396
; %bb.395:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s5, s4, 31
	s_mul_hi_u32 s47, s16, s4
	s_mul_i32 s5, s16, s5
	s_add_i32 s5, s47, s5
	s_mul_i32 s47, s17, s4
	s_add_i32 s65, s5, s47
	s_mul_i32 s64, s16, s4
	s_lshl_b64 s[64:65], s[64:65], 2
	s_add_u32 s64, s28, s64
	s_addc_u32 s65, s29, s65
.LBB1_396:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u64 s[30:31], 0
	s_cbranch_scc1 .LBB1_398
; %bb.397:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s5, s4, 31
	s_mul_hi_u32 s22, s18, s4
	s_mul_i32 s5, s18, s5
	s_add_i32 s5, s22, s5
	s_mul_i32 s22, s19, s4
	s_add_i32 s5, s5, s22
	s_mul_i32 s4, s18, s4
	s_lshl_b64 s[4:5], s[4:5], 2
	s_add_u32 s22, s30, s4
	s_addc_u32 s23, s31, s5
.LBB1_398:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s57, s56, 31
	s_lshl_b64 s[66:67], s[56:57], 7
	s_and_b32 s4, s46, 64
	v_and_b32_e32 v89, 7, v88
	s_or_b32 s4, s66, s4
	v_lshl_or_b32 v82, v89, 3, s4
	v_mov_b32_e32 v83, s67
	v_cmp_gt_i64_e64 s[4:5], s[42:43], v[82:83]
	v_mov_b32_e32 v1, s67
	s_cmp_lg_u64 s[64:65], 0
	v_cndmask_b32_e64 v84, 0, v82, s[4:5]
	v_cndmask_b32_e64 v85, 0, v1, s[4:5]
	s_cselect_b64 s[66:67], -1, 0
	s_cmp_eq_u64 s[64:65], 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_lshl_add_u64 v[14:15], v[84:85], 2, s[64:65]
	s_cbranch_scc1 .LBB1_400
; %bb.399:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dwordx4 v[2:5], v[14:15], off
.LBB1_400:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_lg_u64 s[22:23], 0
	s_cselect_b64 s[64:65], -1, 0
	s_cmp_eq_u64 s[22:23], 0
	v_mov_b32_e32 v6, 1.0
	v_mov_b32_e32 v7, 1.0
	v_mov_b32_e32 v8, 1.0
	v_mov_b32_e32 v9, 1.0
	s_cbranch_scc1 .LBB1_404
; %bb.401:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .LBB1_675
; %bb.402:                              ;   in Loop: Header=BB1_124 Depth=1
	v_lshl_add_u64 v[6:7], v[84:85], 2, s[22:23]
	global_load_dwordx4 v[6:9], v[6:7], off
	s_cbranch_execnz .LBB1_404
.LBB1_403:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v1, 0
	global_load_dword v9, v1, s[22:23]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v8, v9
	v_mov_b32_e32 v7, v9
	v_mov_b32_e32 v6, v9
.LBB1_404:                              ;   in Loop: Header=BB1_124 Depth=1
	s_andn2_b64 vcc, exec, s[66:67]
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	s_cbranch_vccnz .LBB1_406
; %bb.405:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dwordx4 v[10:13], v[14:15], off offset:16
.LBB1_406:                              ;   in Loop: Header=BB1_124 Depth=1
	s_andn2_b64 vcc, exec, s[64:65]
	v_mov_b32_e32 v14, 1.0
	v_mov_b32_e32 v15, 1.0
	v_mov_b32_e32 v16, 1.0
	v_mov_b32_e32 v17, 1.0
	s_cbranch_vccnz .LBB1_410
; %bb.407:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .LBB1_676
; %bb.408:                              ;   in Loop: Header=BB1_124 Depth=1
	v_lshl_add_u64 v[14:15], v[84:85], 2, s[22:23]
	global_load_dwordx4 v[14:17], v[14:15], off offset:16
	s_cbranch_execnz .LBB1_410
.LBB1_409:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v1, 0
	global_load_dword v17, v1, s[22:23]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v16, v17
	v_mov_b32_e32 v15, v17
	v_mov_b32_e32 v14, v17
.LBB1_410:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u64 s[6:7], 0
	s_cselect_b64 s[64:65], -1, 0
	s_or_b64 s[64:65], s[52:53], s[64:65]
	s_and_b64 s[64:65], s[64:65], exec
	s_cselect_b32 s76, -1, s50
	s_cmp_gt_i32 s76, -1
	s_cselect_b64 s[64:65], -1, 0
	s_cmp_lt_i32 s76, 0
	s_cselect_b64 s[70:71], -1, 0
	s_ashr_i32 s55, s54, 31
	s_lshr_b32 s46, s46, 1
	s_lshl_b64 s[72:73], s[54:55], 7
	s_and_b32 s46, s46, 0x7fffffc0
	s_add_u32 s46, s72, s46
	s_addc_u32 s47, s73, 0
	s_sub_u32 s68, s68, s46
	s_subb_u32 s69, s69, s47
	v_cmp_gt_i64_e64 s[72:73], s[68:69], 0
	s_and_b64 s[72:73], s[72:73], exec
	s_cselect_b32 s69, s69, 0
	s_cselect_b32 s68, s68, 0
	v_cmp_lt_i64_e64 s[72:73], s[68:69], 64
	s_and_b64 s[72:73], s[72:73], exec
	s_cselect_b32 s55, s68, 64
	s_ashr_i32 s57, s85, 31
	v_and_b32_e32 v84, 31, v88
	s_cmp_eq_u32 s36, 1
	v_cmp_le_u32_e32 vcc, s55, v84
	s_cselect_b32 s36, s57, 0
	s_cselect_b32 s74, s85, 0
	s_or_b64 s[70:71], vcc, s[70:71]
	s_mul_i32 s57, s63, s76
	s_mul_hi_u32 s75, s62, s76
	s_mul_i32 s68, s62, s76
                                        ; implicit-def: $sgpr72_sgpr73
	s_and_saveexec_b64 s[76:77], s[70:71]
	s_xor_b64 s[70:71], exec, s[76:77]
; %bb.411:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_i32 s69, s75, s57
	s_ashr_i32 s73, s9, 31
	s_mov_b32 s72, s9
; %bb.412:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_saveexec_b64 s[70:71], s[70:71]
	v_mov_b64_e32 v[116:117], s[72:73]
	v_mov_b64_e32 v[86:87], s[68:69]
	v_mov_b32_e32 v1, 1.0
	s_xor_b64 exec, exec, s[70:71]
	s_cbranch_execz .LBB1_414
; %bb.413:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_u32 s72, s46, s74
	v_mov_b32_e32 v85, 0
	s_addc_u32 s73, s47, s36
	v_lshl_add_u64 v[86:87], s[72:73], 0, v[84:85]
	s_ashr_i32 s73, s9, 31
	s_add_i32 s69, s75, s57
	v_mul_lo_u32 v1, v87, s9
	v_mul_lo_u32 v83, v86, s73
	v_mad_u64_u32 v[86:87], s[76:77], v86, s9, 0
	s_lshl_b64 s[76:77], s[68:69], 2
	s_add_u32 s76, s6, s76
	v_add3_u32 v87, v87, v83, v1
	s_addc_u32 s77, s7, s77
	v_lshl_add_u64 v[86:87], v[86:87], 2, s[76:77]
	global_load_dword v1, v[86:87], off
	s_mov_b32 s72, s9
	v_mov_b64_e32 v[116:117], s[72:73]
	v_mov_b64_e32 v[86:87], s[68:69]
.LBB1_414:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[70:71]
	s_cmp_lg_u64 s[22:23], 0
	s_cselect_b64 s[22:23], -1, 0
	s_or_b64 s[22:23], s[66:67], s[22:23]
	s_or_b64 s[66:67], s[22:23], s[64:65]
	s_cmp_gt_u32 s95, 2
	s_cselect_b64 s[68:69], -1, 0
	s_cmp_lt_u32 s95, 3
	s_cselect_b64 s[22:23], -1, 0
	s_cmp_lg_u32 s95, 0
	s_cselect_b64 s[70:71], -1, 0
	v_cndmask_b32_e64 v83, 0, 1, s[22:23]
	s_and_b64 s[22:23], s[70:71], exec
	v_readfirstlane_b32 s22, v83
	s_cselect_b32 s57, s22, 2
	s_lshl_b32 s75, s42, s57
	s_lshr_b32 s72, s10, 8
	s_add_u32 s20, s46, s20
	s_addc_u32 s21, s47, s21
	s_and_b32 s22, s75, -8
	s_mul_i32 s21, s21, s22
	s_mul_hi_u32 s23, s20, s22
	s_add_i32 s23, s23, s21
	s_mul_i32 s20, s20, s22
	v_bfe_u32 v127, v88, 3, 3
	s_add_u32 s20, s24, s20
	s_addc_u32 s21, s25, s23
	s_mul_i32 s22, s55, s75
	v_mul_lo_u32 v83, v127, s75
	s_and_b32 s22, s22, -8
	s_and_b32 s21, s21, 0xffff
	v_lshl_add_u32 v82, v82, s57, v83
	v_bfrev_b32_e32 v83, 1
	v_cndmask_b32_e64 v129, v83, v82, s[4:5]
	s_and_b64 s[4:5], s[52:53], exec
	s_cselect_b32 s57, 0, s72
	s_add_u32 s72, s46, s74
	s_addc_u32 s73, s47, s36
	s_lshl_b32 s99, s75, 3
	s_cmp_lg_u32 s95, 3
	v_and_b32_e32 v83, 8, v88
	v_or_b32_e32 v128, 32, v84
	v_or_b32_e32 v82, 8, v89
	s_cselect_b64 s[74:75], -1, 0
	s_cmp_lg_u32 s95, 2
	v_or_b32_e32 v84, v83, v127
	v_bitop3_b32 v85, v88, 8, v127 bitop3:0x26
	s_mov_b32 s82, 0
	s_mov_b32 s23, 0x20000
	v_lshl_add_u64 v[118:119], v[86:87], 2, s[6:7]
	s_cselect_b64 s[76:77], -1, 0
	v_xor_b32_e32 v130, v85, v89
	v_bitop3_b32 v131, v84, v89, 8 bitop3:0xb4
	v_bitop3_b32 v132, v83, v89, v127 bitop3:0x36
	v_bitop3_b32 v133, v83, v82, v127 bitop3:0x36
	s_mov_b64 s[80:81], -1
	v_mov_b64_e32 v[120:121], v[114:115]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v134, v1
	s_branch .LBB1_416
.LBB1_415:                              ;   in Loop: Header=BB1_416 Depth=2
	s_mov_b32 s82, 32
	s_mov_b64 s[80:81], 0
	s_and_b64 vcc, exec, s[78:79]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v134
	s_cbranch_vccnz .LBB1_461
.LBB1_416:                              ;   Parent Loop BB1_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB1_422 Depth 3
                                        ;       Child Loop BB1_428 Depth 3
	v_cndmask_b32_e64 v82, 0, 1, s[64:65]
	v_cmp_ne_u32_e64 s[4:5], 1, v82
	s_andn2_b64 vcc, exec, s[64:65]
	s_cbranch_vccnz .LBB1_420
; %bb.417:                              ;   in Loop: Header=BB1_416 Depth=2
	v_add_u32_e32 v82, s82, v128
	v_cmp_gt_u32_e32 vcc, s55, v82
	v_mov_b32_e32 v134, 1.0
	s_and_saveexec_b64 s[78:79], vcc
	s_cbranch_execz .LBB1_419
; %bb.418:                              ;   in Loop: Header=BB1_416 Depth=2
	v_mov_b32_e32 v83, 0
	v_lshl_add_u64 v[82:83], s[72:73], 0, v[82:83]
	v_mul_lo_u32 v84, v83, v116
	v_mul_lo_u32 v85, v82, v117
	v_mad_u64_u32 v[82:83], s[46:47], v82, v116, 0
	v_add3_u32 v83, v83, v85, v84
	v_lshl_add_u64 v[82:83], v[82:83], 2, v[118:119]
	global_load_dword v134, v[82:83], off
.LBB1_419:                              ;   in Loop: Header=BB1_416 Depth=2
	s_or_b64 exec, exec, s[78:79]
.LBB1_420:                              ;   in Loop: Header=BB1_416 Depth=2
	v_mov_b32_e32 v83, v0
	;;#ASMSTART
	;;#ASMEND
	v_cmp_ne_u64_e32 vcc, 0, v[120:121]
	s_waitcnt lgkmcnt(2)
	v_and_b32_e32 v87, 63, v83
	v_and_b32_e32 v84, 15, v83
	v_and_b32_e32 v82, 7, v83
	v_lshlrev_b32_e32 v85, 3, v84
	v_lshrrev_b32_e32 v86, 1, v83
	v_lshrrev_b32_e32 v87, 5, v87
	s_and_saveexec_b64 s[46:47], vcc
	s_xor_b64 s[78:79], exec, s[46:47]
	s_cbranch_execz .LBB1_424
; %bb.421:                              ;   in Loop: Header=BB1_416 Depth=2
	v_xor_b32_e32 v83, v85, v83
	v_and_or_b32 v83, v83, 8, v82
	v_and_b32_e32 v82, 8, v86
	v_lshlrev_b32_e32 v86, 8, v84
	v_or_b32_e32 v85, v87, v82
	v_bitop3_b32 v82, v87, v83, v82 bitop3:0x36
	v_add_u32_e32 v84, s93, v86
	v_lshl_add_u32 v82, v82, 4, v84
	v_bitop3_b32 v87, v85, v83, 2 bitop3:0x36
	v_bitop3_b32 v84, v85, v83, 4 bitop3:0x36
	v_bitop3_b32 v83, v85, v83, 6 bitop3:0x36
	v_lshl_or_b32 v83, v83, 4, v86
	v_lshl_or_b32 v84, v84, 4, v86
	v_lshl_or_b32 v85, v87, 4, v86
	v_add_u32_e32 v83, s93, v83
	v_add_u32_e32 v84, s93, v84
	v_add_u32_e32 v85, s93, v85
	s_movk_i32 s36, 0xe000
.LBB1_422:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_416 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_add_co_u32_e32 v86, vcc, 0x1000, v120
	s_waitcnt lgkmcnt(0)
	global_load_dwordx4 v[92:95], v[120:121], off
	v_addc_co_u32_e32 v87, vcc, 0, v121, vcc
	v_add_co_u32_e32 v88, vcc, 0x2000, v120
	s_mov_b64 s[46:47], 0x4000
	s_nop 0
	v_addc_co_u32_e32 v89, vcc, 0, v121, vcc
	global_load_dwordx4 v[96:99], v[86:87], off
	global_load_dwordx4 v[100:103], v[88:89], off
	v_add_co_u32_e32 v90, vcc, 0x3000, v120
	v_add_u32_e32 v86, s36, v82
	s_nop 0
	v_addc_co_u32_e32 v91, vcc, 0, v121, vcc
	global_load_dwordx4 v[104:107], v[90:91], off
	v_add_u32_e32 v87, s36, v85
	v_add_u32_e32 v88, s36, v84
	v_add_u32_e32 v89, s36, v83
	s_addk_i32 s36, 0x1000
	s_cmp_lg_u32 s36, 0
	v_lshl_add_u64 v[120:121], v[120:121], 0, s[46:47]
	s_waitcnt vmcnt(3)
	ds_write_b128 v86, v[92:95] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v87, v[96:99] offset:8192
	s_waitcnt vmcnt(1)
	ds_write_b128 v88, v[100:103] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v89, v[104:107] offset:8192
	s_cbranch_scc1 .LBB1_422
; %bb.423:                              ;   in Loop: Header=BB1_416 Depth=2
                                        ; implicit-def: $vgpr85
                                        ; implicit-def: $vgpr83
                                        ; implicit-def: $vgpr86
                                        ; implicit-def: $vgpr87
                                        ; implicit-def: $vgpr82
                                        ; implicit-def: $vgpr84
.LBB1_424:                              ;   in Loop: Header=BB1_416 Depth=2
	s_andn2_saveexec_b64 s[78:79], s[78:79]
	s_cbranch_execz .LBB1_426
; %bb.425:                              ;   in Loop: Header=BB1_416 Depth=2
	v_bitop3_b32 v83, v85, 8, v83 bitop3:0x48
	v_and_or_b32 v85, v86, 8, v87
	v_bitop3_b32 v86, v83, v85, v82 bitop3:0x36
	v_lshl_add_u32 v84, v84, 8, s93
	v_lshl_add_u32 v120, v86, 4, v84
	v_or_b32_e32 v86, 2, v85
	v_bitop3_b32 v86, v83, v86, v82 bitop3:0x36
	v_lshl_add_u32 v121, v86, 4, v84
	v_or_b32_e32 v86, 4, v85
	v_or_b32_e32 v85, 6, v85
	v_bitop3_b32 v86, v83, v86, v82 bitop3:0x36
	v_bitop3_b32 v82, v83, v85, v82 bitop3:0x36
	v_lshl_add_u32 v122, v86, 4, v84
	v_lshl_add_u32 v123, v82, 4, v84
	v_cndmask_b32_e64 v85, v49, v77, s[80:81]
	v_cndmask_b32_e64 v84, v48, v76, s[80:81]
	v_cndmask_b32_e64 v83, v47, v75, s[80:81]
	v_cndmask_b32_e64 v82, v46, v74, s[80:81]
	v_cndmask_b32_e64 v89, v45, v73, s[80:81]
	v_cndmask_b32_e64 v88, v44, v72, s[80:81]
	v_cndmask_b32_e64 v87, v43, v71, s[80:81]
	v_cndmask_b32_e64 v86, v42, v70, s[80:81]
	s_waitcnt lgkmcnt(1)
	v_cndmask_b32_e64 v93, v41, v69, s[80:81]
	v_cndmask_b32_e64 v92, v40, v68, s[80:81]
	v_cndmask_b32_e64 v91, v39, v67, s[80:81]
	v_cndmask_b32_e64 v90, v38, v66, s[80:81]
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v97, v37, v65, s[80:81]
	v_cndmask_b32_e64 v96, v36, v64, s[80:81]
	v_cndmask_b32_e64 v95, v35, v63, s[80:81]
	v_cndmask_b32_e64 v94, v34, v62, s[80:81]
	v_cndmask_b32_e64 v101, v33, v61, s[80:81]
	v_cndmask_b32_e64 v100, v32, v60, s[80:81]
	v_cndmask_b32_e64 v99, v31, v59, s[80:81]
	v_cndmask_b32_e64 v98, v30, v58, s[80:81]
	v_cndmask_b32_e64 v105, v29, v57, s[80:81]
	v_cndmask_b32_e64 v104, v28, v56, s[80:81]
	v_cndmask_b32_e64 v103, v27, v55, s[80:81]
	v_cndmask_b32_e64 v102, v26, v54, s[80:81]
	v_cndmask_b32_e64 v109, v25, v53, s[80:81]
	v_cndmask_b32_e64 v108, v24, v52, s[80:81]
	v_cndmask_b32_e64 v107, v23, v51, s[80:81]
	v_cndmask_b32_e64 v106, v22, v50, s[80:81]
	v_cndmask_b32_e64 v113, v21, v81, s[80:81]
	v_cndmask_b32_e64 v112, v20, v80, s[80:81]
	v_cndmask_b32_e64 v111, v19, v79, s[80:81]
	v_cndmask_b32_e64 v110, v18, v78, s[80:81]
	ds_write_b128 v120, v[82:85]
	ds_write_b128 v121, v[86:89]
	ds_write_b128 v122, v[90:93]
	ds_write_b128 v123, v[94:97]
	ds_write_b128 v120, v[98:101] offset:4096
	ds_write_b128 v121, v[102:105] offset:4096
	ds_write_b128 v122, v[106:109] offset:4096
	ds_write_b128 v123, v[110:113] offset:4096
	v_mov_b64_e32 v[120:121], 0
.LBB1_426:                              ;   in Loop: Header=BB1_416 Depth=2
	s_or_b64 exec, exec, s[78:79]
	s_xor_b64 s[78:79], s[80:81], -1
	s_mov_b32 s36, 0
	s_mov_b64 s[82:83], -1
	s_branch .LBB1_428
.LBB1_427:                              ;   in Loop: Header=BB1_428 Depth=3
	v_add_u32_e32 v129, s99, v82
	s_mov_b32 s36, 16
	s_mov_b64 s[82:83], 0
	s_and_b64 vcc, exec, s[80:81]
	s_cbranch_vccnz .LBB1_415
.LBB1_428:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_416 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_or_b32_e32 v99, s36, v127
	s_waitcnt lgkmcnt(1)
	v_lshl_add_u32 v90, v99, 8, s93
	v_lshl_add_u32 v82, v132, 4, v90
	v_lshl_add_u32 v86, v133, 4, v90
	v_lshl_add_u32 v91, v130, 4, v90
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v94, v131, 4, v90
	ds_read_b128 v[82:85], v82
	ds_read_b128 v[86:89], v86
	ds_read_b128 v[90:93], v91 offset:2048
	ds_read_b128 v[94:97], v94 offset:2048
	s_andn2_b64 vcc, exec, s[66:67]
	s_cbranch_vccnz .LBB1_434
; %bb.429:                              ;   in Loop: Header=BB1_428 Depth=3
	v_mov_b32_e32 v98, 1.0
	s_and_b64 vcc, exec, s[4:5]
	v_lshlrev_b32_e32 v99, 2, v99
	v_mov_b32_e32 v100, v98
	s_cbranch_vccnz .LBB1_431
; %bb.430:                              ;   in Loop: Header=BB1_428 Depth=3
	ds_bpermute_b32 v100, v99, v1
.LBB1_431:                              ;   in Loop: Header=BB1_428 Depth=3
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccnz .LBB1_433
; %bb.432:                              ;   in Loop: Header=BB1_428 Depth=3
	ds_bpermute_b32 v98, v99, v1 offset:32
.LBB1_433:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[84:85], v[84:85], v[100:101] op_sel_hi:[1,0]
	v_pk_mul_f32 v[82:83], v[82:83], v[100:101] op_sel_hi:[1,0]
	v_pk_mul_f32 v[88:89], v[88:89], v[100:101] op_sel_hi:[1,0]
	v_pk_mul_f32 v[86:87], v[86:87], v[100:101] op_sel_hi:[1,0]
	v_pk_mul_f32 v[92:93], v[92:93], v[98:99] op_sel_hi:[1,0]
	v_pk_mul_f32 v[90:91], v[90:91], v[98:99] op_sel_hi:[1,0]
	v_pk_mul_f32 v[96:97], v[96:97], v[98:99] op_sel_hi:[1,0]
	v_pk_mul_f32 v[94:95], v[94:95], v[98:99] op_sel_hi:[1,0]
	v_pk_fma_f32 v[84:85], v[8:9], v[84:85], v[4:5]
	v_pk_fma_f32 v[82:83], v[6:7], v[82:83], v[2:3]
	v_pk_fma_f32 v[88:89], v[16:17], v[88:89], v[12:13]
	v_pk_fma_f32 v[86:87], v[14:15], v[86:87], v[10:11]
	v_pk_fma_f32 v[92:93], v[8:9], v[92:93], v[4:5]
	v_pk_fma_f32 v[90:91], v[6:7], v[90:91], v[2:3]
	v_pk_fma_f32 v[96:97], v[16:17], v[96:97], v[12:13]
	v_pk_fma_f32 v[94:95], v[14:15], v[94:95], v[10:11]
.LBB1_434:                              ;   in Loop: Header=BB1_428 Depth=3
	s_xor_b64 s[80:81], s[82:83], -1
	s_and_b32 s46, s57, 0xff
	s_cmp_lt_i32 s46, 2
	s_cbranch_scc1 .LBB1_439
; %bb.435:                              ;   in Loop: Header=BB1_428 Depth=3
	s_and_b32 s36, 0xffff, s46
	s_cmp_lt_i32 s36, 3
	s_cbranch_scc1 .LBB1_453
; %bb.436:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(3)
	v_mov_b64_e32 v[100:101], v[84:85]
	s_waitcnt lgkmcnt(2)
	v_mov_b64_e32 v[104:105], v[88:89]
	s_waitcnt lgkmcnt(1)
	v_mov_b64_e32 v[108:109], v[92:93]
	s_waitcnt lgkmcnt(0)
	v_mov_b64_e32 v[112:113], v[96:97]
	s_cmp_eq_u32 s36, 3
	v_mov_b64_e32 v[98:99], v[82:83]
	v_mov_b64_e32 v[102:103], v[86:87]
	v_mov_b64_e32 v[106:107], v[90:91]
	v_mov_b64_e32 v[110:111], v[94:95]
	s_cbranch_scc0 .LBB1_438
; %bb.437:                              ;   in Loop: Header=BB1_428 Depth=3
	s_mov_b32 s47, 0xc2b20000
	v_cmp_ngt_f32_e32 vcc, s47, v83
	v_mov_b32_e32 v122, 0x42b20000
	s_mov_b32 s87, 0xc2d00000
	v_cndmask_b32_e64 v98, v122, -v83, vcc
	v_cmp_ngt_f32_e32 vcc, s47, v82
	v_mov_b32_e32 v135, 0xc2d00000
	s_mov_b32 s82, 0x4b400000
	v_cndmask_b32_e64 v100, v122, -v82, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v98
	s_mov_b32 s36, 0x3fb8aa3b
	v_mov_b64_e32 v[112:113], s[82:83]
	v_cndmask_b32_e32 v99, v135, v98, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v100
	s_mov_b32 s82, 0x395e8083
	s_mov_b32 s84, 0xcb400000
	v_cndmask_b32_e32 v98, v135, v100, vcc
	v_pk_fma_f32 v[100:101], v[98:99], s[36:37], v[112:113] op_sel_hi:[1,0,0]
	s_mov_b32 s83, 0x3f318000
	v_pk_add_f32 v[102:103], v[100:101], s[84:85] op_sel_hi:[1,0]
	s_mov_b32 s86, s83
	v_pk_fma_f32 v[98:99], v[102:103], s[86:87], v[98:99] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_mov_b32 s90, 0x3ab743ce
	v_pk_fma_f32 v[98:99], v[102:103], s[82:83], v[98:99] op_sel_hi:[1,0,1]
	s_mov_b32 s88, 0x39506967
	v_mov_b64_e32 v[110:111], s[90:91]
	v_pk_fma_f32 v[102:103], v[98:99], s[88:89], v[110:111] op_sel_hi:[1,0,0]
	s_mov_b32 s90, 0x3c088908
	v_pk_fma_f32 v[102:103], v[98:99], v[102:103], s[90:91] op_sel_hi:[1,1,0]
	s_mov_b32 s92, 0x3d2aa9c1
	v_pk_fma_f32 v[102:103], v[98:99], v[102:103], s[92:93] op_sel_hi:[1,1,0]
	s_mov_b32 s94, 0x3e2aaaaa
	v_pk_fma_f32 v[102:103], v[98:99], v[102:103], s[94:95] op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[104:105], v[98:99], v[98:99]
	v_pk_fma_f32 v[102:103], v[98:99], v[102:103], 0.5 op_sel_hi:[1,1,0]
	v_mov_b32_e32 v136, 0x3ab743ce
	v_pk_fma_f32 v[98:99], v[104:105], v[102:103], v[98:99]
	v_lshlrev_b32_e32 v102, 22, v101
	v_lshlrev_b32_e32 v103, 22, v100
	v_lshrrev_b32_e32 v104, 1, v101
	v_lshrrev_b32_e32 v105, 1, v100
	v_and_b32_e32 v102, 0xff800000, v102
	v_and_b32_e32 v106, 0xff800000, v103
	v_pk_add_f32 v[98:99], v[98:99], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v103, 1.0, v102
	v_add_u32_e32 v102, 1.0, v106
	v_sub_u32_e32 v100, v100, v105
	v_sub_u32_e32 v101, v101, v104
	v_pk_mul_f32 v[98:99], v[98:99], v[102:103]
	v_lshl_add_u32 v101, v101, 23, 1.0
	v_lshl_add_u32 v100, v100, 23, 1.0
	v_pk_fma_f32 v[98:99], v[98:99], v[100:101], 1.0 op_sel_hi:[1,1,0]
	v_mov_b32_e32 v123, 0x3e2aaaaa
	v_div_scale_f32 v100, vcc, v99, v99, 1.0
	v_rcp_f32_e32 v101, v100
	v_mov_b32_e32 v137, 0x3c088908
	v_mov_b32_e32 v138, 0x3d2aa9c1
	v_fma_f32 v102, -v100, v101, 1.0
	v_fmac_f32_e32 v101, v102, v101
	v_div_scale_f32 v102, vcc, 1.0, v99, 1.0
	v_mul_f32_e32 v103, v102, v101
	v_fma_f32 v104, -v100, v103, v102
	v_fmac_f32_e32 v103, v104, v101
	v_fma_f32 v100, -v100, v103, v102
	v_div_fmas_f32 v100, v100, v101, v103
	v_div_fixup_f32 v99, v100, v99, 1.0
	v_div_scale_f32 v100, vcc, v98, v98, 1.0
	v_rcp_f32_e32 v101, v100
	s_nop 0
	v_fma_f32 v102, -v100, v101, 1.0
	v_fmac_f32_e32 v101, v102, v101
	v_div_scale_f32 v102, vcc, 1.0, v98, 1.0
	v_mul_f32_e32 v103, v102, v101
	v_fma_f32 v104, -v100, v103, v102
	v_fmac_f32_e32 v103, v104, v101
	v_fma_f32 v100, -v100, v103, v102
	v_div_fmas_f32 v100, v100, v101, v103
	v_cmp_ngt_f32_e32 vcc, s47, v85
	v_div_fixup_f32 v98, v100, v98, 1.0
	v_pk_mul_f32 v[98:99], v[82:83], v[98:99]
	v_cndmask_b32_e64 v100, v122, -v85, vcc
	v_cmp_ngt_f32_e32 vcc, s47, v84
	s_nop 1
	v_cndmask_b32_e64 v102, v122, -v84, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v100
	s_nop 1
	v_cndmask_b32_e32 v101, v135, v100, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v102
	s_nop 1
	v_cndmask_b32_e32 v100, v135, v102, vcc
	v_pk_fma_f32 v[102:103], v[100:101], s[36:37], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v108, 0xcb400000, v103
	v_add_f32_e32 v105, 0xcb400000, v102
	v_pk_mul_f32 v[108:109], v[108:109], s[82:83] op_sel_hi:[0,1]
	v_mul_f32_e32 v104, 0x3f318000, v105
	v_mul_f32_e32 v106, 0x395e8083, v105
	v_mov_b32_e32 v105, v109
	v_pk_add_f32 v[100:101], v[100:101], v[104:105] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v107, v108
	v_pk_add_f32 v[100:101], v[106:107], v[100:101]
	s_nop 0
	v_fmamk_f32 v105, v101, 0x39506967, v136
	v_fmamk_f32 v104, v100, 0x39506967, v136
	v_fmaak_f32 v105, v101, v105, 0x3c088908
	v_fmaak_f32 v104, v100, v104, 0x3c088908
	v_fmaak_f32 v105, v101, v105, 0x3d2aa9c1
	v_fmaak_f32 v104, v100, v104, 0x3d2aa9c1
	v_fmaak_f32 v109, v101, v105, 0x3e2aaaaa
	v_mov_b32_e32 v108, v101
	v_fmaak_f32 v104, v100, v104, 0x3e2aaaaa
	v_pk_mul_f32 v[108:109], v[100:101], v[108:109] op_sel:[1,0]
	v_mul_f32_e32 v104, v100, v104
	v_pk_mul_f32 v[106:107], v[100:101], v[100:101]
	v_mov_b32_e32 v105, v109
	v_pk_add_f32 v[104:105], v[104:105], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v107, v108
	v_pk_fma_f32 v[100:101], v[106:107], v[104:105], v[100:101]
	v_lshlrev_b32_e32 v104, 22, v103
	v_lshlrev_b32_e32 v105, 22, v102
	v_lshrrev_b32_e32 v106, 1, v103
	v_lshrrev_b32_e32 v107, 1, v102
	v_and_b32_e32 v104, 0xff800000, v104
	v_and_b32_e32 v108, 0xff800000, v105
	v_pk_add_f32 v[100:101], v[100:101], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v105, 1.0, v104
	v_add_u32_e32 v104, 1.0, v108
	v_sub_u32_e32 v102, v102, v107
	v_sub_u32_e32 v103, v103, v106
	v_pk_mul_f32 v[100:101], v[100:101], v[104:105]
	v_lshl_add_u32 v103, v103, 23, 1.0
	v_lshl_add_u32 v102, v102, 23, 1.0
	v_pk_fma_f32 v[100:101], v[100:101], v[102:103], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v102, vcc, v101, v101, 1.0
	v_rcp_f32_e32 v103, v102
	s_nop 0
	v_fma_f32 v104, -v102, v103, 1.0
	v_fmac_f32_e32 v103, v104, v103
	v_div_scale_f32 v104, vcc, 1.0, v101, 1.0
	v_mul_f32_e32 v105, v104, v103
	v_fma_f32 v106, -v102, v105, v104
	v_fmac_f32_e32 v105, v106, v103
	v_fma_f32 v102, -v102, v105, v104
	v_div_fmas_f32 v102, v102, v103, v105
	v_div_fixup_f32 v101, v102, v101, 1.0
	v_div_scale_f32 v102, vcc, v100, v100, 1.0
	v_rcp_f32_e32 v103, v102
	s_nop 0
	v_fma_f32 v104, -v102, v103, 1.0
	v_fmac_f32_e32 v103, v104, v103
	v_div_scale_f32 v104, vcc, 1.0, v100, 1.0
	v_mul_f32_e32 v105, v104, v103
	v_fma_f32 v106, -v102, v105, v104
	v_fmac_f32_e32 v105, v106, v103
	v_fma_f32 v102, -v102, v105, v104
	v_div_fmas_f32 v102, v102, v103, v105
	v_cmp_ngt_f32_e32 vcc, s47, v87
	v_div_fixup_f32 v100, v102, v100, 1.0
	v_pk_mul_f32 v[100:101], v[84:85], v[100:101]
	v_cndmask_b32_e64 v102, v122, -v87, vcc
	v_cmp_ngt_f32_e32 vcc, s47, v86
	s_nop 1
	v_cndmask_b32_e64 v104, v122, -v86, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v102
	s_nop 1
	v_cndmask_b32_e32 v103, v135, v102, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v104
	s_nop 1
	v_cndmask_b32_e32 v102, v135, v104, vcc
	v_pk_fma_f32 v[104:105], v[102:103], s[36:37], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[106:107], v[104:105], s[84:85] op_sel_hi:[1,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[106:107], s[86:87], v[102:103] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[106:107], s[82:83], v[102:103] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[102:103], s[88:89], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[108:109], v[102:103], v[102:103]
	v_pk_fma_f32 v[106:107], v[102:103], v[106:107], s[90:91] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[102:103], v[106:107], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[102:103], v[106:107], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[102:103], v[106:107], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[108:109], v[106:107], v[102:103]
	v_lshlrev_b32_e32 v106, 22, v105
	v_lshlrev_b32_e32 v107, 22, v104
	v_lshrrev_b32_e32 v108, 1, v105
	v_lshrrev_b32_e32 v109, 1, v104
	v_and_b32_e32 v106, 0xff800000, v106
	v_and_b32_e32 v139, 0xff800000, v107
	v_pk_add_f32 v[102:103], v[102:103], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v107, 1.0, v106
	v_add_u32_e32 v106, 1.0, v139
	v_sub_u32_e32 v104, v104, v109
	v_sub_u32_e32 v105, v105, v108
	v_pk_mul_f32 v[102:103], v[102:103], v[106:107]
	v_lshl_add_u32 v105, v105, 23, 1.0
	v_lshl_add_u32 v104, v104, 23, 1.0
	v_pk_fma_f32 v[102:103], v[102:103], v[104:105], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v104, vcc, v103, v103, 1.0
	v_rcp_f32_e32 v105, v104
	s_nop 0
	v_fma_f32 v106, -v104, v105, 1.0
	v_fmac_f32_e32 v105, v106, v105
	v_div_scale_f32 v106, vcc, 1.0, v103, 1.0
	v_mul_f32_e32 v107, v106, v105
	v_fma_f32 v108, -v104, v107, v106
	v_fmac_f32_e32 v107, v108, v105
	v_fma_f32 v104, -v104, v107, v106
	v_div_fmas_f32 v104, v104, v105, v107
	v_div_fixup_f32 v103, v104, v103, 1.0
	v_div_scale_f32 v104, vcc, v102, v102, 1.0
	v_rcp_f32_e32 v105, v104
	s_nop 0
	v_fma_f32 v106, -v104, v105, 1.0
	v_fmac_f32_e32 v105, v106, v105
	v_div_scale_f32 v106, vcc, 1.0, v102, 1.0
	v_mul_f32_e32 v107, v106, v105
	v_fma_f32 v108, -v104, v107, v106
	v_fmac_f32_e32 v107, v108, v105
	v_fma_f32 v104, -v104, v107, v106
	v_div_fmas_f32 v104, v104, v105, v107
	v_cmp_ngt_f32_e32 vcc, s47, v89
	v_div_fixup_f32 v102, v104, v102, 1.0
	v_pk_mul_f32 v[102:103], v[86:87], v[102:103]
	v_cndmask_b32_e64 v104, v122, -v89, vcc
	v_cmp_ngt_f32_e32 vcc, s47, v88
	s_nop 1
	v_cndmask_b32_e64 v106, v122, -v88, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v104
	s_nop 1
	v_cndmask_b32_e32 v105, v135, v104, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v106
	s_nop 1
	v_cndmask_b32_e32 v104, v135, v106, vcc
	v_pk_fma_f32 v[106:107], v[104:105], s[36:37], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v142, 0xcb400000, v107
	v_add_f32_e32 v109, 0xcb400000, v106
	v_pk_mul_f32 v[142:143], v[142:143], s[82:83] op_sel_hi:[0,1]
	v_mul_f32_e32 v108, 0x3f318000, v109
	v_mul_f32_e32 v140, 0x395e8083, v109
	v_mov_b32_e32 v109, v143
	v_pk_add_f32 v[104:105], v[104:105], v[108:109] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v141, v142
	v_pk_add_f32 v[104:105], v[140:141], v[104:105]
	v_lshrrev_b32_e32 v139, 1, v107
	v_fmamk_f32 v109, v105, 0x39506967, v136
	v_fmamk_f32 v108, v104, 0x39506967, v136
	v_fmaak_f32 v109, v105, v109, 0x3c088908
	v_fmaak_f32 v108, v104, v108, 0x3c088908
	v_fmaak_f32 v109, v105, v109, 0x3d2aa9c1
	v_fmaak_f32 v108, v104, v108, 0x3d2aa9c1
	v_fmaak_f32 v143, v105, v109, 0x3e2aaaaa
	v_mov_b32_e32 v142, v105
	v_fmaak_f32 v108, v104, v108, 0x3e2aaaaa
	v_pk_mul_f32 v[142:143], v[104:105], v[142:143] op_sel:[1,0]
	v_mul_f32_e32 v108, v104, v108
	v_pk_mul_f32 v[140:141], v[104:105], v[104:105]
	v_mov_b32_e32 v109, v143
	v_pk_add_f32 v[108:109], v[108:109], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v141, v142
	v_pk_fma_f32 v[104:105], v[140:141], v[108:109], v[104:105]
	v_lshlrev_b32_e32 v108, 22, v107
	v_lshlrev_b32_e32 v109, 22, v106
	v_lshrrev_b32_e32 v140, 1, v106
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v141, 0xff800000, v109
	v_pk_add_f32 v[104:105], v[104:105], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v141
	v_sub_u32_e32 v106, v106, v140
	v_sub_u32_e32 v107, v107, v139
	v_pk_mul_f32 v[104:105], v[104:105], v[108:109]
	v_lshl_add_u32 v107, v107, 23, 1.0
	v_lshl_add_u32 v106, v106, 23, 1.0
	v_pk_fma_f32 v[104:105], v[104:105], v[106:107], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v106, vcc, v105, v105, 1.0
	v_rcp_f32_e32 v107, v106
	s_nop 0
	v_fma_f32 v108, -v106, v107, 1.0
	v_fmac_f32_e32 v107, v108, v107
	v_div_scale_f32 v108, vcc, 1.0, v105, 1.0
	v_mul_f32_e32 v109, v108, v107
	v_fma_f32 v139, -v106, v109, v108
	v_fmac_f32_e32 v109, v139, v107
	v_fma_f32 v106, -v106, v109, v108
	v_div_fmas_f32 v106, v106, v107, v109
	v_div_fixup_f32 v105, v106, v105, 1.0
	v_div_scale_f32 v106, vcc, v104, v104, 1.0
	v_rcp_f32_e32 v107, v106
	s_nop 0
	v_fma_f32 v108, -v106, v107, 1.0
	v_fmac_f32_e32 v107, v108, v107
	v_div_scale_f32 v108, vcc, 1.0, v104, 1.0
	v_mul_f32_e32 v109, v108, v107
	v_fma_f32 v139, -v106, v109, v108
	v_fmac_f32_e32 v109, v139, v107
	v_fma_f32 v106, -v106, v109, v108
	v_div_fmas_f32 v106, v106, v107, v109
	v_cmp_ngt_f32_e32 vcc, s47, v91
	v_div_fixup_f32 v104, v106, v104, 1.0
	v_pk_mul_f32 v[104:105], v[88:89], v[104:105]
	v_cndmask_b32_e64 v106, v122, -v91, vcc
	v_cmp_ngt_f32_e32 vcc, s47, v90
	s_nop 1
	v_cndmask_b32_e64 v108, v122, -v90, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v106
	s_nop 1
	v_cndmask_b32_e32 v107, v135, v106, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v108
	s_nop 1
	v_cndmask_b32_e32 v106, v135, v108, vcc
	v_pk_fma_f32 v[108:109], v[106:107], s[36:37], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[140:141], v[108:109], s[84:85] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v109
	v_pk_fma_f32 v[106:107], v[140:141], s[86:87], v[106:107] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[140:141], s[82:83], v[106:107] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[140:141], v[106:107], s[88:89], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[142:143], v[106:107], v[106:107]
	v_pk_fma_f32 v[140:141], v[106:107], v[140:141], s[90:91] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[140:141], v[106:107], v[140:141], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[140:141], v[106:107], v[140:141], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[140:141], v[106:107], v[140:141], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[142:143], v[140:141], v[106:107]
	v_lshlrev_b32_e32 v140, 22, v109
	v_lshlrev_b32_e32 v141, 22, v108
	v_lshrrev_b32_e32 v142, 1, v108
	v_and_b32_e32 v140, 0xff800000, v140
	v_and_b32_e32 v143, 0xff800000, v141
	v_pk_add_f32 v[106:107], v[106:107], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v141, 1.0, v140
	v_add_u32_e32 v140, 1.0, v143
	v_sub_u32_e32 v108, v108, v142
	v_sub_u32_e32 v109, v109, v139
	v_pk_mul_f32 v[106:107], v[106:107], v[140:141]
	v_lshl_add_u32 v109, v109, 23, 1.0
	v_lshl_add_u32 v108, v108, 23, 1.0
	v_pk_fma_f32 v[106:107], v[106:107], v[108:109], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v108, vcc, v107, v107, 1.0
	v_rcp_f32_e32 v109, v108
	s_nop 0
	v_fma_f32 v139, -v108, v109, 1.0
	v_fmac_f32_e32 v109, v139, v109
	v_div_scale_f32 v139, vcc, 1.0, v107, 1.0
	v_mul_f32_e32 v140, v139, v109
	v_fma_f32 v141, -v108, v140, v139
	v_fmac_f32_e32 v140, v141, v109
	v_fma_f32 v108, -v108, v140, v139
	v_div_fmas_f32 v108, v108, v109, v140
	v_div_fixup_f32 v107, v108, v107, 1.0
	v_div_scale_f32 v108, vcc, v106, v106, 1.0
	v_rcp_f32_e32 v109, v108
	s_nop 0
	v_fma_f32 v139, -v108, v109, 1.0
	v_fmac_f32_e32 v109, v139, v109
	v_div_scale_f32 v139, vcc, 1.0, v106, 1.0
	v_mul_f32_e32 v140, v139, v109
	v_fma_f32 v141, -v108, v140, v139
	v_fmac_f32_e32 v140, v141, v109
	v_fma_f32 v108, -v108, v140, v139
	v_div_fmas_f32 v108, v108, v109, v140
	v_cmp_ngt_f32_e32 vcc, s47, v93
	v_div_fixup_f32 v106, v108, v106, 1.0
	v_pk_mul_f32 v[106:107], v[90:91], v[106:107]
	v_cndmask_b32_e64 v108, v122, -v93, vcc
	v_cmp_ngt_f32_e32 vcc, s47, v92
	s_nop 1
	v_cndmask_b32_e64 v139, v122, -v92, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v108
	s_nop 1
	v_cndmask_b32_e32 v109, v135, v108, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v139
	s_nop 1
	v_cndmask_b32_e32 v108, v135, v139, vcc
	v_pk_fma_f32 v[140:141], v[108:109], s[36:37], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v146, 0xcb400000, v141
	v_add_f32_e32 v139, 0xcb400000, v140
	v_pk_mul_f32 v[146:147], v[146:147], s[82:83] op_sel_hi:[0,1]
	v_mul_f32_e32 v142, 0x3f318000, v139
	v_mov_b32_e32 v143, v147
	v_mul_f32_e32 v144, 0x395e8083, v139
	v_pk_add_f32 v[108:109], v[108:109], v[142:143] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v145, v146
	v_pk_add_f32 v[108:109], v[144:145], v[108:109]
	s_nop 0
	v_fmamk_f32 v139, v108, 0x39506967, v136
	v_fmaak_f32 v139, v108, v139, 0x3c088908
	v_fmaak_f32 v139, v108, v139, 0x3d2aa9c1
	v_fmaak_f32 v139, v108, v139, 0x3e2aaaaa
	v_mul_f32_e32 v142, v108, v139
	v_fmamk_f32 v139, v109, 0x39506967, v136
	v_fmaak_f32 v139, v109, v139, 0x3c088908
	v_fmaak_f32 v139, v109, v139, 0x3d2aa9c1
	v_fmaak_f32 v147, v109, v139, 0x3e2aaaaa
	v_mov_b32_e32 v146, v109
	v_pk_mul_f32 v[146:147], v[108:109], v[146:147] op_sel:[1,0]
	v_pk_mul_f32 v[144:145], v[108:109], v[108:109]
	v_mov_b32_e32 v143, v147
	v_pk_add_f32 v[142:143], v[142:143], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v145, v146
	v_pk_fma_f32 v[108:109], v[144:145], v[142:143], v[108:109]
	v_lshlrev_b32_e32 v142, 22, v141
	v_lshlrev_b32_e32 v143, 22, v140
	v_lshrrev_b32_e32 v139, 1, v141
	v_lshrrev_b32_e32 v144, 1, v140
	v_and_b32_e32 v142, 0xff800000, v142
	v_and_b32_e32 v145, 0xff800000, v143
	v_pk_add_f32 v[108:109], v[108:109], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v143, 1.0, v142
	v_add_u32_e32 v142, 1.0, v145
	v_sub_u32_e32 v140, v140, v144
	v_sub_u32_e32 v139, v141, v139
	v_pk_mul_f32 v[108:109], v[108:109], v[142:143]
	v_lshl_add_u32 v141, v139, 23, 1.0
	v_lshl_add_u32 v140, v140, 23, 1.0
	v_pk_fma_f32 v[108:109], v[108:109], v[140:141], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v139, vcc, v109, v109, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v109, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_div_fixup_f32 v109, v139, v109, 1.0
	v_div_scale_f32 v139, vcc, v108, v108, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v108, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_cmp_ngt_f32_e32 vcc, s47, v95
	v_div_fixup_f32 v108, v139, v108, 1.0
	v_pk_mul_f32 v[108:109], v[92:93], v[108:109]
	v_cndmask_b32_e64 v139, v122, -v95, vcc
	v_cmp_ngt_f32_e32 vcc, s47, v94
	s_nop 1
	v_cndmask_b32_e64 v140, v122, -v94, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v139
	s_nop 1
	v_cndmask_b32_e32 v141, v135, v139, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v140
	s_nop 1
	v_cndmask_b32_e32 v140, v135, v140, vcc
	v_pk_fma_f32 v[142:143], v[140:141], s[36:37], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[144:145], v[142:143], s[84:85] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v143
	v_pk_fma_f32 v[140:141], v[144:145], s[86:87], v[140:141] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	v_sub_u32_e32 v139, v143, v139
	v_pk_fma_f32 v[140:141], v[144:145], s[82:83], v[140:141] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[140:141], s[88:89], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[144:145], v[140:141], v[140:141]
	v_pk_fma_f32 v[110:111], v[140:141], v[110:111], s[90:91] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[140:141], v[110:111], s[92:93] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[140:141], v[110:111], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[140:141], v[110:111], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[144:145], v[110:111], v[140:141]
	v_lshlrev_b32_e32 v140, 22, v143
	v_lshlrev_b32_e32 v141, 22, v142
	v_and_b32_e32 v140, 0xff800000, v140
	v_and_b32_e32 v145, 0xff800000, v141
	v_pk_add_f32 v[110:111], v[110:111], 1.0 op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v144, 1, v142
	v_add_u32_e32 v141, 1.0, v140
	v_add_u32_e32 v140, 1.0, v145
	v_pk_mul_f32 v[110:111], v[110:111], v[140:141]
	v_sub_u32_e32 v140, v142, v144
	v_lshl_add_u32 v141, v139, 23, 1.0
	v_lshl_add_u32 v140, v140, 23, 1.0
	v_pk_fma_f32 v[110:111], v[110:111], v[140:141], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v139, vcc, v111, v111, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v111, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_div_fixup_f32 v111, v139, v111, 1.0
	v_div_scale_f32 v139, vcc, v110, v110, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v110, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_cmp_ngt_f32_e32 vcc, s47, v97
	v_div_fixup_f32 v110, v139, v110, 1.0
	v_pk_mul_f32 v[110:111], v[94:95], v[110:111]
	v_cndmask_b32_e64 v139, v122, -v97, vcc
	v_cmp_ngt_f32_e32 vcc, s47, v96
	s_nop 1
	v_cndmask_b32_e64 v122, v122, -v96, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v139
	s_nop 1
	v_cndmask_b32_e32 v141, v135, v139, vcc
	v_cmp_ngt_f32_e32 vcc, s87, v122
	s_nop 1
	v_cndmask_b32_e32 v140, v135, v122, vcc
	v_pk_fma_f32 v[112:113], v[140:141], s[36:37], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v122, 0xcb400000, v112
	v_mul_f32_e32 v142, 0x3f318000, v122
	v_mul_f32_e32 v144, 0x395e8083, v122
	v_add_f32_e32 v122, 0xcb400000, v113
	v_pk_mul_f32 v[146:147], v[122:123], s[82:83] op_sel_hi:[0,1]
	v_mov_b32_e32 v143, v147
	v_pk_add_f32 v[140:141], v[140:141], v[142:143] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v145, v146
	v_pk_add_f32 v[140:141], v[144:145], v[140:141]
	v_lshrrev_b32_e32 v135, 1, v113
	v_fmamk_f32 v122, v140, 0x39506967, v136
	v_fmaak_f32 v122, v140, v122, 0x3c088908
	v_fmac_f32_e32 v136, 0x39506967, v141
	v_fmaak_f32 v122, v140, v122, 0x3d2aa9c1
	v_fmac_f32_e32 v137, v141, v136
	v_fmaak_f32 v122, v140, v122, 0x3e2aaaaa
	v_fmac_f32_e32 v138, v141, v137
	v_mul_f32_e32 v142, v140, v122
	v_fmac_f32_e32 v123, v141, v138
	v_mov_b32_e32 v122, v141
	v_pk_mul_f32 v[122:123], v[140:141], v[122:123] op_sel:[1,0]
	v_pk_mul_f32 v[144:145], v[140:141], v[140:141]
	v_mov_b32_e32 v143, v123
	v_pk_add_f32 v[136:137], v[142:143], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v145, v122
	v_pk_fma_f32 v[122:123], v[144:145], v[136:137], v[140:141]
	v_lshlrev_b32_e32 v136, 22, v113
	v_lshlrev_b32_e32 v137, 22, v112
	v_lshrrev_b32_e32 v138, 1, v112
	v_and_b32_e32 v136, 0xff800000, v136
	v_and_b32_e32 v139, 0xff800000, v137
	v_pk_add_f32 v[122:123], v[122:123], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v137, 1.0, v136
	v_add_u32_e32 v136, 1.0, v139
	v_sub_u32_e32 v112, v112, v138
	v_sub_u32_e32 v113, v113, v135
	v_pk_mul_f32 v[122:123], v[122:123], v[136:137]
	v_lshl_add_u32 v113, v113, 23, 1.0
	v_lshl_add_u32 v112, v112, 23, 1.0
	v_pk_fma_f32 v[112:113], v[122:123], v[112:113], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v122, s[82:83], v113, v113, 1.0
	v_rcp_f32_e32 v123, v122
	s_nop 0
	v_fma_f32 v135, -v122, v123, 1.0
	v_fmac_f32_e32 v123, v135, v123
	v_div_scale_f32 v135, vcc, 1.0, v113, 1.0
	v_mul_f32_e32 v136, v135, v123
	v_fma_f32 v137, -v122, v136, v135
	v_fmac_f32_e32 v136, v137, v123
	v_fma_f32 v122, -v122, v136, v135
	v_div_fmas_f32 v122, v122, v123, v136
	v_div_fixup_f32 v113, v122, v113, 1.0
	v_div_scale_f32 v122, s[82:83], v112, v112, 1.0
	v_rcp_f32_e32 v123, v122
	s_nop 0
	v_fma_f32 v135, -v122, v123, 1.0
	v_fmac_f32_e32 v123, v135, v123
	v_div_scale_f32 v135, vcc, 1.0, v112, 1.0
	v_mul_f32_e32 v136, v135, v123
	v_fma_f32 v137, -v122, v136, v135
	v_fmac_f32_e32 v136, v137, v123
	v_fma_f32 v122, -v122, v136, v135
	v_div_fmas_f32 v122, v122, v123, v136
	v_div_fixup_f32 v112, v122, v112, 1.0
	v_pk_mul_f32 v[112:113], v[96:97], v[112:113]
.LBB1_438:                              ;   in Loop: Header=BB1_428 Depth=3
	s_cbranch_execz .LBB1_454
	s_branch .LBB1_455
.LBB1_439:                              ;   in Loop: Header=BB1_428 Depth=3
                                        ; implicit-def: $vgpr98_vgpr99_vgpr100_vgpr101
                                        ; implicit-def: $vgpr102_vgpr103_vgpr104_vgpr105
                                        ; implicit-def: $vgpr106_vgpr107_vgpr108_vgpr109
                                        ; implicit-def: $vgpr110_vgpr111_vgpr112_vgpr113
	s_branch .LBB1_456
.LBB1_440:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(3)
	v_add_u32_e32 v82, s99, v129
	s_mov_b64 s[82:83], -1
	s_and_b64 vcc, exec, s[70:71]
	s_cbranch_vccz .LBB1_459
.LBB1_441:                              ;   in Loop: Header=BB1_428 Depth=3
	s_and_b64 vcc, exec, s[68:69]
	s_cbranch_vccz .LBB1_447
; %bb.442:                              ;   in Loop: Header=BB1_428 Depth=3
	s_andn2_b64 vcc, exec, s[74:75]
	s_cbranch_vccnz .LBB1_444
; %bb.443:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(2)
	v_mov_b32_e32 v86, 0
	v_mov_b32_e32 v87, 0
	v_mov_b32_e32 v85, 0
	v_cvt_pk_bf8_f32 v86, v98, v99
	v_cvt_pk_bf8_f32 v87, v102, v103
	v_mov_b32_e32 v84, 0
	v_cvt_pk_bf8_f32 v84, v106, v107
	v_cvt_pk_bf8_f32 v85, v110, v111
	v_cvt_pk_bf8_f32 v86, v100, v101 op_sel:[0,0,1]
	v_cvt_pk_bf8_f32 v87, v104, v105 op_sel:[0,0,1]
	v_cvt_pk_bf8_f32 v84, v108, v109 op_sel:[0,0,1]
	v_cvt_pk_bf8_f32 v85, v112, v113 op_sel:[0,0,1]
	s_mov_b64 s[82:83], 0
	buffer_store_dwordx2 v[86:87], v129, s[20:23], 0 offen
	buffer_store_dwordx2 v[84:85], v82, s[20:23], 0 offen
.LBB1_444:                              ;   in Loop: Header=BB1_428 Depth=3
	s_andn2_b64 vcc, exec, s[82:83]
	s_cbranch_vccnz .LBB1_446
; %bb.445:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(2)
	v_mov_b32_e32 v86, 0
	v_mov_b32_e32 v87, 0
	v_mov_b32_e32 v85, 0
	v_cvt_pk_fp8_f32 v86, v98, v99
	v_cvt_pk_fp8_f32 v87, v102, v103
	v_mov_b32_e32 v84, 0
	v_cvt_pk_fp8_f32 v84, v106, v107
	v_cvt_pk_fp8_f32 v85, v110, v111
	v_cvt_pk_fp8_f32 v86, v100, v101 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v87, v104, v105 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v84, v108, v109 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v85, v112, v113 op_sel:[0,0,1]
	buffer_store_dwordx2 v[86:87], v129, s[20:23], 0 offen
	buffer_store_dwordx2 v[84:85], v82, s[20:23], 0 offen
.LBB1_446:                              ;   in Loop: Header=BB1_428 Depth=3
	s_mov_b64 s[82:83], 0
.LBB1_447:                              ;   in Loop: Header=BB1_428 Depth=3
	s_andn2_b64 vcc, exec, s[82:83]
	s_cbranch_vccnz .LBB1_452
; %bb.448:                              ;   in Loop: Header=BB1_428 Depth=3
	s_andn2_b64 vcc, exec, s[76:77]
	s_mov_b64 s[82:83], -1
	s_cbranch_vccnz .LBB1_450
; %bb.449:                              ;   in Loop: Header=BB1_428 Depth=3
	v_cvt_pk_f16_f32 v85, v100, v101
	v_cvt_pk_f16_f32 v84, v98, v99
	s_waitcnt lgkmcnt(2)
	v_cvt_pk_f16_f32 v87, v104, v105
	v_cvt_pk_f16_f32 v86, v102, v103
	buffer_store_dwordx4 v[84:87], v129, s[20:23], 0 offen
	s_mov_b64 s[82:83], 0
	s_nop 0
	v_cvt_pk_f16_f32 v85, v108, v109
	v_cvt_pk_f16_f32 v84, v106, v107
	v_cvt_pk_f16_f32 v87, v112, v113
	v_cvt_pk_f16_f32 v86, v110, v111
	buffer_store_dwordx4 v[84:87], v82, s[20:23], 0 offen
.LBB1_450:                              ;   in Loop: Header=BB1_428 Depth=3
	s_andn2_b64 vcc, exec, s[82:83]
	s_cbranch_vccnz .LBB1_452
; %bb.451:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(2)
	v_cvt_pk_bf16_f32 v87, v104, v105
	v_cvt_pk_bf16_f32 v86, v102, v103
	v_cvt_pk_bf16_f32 v85, v100, v101
	v_cvt_pk_bf16_f32 v84, v98, v99
	buffer_store_dwordx4 v[84:87], v129, s[20:23], 0 offen
	s_nop 1
	v_cvt_pk_bf16_f32 v87, v112, v113
	v_cvt_pk_bf16_f32 v86, v110, v111
	v_cvt_pk_bf16_f32 v85, v108, v109
	v_cvt_pk_bf16_f32 v84, v106, v107
	buffer_store_dwordx4 v[84:87], v82, s[20:23], 0 offen
.LBB1_452:                              ;   in Loop: Header=BB1_428 Depth=3
	s_cbranch_execnz .LBB1_427
	s_branch .LBB1_460
.LBB1_453:                              ;   in Loop: Header=BB1_428 Depth=3
                                        ; implicit-def: $vgpr98_vgpr99_vgpr100_vgpr101
                                        ; implicit-def: $vgpr102_vgpr103_vgpr104_vgpr105
                                        ; implicit-def: $vgpr106_vgpr107_vgpr108_vgpr109
                                        ; implicit-def: $vgpr110_vgpr111_vgpr112_vgpr113
.LBB1_454:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(3)
	v_pk_mul_f32 v[98:99], v[84:85], v[84:85]
	v_pk_mul_f32 v[100:101], v[82:83], v[82:83]
	v_pk_mul_f32 v[102:103], v[84:85], v[98:99]
	v_pk_mul_f32 v[98:99], v[82:83], v[100:101]
	s_mov_b32 s36, 0x3d372713
	v_pk_fma_f32 v[98:99], v[98:99], s[36:37], v[82:83] op_sel_hi:[1,0,1]
	s_mov_b32 s82, 0xbfcc422a
	v_pk_mul_f32 v[98:99], v[98:99], s[82:83] op_sel_hi:[1,0]
	s_mov_b32 s47, 0x42b20000
	v_cmp_nlt_f32_e32 vcc, s47, v98
	v_mov_b32_e32 v122, 0x42b20000
	s_mov_b32 s83, 0xc2d00000
	v_cndmask_b32_e32 v98, v122, v98, vcc
	v_cmp_nlt_f32_e32 vcc, s47, v99
	v_mov_b32_e32 v135, 0xc2d00000
	s_mov_b32 s86, 0x4b400000
	v_cndmask_b32_e32 v99, v122, v99, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v99
	s_mov_b32 s84, 0x3fb8aa3b
	v_mov_b64_e32 v[112:113], s[86:87]
	v_cndmask_b32_e32 v99, v135, v99, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v98
	s_mov_b32 s86, 0x395e8083
	s_mov_b32 s88, 0xcb400000
	v_cndmask_b32_e32 v98, v135, v98, vcc
	v_pk_fma_f32 v[100:101], v[98:99], s[84:85], v[112:113] op_sel_hi:[1,0,0]
	s_mov_b32 s87, 0x3f318000
	v_pk_add_f32 v[104:105], v[100:101], s[88:89] op_sel_hi:[1,0]
	s_mov_b32 s90, s87
	v_pk_fma_f32 v[98:99], v[104:105], s[90:91], v[98:99] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_mov_b32 s94, 0x3ab743ce
	v_pk_fma_f32 v[98:99], v[104:105], s[86:87], v[98:99] op_sel_hi:[1,0,1]
	s_mov_b32 s92, 0x39506967
	v_mov_b64_e32 v[110:111], s[94:95]
	v_pk_fma_f32 v[104:105], v[98:99], s[92:93], v[110:111] op_sel_hi:[1,0,0]
	s_mov_b32 s94, 0x3c088908
	v_pk_fma_f32 v[104:105], v[98:99], v[104:105], s[94:95] op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[106:107], v[98:99], v[98:99]
	v_pk_fma_f32 v[104:105], v[98:99], v[104:105], s[96:97] op_sel_hi:[1,1,0]
	v_mov_b32_e32 v136, 0x3ab743ce
	v_pk_fma_f32 v[104:105], v[98:99], v[104:105], s[98:99] op_sel_hi:[1,1,0]
	v_mov_b32_e32 v123, 0x3e2aaaaa
	v_pk_fma_f32 v[104:105], v[98:99], v[104:105], 0.5 op_sel_hi:[1,1,0]
	v_mov_b32_e32 v137, 0x3c088908
	v_pk_fma_f32 v[98:99], v[106:107], v[104:105], v[98:99]
	v_lshlrev_b32_e32 v104, 22, v101
	v_lshlrev_b32_e32 v105, 22, v100
	v_lshrrev_b32_e32 v106, 1, v101
	v_lshrrev_b32_e32 v107, 1, v100
	v_and_b32_e32 v104, 0xff800000, v104
	v_and_b32_e32 v108, 0xff800000, v105
	v_pk_add_f32 v[98:99], v[98:99], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v105, 1.0, v104
	v_add_u32_e32 v104, 1.0, v108
	v_sub_u32_e32 v100, v100, v107
	v_sub_u32_e32 v101, v101, v106
	v_pk_mul_f32 v[98:99], v[98:99], v[104:105]
	v_lshl_add_u32 v101, v101, 23, 1.0
	v_lshl_add_u32 v100, v100, 23, 1.0
	v_pk_fma_f32 v[98:99], v[98:99], v[100:101], 1.0 op_sel_hi:[1,1,0]
	v_mov_b32_e32 v138, 0x3d2aa9c1
	v_div_scale_f32 v100, vcc, v99, v99, 1.0
	v_rcp_f32_e32 v101, v100
	s_nop 0
	v_fma_f32 v104, -v100, v101, 1.0
	v_fmac_f32_e32 v101, v104, v101
	v_div_scale_f32 v104, vcc, 1.0, v99, 1.0
	v_mul_f32_e32 v105, v104, v101
	v_fma_f32 v106, -v100, v105, v104
	v_fmac_f32_e32 v105, v106, v101
	v_fma_f32 v100, -v100, v105, v104
	v_div_fmas_f32 v100, v100, v101, v105
	v_div_fixup_f32 v99, v100, v99, 1.0
	v_div_scale_f32 v100, vcc, v98, v98, 1.0
	v_rcp_f32_e32 v101, v100
	s_nop 0
	v_fma_f32 v104, -v100, v101, 1.0
	v_fmac_f32_e32 v101, v104, v101
	v_div_scale_f32 v104, vcc, 1.0, v98, 1.0
	v_mul_f32_e32 v105, v104, v101
	v_fma_f32 v106, -v100, v105, v104
	v_fmac_f32_e32 v105, v106, v101
	v_fma_f32 v100, -v100, v105, v104
	v_div_fmas_f32 v100, v100, v101, v105
	v_div_fixup_f32 v98, v100, v98, 1.0
	v_pk_fma_f32 v[100:101], v[102:103], s[36:37], v[84:85] op_sel_hi:[1,0,1]
	v_pk_mul_f32 v[98:99], v[82:83], v[98:99]
	v_pk_mul_f32 v[100:101], v[100:101], s[82:83] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s47, v100
	s_nop 1
	v_cndmask_b32_e32 v100, v122, v100, vcc
	v_cmp_nlt_f32_e32 vcc, s47, v101
	s_nop 1
	v_cndmask_b32_e32 v101, v122, v101, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v101
	s_nop 1
	v_cndmask_b32_e32 v101, v135, v101, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v100
	s_nop 1
	v_cndmask_b32_e32 v100, v135, v100, vcc
	v_pk_fma_f32 v[102:103], v[100:101], s[84:85], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v108, 0xcb400000, v103
	v_add_f32_e32 v105, 0xcb400000, v102
	v_pk_mul_f32 v[108:109], v[108:109], s[86:87] op_sel_hi:[0,1]
	v_mul_f32_e32 v104, 0x3f318000, v105
	v_mul_f32_e32 v106, 0x395e8083, v105
	v_mov_b32_e32 v105, v109
	v_pk_add_f32 v[100:101], v[100:101], v[104:105] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v107, v108
	v_pk_add_f32 v[100:101], v[106:107], v[100:101]
	s_nop 0
	v_fmamk_f32 v105, v101, 0x39506967, v136
	v_fmamk_f32 v104, v100, 0x39506967, v136
	v_fmaak_f32 v105, v101, v105, 0x3c088908
	v_fmaak_f32 v104, v100, v104, 0x3c088908
	v_fmaak_f32 v105, v101, v105, 0x3d2aa9c1
	v_fmaak_f32 v104, v100, v104, 0x3d2aa9c1
	v_fmaak_f32 v109, v101, v105, 0x3e2aaaaa
	v_mov_b32_e32 v108, v101
	v_fmaak_f32 v104, v100, v104, 0x3e2aaaaa
	v_pk_mul_f32 v[108:109], v[100:101], v[108:109] op_sel:[1,0]
	v_mul_f32_e32 v104, v100, v104
	v_pk_mul_f32 v[106:107], v[100:101], v[100:101]
	v_mov_b32_e32 v105, v109
	v_pk_add_f32 v[104:105], v[104:105], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v107, v108
	v_pk_fma_f32 v[100:101], v[106:107], v[104:105], v[100:101]
	v_lshlrev_b32_e32 v104, 22, v103
	v_lshlrev_b32_e32 v105, 22, v102
	v_lshrrev_b32_e32 v106, 1, v103
	v_lshrrev_b32_e32 v107, 1, v102
	v_and_b32_e32 v104, 0xff800000, v104
	v_and_b32_e32 v108, 0xff800000, v105
	v_pk_add_f32 v[100:101], v[100:101], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v105, 1.0, v104
	v_add_u32_e32 v104, 1.0, v108
	v_sub_u32_e32 v102, v102, v107
	v_sub_u32_e32 v103, v103, v106
	v_pk_mul_f32 v[100:101], v[100:101], v[104:105]
	v_lshl_add_u32 v103, v103, 23, 1.0
	v_lshl_add_u32 v102, v102, 23, 1.0
	v_pk_fma_f32 v[100:101], v[100:101], v[102:103], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v102, vcc, v101, v101, 1.0
	v_rcp_f32_e32 v103, v102
	s_nop 0
	v_fma_f32 v104, -v102, v103, 1.0
	v_fmac_f32_e32 v103, v104, v103
	v_div_scale_f32 v104, vcc, 1.0, v101, 1.0
	v_mul_f32_e32 v105, v104, v103
	v_fma_f32 v106, -v102, v105, v104
	v_fmac_f32_e32 v105, v106, v103
	v_fma_f32 v102, -v102, v105, v104
	v_div_fmas_f32 v102, v102, v103, v105
	v_div_fixup_f32 v101, v102, v101, 1.0
	v_div_scale_f32 v102, vcc, v100, v100, 1.0
	v_rcp_f32_e32 v103, v102
	s_nop 0
	v_fma_f32 v104, -v102, v103, 1.0
	v_fmac_f32_e32 v103, v104, v103
	v_div_scale_f32 v104, vcc, 1.0, v100, 1.0
	v_mul_f32_e32 v105, v104, v103
	v_fma_f32 v106, -v102, v105, v104
	v_fmac_f32_e32 v105, v106, v103
	v_fma_f32 v102, -v102, v105, v104
	v_div_fmas_f32 v102, v102, v103, v105
	v_div_fixup_f32 v100, v102, v100, 1.0
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f32 v[102:103], v[88:89], v[88:89]
	v_pk_mul_f32 v[104:105], v[86:87], v[86:87]
	v_pk_mul_f32 v[106:107], v[88:89], v[102:103]
	v_pk_mul_f32 v[102:103], v[86:87], v[104:105]
	v_pk_mul_f32 v[100:101], v[84:85], v[100:101]
	v_pk_fma_f32 v[102:103], v[102:103], s[36:37], v[86:87] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_mul_f32 v[102:103], v[102:103], s[82:83] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s47, v102
	s_nop 1
	v_cndmask_b32_e32 v102, v122, v102, vcc
	v_cmp_nlt_f32_e32 vcc, s47, v103
	s_nop 1
	v_cndmask_b32_e32 v103, v122, v103, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v103
	s_nop 1
	v_cndmask_b32_e32 v103, v135, v103, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v102
	s_nop 1
	v_cndmask_b32_e32 v102, v135, v102, vcc
	v_pk_fma_f32 v[104:105], v[102:103], s[84:85], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[108:109], v[104:105], s[88:89] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v105
	v_pk_fma_f32 v[102:103], v[108:109], s[90:91], v[102:103] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[108:109], s[86:87], v[102:103] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[108:109], v[102:103], s[92:93], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[140:141], v[102:103], v[102:103]
	v_pk_fma_f32 v[108:109], v[102:103], v[108:109], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[108:109], v[102:103], v[108:109], s[96:97] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[108:109], v[102:103], v[108:109], s[98:99] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[108:109], v[102:103], v[108:109], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[102:103], v[140:141], v[108:109], v[102:103]
	v_lshlrev_b32_e32 v108, 22, v105
	v_lshlrev_b32_e32 v109, 22, v104
	v_lshrrev_b32_e32 v140, 1, v104
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v141, 0xff800000, v109
	v_pk_add_f32 v[102:103], v[102:103], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v141
	v_sub_u32_e32 v104, v104, v140
	v_sub_u32_e32 v105, v105, v139
	v_pk_mul_f32 v[102:103], v[102:103], v[108:109]
	v_lshl_add_u32 v105, v105, 23, 1.0
	v_lshl_add_u32 v104, v104, 23, 1.0
	v_pk_fma_f32 v[102:103], v[102:103], v[104:105], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v104, vcc, v103, v103, 1.0
	v_rcp_f32_e32 v105, v104
	s_nop 0
	v_fma_f32 v108, -v104, v105, 1.0
	v_fmac_f32_e32 v105, v108, v105
	v_div_scale_f32 v108, vcc, 1.0, v103, 1.0
	v_mul_f32_e32 v109, v108, v105
	v_fma_f32 v139, -v104, v109, v108
	v_fmac_f32_e32 v109, v139, v105
	v_fma_f32 v104, -v104, v109, v108
	v_div_fmas_f32 v104, v104, v105, v109
	v_div_fixup_f32 v103, v104, v103, 1.0
	v_div_scale_f32 v104, vcc, v102, v102, 1.0
	v_rcp_f32_e32 v105, v104
	s_nop 0
	v_fma_f32 v108, -v104, v105, 1.0
	v_fmac_f32_e32 v105, v108, v105
	v_div_scale_f32 v108, vcc, 1.0, v102, 1.0
	v_mul_f32_e32 v109, v108, v105
	v_fma_f32 v139, -v104, v109, v108
	v_fmac_f32_e32 v109, v139, v105
	v_fma_f32 v104, -v104, v109, v108
	v_div_fmas_f32 v104, v104, v105, v109
	v_div_fixup_f32 v102, v104, v102, 1.0
	v_pk_fma_f32 v[104:105], v[106:107], s[36:37], v[88:89] op_sel_hi:[1,0,1]
	v_pk_mul_f32 v[102:103], v[86:87], v[102:103]
	v_pk_mul_f32 v[104:105], v[104:105], s[82:83] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s47, v104
	s_nop 1
	v_cndmask_b32_e32 v104, v122, v104, vcc
	v_cmp_nlt_f32_e32 vcc, s47, v105
	s_nop 1
	v_cndmask_b32_e32 v105, v122, v105, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v105
	s_nop 1
	v_cndmask_b32_e32 v105, v135, v105, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v104
	s_nop 1
	v_cndmask_b32_e32 v104, v135, v104, vcc
	v_pk_fma_f32 v[106:107], v[104:105], s[84:85], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v142, 0xcb400000, v107
	v_add_f32_e32 v109, 0xcb400000, v106
	v_pk_mul_f32 v[142:143], v[142:143], s[86:87] op_sel_hi:[0,1]
	v_mul_f32_e32 v108, 0x3f318000, v109
	v_mul_f32_e32 v140, 0x395e8083, v109
	v_mov_b32_e32 v109, v143
	v_pk_add_f32 v[104:105], v[104:105], v[108:109] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v141, v142
	v_pk_add_f32 v[104:105], v[140:141], v[104:105]
	v_lshrrev_b32_e32 v139, 1, v107
	v_fmamk_f32 v109, v105, 0x39506967, v136
	v_fmamk_f32 v108, v104, 0x39506967, v136
	v_fmaak_f32 v109, v105, v109, 0x3c088908
	v_fmaak_f32 v108, v104, v108, 0x3c088908
	v_fmaak_f32 v109, v105, v109, 0x3d2aa9c1
	v_fmaak_f32 v108, v104, v108, 0x3d2aa9c1
	v_fmaak_f32 v143, v105, v109, 0x3e2aaaaa
	v_mov_b32_e32 v142, v105
	v_fmaak_f32 v108, v104, v108, 0x3e2aaaaa
	v_pk_mul_f32 v[142:143], v[104:105], v[142:143] op_sel:[1,0]
	v_mul_f32_e32 v108, v104, v108
	v_pk_mul_f32 v[140:141], v[104:105], v[104:105]
	v_mov_b32_e32 v109, v143
	v_pk_add_f32 v[108:109], v[108:109], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v141, v142
	v_pk_fma_f32 v[104:105], v[140:141], v[108:109], v[104:105]
	v_lshlrev_b32_e32 v108, 22, v107
	v_lshlrev_b32_e32 v109, 22, v106
	v_lshrrev_b32_e32 v140, 1, v106
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v141, 0xff800000, v109
	v_pk_add_f32 v[104:105], v[104:105], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v141
	v_sub_u32_e32 v106, v106, v140
	v_sub_u32_e32 v107, v107, v139
	v_pk_mul_f32 v[104:105], v[104:105], v[108:109]
	v_lshl_add_u32 v107, v107, 23, 1.0
	v_lshl_add_u32 v106, v106, 23, 1.0
	v_pk_fma_f32 v[104:105], v[104:105], v[106:107], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v106, vcc, v105, v105, 1.0
	v_rcp_f32_e32 v107, v106
	s_nop 0
	v_fma_f32 v108, -v106, v107, 1.0
	v_fmac_f32_e32 v107, v108, v107
	v_div_scale_f32 v108, vcc, 1.0, v105, 1.0
	v_mul_f32_e32 v109, v108, v107
	v_fma_f32 v139, -v106, v109, v108
	v_fmac_f32_e32 v109, v139, v107
	v_fma_f32 v106, -v106, v109, v108
	v_div_fmas_f32 v106, v106, v107, v109
	v_div_fixup_f32 v105, v106, v105, 1.0
	v_div_scale_f32 v106, vcc, v104, v104, 1.0
	v_rcp_f32_e32 v107, v106
	s_nop 0
	v_fma_f32 v108, -v106, v107, 1.0
	v_fmac_f32_e32 v107, v108, v107
	v_div_scale_f32 v108, vcc, 1.0, v104, 1.0
	v_mul_f32_e32 v109, v108, v107
	v_fma_f32 v139, -v106, v109, v108
	v_fmac_f32_e32 v109, v139, v107
	v_fma_f32 v106, -v106, v109, v108
	v_div_fmas_f32 v106, v106, v107, v109
	v_div_fixup_f32 v104, v106, v104, 1.0
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f32 v[106:107], v[92:93], v[92:93]
	v_pk_mul_f32 v[108:109], v[90:91], v[90:91]
	v_pk_mul_f32 v[140:141], v[92:93], v[106:107]
	v_pk_mul_f32 v[106:107], v[90:91], v[108:109]
	v_pk_mul_f32 v[104:105], v[88:89], v[104:105]
	v_pk_fma_f32 v[106:107], v[106:107], s[36:37], v[90:91] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_mul_f32 v[106:107], v[106:107], s[82:83] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s47, v106
	s_nop 1
	v_cndmask_b32_e32 v106, v122, v106, vcc
	v_cmp_nlt_f32_e32 vcc, s47, v107
	s_nop 1
	v_cndmask_b32_e32 v107, v122, v107, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v107
	s_nop 1
	v_cndmask_b32_e32 v107, v135, v107, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v106
	s_nop 1
	v_cndmask_b32_e32 v106, v135, v106, vcc
	v_pk_fma_f32 v[108:109], v[106:107], s[84:85], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[142:143], v[108:109], s[88:89] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v109
	v_pk_fma_f32 v[106:107], v[142:143], s[90:91], v[106:107] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[142:143], s[86:87], v[106:107] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[142:143], v[106:107], s[92:93], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[144:145], v[106:107], v[106:107]
	v_pk_fma_f32 v[142:143], v[106:107], v[142:143], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[142:143], v[106:107], v[142:143], s[96:97] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[142:143], v[106:107], v[142:143], s[98:99] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[142:143], v[106:107], v[142:143], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[106:107], v[144:145], v[142:143], v[106:107]
	v_lshlrev_b32_e32 v142, 22, v109
	v_lshlrev_b32_e32 v143, 22, v108
	v_lshrrev_b32_e32 v144, 1, v108
	v_and_b32_e32 v142, 0xff800000, v142
	v_and_b32_e32 v145, 0xff800000, v143
	v_pk_add_f32 v[106:107], v[106:107], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v143, 1.0, v142
	v_add_u32_e32 v142, 1.0, v145
	v_sub_u32_e32 v108, v108, v144
	v_sub_u32_e32 v109, v109, v139
	v_pk_mul_f32 v[106:107], v[106:107], v[142:143]
	v_lshl_add_u32 v109, v109, 23, 1.0
	v_lshl_add_u32 v108, v108, 23, 1.0
	v_pk_fma_f32 v[106:107], v[106:107], v[108:109], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v108, vcc, v107, v107, 1.0
	v_rcp_f32_e32 v109, v108
	s_nop 0
	v_fma_f32 v139, -v108, v109, 1.0
	v_fmac_f32_e32 v109, v139, v109
	v_div_scale_f32 v139, vcc, 1.0, v107, 1.0
	v_mul_f32_e32 v142, v139, v109
	v_fma_f32 v143, -v108, v142, v139
	v_fmac_f32_e32 v142, v143, v109
	v_fma_f32 v108, -v108, v142, v139
	v_div_fmas_f32 v108, v108, v109, v142
	v_div_fixup_f32 v107, v108, v107, 1.0
	v_div_scale_f32 v108, vcc, v106, v106, 1.0
	v_rcp_f32_e32 v109, v108
	s_nop 0
	v_fma_f32 v139, -v108, v109, 1.0
	v_fmac_f32_e32 v109, v139, v109
	v_div_scale_f32 v139, vcc, 1.0, v106, 1.0
	v_mul_f32_e32 v142, v139, v109
	v_fma_f32 v143, -v108, v142, v139
	v_fmac_f32_e32 v142, v143, v109
	v_fma_f32 v108, -v108, v142, v139
	v_div_fmas_f32 v108, v108, v109, v142
	v_div_fixup_f32 v106, v108, v106, 1.0
	v_pk_fma_f32 v[108:109], v[140:141], s[36:37], v[92:93] op_sel_hi:[1,0,1]
	v_pk_mul_f32 v[106:107], v[90:91], v[106:107]
	v_pk_mul_f32 v[108:109], v[108:109], s[82:83] op_sel_hi:[1,0]
	s_nop 0
	v_cmp_nlt_f32_e32 vcc, s47, v108
	s_nop 1
	v_cndmask_b32_e32 v108, v122, v108, vcc
	v_cmp_nlt_f32_e32 vcc, s47, v109
	s_nop 1
	v_cndmask_b32_e32 v109, v122, v109, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v109
	s_nop 1
	v_cndmask_b32_e32 v109, v135, v109, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v108
	s_nop 1
	v_cndmask_b32_e32 v108, v135, v108, vcc
	v_pk_fma_f32 v[140:141], v[108:109], s[84:85], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v146, 0xcb400000, v141
	v_add_f32_e32 v139, 0xcb400000, v140
	v_pk_mul_f32 v[146:147], v[146:147], s[86:87] op_sel_hi:[0,1]
	v_mul_f32_e32 v142, 0x3f318000, v139
	v_mov_b32_e32 v143, v147
	v_mul_f32_e32 v144, 0x395e8083, v139
	v_pk_add_f32 v[108:109], v[108:109], v[142:143] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v145, v146
	v_pk_add_f32 v[108:109], v[144:145], v[108:109]
	s_nop 0
	v_fmamk_f32 v139, v108, 0x39506967, v136
	v_fmaak_f32 v139, v108, v139, 0x3c088908
	v_fmaak_f32 v139, v108, v139, 0x3d2aa9c1
	v_fmaak_f32 v139, v108, v139, 0x3e2aaaaa
	v_mul_f32_e32 v142, v108, v139
	v_fmamk_f32 v139, v109, 0x39506967, v136
	v_fmaak_f32 v139, v109, v139, 0x3c088908
	v_fmaak_f32 v139, v109, v139, 0x3d2aa9c1
	v_fmaak_f32 v147, v109, v139, 0x3e2aaaaa
	v_mov_b32_e32 v146, v109
	v_pk_mul_f32 v[146:147], v[108:109], v[146:147] op_sel:[1,0]
	v_pk_mul_f32 v[144:145], v[108:109], v[108:109]
	v_mov_b32_e32 v143, v147
	v_pk_add_f32 v[142:143], v[142:143], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v145, v146
	v_pk_fma_f32 v[108:109], v[144:145], v[142:143], v[108:109]
	v_lshlrev_b32_e32 v142, 22, v141
	v_lshlrev_b32_e32 v143, 22, v140
	v_lshrrev_b32_e32 v139, 1, v141
	v_lshrrev_b32_e32 v144, 1, v140
	v_and_b32_e32 v142, 0xff800000, v142
	v_and_b32_e32 v145, 0xff800000, v143
	v_pk_add_f32 v[108:109], v[108:109], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v143, 1.0, v142
	v_add_u32_e32 v142, 1.0, v145
	v_sub_u32_e32 v140, v140, v144
	v_sub_u32_e32 v139, v141, v139
	v_pk_mul_f32 v[108:109], v[108:109], v[142:143]
	v_lshl_add_u32 v141, v139, 23, 1.0
	v_lshl_add_u32 v140, v140, 23, 1.0
	v_pk_fma_f32 v[108:109], v[108:109], v[140:141], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v139, vcc, v109, v109, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v109, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	v_div_fixup_f32 v109, v139, v109, 1.0
	v_div_scale_f32 v139, vcc, v108, v108, 1.0
	v_rcp_f32_e32 v140, v139
	s_nop 0
	v_fma_f32 v141, -v139, v140, 1.0
	v_fmac_f32_e32 v140, v141, v140
	v_div_scale_f32 v141, vcc, 1.0, v108, 1.0
	v_mul_f32_e32 v142, v141, v140
	v_fma_f32 v143, -v139, v142, v141
	v_fmac_f32_e32 v142, v143, v140
	v_fma_f32 v139, -v139, v142, v141
	v_div_fmas_f32 v139, v139, v140, v142
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[142:143], v[94:95], v[94:95]
	v_div_fixup_f32 v108, v139, v108, 1.0
	v_pk_mul_f32 v[142:143], v[94:95], v[142:143]
	v_pk_mul_f32 v[140:141], v[96:97], v[96:97]
	v_pk_fma_f32 v[142:143], v[142:143], s[36:37], v[94:95] op_sel_hi:[1,0,1]
	v_pk_mul_f32 v[140:141], v[96:97], v[140:141]
	v_pk_mul_f32 v[142:143], v[142:143], s[82:83] op_sel_hi:[1,0]
	v_pk_fma_f32 v[140:141], v[140:141], s[36:37], v[96:97] op_sel_hi:[1,0,1]
	v_cmp_nlt_f32_e32 vcc, s47, v142
	v_pk_mul_f32 v[140:141], v[140:141], s[82:83] op_sel_hi:[1,0]
	v_pk_mul_f32 v[108:109], v[92:93], v[108:109]
	v_cndmask_b32_e32 v139, v122, v142, vcc
	v_cmp_nlt_f32_e32 vcc, s47, v143
	s_nop 1
	v_cndmask_b32_e32 v142, v122, v143, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v142
	s_nop 1
	v_cndmask_b32_e32 v143, v135, v142, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v139
	s_nop 1
	v_cndmask_b32_e32 v142, v135, v139, vcc
	v_pk_fma_f32 v[144:145], v[142:143], s[84:85], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[146:147], v[144:145], s[88:89] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v139, 1, v145
	v_pk_fma_f32 v[142:143], v[146:147], s[90:91], v[142:143] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[1,0,0]
	v_sub_u32_e32 v139, v145, v139
	v_pk_fma_f32 v[142:143], v[146:147], s[86:87], v[142:143] op_sel_hi:[1,0,1]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[142:143], s[92:93], v[110:111] op_sel_hi:[1,0,0]
	v_pk_mul_f32 v[146:147], v[142:143], v[142:143]
	v_pk_fma_f32 v[110:111], v[142:143], v[110:111], s[94:95] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[142:143], v[110:111], s[96:97] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[142:143], v[110:111], s[98:99] op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[142:143], v[110:111], 0.5 op_sel_hi:[1,1,0]
	s_nop 0
	v_pk_fma_f32 v[110:111], v[146:147], v[110:111], v[142:143]
	v_lshlrev_b32_e32 v142, 22, v145
	v_lshlrev_b32_e32 v143, 22, v144
	v_and_b32_e32 v142, 0xff800000, v142
	v_and_b32_e32 v147, 0xff800000, v143
	v_pk_add_f32 v[110:111], v[110:111], 1.0 op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v146, 1, v144
	v_add_u32_e32 v143, 1.0, v142
	v_add_u32_e32 v142, 1.0, v147
	v_pk_mul_f32 v[110:111], v[110:111], v[142:143]
	v_sub_u32_e32 v142, v144, v146
	v_lshl_add_u32 v143, v139, 23, 1.0
	v_lshl_add_u32 v142, v142, 23, 1.0
	v_pk_fma_f32 v[110:111], v[110:111], v[142:143], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v139, vcc, v111, v111, 1.0
	v_rcp_f32_e32 v142, v139
	s_nop 0
	v_fma_f32 v143, -v139, v142, 1.0
	v_fmac_f32_e32 v142, v143, v142
	v_div_scale_f32 v143, vcc, 1.0, v111, 1.0
	v_mul_f32_e32 v144, v143, v142
	v_fma_f32 v145, -v139, v144, v143
	v_fmac_f32_e32 v144, v145, v142
	v_fma_f32 v139, -v139, v144, v143
	v_div_fmas_f32 v139, v139, v142, v144
	v_div_fixup_f32 v111, v139, v111, 1.0
	v_div_scale_f32 v139, vcc, v110, v110, 1.0
	v_rcp_f32_e32 v142, v139
	s_nop 0
	v_fma_f32 v143, -v139, v142, 1.0
	v_fmac_f32_e32 v142, v143, v142
	v_div_scale_f32 v143, vcc, 1.0, v110, 1.0
	v_mul_f32_e32 v144, v143, v142
	v_fma_f32 v145, -v139, v144, v143
	v_fmac_f32_e32 v144, v145, v142
	v_fma_f32 v139, -v139, v144, v143
	v_div_fmas_f32 v139, v139, v142, v144
	v_cmp_nlt_f32_e32 vcc, s47, v140
	v_div_fixup_f32 v110, v139, v110, 1.0
	v_pk_mul_f32 v[110:111], v[94:95], v[110:111]
	v_cndmask_b32_e32 v139, v122, v140, vcc
	v_cmp_nlt_f32_e32 vcc, s47, v141
	s_nop 1
	v_cndmask_b32_e32 v122, v122, v141, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v122
	s_nop 1
	v_cndmask_b32_e32 v141, v135, v122, vcc
	v_cmp_ngt_f32_e32 vcc, s83, v139
	s_nop 1
	v_cndmask_b32_e32 v140, v135, v139, vcc
	v_pk_fma_f32 v[112:113], v[140:141], s[84:85], v[112:113] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v122, 0xcb400000, v112
	v_mul_f32_e32 v142, 0x3f318000, v122
	v_mul_f32_e32 v144, 0x395e8083, v122
	v_add_f32_e32 v122, 0xcb400000, v113
	v_pk_mul_f32 v[146:147], v[122:123], s[86:87] op_sel_hi:[0,1]
	v_mov_b32_e32 v143, v147
	v_pk_add_f32 v[140:141], v[140:141], v[142:143] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v145, v146
	v_pk_add_f32 v[140:141], v[144:145], v[140:141]
	v_lshrrev_b32_e32 v135, 1, v113
	v_fmamk_f32 v122, v140, 0x39506967, v136
	v_fmaak_f32 v122, v140, v122, 0x3c088908
	v_fmac_f32_e32 v136, 0x39506967, v141
	v_fmaak_f32 v122, v140, v122, 0x3d2aa9c1
	v_fmac_f32_e32 v137, v141, v136
	v_fmaak_f32 v122, v140, v122, 0x3e2aaaaa
	v_fmac_f32_e32 v138, v141, v137
	v_mul_f32_e32 v142, v140, v122
	v_fmac_f32_e32 v123, v141, v138
	v_mov_b32_e32 v122, v141
	v_pk_mul_f32 v[122:123], v[140:141], v[122:123] op_sel:[1,0]
	v_pk_mul_f32 v[144:145], v[140:141], v[140:141]
	v_mov_b32_e32 v143, v123
	v_pk_add_f32 v[136:137], v[142:143], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v145, v122
	v_pk_fma_f32 v[122:123], v[144:145], v[136:137], v[140:141]
	v_lshlrev_b32_e32 v136, 22, v113
	v_lshlrev_b32_e32 v137, 22, v112
	v_lshrrev_b32_e32 v138, 1, v112
	v_and_b32_e32 v136, 0xff800000, v136
	v_and_b32_e32 v139, 0xff800000, v137
	v_pk_add_f32 v[122:123], v[122:123], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v137, 1.0, v136
	v_add_u32_e32 v136, 1.0, v139
	v_sub_u32_e32 v112, v112, v138
	v_sub_u32_e32 v113, v113, v135
	v_pk_mul_f32 v[122:123], v[122:123], v[136:137]
	v_lshl_add_u32 v113, v113, 23, 1.0
	v_lshl_add_u32 v112, v112, 23, 1.0
	v_pk_fma_f32 v[112:113], v[122:123], v[112:113], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v122, s[82:83], v113, v113, 1.0
	v_rcp_f32_e32 v123, v122
	s_nop 0
	v_fma_f32 v135, -v122, v123, 1.0
	v_fmac_f32_e32 v123, v135, v123
	v_div_scale_f32 v135, vcc, 1.0, v113, 1.0
	v_mul_f32_e32 v136, v135, v123
	v_fma_f32 v137, -v122, v136, v135
	v_fmac_f32_e32 v136, v137, v123
	v_fma_f32 v122, -v122, v136, v135
	v_div_fmas_f32 v122, v122, v123, v136
	v_div_fixup_f32 v113, v122, v113, 1.0
	v_div_scale_f32 v122, s[82:83], v112, v112, 1.0
	v_rcp_f32_e32 v123, v122
	s_nop 0
	v_fma_f32 v135, -v122, v123, 1.0
	v_fmac_f32_e32 v123, v135, v123
	v_div_scale_f32 v135, vcc, 1.0, v112, 1.0
	v_mul_f32_e32 v136, v135, v123
	v_fma_f32 v137, -v122, v136, v135
	v_fmac_f32_e32 v136, v137, v123
	v_fma_f32 v122, -v122, v136, v135
	v_div_fmas_f32 v122, v122, v123, v136
	v_div_fixup_f32 v112, v122, v112, 1.0
	v_pk_mul_f32 v[112:113], v[96:97], v[112:113]
.LBB1_455:                              ;   in Loop: Header=BB1_428 Depth=3
	s_cbranch_execnz .LBB1_440
.LBB1_456:                              ;   in Loop: Header=BB1_428 Depth=3
	s_and_b32 s36, 0xffff, s46
	s_cmp_eq_u32 s36, 1
	s_cbranch_scc0 .LBB1_458
; %bb.457:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(3)
	v_cmp_ngt_f32_e32 vcc, 0, v82
	s_nop 1
	v_cndmask_b32_e32 v82, 0, v82, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v83
	s_nop 1
	v_cndmask_b32_e32 v83, 0, v83, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v84
	s_nop 1
	v_cndmask_b32_e32 v84, 0, v84, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v85
	s_nop 1
	v_cndmask_b32_e32 v85, 0, v85, vcc
	s_waitcnt lgkmcnt(2)
	v_cmp_ngt_f32_e32 vcc, 0, v86
	s_nop 1
	v_cndmask_b32_e32 v86, 0, v86, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v87
	s_nop 1
	v_cndmask_b32_e32 v87, 0, v87, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v88
	s_nop 1
	v_cndmask_b32_e32 v88, 0, v88, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v89
	s_nop 1
	v_cndmask_b32_e32 v89, 0, v89, vcc
	s_waitcnt lgkmcnt(1)
	v_cmp_ngt_f32_e32 vcc, 0, v90
	s_nop 1
	v_cndmask_b32_e32 v90, 0, v90, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v91
	s_nop 1
	v_cndmask_b32_e32 v91, 0, v91, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v92
	s_nop 1
	v_cndmask_b32_e32 v92, 0, v92, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v93
	s_nop 1
	v_cndmask_b32_e32 v93, 0, v93, vcc
	s_waitcnt lgkmcnt(0)
	v_cmp_ngt_f32_e32 vcc, 0, v94
	s_nop 1
	v_cndmask_b32_e32 v94, 0, v94, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v95
	s_nop 1
	v_cndmask_b32_e32 v95, 0, v95, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v96
	s_nop 1
	v_cndmask_b32_e32 v96, 0, v96, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v97
	s_nop 1
	v_cndmask_b32_e32 v97, 0, v97, vcc
.LBB1_458:                              ;   in Loop: Header=BB1_428 Depth=3
	s_waitcnt lgkmcnt(0)
	v_mov_b64_e32 v[112:113], v[96:97]
	v_mov_b64_e32 v[108:109], v[92:93]
	v_mov_b64_e32 v[104:105], v[88:89]
	v_mov_b64_e32 v[100:101], v[84:85]
	v_mov_b64_e32 v[110:111], v[94:95]
	v_mov_b64_e32 v[106:107], v[90:91]
	v_mov_b64_e32 v[102:103], v[86:87]
	v_mov_b64_e32 v[98:99], v[82:83]
	v_add_u32_e32 v82, s99, v129
	s_mov_b64 s[82:83], -1
	s_and_b64 vcc, exec, s[70:71]
	s_cbranch_vccnz .LBB1_441
.LBB1_459:                              ;   in Loop: Header=BB1_428 Depth=3
	s_andn2_b64 vcc, exec, s[82:83]
	s_cbranch_vccnz .LBB1_427
.LBB1_460:                              ;   in Loop: Header=BB1_428 Depth=3
	buffer_store_dwordx4 v[98:101], v129, s[20:23], 0 offen
	buffer_store_dwordx4 v[102:105], v129, s[20:23], 0 offen offset:16
	buffer_store_dwordx4 v[106:109], v82, s[20:23], 0 offen
	buffer_store_dwordx4 v[110:113], v82, s[20:23], 0 offen offset:16
	s_branch .LBB1_427
.LBB1_461:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[4:5], 0
.LBB1_462:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB1_637
; %bb.463:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b32 s36, s11, 0x100
	s_ashr_i32 s20, s50, 31
	s_and_b32 s46, s97, 0xff
	v_mov_b32_e32 v6, v0
	v_mov_b32_e32 v1, v0
	v_readfirstlane_b32 s11, v0
	s_cmp_gt_i32 s46, 1
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc0 .LBB1_465
; %bb.464:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_hi_i32 s4, s51, s50
	s_mul_i32 s51, s51, s50
	s_ashr_i32 s5, s91, 31
	s_add_u32 s21, s51, s91
	s_addc_u32 s4, s4, s5
	s_mul_i32 s5, s21, s41
	s_mul_hi_u32 s22, s21, s40
	s_add_i32 s5, s22, s5
	s_mul_i32 s4, s4, s40
	s_add_i32 s23, s5, s4
	s_mul_i32 s22, s21, s40
	s_cbranch_execz .LBB1_466
	s_branch .LBB1_468
.LBB1_465:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr22_sgpr23
.LBB1_466:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mul_i32 s4, s40, s20
	s_mul_hi_u32 s5, s40, s50
	s_add_i32 s4, s5, s4
	s_mul_i32 s5, s41, s50
	s_add_i32 s23, s4, s5
	s_and_b32 s4, 0xffff, s46
	s_cmp_lg_u32 s4, 1
	s_mul_i32 s22, s40, s50
	s_cbranch_scc1 .LBB1_468
; %bb.467:                              ;   in Loop: Header=BB1_124 Depth=1
	s_sub_i32 s40, s89, s85
	s_ashr_i32 s41, s40, 31
	s_ashr_i32 s4, s85, 31
	s_add_u32 s22, s22, s85
	s_addc_u32 s23, s23, s4
.LBB1_468:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s46, 1
	s_mov_b64 s[20:21], 0
	s_cselect_b64 s[4:5], -1, 0
	s_andn2_b64 vcc, exec, s[12:13]
	s_mov_b64 s[64:65], 0
	s_cbranch_vccnz .LBB1_473
; %bb.469:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 s[12:13], s[4:5], exec
	s_cselect_b32 s12, s91, s50
	s_cmp_eq_u64 s[28:29], 0
	s_cbranch_scc1 .LBB1_471
; %bb.470:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s13, s12, 31
	s_mul_hi_u32 s20, s16, s12
	s_mul_i32 s13, s16, s13
	s_add_i32 s13, s20, s13
	s_mul_i32 s17, s17, s12
	s_add_i32 s17, s13, s17
	s_mul_i32 s16, s16, s12
	s_lshl_b64 s[16:17], s[16:17], 2
	s_add_u32 s20, s28, s16
	s_addc_u32 s21, s29, s17
.LBB1_471:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u64 s[30:31], 0
	s_cbranch_scc1 .LBB1_473
; %bb.472:                              ;   in Loop: Header=BB1_124 Depth=1
	s_ashr_i32 s13, s12, 31
	s_mul_hi_u32 s16, s18, s12
	s_mul_i32 s13, s18, s13
	s_add_i32 s13, s16, s13
	s_mul_i32 s16, s19, s12
	s_add_i32 s13, s13, s16
	s_mul_i32 s12, s18, s12
	s_lshl_b64 s[12:13], s[12:13], 2
	s_add_u32 s64, s30, s12
	s_addc_u32 s65, s31, s13
.LBB1_473:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 s[12:13], s[14:15], exec
	s_cselect_b32 s12, 7, 15
	s_ashr_i32 s57, s56, 31
	v_and_b32_e32 v8, s12, v1
	s_lshl_b64 s[12:13], s[56:57], 7
	s_and_b32 s16, s11, 64
	s_or_b32 s12, s12, s16
	s_lshr_b32 s16, s36, 8
	s_ashr_i64 s[12:13], s[12:13], s16
	v_lshlrev_b32_e32 v2, 2, v8
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[82:83], s[12:13], 0, v[2:3]
	v_mov_b32_e32 v2, s43
	v_sub_co_u32_e32 v4, vcc, s42, v82
	s_cmp_lg_u64 s[20:21], 0
	s_nop 0
	v_subb_co_u32_e32 v5, vcc, v2, v83, vcc
	v_cmp_gt_i64_e32 vcc, 4, v[4:5]
	s_cselect_b64 s[28:29], -1, 0
	s_cmp_eq_u64 s[20:21], 0
	v_cndmask_b32_e32 v7, 4, v4, vcc
	v_mov_b32_e32 v85, 0
	v_mov_b32_e32 v84, 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v87, 0
	v_mov_b32_e32 v86, 0
	v_cmp_lt_i32_e32 vcc, 0, v7
	s_cbranch_scc1 .LBB1_483
; %bb.474:                              ;   in Loop: Header=BB1_124 Depth=1
	v_lshl_add_u64 v[4:5], v[82:83], 2, s[20:21]
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_476
; %bb.475:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dword v3, v[4:5], off
.LBB1_476:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v84, 0
	v_cmp_lt_i32_e32 vcc, 1, v7
	v_mov_b32_e32 v87, v84
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_478
; %bb.477:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dword v87, v[4:5], off offset:4
.LBB1_478:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_cmp_lt_i32_e32 vcc, 2, v7
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_480
; %bb.479:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dword v84, v[4:5], off offset:8
.LBB1_480:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_cmp_lt_i32_e32 vcc, 3, v7
	v_mov_b32_e32 v85, 0
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_482
; %bb.481:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dword v85, v[4:5], off offset:12
.LBB1_482:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v86, v3
.LBB1_483:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_lg_u64 s[64:65], 0
	s_cselect_b64 s[30:31], -1, 0
	s_cmp_eq_u64 s[64:65], 0
	v_mov_b32_e32 v88, 1.0
	v_mov_b32_e32 v89, 1.0
	v_mov_b32_e32 v90, 1.0
	v_mov_b32_e32 v91, 1.0
	s_cbranch_scc1 .LBB1_495
; %bb.484:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 .LBB1_677
; %bb.485:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v89, 0
	v_lshl_add_u64 v[2:3], v[82:83], 2, s[64:65]
	v_cmp_lt_i32_e32 vcc, 0, v7
	v_mov_b32_e32 v88, v89
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_487
; %bb.486:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dword v88, v[2:3], off
.LBB1_487:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_cmp_lt_i32_e32 vcc, 1, v7
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_489
; %bb.488:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dword v89, v[2:3], off offset:4
.LBB1_489:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v91, 0
	v_cmp_lt_i32_e32 vcc, 2, v7
	v_mov_b32_e32 v90, v91
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_491
; %bb.490:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dword v90, v[2:3], off offset:8
.LBB1_491:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	v_cmp_lt_i32_e32 vcc, 3, v7
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_493
; %bb.492:                              ;   in Loop: Header=BB1_124 Depth=1
	global_load_dword v91, v[2:3], off offset:12
.LBB1_493:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB1_495
.LBB1_494:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v2, 0
	global_load_dword v91, v2, s[64:65]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v90, v91
	v_mov_b32_e32 v89, v91
	v_mov_b32_e32 v88, v91
.LBB1_495:                              ;   in Loop: Header=BB1_124 Depth=1
	s_cmp_eq_u64 s[6:7], 0
	s_cselect_b64 s[12:13], -1, 0
	s_or_b64 s[12:13], s[52:53], s[12:13]
	s_and_b64 s[12:13], s[12:13], exec
	s_cselect_b32 s16, -1, s50
	s_ashr_i32 s55, s54, 31
	s_lshr_b32 s11, s11, 1
	s_lshl_b64 s[12:13], s[54:55], 7
	s_and_b32 s11, s11, 0x7fffffc0
	s_add_u32 s36, s12, s11
	s_addc_u32 s70, s13, 0
	s_ashr_i32 s11, s85, 31
	s_and_b64 s[4:5], s[4:5], exec
	s_cselect_b32 s51, s11, 0
	s_cselect_b32 s50, s85, 0
	s_cmp_gt_i32 s16, -1
	v_and_or_b32 v92, v6, 31, s36
	v_mov_b32_e32 v93, s70
	s_cselect_b64 s[54:55], -1, 0
	s_cmp_lt_i32 s16, 0
	v_cmp_le_i64_e32 vcc, s[40:41], v[92:93]
	s_cselect_b64 s[4:5], -1, 0
	s_or_b64 s[12:13], vcc, s[4:5]
	s_mul_i32 s11, s63, s16
	s_mul_hi_u32 s18, s62, s16
	s_mul_i32 s4, s62, s16
                                        ; implicit-def: $sgpr16_sgpr17
	s_and_saveexec_b64 s[46:47], s[12:13]
	s_xor_b64 s[12:13], exec, s[46:47]
; %bb.496:                              ;   in Loop: Header=BB1_124 Depth=1
	s_add_i32 s5, s18, s11
	s_ashr_i32 s17, s9, 31
	s_mov_b32 s16, s9
; %bb.497:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_saveexec_b64 s[12:13], s[12:13]
	v_mov_b64_e32 v[94:95], s[16:17]
	v_mov_b64_e32 v[2:3], s[4:5]
	v_mov_b32_e32 v121, 1.0
	s_xor_b64 exec, exec, s[12:13]
	s_cbranch_execz .LBB1_499
; %bb.498:                              ;   in Loop: Header=BB1_124 Depth=1
	v_lshl_add_u64 v[2:3], v[92:93], 0, s[50:51]
	s_ashr_i32 s17, s9, 31
	s_add_i32 s5, s18, s11
	v_mul_lo_u32 v4, v2, s17
	v_mul_lo_u32 v5, v3, s9
	v_mad_u64_u32 v[2:3], s[18:19], v2, s9, 0
	s_lshl_b64 s[18:19], s[4:5], 2
	s_add_u32 s18, s6, s18
	v_add3_u32 v3, v3, v4, v5
	s_addc_u32 s19, s7, s19
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[18:19]
	global_load_dword v121, v[2:3], off
	s_mov_b32 s16, s9
	v_mov_b64_e32 v[94:95], s[16:17]
	v_mov_b64_e32 v[2:3], s[4:5]
.LBB1_499:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[12:13]
	s_lshr_b32 s9, s10, 8
	s_and_b64 s[4:5], s[52:53], exec
	s_cselect_b32 s71, 0, s9
	s_and_b64 s[4:5], s[14:15], exec
	v_and_b32_e32 v4, 63, v1
	s_cselect_b32 s4, 3, 4
	v_lshrrev_b32_e32 v122, s4, v4
	v_lshlrev_b32_e32 v4, 1, v8
	v_and_b32_e32 v1, 3, v1
	v_and_or_b32 v1, v4, 24, v1
	s_mov_b32 s13, 0
	v_cndmask_b32_e64 v1, v8, v1, s[14:15]
	s_and_b32 s12, s42, 3
	s_cmp_lg_u64 s[12:13], 0
	v_lshl_add_u64 v[96:97], v[2:3], 2, s[6:7]
	v_lshrrev_b32_e32 v2, 1, v1
	v_lshlrev_b32_e32 v3, 3, v1
	s_cselect_b64 s[52:53], -1, 0
	s_and_b64 s[6:7], s[14:15], exec
	v_and_or_b32 v123, v3, 8, v2
	v_lshl_add_u64 v[2:3], v[82:83], 0, s[42:43]
	s_cselect_b32 s72, 8, 4
	v_lshlrev_b64 v[2:3], 2, v[2:3]
	s_cmp_lg_u32 s8, 0
	v_add_u32_e32 v1, 4, v1
	v_lshl_add_u64 v[98:99], s[20:21], 0, v[2:3]
	s_cselect_b64 s[56:57], -1, 0
	v_lshl_add_u64 v[100:101], s[64:65], 0, v[2:3]
	v_lshrrev_b32_e32 v2, 1, v1
	v_lshlrev_b32_e32 v1, 3, v1
	s_and_b64 s[6:7], s[60:61], exec
	v_cmp_gt_i32_e64 s[4:5], 1, v7
	v_and_or_b32 v127, v1, 8, v2
	s_cselect_b32 s73, 0, 2
	v_cmp_lt_u32_e64 s[6:7], 1, v7
	v_cmp_lt_u32_e64 s[8:9], 2, v7
	v_cmp_lt_u32_e64 s[10:11], 3, v7
	s_mov_b64 s[16:17], -1
	v_mov_b64_e32 v[102:103], v[114:115]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v128, v121
	s_branch .LBB1_501
.LBB1_500:                              ;   in Loop: Header=BB1_501 Depth=2
	s_mov_b32 s13, 32
	s_mov_b64 s[16:17], 0
	s_and_b64 vcc, exec, s[60:61]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v121, v128
	s_cbranch_vccnz .LBB1_637
.LBB1_501:                              ;   Parent Loop BB1_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB1_507 Depth 3
                                        ;       Child Loop BB1_513 Depth 3
                                        ;         Child Loop BB1_550 Depth 4
	s_andn2_b64 vcc, exec, s[54:55]
	s_cbranch_vccnz .LBB1_505
; %bb.502:                              ;   in Loop: Header=BB1_501 Depth=2
	s_add_i32 s18, s13, 32
	s_mov_b32 s19, 0
	v_lshl_add_u64 v[2:3], v[92:93], 0, s[18:19]
	v_cmp_gt_i64_e32 vcc, s[40:41], v[2:3]
	v_mov_b32_e32 v128, 1.0
	s_and_saveexec_b64 s[18:19], vcc
	s_cbranch_execz .LBB1_504
; %bb.503:                              ;   in Loop: Header=BB1_501 Depth=2
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[50:51]
	v_mul_lo_u32 v1, v3, v94
	v_mul_lo_u32 v4, v2, v95
	v_mad_u64_u32 v[2:3], s[20:21], v2, v94, 0
	v_add3_u32 v3, v3, v4, v1
	v_lshl_add_u64 v[2:3], v[2:3], 2, v[96:97]
	global_load_dword v128, v[2:3], off
.LBB1_504:                              ;   in Loop: Header=BB1_501 Depth=2
	s_or_b64 exec, exec, s[18:19]
.LBB1_505:                              ;   in Loop: Header=BB1_501 Depth=2
	v_mov_b32_e32 v2, v0
	;;#ASMSTART
	;;#ASMEND
	v_cmp_ne_u64_e32 vcc, 0, v[102:103]
	v_and_b32_e32 v6, 63, v2
	v_and_b32_e32 v3, 15, v2
	v_and_b32_e32 v1, 7, v2
	v_lshlrev_b32_e32 v4, 3, v3
	v_lshrrev_b32_e32 v5, 1, v2
	v_lshrrev_b32_e32 v6, 5, v6
	s_and_saveexec_b64 s[18:19], vcc
	s_xor_b64 s[18:19], exec, s[18:19]
	s_cbranch_execz .LBB1_509
; %bb.506:                              ;   in Loop: Header=BB1_501 Depth=2
	v_xor_b32_e32 v2, v4, v2
	v_and_or_b32 v2, v2, 8, v1
	v_and_b32_e32 v1, 8, v5
	v_lshlrev_b32_e32 v5, 8, v3
	v_or_b32_e32 v4, v6, v1
	v_bitop3_b32 v1, v6, v2, v1 bitop3:0x36
	v_add_u32_e32 v3, s93, v5
	v_lshl_add_u32 v1, v1, 4, v3
	v_bitop3_b32 v6, v4, v2, 2 bitop3:0x36
	v_bitop3_b32 v3, v4, v2, 4 bitop3:0x36
	v_bitop3_b32 v2, v4, v2, 6 bitop3:0x36
	v_lshl_or_b32 v2, v2, 4, v5
	v_lshl_or_b32 v3, v3, 4, v5
	v_lshl_or_b32 v4, v6, 4, v5
	v_add_u32_e32 v2, s93, v2
	v_add_u32_e32 v3, s93, v3
	v_add_u32_e32 v4, s93, v4
	s_movk_i32 s12, 0xe000
.LBB1_507:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_501 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_add_co_u32_e32 v6, vcc, 0x1000, v102
	global_load_dwordx4 v[12:15], v[102:103], off
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v103, vcc
	v_add_co_u32_e32 v8, vcc, 0x2000, v102
	v_add_u32_e32 v5, s12, v1
	s_nop 0
	v_addc_co_u32_e32 v9, vcc, 0, v103, vcc
	global_load_dwordx4 v[104:107], v[6:7], off
	global_load_dwordx4 v[108:111], v[8:9], off
	v_add_co_u32_e32 v10, vcc, 0x3000, v102
	v_add_u32_e32 v6, s12, v4
	s_nop 0
	v_addc_co_u32_e32 v11, vcc, 0, v103, vcc
	global_load_dwordx4 v[116:119], v[10:11], off
	v_add_u32_e32 v7, s12, v3
	v_add_u32_e32 v8, s12, v2
	s_mov_b64 s[20:21], 0x4000
	s_addk_i32 s12, 0x1000
	s_cmp_lg_u32 s12, 0
	v_lshl_add_u64 v[102:103], v[102:103], 0, s[20:21]
	s_waitcnt vmcnt(3)
	ds_write_b128 v5, v[12:15] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v6, v[104:107] offset:8192
	s_waitcnt vmcnt(1)
	ds_write_b128 v7, v[108:111] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v8, v[116:119] offset:8192
	s_cbranch_scc1 .LBB1_507
; %bb.508:                              ;   in Loop: Header=BB1_501 Depth=2
                                        ; implicit-def: $vgpr4
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr5
                                        ; implicit-def: $vgpr6
                                        ; implicit-def: $vgpr1
                                        ; implicit-def: $vgpr3
.LBB1_509:                              ;   in Loop: Header=BB1_501 Depth=2
	s_andn2_saveexec_b64 s[18:19], s[18:19]
	s_cbranch_execz .LBB1_511
; %bb.510:                              ;   in Loop: Header=BB1_501 Depth=2
	v_bitop3_b32 v2, v4, 8, v2 bitop3:0x48
	v_and_or_b32 v4, v5, 8, v6
	v_bitop3_b32 v5, v2, v4, v1 bitop3:0x36
	v_lshl_add_u32 v3, v3, 8, s93
	v_lshl_add_u32 v120, v5, 4, v3
	v_or_b32_e32 v5, 2, v4
	v_bitop3_b32 v5, v2, v5, v1 bitop3:0x36
	v_lshl_add_u32 v129, v5, 4, v3
	v_or_b32_e32 v5, 4, v4
	v_or_b32_e32 v4, 6, v4
	v_bitop3_b32 v5, v2, v5, v1 bitop3:0x36
	v_bitop3_b32 v1, v2, v4, v1 bitop3:0x36
	v_lshl_add_u32 v130, v5, 4, v3
	v_lshl_add_u32 v1, v1, 4, v3
	v_cndmask_b32_e64 v5, v49, v77, s[16:17]
	v_cndmask_b32_e64 v4, v48, v76, s[16:17]
	v_cndmask_b32_e64 v3, v47, v75, s[16:17]
	v_cndmask_b32_e64 v2, v46, v74, s[16:17]
	v_cndmask_b32_e64 v103, v31, v59, s[16:17]
	v_cndmask_b32_e64 v102, v30, v58, s[16:17]
	v_cndmask_b32_e64 v9, v45, v73, s[16:17]
	v_cndmask_b32_e64 v8, v44, v72, s[16:17]
	v_cndmask_b32_e64 v7, v43, v71, s[16:17]
	v_cndmask_b32_e64 v6, v42, v70, s[16:17]
	v_cndmask_b32_e64 v13, v41, v69, s[16:17]
	v_cndmask_b32_e64 v12, v40, v68, s[16:17]
	v_cndmask_b32_e64 v11, v39, v67, s[16:17]
	v_cndmask_b32_e64 v10, v38, v66, s[16:17]
	v_cndmask_b32_e64 v17, v37, v65, s[16:17]
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v16, v36, v64, s[16:17]
	v_cndmask_b32_e64 v15, v35, v63, s[16:17]
	v_cndmask_b32_e64 v14, v34, v62, s[16:17]
	v_cndmask_b32_e64 v105, v33, v61, s[16:17]
	v_cndmask_b32_e64 v104, v32, v60, s[16:17]
	v_cndmask_b32_e64 v109, v29, v57, s[16:17]
	v_cndmask_b32_e64 v108, v28, v56, s[16:17]
	v_cndmask_b32_e64 v107, v27, v55, s[16:17]
	v_cndmask_b32_e64 v106, v26, v54, s[16:17]
	v_cndmask_b32_e64 v113, v25, v53, s[16:17]
	v_cndmask_b32_e64 v112, v24, v52, s[16:17]
	v_cndmask_b32_e64 v111, v23, v51, s[16:17]
	v_cndmask_b32_e64 v110, v22, v50, s[16:17]
	v_cndmask_b32_e64 v119, v21, v81, s[16:17]
	v_cndmask_b32_e64 v118, v20, v80, s[16:17]
	v_cndmask_b32_e64 v117, v19, v79, s[16:17]
	v_cndmask_b32_e64 v116, v18, v78, s[16:17]
	ds_write_b128 v120, v[2:5]
	ds_write_b128 v129, v[6:9]
	ds_write_b128 v130, v[10:13]
	ds_write_b128 v1, v[14:17]
	ds_write_b128 v120, v[102:105] offset:4096
	ds_write_b128 v129, v[106:109] offset:4096
	ds_write_b128 v130, v[110:113] offset:4096
	ds_write_b128 v1, v[116:119] offset:4096
	v_mov_b64_e32 v[102:103], 0
.LBB1_511:                              ;   in Loop: Header=BB1_501 Depth=2
	s_or_b64 exec, exec, s[18:19]
	v_or_b32_e32 v1, s13, v122
	s_mov_b32 s63, 0
	s_xor_b64 s[60:61], s[16:17], -1
	v_or_b32_e32 v104, s36, v1
	v_mov_b32_e32 v105, s70
	s_mov_b32 s62, s63
	s_branch .LBB1_513
.LBB1_512:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[66:67]
	s_add_i32 s62, s62, s72
	s_cmp_gt_u32 s62, 31
	s_cbranch_scc1 .LBB1_500
.LBB1_513:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_501 Depth=2
                                        ; =>    This Loop Header: Depth=3
                                        ;         Child Loop BB1_550 Depth 4
	v_add_u32_e32 v1, s62, v122
	v_lshlrev_b32_e32 v2, 2, v1
	s_waitcnt lgkmcnt(0)
	ds_bpermute_b32 v16, v2, v121
	v_lshl_add_u64 v[14:15], v[104:105], 0, s[62:63]
	v_cmp_gt_i64_e32 vcc, s[40:41], v[14:15]
	s_xor_b64 s[12:13], s[4:5], -1
	s_and_b64 s[12:13], s[12:13], vcc
	s_and_saveexec_b64 s[66:67], s[12:13]
	s_cbranch_execz .LBB1_512
; %bb.514:                              ;   in Loop: Header=BB1_513 Depth=3
	v_lshlrev_b32_e32 v2, 3, v1
	v_and_b32_e32 v17, 7, v1
	v_bitop3_b32 v106, v2, 8, v1 bitop3:0x48
	v_bitop3_b32 v2, v106, v123, v17 bitop3:0x36
	v_lshl_add_u32 v1, v1, 8, s93
	v_lshl_add_u32 v2, v2, 4, v1
	ds_read_b128 v[2:5], v2
	s_and_b32 s17, s71, 0xff
	s_cmp_lt_i32 s17, 2
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[4:5], v[16:17], v[4:5] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[16:17], v[2:3] op_sel_hi:[0,1]
	v_pk_fma_f32 v[4:5], v[90:91], v[4:5], v[84:85]
	v_pk_fma_f32 v[2:3], v[88:89], v[2:3], v[86:87]
	s_cbranch_scc1 .LBB1_519
; %bb.515:                              ;   in Loop: Header=BB1_513 Depth=3
	s_and_b32 s12, 0xffff, s17
	s_cmp_lt_i32 s12, 3
	s_cbranch_scc1 .LBB1_520
; %bb.516:                              ;   in Loop: Header=BB1_513 Depth=3
	v_mov_b64_e32 v[8:9], v[4:5]
	s_cmp_eq_u32 s12, 3
	v_mov_b64_e32 v[6:7], v[2:3]
	s_cbranch_scc0 .LBB1_518
; %bb.517:                              ;   in Loop: Header=BB1_513 Depth=3
	s_mov_b32 s20, 0xc2b20000
	v_mov_b32_e32 v107, 0x42b20000
	v_cmp_ngt_f32_e32 vcc, s20, v3
	s_mov_b32 s21, 0xc2d00000
	v_mov_b32_e32 v112, 0xc2d00000
	v_cndmask_b32_e64 v6, v107, -v3, vcc
	v_cmp_ngt_f32_e32 vcc, s20, v2
	s_mov_b32 s12, 0x4b400000
	s_mov_b32 s16, 0x3fb8aa3b
	v_cndmask_b32_e64 v8, v107, -v2, vcc
	v_cmp_ngt_f32_e32 vcc, s21, v6
	s_mov_b32 s18, 0x395e8083
	s_mov_b32 s19, 0x3f318000
	v_cndmask_b32_e32 v7, v112, v6, vcc
	v_cmp_ngt_f32_e32 vcc, s21, v8
	s_nop 1
	v_cndmask_b32_e32 v6, v112, v8, vcc
	v_mov_b64_e32 v[8:9], s[12:13]
	v_pk_fma_f32 v[10:11], v[6:7], s[16:17], v[8:9] op_sel_hi:[1,0,0]
	s_mov_b32 s12, 0xcb400000
	v_pk_add_f32 v[12:13], v[10:11], s[12:13] op_sel_hi:[1,0]
	s_mov_b32 s12, 0xbf318000
	v_pk_fma_f32 v[6:7], v[12:13], s[12:13], v[6:7] op_sel_hi:[1,0,1]
	s_mov_b32 s12, 0x39506967
	v_pk_fma_f32 v[6:7], v[12:13], s[18:19], v[6:7] op_sel_hi:[1,0,1]
	v_mov_b32_e32 v12, 0x3ab743ce
	v_pk_fma_f32 v[108:109], v[6:7], s[12:13], v[12:13] op_sel_hi:[1,0,0]
	s_mov_b32 s12, 0x3c088908
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[12:13] op_sel_hi:[1,1,0]
	s_mov_b32 s12, 0x3d2aa9c1
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[12:13] op_sel_hi:[1,1,0]
	s_mov_b32 s12, 0x3e2aaaaa
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[12:13] op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[110:111], v[6:7], v[6:7]
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], 0.5 op_sel_hi:[1,1,0]
	v_lshrrev_b32_e32 v13, 1, v11
	v_pk_fma_f32 v[6:7], v[110:111], v[108:109], v[6:7]
	v_lshlrev_b32_e32 v108, 22, v11
	v_lshlrev_b32_e32 v109, 22, v10
	v_lshrrev_b32_e32 v110, 1, v10
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v111, 0xff800000, v109
	v_pk_add_f32 v[6:7], v[6:7], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v111
	v_sub_u32_e32 v10, v10, v110
	v_sub_u32_e32 v11, v11, v13
	v_pk_mul_f32 v[6:7], v[6:7], v[108:109]
	v_lshl_add_u32 v11, v11, 23, 1.0
	v_lshl_add_u32 v10, v10, 23, 1.0
	v_pk_fma_f32 v[6:7], v[6:7], v[10:11], 1.0 op_sel_hi:[1,1,0]
	s_nop 0
	v_div_scale_f32 v10, s[12:13], v7, v7, 1.0
	v_rcp_f32_e32 v11, v10
	s_nop 0
	v_fma_f32 v13, -v10, v11, 1.0
	v_fmac_f32_e32 v11, v13, v11
	v_div_scale_f32 v13, vcc, 1.0, v7, 1.0
	v_mul_f32_e32 v108, v13, v11
	v_fma_f32 v109, -v10, v108, v13
	v_fmac_f32_e32 v108, v109, v11
	v_fma_f32 v10, -v10, v108, v13
	v_div_scale_f32 v13, s[12:13], v6, v6, 1.0
	v_rcp_f32_e32 v116, v13
	v_div_fmas_f32 v10, v10, v11, v108
	v_div_fixup_f32 v7, v10, v7, 1.0
	v_cmp_ngt_f32_e64 s[12:13], s20, v5
	v_fma_f32 v10, -v13, v116, 1.0
	v_fmac_f32_e32 v116, v10, v116
	v_div_scale_f32 v10, vcc, 1.0, v6, 1.0
	v_mul_f32_e32 v117, v10, v116
	v_fma_f32 v11, -v13, v117, v10
	v_fmac_f32_e32 v117, v11, v116
	v_fma_f32 v118, -v13, v117, v10
	v_cndmask_b32_e64 v10, v107, -v5, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s20, v4
	s_nop 1
	v_cndmask_b32_e64 v13, v107, -v4, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s21, v10
	v_mov_b32_e32 v107, 0x3c088908
	s_nop 0
	v_cndmask_b32_e64 v11, v112, v10, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s21, v13
	s_nop 1
	v_cndmask_b32_e64 v10, v112, v13, s[12:13]
	v_pk_fma_f32 v[8:9], v[10:11], s[16:17], v[8:9] op_sel_hi:[1,0,0]
	s_nop 0
	v_add_f32_e32 v112, 0xcb400000, v9
	v_add_f32_e32 v13, 0xcb400000, v8
	v_pk_mul_f32 v[112:113], v[112:113], s[18:19] op_sel_hi:[0,1]
	v_mul_f32_e32 v108, 0x3f318000, v13
	v_mov_b32_e32 v109, v113
	v_mul_f32_e32 v110, 0x395e8083, v13
	v_pk_add_f32 v[10:11], v[10:11], v[108:109] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v111, v112
	v_pk_add_f32 v[10:11], v[110:111], v[10:11]
	v_mov_b32_e32 v109, 0x3d2aa9c1
	v_fmamk_f32 v13, v10, 0x39506967, v12
	v_fmac_f32_e32 v12, 0x39506967, v11
	v_fmaak_f32 v13, v10, v13, 0x3c088908
	v_fmac_f32_e32 v107, v11, v12
	v_fmaak_f32 v108, v10, v13, 0x3d2aa9c1
	v_mov_b32_e32 v13, 0x3e2aaaaa
	v_fmac_f32_e32 v109, v11, v107
	v_fmac_f32_e32 v13, v11, v109
	v_mov_b32_e32 v12, v11
	v_fmaak_f32 v108, v10, v108, 0x3e2aaaaa
	v_pk_mul_f32 v[12:13], v[10:11], v[12:13] op_sel:[1,0]
	v_mul_f32_e32 v108, v10, v108
	v_pk_mul_f32 v[110:111], v[10:11], v[10:11]
	v_mov_b32_e32 v109, v13
	v_pk_add_f32 v[108:109], v[108:109], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v111, v12
	v_lshlrev_b32_e32 v12, 22, v9
	v_lshlrev_b32_e32 v13, 22, v8
	v_pk_fma_f32 v[10:11], v[110:111], v[108:109], v[10:11]
	v_lshrrev_b32_e32 v107, 1, v9
	v_lshrrev_b32_e32 v108, 1, v8
	v_and_b32_e32 v12, 0xff800000, v12
	v_and_b32_e32 v109, 0xff800000, v13
	v_pk_add_f32 v[10:11], v[10:11], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v13, 1.0, v12
	v_add_u32_e32 v12, 1.0, v109
	v_sub_u32_e32 v8, v8, v108
	v_sub_u32_e32 v9, v9, v107
	v_pk_mul_f32 v[10:11], v[10:11], v[12:13]
	v_lshl_add_u32 v9, v9, 23, 1.0
	v_lshl_add_u32 v8, v8, 23, 1.0
	v_pk_fma_f32 v[8:9], v[10:11], v[8:9], 1.0 op_sel_hi:[1,1,0]
	v_div_fmas_f32 v12, v118, v116, v117
	v_div_scale_f32 v10, s[12:13], v9, v9, 1.0
	v_rcp_f32_e32 v11, v10
	v_div_fixup_f32 v6, v12, v6, 1.0
	v_pk_mul_f32 v[6:7], v[2:3], v[6:7]
	v_fma_f32 v12, -v10, v11, 1.0
	v_fmac_f32_e32 v11, v12, v11
	v_div_scale_f32 v12, vcc, 1.0, v9, 1.0
	v_mul_f32_e32 v13, v12, v11
	v_fma_f32 v107, -v10, v13, v12
	v_fmac_f32_e32 v13, v107, v11
	v_fma_f32 v10, -v10, v13, v12
	v_div_scale_f32 v12, s[12:13], v8, v8, 1.0
	v_rcp_f32_e32 v107, v12
	v_div_fmas_f32 v10, v10, v11, v13
	v_div_fixup_f32 v9, v10, v9, 1.0
	v_fma_f32 v10, -v12, v107, 1.0
	v_fmac_f32_e32 v107, v10, v107
	v_div_scale_f32 v10, vcc, 1.0, v8, 1.0
	v_mul_f32_e32 v11, v10, v107
	v_fma_f32 v13, -v12, v11, v10
	v_fmac_f32_e32 v11, v13, v107
	v_fma_f32 v10, -v12, v11, v10
	v_div_fmas_f32 v10, v10, v107, v11
	v_div_fixup_f32 v8, v10, v8, 1.0
	v_pk_mul_f32 v[8:9], v[4:5], v[8:9]
.LBB1_518:                              ;   in Loop: Header=BB1_513 Depth=3
	s_cbranch_execz .LBB1_521
	s_branch .LBB1_522
.LBB1_519:                              ;   in Loop: Header=BB1_513 Depth=3
                                        ; implicit-def: $vgpr6_vgpr7_vgpr8_vgpr9
	s_branch .LBB1_523
.LBB1_520:                              ;   in Loop: Header=BB1_513 Depth=3
                                        ; implicit-def: $vgpr6_vgpr7_vgpr8_vgpr9
.LBB1_521:                              ;   in Loop: Header=BB1_513 Depth=3
	v_pk_mul_f32 v[6:7], v[2:3], v[2:3]
	s_mov_b32 s12, 0x3d372713
	v_pk_mul_f32 v[6:7], v[2:3], v[6:7]
	s_mov_b32 s16, 0xbfcc422a
	v_pk_fma_f32 v[6:7], v[6:7], s[12:13], v[2:3] op_sel_hi:[1,0,1]
	s_mov_b32 s19, 0x42b20000
	v_pk_mul_f32 v[6:7], v[6:7], s[16:17] op_sel_hi:[1,0]
	v_mov_b32_e32 v107, 0x42b20000
	v_cmp_nlt_f32_e32 vcc, s19, v6
	s_mov_b32 s68, 0xc2d00000
	v_mov_b32_e32 v112, 0xc2d00000
	v_cndmask_b32_e32 v6, v107, v6, vcc
	v_cmp_nlt_f32_e32 vcc, s19, v7
	s_mov_b32 s20, 0x4b400000
	s_mov_b32 s18, 0x3fb8aa3b
	v_cndmask_b32_e32 v7, v107, v7, vcc
	v_cmp_ngt_f32_e32 vcc, s68, v7
	v_mov_b64_e32 v[8:9], s[20:21]
	s_mov_b32 s20, 0xcb400000
	v_cndmask_b32_e32 v7, v112, v7, vcc
	v_cmp_ngt_f32_e32 vcc, s68, v6
	s_mov_b32 s46, 0x39506967
	s_nop 0
	v_cndmask_b32_e32 v6, v112, v6, vcc
	v_pk_fma_f32 v[10:11], v[6:7], s[18:19], v[8:9] op_sel_hi:[1,0,0]
	s_nop 0
	v_pk_add_f32 v[12:13], v[10:11], s[20:21] op_sel_hi:[1,0]
	s_mov_b32 s20, 0xbf318000
	v_pk_fma_f32 v[6:7], v[12:13], s[20:21], v[6:7] op_sel_hi:[1,0,1]
	s_mov_b32 s20, 0x395e8083
	s_mov_b32 s21, 0x3f318000
	v_pk_fma_f32 v[6:7], v[12:13], s[20:21], v[6:7] op_sel_hi:[1,0,1]
	v_mov_b32_e32 v12, 0x3ab743ce
	v_pk_fma_f32 v[108:109], v[6:7], s[46:47], v[12:13] op_sel_hi:[1,0,0]
	s_mov_b32 s46, 0x3c088908
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[46:47] op_sel_hi:[1,1,0]
	s_mov_b32 s46, 0x3d2aa9c1
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[46:47] op_sel_hi:[1,1,0]
	s_mov_b32 s46, 0x3e2aaaaa
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], s[46:47] op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[110:111], v[6:7], v[6:7]
	v_pk_fma_f32 v[108:109], v[6:7], v[108:109], 0.5 op_sel_hi:[1,1,0]
	v_lshrrev_b32_e32 v13, 1, v11
	v_pk_fma_f32 v[6:7], v[110:111], v[108:109], v[6:7]
	v_lshlrev_b32_e32 v108, 22, v11
	v_lshlrev_b32_e32 v109, 22, v10
	v_lshrrev_b32_e32 v110, 1, v10
	v_and_b32_e32 v108, 0xff800000, v108
	v_and_b32_e32 v111, 0xff800000, v109
	v_pk_add_f32 v[6:7], v[6:7], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v109, 1.0, v108
	v_add_u32_e32 v108, 1.0, v111
	v_sub_u32_e32 v10, v10, v110
	v_sub_u32_e32 v11, v11, v13
	v_pk_mul_f32 v[6:7], v[6:7], v[108:109]
	v_lshl_add_u32 v11, v11, 23, 1.0
	v_lshl_add_u32 v10, v10, 23, 1.0
	v_pk_fma_f32 v[6:7], v[6:7], v[10:11], 1.0 op_sel_hi:[1,1,0]
	v_pk_mul_f32 v[10:11], v[4:5], v[4:5]
	v_div_scale_f32 v13, s[46:47], v7, v7, 1.0
	v_rcp_f32_e32 v108, v13
	v_pk_mul_f32 v[10:11], v[4:5], v[10:11]
	v_fma_f32 v109, -v13, v108, 1.0
	v_fmac_f32_e32 v108, v109, v108
	v_div_scale_f32 v109, vcc, 1.0, v7, 1.0
	v_mul_f32_e32 v110, v109, v108
	v_fma_f32 v111, -v13, v110, v109
	v_fmac_f32_e32 v110, v111, v108
	v_fma_f32 v13, -v13, v110, v109
	v_div_scale_f32 v109, s[46:47], v6, v6, 1.0
	v_pk_fma_f32 v[10:11], v[10:11], s[12:13], v[4:5] op_sel_hi:[1,0,1]
	v_rcp_f32_e32 v116, v109
	v_pk_mul_f32 v[10:11], v[10:11], s[16:17] op_sel_hi:[1,0]
	v_div_fmas_f32 v13, v13, v108, v110
	v_cmp_nlt_f32_e64 s[12:13], s19, v10
	v_div_fixup_f32 v7, v13, v7, 1.0
	v_fma_f32 v13, -v109, v116, 1.0
	v_cndmask_b32_e64 v10, v107, v10, s[12:13]
	v_cmp_nlt_f32_e64 s[12:13], s19, v11
	v_fmac_f32_e32 v116, v13, v116
	v_div_scale_f32 v13, vcc, 1.0, v6, 1.0
	v_cndmask_b32_e64 v11, v107, v11, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s68, v11
	v_mul_f32_e32 v117, v13, v116
	v_fma_f32 v108, -v109, v117, v13
	v_cndmask_b32_e64 v11, v112, v11, s[12:13]
	v_cmp_ngt_f32_e64 s[12:13], s68, v10
	v_fmac_f32_e32 v117, v108, v116
	v_fma_f32 v118, -v109, v117, v13
	v_cndmask_b32_e64 v10, v112, v10, s[12:13]
	v_pk_fma_f32 v[8:9], v[10:11], s[18:19], v[8:9] op_sel_hi:[1,0,0]
	v_mov_b32_e32 v107, 0x3c088908
	v_add_f32_e32 v112, 0xcb400000, v9
	v_add_f32_e32 v13, 0xcb400000, v8
	v_pk_mul_f32 v[112:113], v[112:113], s[20:21] op_sel_hi:[0,1]
	v_mul_f32_e32 v108, 0x3f318000, v13
	v_mov_b32_e32 v109, v113
	v_mul_f32_e32 v110, 0x395e8083, v13
	v_pk_add_f32 v[10:11], v[10:11], v[108:109] neg_lo:[0,1] neg_hi:[0,1]
	v_mov_b32_e32 v111, v112
	v_pk_add_f32 v[10:11], v[110:111], v[10:11]
	v_mov_b32_e32 v109, 0x3d2aa9c1
	v_fmamk_f32 v13, v10, 0x39506967, v12
	v_fmac_f32_e32 v12, 0x39506967, v11
	v_fmaak_f32 v13, v10, v13, 0x3c088908
	v_fmac_f32_e32 v107, v11, v12
	v_fmaak_f32 v108, v10, v13, 0x3d2aa9c1
	v_mov_b32_e32 v13, 0x3e2aaaaa
	v_fmac_f32_e32 v109, v11, v107
	v_fmac_f32_e32 v13, v11, v109
	v_mov_b32_e32 v12, v11
	v_fmaak_f32 v108, v10, v108, 0x3e2aaaaa
	v_pk_mul_f32 v[12:13], v[10:11], v[12:13] op_sel:[1,0]
	v_mul_f32_e32 v108, v10, v108
	v_pk_mul_f32 v[110:111], v[10:11], v[10:11]
	v_mov_b32_e32 v109, v13
	v_pk_add_f32 v[108:109], v[108:109], 0.5 op_sel_hi:[1,0]
	v_mov_b32_e32 v111, v12
	v_lshlrev_b32_e32 v12, 22, v9
	v_lshlrev_b32_e32 v13, 22, v8
	v_pk_fma_f32 v[10:11], v[110:111], v[108:109], v[10:11]
	v_lshrrev_b32_e32 v107, 1, v9
	v_lshrrev_b32_e32 v108, 1, v8
	v_and_b32_e32 v12, 0xff800000, v12
	v_and_b32_e32 v109, 0xff800000, v13
	v_pk_add_f32 v[10:11], v[10:11], 1.0 op_sel_hi:[1,0]
	v_add_u32_e32 v13, 1.0, v12
	v_add_u32_e32 v12, 1.0, v109
	v_sub_u32_e32 v8, v8, v108
	v_sub_u32_e32 v9, v9, v107
	v_pk_mul_f32 v[10:11], v[10:11], v[12:13]
	v_lshl_add_u32 v9, v9, 23, 1.0
	v_lshl_add_u32 v8, v8, 23, 1.0
	v_pk_fma_f32 v[8:9], v[10:11], v[8:9], 1.0 op_sel_hi:[1,1,0]
	v_div_fmas_f32 v12, v118, v116, v117
	v_div_scale_f32 v10, s[12:13], v9, v9, 1.0
	v_rcp_f32_e32 v11, v10
	v_div_fixup_f32 v6, v12, v6, 1.0
	v_pk_mul_f32 v[6:7], v[2:3], v[6:7]
	v_fma_f32 v12, -v10, v11, 1.0
	v_fmac_f32_e32 v11, v12, v11
	v_div_scale_f32 v12, vcc, 1.0, v9, 1.0
	v_mul_f32_e32 v13, v12, v11
	v_fma_f32 v107, -v10, v13, v12
	v_fmac_f32_e32 v13, v107, v11
	v_fma_f32 v10, -v10, v13, v12
	v_div_scale_f32 v12, s[12:13], v8, v8, 1.0
	v_rcp_f32_e32 v107, v12
	v_div_fmas_f32 v10, v10, v11, v13
	v_div_fixup_f32 v9, v10, v9, 1.0
	v_fma_f32 v10, -v12, v107, 1.0
	v_fmac_f32_e32 v107, v10, v107
	v_div_scale_f32 v10, vcc, 1.0, v8, 1.0
	v_mul_f32_e32 v11, v10, v107
	v_fma_f32 v13, -v12, v11, v10
	v_fmac_f32_e32 v11, v13, v107
	v_fma_f32 v10, -v12, v11, v10
	v_div_fmas_f32 v10, v10, v107, v11
	v_div_fixup_f32 v8, v10, v8, 1.0
	v_pk_mul_f32 v[8:9], v[4:5], v[8:9]
.LBB1_522:                              ;   in Loop: Header=BB1_513 Depth=3
	s_cbranch_execnz .LBB1_525
.LBB1_523:                              ;   in Loop: Header=BB1_513 Depth=3
	s_and_b32 s12, 0xffff, s17
	v_mov_b64_e32 v[8:9], v[4:5]
	s_cmp_eq_u32 s12, 1
	v_mov_b64_e32 v[6:7], v[2:3]
	s_cbranch_scc0 .LBB1_525
; %bb.524:                              ;   in Loop: Header=BB1_513 Depth=3
	v_cmp_ngt_f32_e32 vcc, 0, v2
	s_nop 1
	v_cndmask_b32_e32 v6, 0, v2, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v7, 0, v3, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v4
	s_nop 1
	v_cndmask_b32_e32 v8, 0, v4, vcc
	v_cmp_ngt_f32_e32 vcc, 0, v5
	s_nop 1
	v_cndmask_b32_e32 v9, 0, v5, vcc
.LBB1_525:                              ;   in Loop: Header=BB1_513 Depth=3
	v_mov_b64_e32 v[12:13], v[4:5]
	s_andn2_b64 vcc, exec, s[14:15]
	v_mov_b64_e32 v[10:11], v[2:3]
	s_cbranch_vccnz .LBB1_541
; %bb.526:                              ;   in Loop: Header=BB1_513 Depth=3
	s_andn2_b64 vcc, exec, s[28:29]
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	s_cbranch_vccnz .LBB1_532
; %bb.527:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v10, v[98:99], off
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, v12
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_632
; %bb.528:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v11, v[98:99], off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB1_633
.LBB1_529:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v13, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_531
.LBB1_530:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v13, v[98:99], off offset:12
.LBB1_531:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
.LBB1_532:                              ;   in Loop: Header=BB1_513 Depth=3
	v_or_b32_e32 v110, v106, v17
	v_mov_b32_e32 v17, v16
	s_andn2_b64 vcc, exec, s[30:31]
	v_mov_b32_e32 v108, 1.0
	v_mov_b32_e32 v109, 1.0
	v_mov_b32_e32 v106, 1.0
	v_mov_b32_e32 v107, 1.0
	s_cbranch_vccnz .LBB1_540
; %bb.533:                              ;   in Loop: Header=BB1_513 Depth=3
	s_andn2_b64 vcc, exec, s[56:57]
	s_cbranch_vccnz .LBB1_636
; %bb.534:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v108, v[100:101], off
	v_mov_b32_e32 v106, 0
	v_mov_b32_e32 v109, v106
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_634
; %bb.535:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v109, v[100:101], off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB1_635
.LBB1_536:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v107, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_538
.LBB1_537:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v107, v[100:101], off offset:12
.LBB1_538:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB1_540
.LBB1_539:                              ;   in Loop: Header=BB1_513 Depth=3
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v106, 0
	global_load_dword v107, v106, s[64:65]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v106, v107
	v_mov_b32_e32 v109, v107
	v_mov_b32_e32 v108, v107
.LBB1_540:                              ;   in Loop: Header=BB1_513 Depth=3
	v_xor_b32_e32 v110, v110, v127
	v_lshl_add_u32 v1, v110, 4, v1
	ds_read_b128 v[110:113], v1
	v_mov_b32_e32 v116, v16
	v_mov_b32_e32 v117, v16
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f32 v[112:113], v[116:117], v[112:113]
	v_pk_mul_f32 v[16:17], v[16:17], v[110:111]
	s_waitcnt vmcnt(0)
	v_pk_fma_f32 v[12:13], v[106:107], v[112:113], v[12:13]
	v_pk_fma_f32 v[10:11], v[108:109], v[16:17], v[10:11]
	v_pk_mul_f32 v[8:9], v[8:9], v[12:13]
	v_pk_mul_f32 v[6:7], v[6:7], v[10:11]
.LBB1_541:                              ;   in Loop: Header=BB1_513 Depth=3
	v_lshl_add_u64 v[14:15], v[14:15], 0, s[22:23]
	v_mul_lo_u32 v1, v15, s42
	v_mul_lo_u32 v112, v14, s43
	v_mad_u64_u32 v[106:107], s[12:13], v14, s42, v[82:83]
	s_andn2_b64 vcc, exec, s[58:59]
	v_add3_u32 v107, v1, v107, v112
	s_cbranch_vccnz .LBB1_547
; %bb.542:                              ;   in Loop: Header=BB1_513 Depth=3
	v_lshl_add_u64 v[110:111], v[106:107], 2, s[24:25]
	global_load_dword v16, v[110:111], off
	v_mov_b32_e32 v108, 0
	v_mov_b32_e32 v17, v108
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_630
; %bb.543:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v17, v[110:111], off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB1_631
.LBB1_544:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v109, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_546
.LBB1_545:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v109, v[110:111], off offset:12
.LBB1_546:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_waitcnt vmcnt(0)
	v_pk_add_f32 v[8:9], v[8:9], v[108:109]
	v_pk_add_f32 v[6:7], v[6:7], v[16:17]
.LBB1_547:                              ;   in Loop: Header=BB1_513 Depth=3
	v_mad_u64_u32 v[14:15], s[12:13], v14, s42, 0
	v_add3_u32 v15, v15, v112, v1
	v_cndmask_b32_e64 v15, 0, v15, s[14:15]
	v_cndmask_b32_e64 v14, 0, v14, s[14:15]
	v_lshl_add_u64 v[108:109], v[106:107], 0, v[14:15]
	v_lshl_add_u64 v[110:111], v[108:109], 0, s[42:43]
	s_mov_b32 s46, s73
	s_branch .LBB1_550
.LBB1_548:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_dwordx4 v[112:113], v[14:17], off
.LBB1_549:                              ;   in Loop: Header=BB1_550 Depth=4
	s_add_i32 s12, s46, 1
	s_cmp_lt_u32 s46, 2
	s_mov_b32 s46, s12
	s_cbranch_scc0 .LBB1_512
.LBB1_550:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_501 Depth=2
                                        ;       Parent Loop BB1_513 Depth=3
                                        ; =>      This Inner Loop Header: Depth=4
	s_cmp_lg_u32 s46, 1
	s_cselect_b64 s[12:13], -1, 0
	s_or_b64 s[16:17], s[12:13], s[14:15]
	s_andn2_b64 vcc, exec, s[16:17]
	s_cbranch_vccnz .LBB1_549
; %bb.551:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cmp_eq_u32 s46, 2
	s_cselect_b32 s69, s25, s27
	s_cselect_b32 s68, s24, s26
	s_cmp_eq_u32 s46, 0
	v_cndmask_b32_e64 v1, v110, v106, s[12:13]
	v_cndmask_b32_e64 v14, v111, v107, s[12:13]
	s_cselect_b64 vcc, -1, 0
	v_cndmask_b32_e32 v113, v14, v109, vcc
	v_cndmask_b32_e32 v112, v1, v108, vcc
	v_cndmask_b32_e64 v1, v10, v6, s[12:13]
	v_cndmask_b32_e64 v14, v11, v7, s[12:13]
	v_cndmask_b32_e64 v15, v12, v8, s[12:13]
	v_cndmask_b32_e64 v16, v13, v9, s[12:13]
	v_cndmask_b32_e32 v17, v16, v5, vcc
	v_cndmask_b32_e32 v16, v15, v4, vcc
	v_cndmask_b32_e32 v15, v14, v3, vcc
	v_cndmask_b32_e32 v14, v1, v2, vcc
	s_cmp_lt_i32 s95, 3
	s_mov_b64 s[12:13], -1
	s_cbranch_scc1 .LBB1_595
; %bb.552:                              ;   in Loop: Header=BB1_550 Depth=4
	s_and_b32 s47, 0xffff, s95
	s_cmp_lt_i32 s47, 5
	s_cbranch_scc1 .LBB1_572
; %bb.553:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cmp_lt_i32 s47, 6
	s_cbranch_scc1 .LBB1_563
; %bb.554:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cmp_eq_u32 s47, 6
	s_cbranch_scc0 .LBB1_562
; %bb.555:                              ;   in Loop: Header=BB1_550 Depth=4
	v_and_b32_e32 v117, 0x7fffffff, v15
	v_and_b32_e32 v116, 0x7fffffff, v14
	v_lshrrev_b32_e32 v118, 21, v117
	v_lshrrev_b32_e32 v119, 21, v116
	v_and_b32_e32 v118, 1, v118
	v_and_b32_e32 v119, 1, v119
	s_mov_b32 s76, 0xfffff
	v_add3_u32 v119, v116, v119, s76
	v_add3_u32 v118, v117, v118, s76
	s_movk_i32 s75, 0x80
	v_lshrrev_b32_e32 v118, 21, v118
	v_lshrrev_b32_e32 v119, 21, v119
	s_mov_b32 s74, 0x42800000
	v_add_u32_e32 v129, 0xfffffe44, v119
	v_add_u32_e32 v130, 0xfffffe44, v118
	v_pk_add_f32 v[118:119], v[116:117], s[74:75] op_sel_hi:[1,0]
	s_brev_b32 s77, 28
	v_add_u32_e32 v119, 0xbd800000, v119
	v_cmp_gt_u32_e32 vcc, s77, v117
	v_and_b32_sdwa v1, v15, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_add_u32_e32 v118, 0xbd800000, v118
	v_cndmask_b32_e32 v119, v130, v119, vcc
	v_cmp_gt_u32_e32 vcc, s77, v116
	v_and_b32_sdwa v120, v14, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_or_b32_e32 v1, v119, v1
	v_cndmask_b32_e32 v118, v129, v118, vcc
	s_movk_i32 s78, 0x7f
	s_mov_b32 s79, 0x7f800000
	v_cmp_ne_u32_e64 s[20:21], 0, v119
	v_or_b32_e32 v120, v118, v120
	v_cmp_lt_i32_e32 vcc, s78, v118
	v_cmp_lt_u32_e64 s[16:17], s79, v116
	v_cndmask_b32_e64 v1, 0, v1, s[20:21]
	v_cmp_ne_u32_e64 s[20:21], 0, v118
	v_cmp_lt_i32_e64 s[12:13], s78, v119
	v_cmp_lt_u32_e64 s[18:19], s79, v117
	v_cndmask_b32_e64 v116, 0, v120, s[20:21]
	v_mov_b32_e32 v120, 0xffffff80
	s_or_b64 vcc, s[16:17], vcc
	v_cndmask_b32_e32 v116, v116, v120, vcc
	s_or_b64 vcc, s[18:19], s[12:13]
	v_cndmask_b32_e32 v1, v1, v120, vcc
	v_lshlrev_b16_e32 v1, 8, v1
	s_movk_i32 s20, 0xff
	v_bitop3_b16 v1, v116, v1, s20 bitop3:0xec
	v_and_b32_e32 v117, 0x7fffffff, v17
	v_and_b32_e32 v116, 0x7fffffff, v16
	v_lshrrev_b32_e32 v118, 21, v117
	v_lshrrev_b32_e32 v119, 21, v116
	v_and_b32_e32 v118, 1, v118
	v_and_b32_e32 v119, 1, v119
	v_add3_u32 v119, v116, v119, s76
	v_add3_u32 v118, v117, v118, s76
	v_lshrrev_b32_e32 v118, 21, v118
	v_lshrrev_b32_e32 v119, 21, v119
	v_add_u32_e32 v131, 0xfffffe44, v119
	v_add_u32_e32 v132, 0xfffffe44, v118
	v_pk_add_f32 v[118:119], v[116:117], s[74:75] op_sel_hi:[1,0]
	v_cmp_gt_u32_e32 vcc, s77, v117
	v_add_u32_e32 v119, 0xbd800000, v119
	v_and_b32_sdwa v129, v17, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v119, v132, v119, vcc
	v_add_u32_e32 v118, 0xbd800000, v118
	v_cmp_gt_u32_e32 vcc, s77, v116
	v_cmp_lt_i32_e64 s[12:13], s78, v119
	v_cmp_lt_u32_e64 s[18:19], s79, v117
	v_and_b32_sdwa v130, v16, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v118, v131, v118, vcc
	v_or_b32_e32 v129, v119, v129
	s_or_b64 s[12:13], s[18:19], s[12:13]
	v_cmp_ne_u32_e64 s[18:19], 0, v119
	v_or_b32_e32 v130, v118, v130
	v_cmp_lt_i32_e32 vcc, s78, v118
	v_cmp_lt_u32_e64 s[16:17], s79, v116
	v_cndmask_b32_e64 v116, 0, v129, s[18:19]
	v_cmp_ne_u32_e64 s[18:19], 0, v118
	s_or_b64 vcc, s[16:17], vcc
	v_and_b32_e32 v1, 0xffff, v1
	v_cndmask_b32_e64 v117, 0, v130, s[18:19]
	v_cndmask_b32_e32 v117, v117, v120, vcc
	s_mov_b64 vcc, s[12:13]
	v_cndmask_b32_sdwa v116, v116, v120, vcc dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	s_and_b64 vcc, exec, s[52:53]
	v_bitop3_b16 v116, v117, v116, s20 bitop3:0xec
	v_and_b32_e32 v118, 0xffff, v116
	v_lshl_add_u64 v[116:117], s[68:69], 0, v[112:113]
	s_cbranch_vccz .LBB1_629
; %bb.556:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_byte v[116:117], v1, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_627
; %bb.557:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshrrev_b16_e32 v119, 8, v1
	global_store_byte v[116:117], v119, off offset:1
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB1_628
.LBB1_558:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_560
.LBB1_559:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshrrev_b16_e32 v119, 8, v118
	global_store_byte v[116:117], v119, off offset:3
.LBB1_560:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB1_562
.LBB1_561:                              ;   in Loop: Header=BB1_550 Depth=4
	s_mov_b32 s12, 0x5040100
	v_perm_b32 v1, v118, v1, s12
	global_store_dword v[116:117], v1, off
.LBB1_562:                              ;   in Loop: Header=BB1_550 Depth=4
	s_mov_b64 s[12:13], 0
.LBB1_563:                              ;   in Loop: Header=BB1_550 Depth=4
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB1_571
; %bb.564:                              ;   in Loop: Header=BB1_550 Depth=4
	v_and_b32_e32 v117, 0x7fffffff, v15
	v_and_b32_e32 v116, 0x7fffffff, v14
	v_lshrrev_b32_e32 v118, 20, v117
	v_lshrrev_b32_e32 v119, 20, v116
	v_and_b32_e32 v118, 1, v118
	v_and_b32_e32 v119, 1, v119
	s_mov_b32 s76, 0x7ffff
	v_add3_u32 v119, v116, v119, s76
	v_add3_u32 v118, v117, v118, s76
	s_movk_i32 s75, 0x80
	v_lshrrev_b32_e32 v118, 20, v118
	v_lshrrev_b32_e32 v119, 20, v119
	s_mov_b32 s74, 0x46000000
	v_add_u32_e32 v129, 0xfffffc48, v119
	v_add_u32_e32 v130, 0xfffffc48, v118
	v_pk_add_f32 v[118:119], v[116:117], s[74:75] op_sel_hi:[1,0]
	s_brev_b32 s77, 60
	v_add_u32_e32 v119, 0xba000000, v119
	v_cmp_gt_u32_e32 vcc, s77, v117
	v_and_b32_sdwa v1, v15, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_add_u32_e32 v118, 0xba000000, v118
	v_cndmask_b32_e32 v119, v130, v119, vcc
	v_cmp_gt_u32_e32 vcc, s77, v116
	v_and_b32_sdwa v120, v14, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_or_b32_e32 v1, v119, v1
	v_cndmask_b32_e32 v118, v129, v118, vcc
	s_movk_i32 s78, 0x7f
	s_mov_b32 s79, 0x7f800000
	v_cmp_ne_u32_e64 s[20:21], 0, v119
	v_or_b32_e32 v120, v118, v120
	v_cmp_lt_i32_e32 vcc, s78, v118
	v_cmp_lt_u32_e64 s[16:17], s79, v116
	v_cndmask_b32_e64 v1, 0, v1, s[20:21]
	v_cmp_ne_u32_e64 s[20:21], 0, v118
	v_cmp_lt_i32_e64 s[12:13], s78, v119
	v_cmp_lt_u32_e64 s[18:19], s79, v117
	v_cndmask_b32_e64 v116, 0, v120, s[20:21]
	v_mov_b32_e32 v120, 0xffffff80
	s_or_b64 vcc, s[16:17], vcc
	v_cndmask_b32_e32 v116, v116, v120, vcc
	s_or_b64 vcc, s[18:19], s[12:13]
	v_cndmask_b32_e32 v1, v1, v120, vcc
	v_lshlrev_b16_e32 v1, 8, v1
	s_movk_i32 s20, 0xff
	v_bitop3_b16 v1, v116, v1, s20 bitop3:0xec
	v_and_b32_e32 v117, 0x7fffffff, v17
	v_and_b32_e32 v116, 0x7fffffff, v16
	v_lshrrev_b32_e32 v118, 20, v117
	v_lshrrev_b32_e32 v119, 20, v116
	v_and_b32_e32 v118, 1, v118
	v_and_b32_e32 v119, 1, v119
	v_add3_u32 v119, v116, v119, s76
	v_add3_u32 v118, v117, v118, s76
	v_lshrrev_b32_e32 v118, 20, v118
	v_lshrrev_b32_e32 v119, 20, v119
	v_add_u32_e32 v131, 0xfffffc48, v119
	v_add_u32_e32 v132, 0xfffffc48, v118
	v_pk_add_f32 v[118:119], v[116:117], s[74:75] op_sel_hi:[1,0]
	v_cmp_gt_u32_e32 vcc, s77, v117
	v_add_u32_e32 v119, 0xba000000, v119
	v_and_b32_sdwa v129, v17, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v119, v132, v119, vcc
	v_add_u32_e32 v118, 0xba000000, v118
	v_cmp_gt_u32_e32 vcc, s77, v116
	v_cmp_lt_i32_e64 s[12:13], s78, v119
	v_cmp_lt_u32_e64 s[18:19], s79, v117
	v_and_b32_sdwa v130, v16, s75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v118, v131, v118, vcc
	v_or_b32_e32 v129, v119, v129
	s_or_b64 s[12:13], s[18:19], s[12:13]
	v_cmp_ne_u32_e64 s[18:19], 0, v119
	v_or_b32_e32 v130, v118, v130
	v_cmp_lt_i32_e32 vcc, s78, v118
	v_cmp_lt_u32_e64 s[16:17], s79, v116
	v_cndmask_b32_e64 v116, 0, v129, s[18:19]
	v_cmp_ne_u32_e64 s[18:19], 0, v118
	s_or_b64 vcc, s[16:17], vcc
	v_and_b32_e32 v1, 0xffff, v1
	v_cndmask_b32_e64 v117, 0, v130, s[18:19]
	v_cndmask_b32_e32 v117, v117, v120, vcc
	s_mov_b64 vcc, s[12:13]
	v_cndmask_b32_sdwa v116, v116, v120, vcc dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	s_and_b64 vcc, exec, s[52:53]
	v_bitop3_b16 v116, v117, v116, s20 bitop3:0xec
	v_and_b32_e32 v118, 0xffff, v116
	v_lshl_add_u64 v[116:117], s[68:69], 0, v[112:113]
	s_cbranch_vccz .LBB1_624
; %bb.565:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_byte v[116:117], v1, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_622
; %bb.566:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshrrev_b16_e32 v119, 8, v1
	global_store_byte v[116:117], v119, off offset:1
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB1_623
.LBB1_567:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_569
.LBB1_568:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshrrev_b16_e32 v119, 8, v118
	global_store_byte v[116:117], v119, off offset:3
.LBB1_569:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB1_571
.LBB1_570:                              ;   in Loop: Header=BB1_550 Depth=4
	s_mov_b32 s12, 0x5040100
	v_perm_b32 v1, v118, v1, s12
	global_store_dword v[116:117], v1, off
.LBB1_571:                              ;   in Loop: Header=BB1_550 Depth=4
	s_mov_b64 s[12:13], 0
.LBB1_572:                              ;   in Loop: Header=BB1_550 Depth=4
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB1_594
; %bb.573:                              ;   in Loop: Header=BB1_550 Depth=4
	s_mov_b64 s[12:13], -1
	s_cmp_gt_i32 s47, 3
	v_lshl_add_u64 v[116:117], s[68:69], 0, v[112:113]
	s_cbranch_scc0 .LBB1_584
; %bb.574:                              ;   in Loop: Header=BB1_550 Depth=4
	v_and_b32_e32 v118, 0x7fffffff, v14
	v_and_b32_e32 v119, 0x7fffffff, v15
	v_lshrrev_b32_e32 v130, 21, v118
	v_lshrrev_b32_e32 v129, 21, v119
	v_and_b32_e32 v130, 1, v130
	s_mov_b32 s16, 0xfffff
	v_and_b32_e32 v129, 1, v129
	v_add3_u32 v130, v118, v130, s16
	s_movk_i32 s13, 0x80
	v_add3_u32 v129, v119, v129, s16
	v_lshrrev_b32_e32 v130, 21, v130
	s_mov_b32 s12, 0x43000000
	v_lshrrev_b32_e32 v129, 21, v129
	v_add_u32_e32 v132, 0xfffffe40, v130
	v_pk_add_f32 v[130:131], v[118:119], s[12:13] op_sel_hi:[1,0]
	s_mov_b32 s17, 0x38800000
	v_add_u32_e32 v129, 0xfffffe40, v129
	v_add_u32_e32 v131, 0xbd000000, v131
	v_cmp_gt_u32_e32 vcc, s17, v119
	v_add_u32_e32 v130, 0xbd000000, v130
	s_mov_b32 s18, 0x7f800001
	v_cndmask_b32_e32 v129, v129, v131, vcc
	v_cmp_gt_u32_e32 vcc, s17, v118
	v_min_i32_e32 v129, 0x7c, v129
	v_mov_b32_e32 v134, 0x7e
	v_cndmask_b32_e32 v130, v132, v130, vcc
	v_cmp_gt_u32_e32 vcc, s18, v119
	v_min_i32_e32 v130, 0x7c, v130
	v_and_b32_e32 v131, 0x7fffffff, v17
	v_cndmask_b32_e32 v119, v134, v129, vcc
	v_cmp_gt_u32_e32 vcc, s18, v118
	v_lshrrev_b32_e32 v129, 21, v131
	v_and_b32_e32 v129, 1, v129
	v_cndmask_b32_e32 v118, v134, v130, vcc
	v_and_b32_e32 v130, 0x7fffffff, v16
	v_lshrrev_b32_e32 v132, 21, v130
	v_and_b32_e32 v132, 1, v132
	v_add3_u32 v132, v130, v132, s16
	v_add3_u32 v129, v131, v129, s16
	v_lshrrev_b32_e32 v132, 21, v132
	v_lshrrev_b32_e32 v129, 21, v129
	v_add_u32_e32 v135, 0xfffffe40, v132
	v_pk_add_f32 v[132:133], v[130:131], s[12:13] op_sel_hi:[1,0]
	v_add_u32_e32 v129, 0xfffffe40, v129
	v_add_u32_e32 v133, 0xbd000000, v133
	v_cmp_gt_u32_e32 vcc, s17, v131
	v_add_u32_e32 v132, 0xbd000000, v132
	v_and_b32_sdwa v1, v15, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v129, v129, v133, vcc
	v_cmp_gt_u32_e32 vcc, s17, v130
	v_min_i32_e32 v129, 0x7c, v129
	v_and_b32_sdwa v120, v14, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v132, v135, v132, vcc
	v_cmp_gt_u32_e32 vcc, s18, v131
	v_min_i32_e32 v132, 0x7c, v132
	v_or_b32_e32 v1, v119, v1
	v_cndmask_b32_e32 v129, v134, v129, vcc
	v_cmp_gt_u32_e32 vcc, s18, v130
	v_or_b32_e32 v118, v118, v120
	v_and_b32_sdwa v119, v17, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_and_b32_sdwa v120, v16, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v130, v134, v132, vcc
	v_or_b32_e32 v119, v129, v119
	v_or_b32_e32 v120, v130, v120
	s_and_b64 vcc, exec, s[52:53]
	s_cbranch_vccz .LBB1_625
; %bb.575:                              ;   in Loop: Header=BB1_550 Depth=4
	s_movk_i32 s16, 0xff
	global_store_byte v[116:117], v118, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_577
; %bb.576:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshlrev_b16_e32 v129, 8, v1
	v_bitop3_b16 v129, v118, v129, s16 bitop3:0xec
	v_mov_b32_e32 v130, 8
	v_lshrrev_b16_sdwa v129, v130, v129 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	global_store_byte v[116:117], v129, off offset:1
.LBB1_577:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	v_lshlrev_b16_e32 v129, 8, v119
	v_bitop3_b16 v129, v120, v129, s16 bitop3:0xec
	v_and_b32_e32 v129, 0xffff, v129
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_579
; %bb.578:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_byte v[116:117], v129, off offset:2
.LBB1_579:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_581
; %bb.580:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshrrev_b16_e32 v129, 8, v129
	global_store_byte v[116:117], v129, off offset:3
.LBB1_581:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB1_583
.LBB1_582:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshlrev_b16_e32 v1, 8, v1
	s_movk_i32 s12, 0xff
	v_bitop3_b16 v1, v118, v1, s12 bitop3:0xec
	v_lshlrev_b16_e32 v118, 8, v119
	v_bitop3_b16 v118, v120, v118, s12 bitop3:0xec
	v_lshlrev_b32_e32 v118, 16, v118
	v_or_b32_sdwa v1, v1, v118 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	global_store_dword v[116:117], v1, off
.LBB1_583:                              ;   in Loop: Header=BB1_550 Depth=4
	s_mov_b64 s[12:13], 0
.LBB1_584:                              ;   in Loop: Header=BB1_550 Depth=4
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB1_594
; %bb.585:                              ;   in Loop: Header=BB1_550 Depth=4
	v_and_b32_e32 v118, 0x7fffffff, v14
	v_and_b32_e32 v119, 0x7fffffff, v15
	v_lshrrev_b32_e32 v130, 20, v118
	v_lshrrev_b32_e32 v129, 20, v119
	v_and_b32_e32 v130, 1, v130
	s_mov_b32 s16, 0x7ffff
	v_and_b32_e32 v129, 1, v129
	v_add3_u32 v130, v118, v130, s16
	s_movk_i32 s13, 0x80
	v_add3_u32 v129, v119, v129, s16
	v_lshrrev_b32_e32 v130, 20, v130
	s_mov_b32 s12, 0x46800000
	v_lshrrev_b32_e32 v129, 20, v129
	v_add_u32_e32 v132, 0xfffffc40, v130
	v_pk_add_f32 v[130:131], v[118:119], s[12:13] op_sel_hi:[1,0]
	s_mov_b32 s17, 0x3c800000
	v_add_u32_e32 v129, 0xfffffc40, v129
	v_add_u32_e32 v131, 0xb9800000, v131
	v_cmp_gt_u32_e32 vcc, s17, v119
	v_add_u32_e32 v130, 0xb9800000, v130
	s_mov_b32 s18, 0x7f800001
	v_cndmask_b32_e32 v129, v129, v131, vcc
	v_cmp_gt_u32_e32 vcc, s17, v118
	v_min_i32_e32 v129, 0x7f, v129
	v_mov_b32_e32 v134, 0x7f
	v_cndmask_b32_e32 v130, v132, v130, vcc
	v_cmp_gt_u32_e32 vcc, s18, v119
	v_min_i32_e32 v130, 0x7f, v130
	v_and_b32_e32 v131, 0x7fffffff, v17
	v_cndmask_b32_e32 v119, v134, v129, vcc
	v_cmp_gt_u32_e32 vcc, s18, v118
	v_lshrrev_b32_e32 v129, 20, v131
	v_and_b32_e32 v129, 1, v129
	v_cndmask_b32_e32 v118, v134, v130, vcc
	v_and_b32_e32 v130, 0x7fffffff, v16
	v_lshrrev_b32_e32 v132, 20, v130
	v_and_b32_e32 v132, 1, v132
	v_add3_u32 v132, v130, v132, s16
	v_add3_u32 v129, v131, v129, s16
	v_lshrrev_b32_e32 v132, 20, v132
	v_lshrrev_b32_e32 v129, 20, v129
	v_add_u32_e32 v135, 0xfffffc40, v132
	v_pk_add_f32 v[132:133], v[130:131], s[12:13] op_sel_hi:[1,0]
	v_add_u32_e32 v129, 0xfffffc40, v129
	v_add_u32_e32 v133, 0xb9800000, v133
	v_cmp_gt_u32_e32 vcc, s17, v131
	v_add_u32_e32 v132, 0xb9800000, v132
	v_and_b32_sdwa v1, v15, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v129, v129, v133, vcc
	v_cmp_gt_u32_e32 vcc, s17, v130
	v_min_i32_e32 v129, 0x7f, v129
	v_and_b32_sdwa v120, v14, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v132, v135, v132, vcc
	v_cmp_gt_u32_e32 vcc, s18, v131
	v_min_i32_e32 v132, 0x7f, v132
	v_or_b32_e32 v1, v119, v1
	v_cndmask_b32_e32 v129, v134, v129, vcc
	v_cmp_gt_u32_e32 vcc, s18, v130
	v_or_b32_e32 v118, v118, v120
	v_and_b32_sdwa v119, v17, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_and_b32_sdwa v120, v16, s13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD
	v_cndmask_b32_e32 v130, v134, v132, vcc
	v_or_b32_e32 v119, v129, v119
	v_or_b32_e32 v120, v130, v120
	s_and_b64 vcc, exec, s[52:53]
	s_cbranch_vccz .LBB1_626
; %bb.586:                              ;   in Loop: Header=BB1_550 Depth=4
	s_movk_i32 s16, 0xff
	global_store_byte v[116:117], v118, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_588
; %bb.587:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshlrev_b16_e32 v129, 8, v1
	v_bitop3_b16 v129, v118, v129, s16 bitop3:0xec
	v_mov_b32_e32 v130, 8
	v_lshrrev_b16_sdwa v129, v130, v129 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	global_store_byte v[116:117], v129, off offset:1
.LBB1_588:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	v_lshlrev_b16_e32 v129, 8, v119
	v_bitop3_b16 v129, v120, v129, s16 bitop3:0xec
	v_and_b32_e32 v129, 0xffff, v129
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_590
; %bb.589:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_byte v[116:117], v129, off offset:2
.LBB1_590:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_592
; %bb.591:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshrrev_b16_e32 v129, 8, v129
	global_store_byte v[116:117], v129, off offset:3
.LBB1_592:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB1_594
.LBB1_593:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshlrev_b16_e32 v1, 8, v1
	s_movk_i32 s12, 0xff
	v_bitop3_b16 v1, v118, v1, s12 bitop3:0xec
	v_lshlrev_b16_e32 v118, 8, v119
	v_bitop3_b16 v118, v120, v118, s12 bitop3:0xec
	v_lshlrev_b32_e32 v118, 16, v118
	v_or_b32_sdwa v1, v1, v118 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	global_store_dword v[116:117], v1, off
.LBB1_594:                              ;   in Loop: Header=BB1_550 Depth=4
	s_mov_b64 s[12:13], 0
.LBB1_595:                              ;   in Loop: Header=BB1_550 Depth=4
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB1_549
; %bb.596:                              ;   in Loop: Header=BB1_550 Depth=4
	s_and_b32 s16, 0xffff, s95
	s_cmp_lt_i32 s16, 1
	s_mov_b64 s[12:13], -1
	s_cbranch_scc1 .LBB1_609
; %bb.597:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cmp_gt_i32 s16, 1
	s_cbranch_scc0 .LBB1_599
; %bb.598:                              ;   in Loop: Header=BB1_550 Depth=4
	v_cvt_pk_bf16_f32 v1, v14, s0
	v_cvt_pk_bf16_f32 v116, v15, s0
	v_cvt_pk_bf16_f32 v117, v16, s0
	v_cvt_pk_bf16_f32 v118, v17, s0
	s_mov_b32 s12, 0x5040100
	v_perm_b32 v117, v118, v117, s12
	v_perm_b32 v116, v116, v1, s12
	s_cbranch_execz .LBB1_600
	s_branch .LBB1_601
.LBB1_599:                              ;   in Loop: Header=BB1_550 Depth=4
                                        ; implicit-def: $vgpr116_vgpr117
	s_andn2_b64 vcc, exec, s[12:13]
	s_cbranch_vccnz .LBB1_601
.LBB1_600:                              ;   in Loop: Header=BB1_550 Depth=4
	v_cvt_pk_f16_f32 v117, v16, v17
	v_cvt_pk_f16_f32 v116, v14, v15
.LBB1_601:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshl_add_u64 v[118:119], v[112:113], 1, s[68:69]
	s_and_b64 vcc, exec, s[52:53]
	s_cbranch_vccz .LBB1_620
; %bb.602:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_short v[118:119], v116, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_616
; %bb.603:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_short_d16_hi v[118:119], v116, off offset:2
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB1_617
.LBB1_604:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_606
.LBB1_605:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_short_d16_hi v[118:119], v117, off offset:6
.LBB1_606:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB1_608
.LBB1_607:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_dwordx2 v[118:119], v[116:117], off
.LBB1_608:                              ;   in Loop: Header=BB1_550 Depth=4
	s_mov_b64 s[12:13], 0
.LBB1_609:                              ;   in Loop: Header=BB1_550 Depth=4
	s_and_b64 vcc, exec, s[12:13]
	s_cbranch_vccz .LBB1_549
; %bb.610:                              ;   in Loop: Header=BB1_550 Depth=4
	v_lshl_add_u64 v[112:113], v[112:113], 2, s[68:69]
	s_and_b64 vcc, exec, s[52:53]
	s_cbranch_vccz .LBB1_621
; %bb.611:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_dword v[112:113], v14, off
	s_and_saveexec_b64 s[12:13], s[6:7]
	s_cbranch_execz .LBB1_618
; %bb.612:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_dword v[112:113], v15, off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execnz .LBB1_619
.LBB1_613:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execz .LBB1_615
.LBB1_614:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_dword v[112:113], v17, off offset:12
.LBB1_615:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_branch .LBB1_549
.LBB1_616:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_604
.LBB1_617:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_short v[118:119], v117, off offset:4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB1_605
	s_branch .LBB1_606
.LBB1_618:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_613
.LBB1_619:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_dword v[112:113], v16, off offset:8
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB1_614
	s_branch .LBB1_615
.LBB1_620:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cbranch_execnz .LBB1_607
	s_branch .LBB1_608
.LBB1_621:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cbranch_execz .LBB1_549
	s_branch .LBB1_548
.LBB1_622:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_567
.LBB1_623:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_byte v[116:117], v118, off offset:2
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB1_568
	s_branch .LBB1_569
.LBB1_624:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cbranch_execnz .LBB1_570
	s_branch .LBB1_571
.LBB1_625:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cbranch_execnz .LBB1_582
	s_branch .LBB1_583
.LBB1_626:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cbranch_execnz .LBB1_593
	s_branch .LBB1_594
.LBB1_627:                              ;   in Loop: Header=BB1_550 Depth=4
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_558
.LBB1_628:                              ;   in Loop: Header=BB1_550 Depth=4
	global_store_byte v[116:117], v118, off offset:2
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB1_559
	s_branch .LBB1_560
.LBB1_629:                              ;   in Loop: Header=BB1_550 Depth=4
	s_cbranch_execnz .LBB1_561
	s_branch .LBB1_562
.LBB1_630:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_544
.LBB1_631:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v108, v[110:111], off offset:8
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v109, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB1_545
	s_branch .LBB1_546
.LBB1_632:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_529
.LBB1_633:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v12, v[98:99], off offset:8
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v13, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB1_530
	s_branch .LBB1_531
.LBB1_634:                              ;   in Loop: Header=BB1_513 Depth=3
	s_or_b64 exec, exec, s[12:13]
	s_and_saveexec_b64 s[12:13], s[8:9]
	s_cbranch_execz .LBB1_536
.LBB1_635:                              ;   in Loop: Header=BB1_513 Depth=3
	global_load_dword v106, v[100:101], off offset:8
	s_or_b64 exec, exec, s[12:13]
	v_mov_b32_e32 v107, 0
	s_and_saveexec_b64 s[12:13], s[10:11]
	s_cbranch_execnz .LBB1_537
	s_branch .LBB1_538
.LBB1_636:                              ;   in Loop: Header=BB1_513 Depth=3
                                        ; implicit-def: $vgpr107
                                        ; implicit-def: $vgpr109
	s_cbranch_execnz .LBB1_539
	s_branch .LBB1_540
.LBB1_637:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[82:83], s[48:49]
	s_mov_b64 s[48:49], s[44:45]
	v_readlane_b32 s44, v158, 0
	v_readlane_b32 s45, v158, 1
	s_andn2_b64 vcc, exec, s[48:49]
	s_cbranch_vccz .LBB1_329
.LBB1_638:                              ;   in Loop: Header=BB1_124 Depth=1
	s_and_b64 vcc, exec, s[44:45]
	s_cbranch_vccz .LBB1_332
.LBB1_639:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	v_mov_b32_e32 v12, v124
	v_and_b32_e32 v1, 0x3ff, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v126
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB1_671
; %bb.640:                              ;   in Loop: Header=BB1_124 Depth=1
	s_mov_b64 s[8:9], 0
	v_mov_b32_e32 v12, v124
	v_mov_b32_e32 v1, v126
                                        ; implicit-def: $sgpr10_sgpr11
                                        ; implicit-def: $vgpr10
	s_branch .LBB1_643
.LBB1_641:                              ;   in Loop: Header=BB1_643 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_cmp_lt_i32_e32 vcc, v1, v13
	s_andn2_b64 s[4:5], s[10:11], exec
	s_and_b64 s[10:11], vcc, exec
	s_or_b64 s[10:11], s[4:5], s[10:11]
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v1, v7
.LBB1_642:                              ;   in Loop: Header=BB1_643 Depth=2
	s_or_b64 exec, exec, s[12:13]
	s_and_b64 s[4:5], exec, s[10:11]
	s_or_b64 s[8:9], s[4:5], s[8:9]
	v_mov_b32_e32 v10, v6
	s_andn2_b64 exec, exec, s[8:9]
	s_cbranch_execz .LBB1_670
.LBB1_643:                              ;   Parent Loop BB1_124 Depth=1
                                        ; =>  This Loop Header: Depth=2
                                        ;       Child Loop BB1_656 Depth 3
	v_cmp_gt_i32_e32 vcc, s38, v12
	v_mov_b32_e32 v6, -1
	s_or_b64 s[10:11], s[10:11], exec
	s_and_saveexec_b64 s[12:13], vcc
	s_cbranch_execz .LBB1_642
; %bb.644:                              ;   in Loop: Header=BB1_643 Depth=2
	v_add_u32_e32 v2, s33, v12
	v_mov_b32_e32 v3, s38
	v_cmp_le_i32_e32 vcc, s38, v2
	v_mov_b32_e32 v6, 0
	s_nop 0
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_sub_u32_e32 v8, v2, v3
	v_mad_i64_i32 v[4:5], s[4:5], v8, s3, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr2_vgpr3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[14:15], exec, s[4:5]
	s_cbranch_execz .LBB1_646
; %bb.645:                              ;   in Loop: Header=BB1_643 Depth=2
	s_add_u32 s4, s38, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[16:17], s[4:5], 0
	v_cvt_f32_u32_e32 v2, s16
	v_cvt_f32_u32_e32 v3, s17
	s_sub_u32 s4, 0, s16
	s_subb_u32 s5, 0, s17
	v_mov_b32_e32 v15, v6
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_mov_b32 s18, 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s19, v3
	v_readfirstlane_b32 s20, v2
	s_mul_i32 s21, s4, s19
	s_mul_hi_u32 s23, s4, s20
	s_mul_i32 s22, s5, s20
	s_add_i32 s21, s23, s21
	s_add_i32 s21, s21, s22
	s_mul_i32 s24, s4, s20
	s_mul_i32 s23, s20, s21
	s_mul_hi_u32 s25, s20, s24
	s_mul_hi_u32 s22, s20, s21
	s_add_u32 s23, s25, s23
	s_addc_u32 s22, 0, s22
	s_mul_hi_u32 s26, s19, s24
	s_mul_i32 s24, s19, s24
	s_add_u32 s23, s23, s24
	s_mul_hi_u32 s25, s19, s21
	s_addc_u32 s22, s22, s26
	s_addc_u32 s23, s25, 0
	s_mul_i32 s21, s19, s21
	s_add_u32 s21, s22, s21
	s_addc_u32 s22, 0, s23
	s_add_u32 s20, s20, s21
	s_addc_u32 s19, s19, s22
	s_mul_i32 s21, s4, s19
	s_mul_hi_u32 s22, s4, s20
	s_add_i32 s21, s22, s21
	s_mul_i32 s5, s5, s20
	s_add_i32 s21, s21, s5
	s_mul_i32 s4, s4, s20
	s_mul_hi_u32 s22, s19, s4
	s_mul_i32 s23, s19, s4
	s_mul_i32 s25, s20, s21
	s_mul_hi_u32 s4, s20, s4
	s_mul_hi_u32 s24, s20, s21
	s_add_u32 s4, s4, s25
	s_addc_u32 s24, 0, s24
	s_add_u32 s4, s4, s23
	s_mul_hi_u32 s5, s19, s21
	s_addc_u32 s4, s24, s22
	s_addc_u32 s5, s5, 0
	s_mul_i32 s21, s19, s21
	s_add_u32 s4, s4, s21
	v_ashrrev_i32_e32 v2, 31, v5
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v3, v2
	s_add_u32 s20, s20, s4
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[2:3]
	s_addc_u32 s19, s19, s5
	v_xor_b32_e32 v9, v4, v2
	v_xor_b32_e32 v3, v5, v2
	v_mad_u64_u32 v[4:5], s[4:5], v9, s19, 0
	v_mul_hi_u32 v14, v9, s20
	v_lshl_add_u64 v[4:5], v[14:15], 0, v[4:5]
	v_mad_u64_u32 v[14:15], s[4:5], v3, s20, 0
	v_add_co_u32_e32 v4, vcc, v4, v14
	v_mad_u64_u32 v[6:7], s[4:5], v3, s19, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v15, vcc
	v_mov_b32_e32 v5, s18
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v11, s17, v4
	v_mul_lo_u32 v13, s16, v5
	v_mad_u64_u32 v[6:7], s[4:5], s16, v4, 0
	v_add3_u32 v11, v7, v13, v11
	v_sub_u32_e32 v7, v3, v11
	v_mov_b32_e32 v13, s17
	v_sub_co_u32_e32 v9, vcc, v9, v6
	v_lshl_add_u64 v[14:15], v[4:5], 0, 1
	s_nop 0
	v_subb_co_u32_e64 v6, s[4:5], v7, v13, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s16, v9
	v_subb_co_u32_e32 v3, vcc, v3, v11, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s17, v6
	v_cmp_le_u32_e32 vcc, s17, v3
	s_nop 0
	v_cndmask_b32_e64 v13, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s16, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s17, v6
	s_nop 1
	v_cndmask_b32_e64 v13, v13, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s16, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s17, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v13
	s_nop 1
	v_cndmask_b32_e32 v5, v14, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v2
	v_sub_co_u32_e32 v2, vcc, v3, v2
                                        ; implicit-def: $vgpr4_vgpr5
.LBB1_646:                              ;   in Loop: Header=BB1_643 Depth=2
	s_or_saveexec_b64 s[4:5], s[14:15]
	v_cvt_f32_u32_e32 v11, s38
	s_xor_b64 exec, exec, s[4:5]
	s_cbranch_execz .LBB1_648
; %bb.647:                              ;   in Loop: Header=BB1_643 Depth=2
	v_rcp_iflag_f32_e32 v2, v11
	s_sub_i32 s14, 0, s38
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s14, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, v4, v2
	v_mul_lo_u32 v3, v2, s38
	v_sub_u32_e32 v3, v4, v3
	v_add_u32_e32 v5, 1, v2
	v_subrev_u32_e32 v4, s38, v3
	v_cmp_le_u32_e32 vcc, s38, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s38, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
.LBB1_648:                              ;   in Loop: Header=BB1_643 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_add_u32_e32 v3, 1, v8
	v_mad_i64_i32 v[4:5], s[4:5], v3, s3, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr8_vgpr9
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[14:15], exec, s[4:5]
	s_cbranch_execz .LBB1_650
; %bb.649:                              ;   in Loop: Header=BB1_643 Depth=2
	s_add_u32 s4, s38, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[16:17], s[4:5], 0
	v_cvt_f32_u32_e32 v3, s16
	v_cvt_f32_u32_e32 v7, s17
	s_sub_u32 s4, 0, s16
	s_subb_u32 s5, 0, s17
	v_ashrrev_i32_e32 v8, 31, v5
	v_fmamk_f32 v3, v7, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	v_mov_b32_e32 v9, v8
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[8:9]
	v_xor_b32_e32 v9, v4, v8
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v7, 0x2f800000, v3
	v_trunc_f32_e32 v7, v7
	v_fmamk_f32 v3, v7, 0xcf800000, v3
	v_cvt_u32_f32_e32 v7, v7
	v_cvt_u32_f32_e32 v3, v3
	v_mov_b32_e32 v15, v6
	s_mov_b32 s18, 0
	v_readfirstlane_b32 s19, v7
	v_readfirstlane_b32 s20, v3
	s_mul_i32 s21, s4, s19
	s_mul_hi_u32 s23, s4, s20
	s_mul_i32 s22, s5, s20
	s_add_i32 s21, s23, s21
	s_add_i32 s21, s21, s22
	s_mul_i32 s24, s4, s20
	s_mul_i32 s23, s20, s21
	s_mul_hi_u32 s25, s20, s24
	s_mul_hi_u32 s22, s20, s21
	s_add_u32 s23, s25, s23
	s_addc_u32 s22, 0, s22
	s_mul_hi_u32 s26, s19, s24
	s_mul_i32 s24, s19, s24
	s_add_u32 s23, s23, s24
	s_mul_hi_u32 s25, s19, s21
	s_addc_u32 s22, s22, s26
	s_addc_u32 s23, s25, 0
	s_mul_i32 s21, s19, s21
	s_add_u32 s21, s22, s21
	s_addc_u32 s22, 0, s23
	s_add_u32 s20, s20, s21
	s_addc_u32 s19, s19, s22
	s_mul_i32 s21, s4, s19
	s_mul_hi_u32 s22, s4, s20
	s_add_i32 s21, s22, s21
	s_mul_i32 s5, s5, s20
	s_add_i32 s21, s21, s5
	s_mul_i32 s4, s4, s20
	s_mul_hi_u32 s22, s19, s4
	s_mul_i32 s23, s19, s4
	s_mul_i32 s25, s20, s21
	s_mul_hi_u32 s4, s20, s4
	s_mul_hi_u32 s24, s20, s21
	s_add_u32 s4, s4, s25
	s_addc_u32 s24, 0, s24
	s_add_u32 s4, s4, s23
	s_mul_hi_u32 s5, s19, s21
	s_addc_u32 s4, s24, s22
	s_addc_u32 s5, s5, 0
	s_mul_i32 s21, s19, s21
	s_add_u32 s4, s4, s21
	s_addc_u32 s5, 0, s5
	s_add_u32 s20, s20, s4
	s_addc_u32 s19, s19, s5
	v_xor_b32_e32 v3, v5, v8
	v_mad_u64_u32 v[4:5], s[4:5], v9, s19, 0
	v_mul_hi_u32 v14, v9, s20
	v_lshl_add_u64 v[4:5], v[14:15], 0, v[4:5]
	v_mad_u64_u32 v[14:15], s[4:5], v3, s20, 0
	v_add_co_u32_e32 v4, vcc, v4, v14
	v_mad_u64_u32 v[6:7], s[4:5], v3, s19, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v15, vcc
	v_mov_b32_e32 v5, s18
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v13, s17, v4
	v_mul_lo_u32 v14, s16, v5
	v_mad_u64_u32 v[6:7], s[4:5], s16, v4, 0
	v_add3_u32 v13, v7, v14, v13
	v_sub_u32_e32 v7, v3, v13
	v_mov_b32_e32 v14, s17
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v14, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s16, v9
	v_subb_co_u32_e32 v3, vcc, v3, v13, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s17, v6
	v_cmp_le_u32_e32 vcc, s17, v3
	s_nop 0
	v_cndmask_b32_e64 v14, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s16, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s17, v6
	s_nop 1
	v_cndmask_b32_e64 v16, v14, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[14:15], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s16, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s17, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v16
	s_nop 1
	v_cndmask_b32_e32 v5, v14, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v8, vcc, v3, v8
                                        ; implicit-def: $vgpr4_vgpr5
.LBB1_650:                              ;   in Loop: Header=BB1_643 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[14:15]
	s_cbranch_execz .LBB1_652
; %bb.651:                              ;   in Loop: Header=BB1_643 Depth=2
	v_rcp_iflag_f32_e32 v3, v11
	s_sub_i32 s14, 0, s38
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v5, s14, v3
	v_mul_hi_u32 v5, v3, v5
	v_add_u32_e32 v3, v3, v5
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v5, v3, s38
	v_sub_u32_e32 v4, v4, v5
	v_add_u32_e32 v6, 1, v3
	v_subrev_u32_e32 v5, s38, v4
	v_cmp_le_u32_e32 vcc, s38, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s38, v4
	s_nop 1
	v_cndmask_b32_e32 v8, v3, v5, vcc
.LBB1_652:                              ;   in Loop: Header=BB1_643 Depth=2
	s_or_b64 exec, exec, s[4:5]
	v_sub_u32_e32 v13, v8, v2
	v_cmp_ge_i32_e32 vcc, v1, v13
                                        ; implicit-def: $vgpr6
                                        ; implicit-def: $vgpr7
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[14:15], exec, s[4:5]
	s_cbranch_execz .LBB1_668
; %bb.653:                              ;   in Loop: Header=BB1_643 Depth=2
	v_add_u32_e32 v2, 1, v12
	v_add_lshl_u32 v12, s39, v12, 6
	s_mov_b64 s[16:17], 0
                                        ; implicit-def: $sgpr18_sgpr19
                                        ; implicit-def: $sgpr22_sgpr23
                                        ; implicit-def: $sgpr20_sgpr21
	s_branch .LBB1_656
.LBB1_654:                              ;   in Loop: Header=BB1_656 Depth=3
	s_or_b64 exec, exec, s[4:5]
	v_lshlrev_b32_e32 v3, 6, v15
	v_sub_u32_e32 v4, v12, v3
	v_ashrrev_i32_e32 v5, 31, v4
	v_lshl_add_u64 v[4:5], v[4:5], 2, s[34:35]
	global_load_dword v3, v[4:5], off sc1
	v_sub_u32_e32 v6, v2, v8
	s_andn2_b64 s[4:5], s[22:23], exec
	v_add_u32_e32 v2, 1, v14
	s_andn2_b64 s[20:21], s[20:21], exec
	v_add_u32_e32 v12, 64, v12
	s_waitcnt vmcnt(0)
	v_cmp_lt_i32_e32 vcc, v3, v6
	s_and_b64 s[22:23], vcc, exec
	s_or_b64 s[22:23], s[4:5], s[22:23]
.LBB1_655:                              ;   in Loop: Header=BB1_656 Depth=3
	s_or_b64 exec, exec, s[24:25]
	s_and_b64 s[4:5], exec, s[22:23]
	s_or_b64 s[16:17], s[4:5], s[16:17]
	s_andn2_b64 s[4:5], s[18:19], exec
	s_and_b64 s[18:19], s[20:21], exec
	s_or_b64 s[18:19], s[4:5], s[18:19]
	s_andn2_b64 exec, exec, s[16:17]
	s_cbranch_execz .LBB1_665
.LBB1_656:                              ;   Parent Loop BB1_124 Depth=1
                                        ;     Parent Loop BB1_643 Depth=2
                                        ; =>    This Inner Loop Header: Depth=3
	v_mov_b32_e32 v14, v2
	v_cmp_gt_i32_e32 vcc, s38, v14
	s_or_b64 s[20:21], s[20:21], exec
	s_or_b64 s[22:23], s[22:23], exec
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr4_vgpr5
	s_and_saveexec_b64 s[24:25], vcc
	s_cbranch_execz .LBB1_655
; %bb.657:                              ;   in Loop: Header=BB1_656 Depth=3
	v_add_u32_e32 v2, s33, v14
	v_mov_b32_e32 v3, s38
	v_cmp_le_i32_e32 vcc, s38, v2
	v_mov_b32_e32 v6, 0
	s_nop 0
	v_cndmask_b32_e32 v15, 0, v3, vcc
	v_sub_u32_e32 v8, v2, v15
	v_add_u32_e32 v2, 1, v8
	v_mad_i64_i32 v[4:5], s[4:5], v2, s3, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr2_vgpr3
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[26:27], exec, s[4:5]
	s_cbranch_execz .LBB1_659
; %bb.658:                              ;   in Loop: Header=BB1_656 Depth=3
	s_add_u32 s4, s38, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[28:29], s[4:5], 0
	v_cvt_f32_u32_e32 v2, s28
	v_cvt_f32_u32_e32 v3, s29
	s_sub_u32 s4, 0, s28
	s_subb_u32 s5, 0, s29
	v_mov_b32_e32 v17, v6
	v_fmamk_f32 v2, v3, 0x4f800000, v2
	v_rcp_f32_e32 v2, v2
	s_mov_b32 s30, 0
	v_mul_f32_e32 v2, 0x5f7ffffc, v2
	v_mul_f32_e32 v3, 0x2f800000, v2
	v_trunc_f32_e32 v3, v3
	v_fmamk_f32 v2, v3, 0xcf800000, v2
	v_cvt_u32_f32_e32 v3, v3
	v_cvt_u32_f32_e32 v2, v2
	v_readfirstlane_b32 s31, v3
	v_readfirstlane_b32 s36, v2
	s_mul_i32 s40, s4, s31
	s_mul_hi_u32 s42, s4, s36
	s_mul_i32 s41, s5, s36
	s_add_i32 s40, s42, s40
	s_add_i32 s40, s40, s41
	s_mul_i32 s43, s4, s36
	s_mul_i32 s42, s36, s40
	s_mul_hi_u32 s46, s36, s43
	s_mul_hi_u32 s41, s36, s40
	s_add_u32 s42, s46, s42
	s_addc_u32 s41, 0, s41
	s_mul_hi_u32 s47, s31, s43
	s_mul_i32 s43, s31, s43
	s_add_u32 s42, s42, s43
	s_mul_hi_u32 s46, s31, s40
	s_addc_u32 s41, s41, s47
	s_addc_u32 s42, s46, 0
	s_mul_i32 s40, s31, s40
	s_add_u32 s40, s41, s40
	s_addc_u32 s41, 0, s42
	s_add_u32 s36, s36, s40
	s_addc_u32 s31, s31, s41
	s_mul_i32 s40, s4, s31
	s_mul_hi_u32 s41, s4, s36
	s_add_i32 s40, s41, s40
	s_mul_i32 s5, s5, s36
	s_add_i32 s40, s40, s5
	s_mul_i32 s4, s4, s36
	s_mul_hi_u32 s41, s31, s4
	s_mul_i32 s42, s31, s4
	s_mul_i32 s46, s36, s40
	s_mul_hi_u32 s4, s36, s4
	s_mul_hi_u32 s43, s36, s40
	s_add_u32 s4, s4, s46
	s_addc_u32 s43, 0, s43
	s_add_u32 s4, s4, s42
	s_mul_hi_u32 s5, s31, s40
	s_addc_u32 s4, s43, s41
	s_addc_u32 s5, s5, 0
	s_mul_i32 s40, s31, s40
	s_add_u32 s4, s4, s40
	v_ashrrev_i32_e32 v2, 31, v5
	s_addc_u32 s5, 0, s5
	v_mov_b32_e32 v3, v2
	s_add_u32 s36, s36, s4
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[2:3]
	s_addc_u32 s31, s31, s5
	v_xor_b32_e32 v9, v4, v2
	v_xor_b32_e32 v3, v5, v2
	v_mad_u64_u32 v[4:5], s[4:5], v9, s31, 0
	v_mul_hi_u32 v16, v9, s36
	v_lshl_add_u64 v[4:5], v[16:17], 0, v[4:5]
	v_mad_u64_u32 v[16:17], s[4:5], v3, s36, 0
	v_add_co_u32_e32 v4, vcc, v4, v16
	v_mad_u64_u32 v[6:7], s[4:5], v3, s31, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v17, vcc
	v_mov_b32_e32 v5, s30
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v16, s29, v4
	v_mul_lo_u32 v17, s28, v5
	v_mad_u64_u32 v[6:7], s[4:5], s28, v4, 0
	v_add3_u32 v82, v7, v17, v16
	v_sub_u32_e32 v7, v3, v82
	v_mov_b32_e32 v16, s29
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v16, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s28, v9
	v_subb_co_u32_e32 v3, vcc, v3, v82, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s29, v6
	v_cmp_le_u32_e32 vcc, s29, v3
	s_nop 0
	v_cndmask_b32_e64 v16, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s28, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s29, v6
	s_nop 1
	v_cndmask_b32_e64 v83, v16, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[16:17], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s28, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s29, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v83
	s_nop 1
	v_cndmask_b32_e32 v5, v16, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v2
	v_sub_co_u32_e32 v2, vcc, v3, v2
                                        ; implicit-def: $vgpr4_vgpr5
.LBB1_659:                              ;   in Loop: Header=BB1_656 Depth=3
	s_andn2_saveexec_b64 s[4:5], s[26:27]
	s_cbranch_execz .LBB1_661
; %bb.660:                              ;   in Loop: Header=BB1_656 Depth=3
	v_rcp_iflag_f32_e32 v2, v11
	s_sub_i32 s26, 0, s38
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_mul_lo_u32 v3, s26, v2
	v_mul_hi_u32 v3, v2, v3
	v_add_u32_e32 v2, v2, v3
	v_mul_hi_u32 v2, v4, v2
	v_mul_lo_u32 v3, v2, s38
	v_sub_u32_e32 v3, v4, v3
	v_add_u32_e32 v5, 1, v2
	v_subrev_u32_e32 v4, s38, v3
	v_cmp_le_u32_e32 vcc, s38, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v4, vcc
	v_cndmask_b32_e32 v2, v2, v5, vcc
	v_add_u32_e32 v4, 1, v2
	v_cmp_le_u32_e32 vcc, s38, v3
	s_nop 1
	v_cndmask_b32_e32 v2, v2, v4, vcc
.LBB1_661:                              ;   in Loop: Header=BB1_656 Depth=3
	s_or_b64 exec, exec, s[4:5]
	v_mad_i64_i32 v[4:5], s[4:5], v8, s3, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, v5
	v_cmp_ne_u64_e32 vcc, 0, v[6:7]
                                        ; implicit-def: $vgpr8_vgpr9
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[26:27], exec, s[4:5]
	s_cbranch_execz .LBB1_663
; %bb.662:                              ;   in Loop: Header=BB1_656 Depth=3
	s_add_u32 s4, s38, 0
	s_addc_u32 s5, 0, 0
	s_xor_b64 s[28:29], s[4:5], 0
	v_cvt_f32_u32_e32 v3, s28
	v_cvt_f32_u32_e32 v7, s29
	s_sub_u32 s4, 0, s28
	s_subb_u32 s5, 0, s29
	v_ashrrev_i32_e32 v8, 31, v5
	v_fmamk_f32 v3, v7, 0x4f800000, v3
	v_rcp_f32_e32 v3, v3
	v_mov_b32_e32 v9, v8
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[8:9]
	v_xor_b32_e32 v9, v4, v8
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v7, 0x2f800000, v3
	v_trunc_f32_e32 v7, v7
	v_fmamk_f32 v3, v7, 0xcf800000, v3
	v_cvt_u32_f32_e32 v7, v7
	v_cvt_u32_f32_e32 v3, v3
	v_mov_b32_e32 v17, v6
	s_mov_b32 s30, 0
	v_readfirstlane_b32 s31, v7
	v_readfirstlane_b32 s36, v3
	s_mul_i32 s40, s4, s31
	s_mul_hi_u32 s42, s4, s36
	s_mul_i32 s41, s5, s36
	s_add_i32 s40, s42, s40
	s_add_i32 s40, s40, s41
	s_mul_i32 s43, s4, s36
	s_mul_i32 s42, s36, s40
	s_mul_hi_u32 s46, s36, s43
	s_mul_hi_u32 s41, s36, s40
	s_add_u32 s42, s46, s42
	s_addc_u32 s41, 0, s41
	s_mul_hi_u32 s47, s31, s43
	s_mul_i32 s43, s31, s43
	s_add_u32 s42, s42, s43
	s_mul_hi_u32 s46, s31, s40
	s_addc_u32 s41, s41, s47
	s_addc_u32 s42, s46, 0
	s_mul_i32 s40, s31, s40
	s_add_u32 s40, s41, s40
	s_addc_u32 s41, 0, s42
	s_add_u32 s36, s36, s40
	s_addc_u32 s31, s31, s41
	s_mul_i32 s40, s4, s31
	s_mul_hi_u32 s41, s4, s36
	s_add_i32 s40, s41, s40
	s_mul_i32 s5, s5, s36
	s_add_i32 s40, s40, s5
	s_mul_i32 s4, s4, s36
	s_mul_hi_u32 s41, s31, s4
	s_mul_i32 s42, s31, s4
	s_mul_i32 s46, s36, s40
	s_mul_hi_u32 s4, s36, s4
	s_mul_hi_u32 s43, s36, s40
	s_add_u32 s4, s4, s46
	s_addc_u32 s43, 0, s43
	s_add_u32 s4, s4, s42
	s_mul_hi_u32 s5, s31, s40
	s_addc_u32 s4, s43, s41
	s_addc_u32 s5, s5, 0
	s_mul_i32 s40, s31, s40
	s_add_u32 s4, s4, s40
	s_addc_u32 s5, 0, s5
	s_add_u32 s36, s36, s4
	s_addc_u32 s31, s31, s5
	v_xor_b32_e32 v3, v5, v8
	v_mad_u64_u32 v[4:5], s[4:5], v9, s31, 0
	v_mul_hi_u32 v16, v9, s36
	v_lshl_add_u64 v[4:5], v[16:17], 0, v[4:5]
	v_mad_u64_u32 v[16:17], s[4:5], v3, s36, 0
	v_add_co_u32_e32 v4, vcc, v4, v16
	v_mad_u64_u32 v[6:7], s[4:5], v3, s31, 0
	s_nop 0
	v_addc_co_u32_e32 v4, vcc, v5, v17, vcc
	v_mov_b32_e32 v5, s30
	s_nop 0
	v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[6:7]
	v_mul_lo_u32 v16, s29, v4
	v_mul_lo_u32 v17, s28, v5
	v_mad_u64_u32 v[6:7], s[4:5], s28, v4, 0
	v_add3_u32 v82, v7, v17, v16
	v_sub_u32_e32 v7, v3, v82
	v_mov_b32_e32 v16, s29
	v_sub_co_u32_e32 v9, vcc, v9, v6
	s_nop 1
	v_subb_co_u32_e64 v6, s[4:5], v7, v16, vcc
	v_subrev_co_u32_e64 v7, s[4:5], s28, v9
	v_subb_co_u32_e32 v3, vcc, v3, v82, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v6, s[4:5], 0, v6, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s29, v6
	v_cmp_le_u32_e32 vcc, s29, v3
	s_nop 0
	v_cndmask_b32_e64 v16, 0, -1, s[4:5]
	v_cmp_le_u32_e64 s[4:5], s28, v7
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, s[4:5]
	v_cmp_eq_u32_e64 s[4:5], s29, v6
	s_nop 1
	v_cndmask_b32_e64 v83, v16, v7, s[4:5]
	v_lshl_add_u64 v[6:7], v[4:5], 0, 2
	v_lshl_add_u64 v[16:17], v[4:5], 0, 1
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s28, v9
	s_nop 1
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s29, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v5, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v83
	s_nop 1
	v_cndmask_b32_e32 v5, v16, v6, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v5, vcc
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v8, vcc, v3, v8
                                        ; implicit-def: $vgpr4_vgpr5
.LBB1_663:                              ;   in Loop: Header=BB1_656 Depth=3
	s_andn2_saveexec_b64 s[4:5], s[26:27]
	s_cbranch_execz .LBB1_654
; %bb.664:                              ;   in Loop: Header=BB1_656 Depth=3
	v_rcp_iflag_f32_e32 v3, v11
	s_sub_i32 s26, 0, s38
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v5, s26, v3
	v_mul_hi_u32 v5, v3, v5
	v_add_u32_e32 v3, v3, v5
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v5, v3, s38
	v_sub_u32_e32 v4, v4, v5
	v_add_u32_e32 v6, 1, v3
	v_subrev_u32_e32 v5, s38, v4
	v_cmp_le_u32_e32 vcc, s38, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s38, v4
	s_nop 1
	v_cndmask_b32_e32 v8, v3, v5, vcc
	s_branch .LBB1_654
.LBB1_665:                              ;   in Loop: Header=BB1_643 Depth=2
	s_or_b64 exec, exec, s[16:17]
	s_xor_b64 s[4:5], s[18:19], -1
	v_mov_b32_e32 v12, s38
	v_mov_b32_e32 v6, v10
	v_mov_b32_e32 v7, v1
	s_and_saveexec_b64 s[16:17], s[4:5]
	s_xor_b64 s[4:5], exec, s[16:17]
	s_cbranch_execz .LBB1_667
; %bb.666:                              ;   in Loop: Header=BB1_643 Depth=2
	v_mov_b32_e32 v2, 1
	global_atomic_add v7, v[4:5], v2, off sc0
	v_mov_b32_e32 v6, v10
	v_mov_b32_e32 v12, v14
.LBB1_667:                              ;   in Loop: Header=BB1_643 Depth=2
	s_or_b64 exec, exec, s[4:5]
                                        ; implicit-def: $vgpr2_vgpr3
.LBB1_668:                              ;   in Loop: Header=BB1_643 Depth=2
	s_andn2_saveexec_b64 s[4:5], s[14:15]
	s_cbranch_execz .LBB1_641
; %bb.669:                              ;   in Loop: Header=BB1_643 Depth=2
	v_add_u32_e32 v6, v1, v2
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v7, v1
	s_branch .LBB1_641
.LBB1_670:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[8:9]
	v_mov_b32_e32 v2, 0
	ds_write_b32 v2, v10
.LBB1_671:                              ;   in Loop: Header=BB1_124 Depth=1
	s_or_b64 exec, exec, s[6:7]
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v2, v2
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s36, v2
.LBB1_672:                              ;   in Loop: Header=BB1_124 Depth=1
	v_mov_b32_e32 v124, v12
	s_cmp_lg_u32 s36, -1
	v_mov_b32_e32 v10, v125
	s_cbranch_scc1 .LBB1_124
	s_branch .LBB1_678
.LBB1_673:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr22_sgpr23
	v_cvt_f32_u32_e32 v4, s4
	s_andn2_b64 vcc, exec, s[50:51]
	s_cbranch_vccz .LBB1_145
	s_branch .LBB1_146
.LBB1_674:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $sgpr50_sgpr51
	s_andn2_b64 vcc, exec, s[42:43]
	v_mov_b64_e32 v[2:3], s[50:51]
	s_cbranch_vccz .LBB1_148
	s_branch .LBB1_149
.LBB1_675:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $vgpr9
	s_branch .LBB1_403
.LBB1_676:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $vgpr17
	s_branch .LBB1_409
.LBB1_677:                              ;   in Loop: Header=BB1_124 Depth=1
                                        ; implicit-def: $vgpr91
                                        ; implicit-def: $vgpr88_vgpr89
	s_cbranch_execnz .LBB1_494
	s_branch .LBB1_495
.LBB1_678:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel k_mx
		.amdhsa_group_segment_fixed_size 69632
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 416
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 169
		.amdhsa_next_free_sgpr 100
		.amdhsa_accum_offset 160
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end1:
	.size	k_mx, .Lfunc_end1-k_mx
                                        ; -- End function
	.set k_mx.num_vgpr, 159
	.set k_mx.num_agpr, 0
	.set k_mx.numbered_sgpr, 100
	.set k_mx.num_named_barrier, 0
	.set k_mx.private_seg_size, 0
	.set k_mx.uses_vcc, 1
	.set k_mx.uses_flat_scratch, 0
	.set k_mx.has_dyn_sized_stack, 0
	.set k_mx.has_recursion, 0
	.set k_mx.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 55984
; TotalNumSgprs: 106
; NumVgprs: 159
; NumAgprs: 0
; TotalNumVgprs: 159
; ScratchSize: 0
; MemoryBound: 1
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 69632 bytes/workgroup (compile time only)
; SGPRBlocks: 13
; VGPRBlocks: 21
; NumSGPRsForWavesPerEU: 106
; NumVGPRsForWavesPerEU: 169
; AccumOffset: 160
; Occupancy: 2
; WaveLimiterHint : 1
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 2
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
; COMPUTE_PGM_RSRC3_GFX90A:ACCUM_OFFSET: 39
; COMPUTE_PGM_RSRC3_GFX90A:TG_SPLIT: 0
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.type	__hip_cuid_,@object             ; @__hip_cuid_
	.section	.bss,"aw",@nobits
	.globl	__hip_cuid_
__hip_cuid_:
	.byte	0                               ; 0x0
	.size	__hip_cuid_, 1

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym __hip_cuid_
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           416
        .value_kind:     by_value
    .group_segment_fixed_size: 65536
    .kernarg_segment_align: 8
    .kernarg_segment_size: 416
    .max_flat_workgroup_size: 256
    .name:           k
    .private_segment_fixed_size: 0
    .sgpr_count:     106
    .sgpr_spill_count: 2
    .symbol:         k.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     159
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           416
        .value_kind:     by_value
    .group_segment_fixed_size: 69632
    .kernarg_segment_align: 8
    .kernarg_segment_size: 416
    .max_flat_workgroup_size: 256
    .name:           k_mx
    .private_segment_fixed_size: 0
    .sgpr_count:     106
    .sgpr_spill_count: 2
    .symbol:         k_mx.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     159
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
