	.text
	.section	.AMDGPU.config,"",@progbits
	.long	165968
	.long	771
	.long	165900
	.long	0
	.text
	.globl	loops                           ; -- Begin function loops
	.p2align	8
	.type	loops,@function
loops:                                  ; @loops
; %bb.0:                                ; %entry
	ALU_PUSH_BEFORE 2, @20, KC0[], KC1[]
	JUMP @17 POP:1
	ALU 3, @23, KC0[], KC1[]
	LOOP_START_DX10 @16
	ALU 0, @27, KC0[], KC1[]
	LOOP_START_DX10 @11
	ALU_PUSH_BEFORE 3, @28, KC0[], KC1[]
	JUMP @10 POP:1
	LOOP_BREAK @10
	POP @10 POP:1
	END_LOOP @6
	ALU_PUSH_BEFORE 3, @32, KC0[], KC1[]
	JUMP @15 POP:1
	LOOP_BREAK @15
	POP @15 POP:1
	END_LOOP @4
	POP @17 POP:1
	EXPORT T0.XYZW
	CF_END
	PAD
	ALU clause starting at 20:
	  SETGT_DX10 * T1.W, T0.X, 1.0,  
	  NOT_INT * T1.W, PV.W,  
	  PRED_SETE_INT * ExecMask,PredicateBit (MASKED), PV.W, 0.0,  
	ALU clause starting at 23:
	  MOV * T1.W, literal.x,  
	0(0.000000e+00), 0(0.000000e+00)
	  MOV   T1.Y, PV.W,  
	  FLT_TO_INT * T1.X, T1.X,  
	ALU clause starting at 27:
	  MOV * T1.Z, T1.W,  
	ALU clause starting at 28:
	  ADD_INT * T1.Z, T1.Z, 1,  
	  ADD   T0.X, T0.X, T0.Y,  
	  SETGT_INT * T2.W, T1.Y, PV.Z,  
	  PRED_SETE_INT * ExecMask,PredicateBit (MASKED), PV.W, 0.0,  
	ALU clause starting at 32:
	  ADD_INT * T1.Y, T1.Y, 1,  
	  MUL_IEEE   T0.X, T0.X, 0.5,  
	  SETGT_INT * T2.W, T1.X, PV.Y,  BS:VEC_120/SCL_212
	  PRED_SETE_INT * ExecMask,PredicateBit (MASKED), PV.W, 0.0,  
.Lfunc_end0:
	.size	loops, .Lfunc_end0-loops
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
	;SQ_PGM_RESOURCES:STACK_SIZE = 3
	.section	.AMDGPU.config,"",@progbits
	.long	165992
	.long	261
	.long	165900
	.long	0
	.text
	.globl	indexed                         ; -- Begin function indexed
	.p2align	8
	.type	indexed,@function
indexed:                                ; @indexed
; %bb.0:
	CALL_FS
	ALU 11, @4, KC0[], KC1[]
	EXPORT T3.XYZW
	CF_END
	ALU clause starting at 4:
	  MOV   T3.X, T1.X,  
	  MOV   T3.Y, T1.Y,  
	  MOV   T3.Z, T1.Z,  
	  MOV * T3.W, T1.W,  
	  MOV   T0.W, PV.X,  
	  MOV * T1.W, PV.Y,  
	  MOV   T2.W, T3.Z,  
	  FLT_TO_INT * T0.X, T3.X,  
	  AND_INT * T4.W, PS, literal.x,  
	3(4.203895e-45), 0(0.000000e+00)
	  MOVA_INT * AR.x (MASKED), PV.W,  
	  MOV * T3.W, T(0 + AR.x).W+,  
.Lfunc_end1:
	.size	indexed, .Lfunc_end1-indexed
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
	;SQ_PGM_RESOURCES:STACK_SIZE = 1
	.section	.AMDGPU.config,"",@progbits
	.long	165968
	.long	2
	.long	165900
	.long	64
	.text
	.globl	killing                         ; -- Begin function killing
	.p2align	8
	.type	killing,@function
killing:                                ; @killing
; %bb.0:
	ALU 0, @4, KC0[], KC1[]
	EXPORT T0.XYZW
	CF_END
	PAD
	ALU clause starting at 4:
	  KILLGT * T1.W (MASKED), 0.0, T0.X,  
.Lfunc_end2:
	.size	killing, .Lfunc_end2-killing
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
	;SQ_PGM_RESOURCES:STACK_SIZE = 0
	.section	".note.GNU-stack","",@progbits
