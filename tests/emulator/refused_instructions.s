// An example of each instruction that the emulator refuses by its name (isa/refused.def).
buffer_load_format_d16_hi_x v8, v1, s[4:7], s3 offen
buffer_load_format_d16_x v8, v1, s[4:7], s3 offen
buffer_load_format_d16_xy v8, v1, s[4:7], s3 offen
buffer_load_format_d16_xyz v[8:9], v1, s[4:7], s3 offen
buffer_load_format_d16_xyzw v[8:9], v1, s[4:7], s3 offen
buffer_load_format_x v8, v1, s[4:7], s3 offen
buffer_load_format_xy v[8:9], v1, s[4:7], s3 offen
buffer_load_format_xyz v[8:10], v1, s[4:7], s3 offen
buffer_load_format_xyzw v[8:11], v1, s[4:7], s3 offen
buffer_store_format_d16_hi_x v8, v1, s[4:7], s3 offen
buffer_store_format_d16_x v8, v1, s[4:7], s3 offen
buffer_store_format_d16_xy v8, v1, s[4:7], s3 offen
buffer_store_format_d16_xyz v[8:9], v1, s[4:7], s3 offen
buffer_store_format_d16_xyzw v[8:9], v1, s[4:7], s3 offen
buffer_store_format_x v8, v1, s[4:7], s3 offen
buffer_store_format_xy v[8:9], v1, s[4:7], s3 offen
buffer_store_format_xyz v[8:10], v1, s[4:7], s3 offen
buffer_store_format_xyzw v[8:11], v1, s[4:7], s3 offen
buffer_store_lds_dword s[4:7], s3 lds
ds_append v8 offset:16
ds_condxchg32_rtn_b64 v[0:1], v64, v[96:97]
ds_consume v8 offset:16
ds_gws_barrier v8 gds
ds_gws_init v8 gds
ds_gws_sema_br v8 gds
ds_gws_sema_p gds
ds_gws_sema_release_all gds
ds_gws_sema_v gds
ds_read_addtid_b32 v8 offset:16
ds_read_b96_tr_b6 v[0:2], v64
ds_wrap_rtn_b32 v0, v64, v96, v128
ds_write_addtid_b32 v8 offset:16
ds_wrxchg2_rtn_b32 v[0:1], v64, v96, v128
ds_wrxchg2_rtn_b64 v[0:3], v64, v[96:97], v[128:129]
ds_wrxchg2st64_rtn_b32 v[0:1], v64, v96, v128
ds_wrxchg2st64_rtn_b64 v[0:3], v64, v[96:97], v[128:129]
image_atomic_add v8, v1, s[4:11] dmask:0x1
image_atomic_and v8, v1, s[4:11] dmask:0x1
image_atomic_cmpswap v[8:9], v1, s[4:11] dmask:0x3
image_atomic_dec v8, v1, s[4:11] dmask:0x1
image_atomic_inc v8, v1, s[4:11] dmask:0x1
image_atomic_or v8, v1, s[4:11] dmask:0x1
image_atomic_smax v8, v1, s[4:11] dmask:0x1
image_atomic_smin v8, v1, s[4:11] dmask:0x1
image_atomic_sub v8, v1, s[4:11] dmask:0x1
image_atomic_swap v8, v1, s[4:11] dmask:0x1
image_atomic_umax v8, v1, s[4:11] dmask:0x1
image_atomic_umin v8, v1, s[4:11] dmask:0x1
image_atomic_xor v8, v1, s[4:11] dmask:0x1
image_get_resinfo v8, v1, s[4:11] dmask:0x1
image_load v8, v1, s[4:11] dmask:0x1
image_load_mip v8, v1, s[4:11] dmask:0x1
image_load_mip_pck v8, v1, s[4:11] dmask:0x1
image_load_mip_pck_sgn v8, v1, s[4:11] dmask:0x1
image_load_pck v8, v1, s[4:11] dmask:0x1
image_load_pck_sgn v8, v1, s[4:11] dmask:0x1
image_sample v8, v1, s[4:11], s[12:15] dmask:0x1
image_store v8, v1, s[4:11] dmask:0x1
image_store_mip v8, v1, s[4:11] dmask:0x1
image_store_mip_pck v8, v1, s[4:11] dmask:0x1
image_store_pck v8, v1, s[4:11] dmask:0x1
s_atc_probe 0x10, s[2:3], 0x10
s_atc_probe_buffer 0x10, s[4:7], 0x10
s_atomic_add s8, s[32:33]
s_atomic_add_x2 s[8:9], s[32:33]
s_atomic_and s8, s[32:33]
s_atomic_and_x2 s[8:9], s[32:33]
s_atomic_cmpswap s[8:9], s[32:33]
s_atomic_cmpswap_x2 s[8:11], s[32:33]
s_atomic_dec s8, s[32:33]
s_atomic_dec_x2 s[8:9], s[32:33]
s_atomic_inc s8, s[32:33]
s_atomic_inc_x2 s[8:9], s[32:33]
s_atomic_or s8, s[32:33]
s_atomic_or_x2 s[8:9], s[32:33]
s_atomic_smax s8, s[32:33]
s_atomic_smax_x2 s[8:9], s[32:33]
s_atomic_smin s8, s[32:33]
s_atomic_smin_x2 s[8:9], s[32:33]
s_atomic_sub s8, s[32:33]
s_atomic_sub_x2 s[8:9], s[32:33]
s_atomic_swap s8, s[32:33]
s_atomic_swap_x2 s[8:9], s[32:33]
s_atomic_umax s8, s[32:33]
s_atomic_umax_x2 s[8:9], s[32:33]
s_atomic_umin s8, s[32:33]
s_atomic_umin_x2 s[8:9], s[32:33]
s_atomic_xor s8, s[32:33]
s_atomic_xor_x2 s[8:9], s[32:33]
s_buffer_atomic_add s8, s[32:35], 0x10
s_buffer_atomic_add_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_and s8, s[32:35], 0x10
s_buffer_atomic_and_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_cmpswap s[8:9], s[32:35], 0x10
s_buffer_atomic_cmpswap_x2 s[8:11], s[32:35], 0x10
s_buffer_atomic_dec s8, s[32:35], 0x10
s_buffer_atomic_dec_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_inc s8, s[32:35], 0x10
s_buffer_atomic_inc_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_or s8, s[32:35], 0x10
s_buffer_atomic_or_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_smax s8, s[32:35], 0x10
s_buffer_atomic_smax_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_smin s8, s[32:35], 0x10
s_buffer_atomic_smin_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_sub s8, s[32:35], 0x10
s_buffer_atomic_sub_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_swap s8, s[32:35], 0x10
s_buffer_atomic_swap_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_umax s8, s[32:35], 0x10
s_buffer_atomic_umax_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_umin s8, s[32:35], 0x10
s_buffer_atomic_umin_x2 s[8:9], s[32:35], 0x10
s_buffer_atomic_xor s8, s[32:35], 0x10
s_buffer_atomic_xor_x2 s[8:9], s[32:35], 0x10
s_buffer_store_dword s8, s[32:35], 0x10
s_buffer_store_dwordx2 s[8:9], s[32:35], 0x10
s_buffer_store_dwordx4 s[8:11], s[32:35], 0x10
s_cbranch_cdbgsys 0
s_cbranch_cdbgsys_and_user 0
s_cbranch_cdbgsys_or_user 0
s_cbranch_cdbguser 0
s_cbranch_g_fork s[8:9], s[32:33]
s_cbranch_i_fork s[2:3], 0x10
s_cbranch_join s8
s_dcache_discard s[8:9], s32
s_dcache_discard_x2 s[8:9], s32
s_endpgm_ordered_ps_done
s_endpgm_saved
s_rfe_b64 s[8:9]
s_rfe_restore_b64 s[8:9], s32
s_scratch_load_dword s8, s[32:33]
s_scratch_load_dwordx2 s[8:9], s[32:33]
s_scratch_load_dwordx4 s[8:11], s[32:33]
s_scratch_store_dword s8, s[32:33]
s_scratch_store_dwordx2 s[8:9], s[32:33]
s_scratch_store_dwordx4 s[8:11], s[32:33]
s_sendmsghalt 0
s_sethalt 0
s_setkill 0
s_setvskip s8, s32
s_store_dword s8, s[32:33]
s_store_dwordx2 s[8:9], s[32:33]
s_store_dwordx4 s[8:11], s[32:33]
tbuffer_load_format_d16_x v8, v1, s[4:7], s3 offen
tbuffer_load_format_d16_xy v8, v1, s[4:7], s3 offen
tbuffer_load_format_d16_xyz v[8:9], v1, s[4:7], s3 offen
tbuffer_load_format_d16_xyzw v[8:9], v1, s[4:7], s3 offen
tbuffer_load_format_x v8, v1, s[4:7], s3 offen
tbuffer_load_format_xy v[8:9], v1, s[4:7], s3 offen
tbuffer_load_format_xyz v[8:10], v1, s[4:7], s3 offen
tbuffer_load_format_xyzw v[8:11], v1, s[4:7], s3 offen
tbuffer_store_format_d16_x v8, v1, s[4:7], s3 offen
tbuffer_store_format_d16_xy v8, v1, s[4:7], s3 offen
tbuffer_store_format_d16_xyz v[8:9], v1, s[4:7], s3 offen
tbuffer_store_format_d16_xyzw v[8:9], v1, s[4:7], s3 offen
tbuffer_store_format_x v8, v1, s[4:7], s3 offen
tbuffer_store_format_xy v[8:9], v1, s[4:7], s3 offen
tbuffer_store_format_xyz v[8:10], v1, s[4:7], s3 offen
tbuffer_store_format_xyzw v[8:11], v1, s[4:7], s3 offen
v_ashr_pk_i8_i32 v0, v64, v96, v128
v_ashr_pk_u8_i32 v0, v64, v96, v128
v_cubeid_f32 v0, v64, v96, v128
v_cubema_f32 v0, v64, v96, v128
v_cubesc_f32 v0, v64, v96, v128
v_cubetc_f32 v0, v64, v96, v128
v_cvt_pk_u8_f32 v0, v64, v96, v128
v_cvt_pkaccum_u8_f32 v0, v64, v96
v_cvt_scalef32_2xpk16_bf6_f32 v[0:5], v[64:79], v[96:111], v128
v_cvt_scalef32_2xpk16_fp6_f32 v[0:5], v[64:79], v[96:111], v128
v_cvt_scalef32_pk32_bf16_bf6 v[0:15], v[64:69], v96
v_cvt_scalef32_pk32_bf16_fp6 v[0:15], v[64:69], v96
v_cvt_scalef32_pk32_bf6_bf16 v[0:5], v[64:79], v96
v_cvt_scalef32_pk32_bf6_f16 v[0:5], v[64:79], v96
v_cvt_scalef32_pk32_f16_bf6 v[0:15], v[64:69], v96
v_cvt_scalef32_pk32_f16_fp6 v[0:15], v[64:69], v96
v_cvt_scalef32_pk32_f32_bf6 v[0:31], v[64:69], v96
v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[64:69], v96
v_cvt_scalef32_pk32_fp6_bf16 v[0:5], v[64:79], v96
v_cvt_scalef32_pk32_fp6_f16 v[0:5], v[64:79], v96
v_cvt_scalef32_sr_bf8_bf16 v0, v64, v96, v128
v_cvt_scalef32_sr_bf8_f16 v0, v64, v96, v128
v_cvt_scalef32_sr_bf8_f32 v0, v64, v96, v128
v_cvt_scalef32_sr_fp8_bf16 v0, v64, v96, v128
v_cvt_scalef32_sr_fp8_f16 v0, v64, v96, v128
v_cvt_scalef32_sr_fp8_f32 v0, v64, v96, v128
v_cvt_scalef32_sr_pk32_bf6_bf16 v[0:5], v[64:79], v96, v128
v_cvt_scalef32_sr_pk32_bf6_f16 v[0:5], v[64:79], v96, v128
v_cvt_scalef32_sr_pk32_bf6_f32 v[0:5], v[64:95], v96, v128
v_cvt_scalef32_sr_pk32_fp6_bf16 v[0:5], v[64:79], v96, v128
v_cvt_scalef32_sr_pk32_fp6_f16 v[0:5], v[64:79], v96, v128
v_cvt_scalef32_sr_pk32_fp6_f32 v[0:5], v[64:95], v96, v128
v_cvt_scalef32_sr_pk_fp4_bf16 v0, v64, v96, v128
v_cvt_scalef32_sr_pk_fp4_f16 v0, v64, v96, v128
v_cvt_scalef32_sr_pk_fp4_f32 v0, v[64:65], v96, v128
v_cvt_sr_bf16_f32 v0, v64, v96
v_cvt_sr_bf8_f32 v0, v64, v96
v_cvt_sr_f16_f32 v0, v64, v96
v_cvt_sr_fp8_f32 v0, v64, v96
v_exp_legacy_f32 v0, v64
v_log_legacy_f32 v0, v64
v_mad_legacy_f32 v0, v64, v96, v128
v_mqsad_u32_u8 v[0:3], v[64:65], v96, v[128:131]
v_screen_partition_4se_b32 v0, v64
