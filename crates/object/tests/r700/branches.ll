; A loop whose lanes leave at different times, inside a branch; then a shader with a computed constant index and a kill.
define amdgpu_ps void @loops(<4 x float> inreg %r0, <4 x float> inreg %r1) {
entry:
  %x = extractelement <4 x float> %r0, i32 0
  %y = extractelement <4 x float> %r0, i32 1
  %trips = extractelement <4 x float> %r1, i32 0
  %n = fptosi float %trips to i32
  %inside = fcmp ogt float %x, 1.0
  br i1 %inside, label %outer, label %done
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %sum = phi float [ %x, %entry ], [ %sum3, %next ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %sum1 = phi float [ %sum, %outer ], [ %sum2, %inner ]
  %sum2 = fadd float %sum1, %y
  %j1 = add i32 %j, 1
  %more = icmp slt i32 %j1, %i
  br i1 %more, label %inner, label %next
next:
  %sum3 = fmul float %sum2, 0.5
  %i1 = add i32 %i, 1
  %again = icmp slt i32 %i1, %n
  br i1 %again, label %outer, label %done
done:
  %result = phi float [ %x, %entry ], [ %sum3, %next ]
  %v = insertelement <4 x float> %r0, float %result, i32 0
  call void @llvm.r600.store.swizzle(<4 x float> %v, i32 0, i32 0)
  ret void
}

define amdgpu_vs void @indexed(<4 x float> inreg %r0, <4 x float> inreg %r1) {
  %x = extractelement <4 x float> %r1, i32 0
  %i = fptosi float %x to i32
  %k = and i32 %i, 3
  %picked = extractelement <4 x float> %r1, i32 %k
  %v = insertelement <4 x float> %r1, float %picked, i32 3
  call void @llvm.r600.store.swizzle(<4 x float> %v, i32 60, i32 1)
  ret void
}

define amdgpu_ps void @killing(<4 x float> inreg %r0) {
  %x = extractelement <4 x float> %r0, i32 0
  call void @llvm.r600.kill(float %x)
  call void @llvm.r600.store.swizzle(<4 x float> %r0, i32 0, i32 0)
  ret void
}

declare void @llvm.r600.store.swizzle(<4 x float>, i32, i32)
declare void @llvm.r600.kill(float)
