//! Fused multiply-adds in registers: as many independent chains as hide their latency, and nothing else.
#![allow(unsafe_code, reason = "calls code for instructions that it has found the host to have")]

use ctm_codegen::EngineName;

/// Chains, each of one register: more than the latency of a multiply-add times those that start in a cycle.
const CHAINS: usize = 12;
/// Multiply-adds of a chain in a pass.
const STEPS: usize = 8;

/// A multiply-add of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 16 numbers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 8 numbers.
    #[cfg(target_arch = "x86_64")]
    Fma,
    /// 4 numbers, as the compiler does them without being told about the host.
    Portable,
}

impl Unit {
    /// The widest that this host has and the engine may use.
    pub fn of(engine: EngineName) -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && engine != EngineName::JitAvx2 {
            return Unit::Avx512;
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Unit::Fma;
        }
        Unit::Portable
    }

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Unit::Fma => "AVX2 and FMA",
            Unit::Portable => "no vectors known",
        }
    }

    /// How many numbers it takes at a time.
    pub const fn lanes(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512 => 16,
            #[cfg(target_arch = "x86_64")]
            Unit::Fma => 8,
            Unit::Portable => 4,
        }
    }

    /// Operations of a pass, two for a multiply-add of two numbers.
    pub const fn flops_per_pass(self) -> f64 {
        (2 * CHAINS * STEPS * self.lanes()) as f64
    }

    /// Does the passes. The sum of all chains comes out, so that they have to be computed.
    pub fn run(self, passes: u64) -> f32 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512 => {
                assert!(is_x86_feature_detected!("avx512f"), "this machine has no AVX-512");
                // SAFETY: the host has the only feature that the function needs.
                unsafe { x86::avx512(passes) }
            }
            #[cfg(target_arch = "x86_64")]
            Unit::Fma => {
                assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "this machine has no FMA");
                // SAFETY: the host has the only features that the function needs.
                unsafe { x86::fma(passes) }
            }
            Unit::Portable => portable(passes),
        }
    }
}

/// Chains go to 1 and stay there, so no pass is slow for its numbers.
const FACTOR: f32 = 0.75;
const ADDEND: f32 = 0.25;

fn portable(passes: u64) -> f32 {
    let mut chains = [[0.5f32; 4]; CHAINS];
    for _ in 0..passes {
        for _ in 0..STEPS {
            for chain in &mut chains {
                *chain = chain.map(|value| value * FACTOR + ADDEND);
            }
        }
    }
    chains.iter().flatten().sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{ADDEND, CHAINS, FACTOR, STEPS};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f")]
    pub fn avx512(passes: u64) -> f32 {
        let (factor, addend) = (_mm512_set1_ps(FACTOR), _mm512_set1_ps(ADDEND));
        let mut chains = [_mm512_set1_ps(0.5); CHAINS];
        for _ in 0..passes {
            for _ in 0..STEPS {
                for chain in &mut chains {
                    *chain = _mm512_fmadd_ps(*chain, factor, addend);
                }
            }
        }
        chains.into_iter().map(|chain| _mm512_reduce_add_ps(chain)).sum()
    }

    #[target_feature(enable = "avx2,fma")]
    pub fn fma(passes: u64) -> f32 {
        let (factor, addend) = (_mm256_set1_ps(FACTOR), _mm256_set1_ps(ADDEND));
        let mut chains = [_mm256_set1_ps(0.5); CHAINS];
        for _ in 0..passes {
            for _ in 0..STEPS {
                for chain in &mut chains {
                    *chain = _mm256_fmadd_ps(*chain, factor, addend);
                }
            }
        }
        chains.into_iter().map(|chain| _mm256_cvtss_f32(chain)).sum()
    }
}
