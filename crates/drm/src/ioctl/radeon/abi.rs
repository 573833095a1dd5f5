//! The structures of requests, as the kernel's header `radeon_drm.h` has them.

use crate::ioctl::abi::structures;

structures! {
    /// `drm_radeon_gem_info`.
    GemInfo { gart_size: u64, vram_size: u64, vram_visible: u64, }
    /// `drm_radeon_gem_create`.
    GemCreate { size: u64, alignment: u64, handle: u32, initial_domain: u32, flags: u32, }
    /// `drm_radeon_gem_set_tiling` and `drm_radeon_gem_get_tiling`.
    GemTiling { handle: u32, flags: u32, pitch: u32, }
    /// `drm_radeon_gem_mmap`.
    GemMmap { handle: u32, padding: u32, offset: u64, size: u64, address: u64, }
    /// `drm_radeon_gem_set_domain`.
    GemSetDomain { handle: u32, read_domains: u32, write_domain: u32, }
    /// `drm_radeon_gem_wait_idle`.
    GemWaitIdle { handle: u32, padding: u32, }
    /// `drm_radeon_gem_busy`.
    GemBusy { handle: u32, domain: u32, }
    /// `drm_radeon_gem_op`.
    GemOp { handle: u32, operation: u32, value: u64, }
    /// `drm_radeon_cs`.
    CommandStream { chunks: u32, id: u32, chunk_pointers: u64, gart_limit: u64, vram_limit: u64, }
    /// `drm_radeon_cs_chunk`.
    Chunk { id: u32, dwords: u32, data: u64, }
    /// `drm_radeon_cs_reloc`.
    Relocation { handle: u32, read_domains: u32, write_domain: u32, flags: u32, }
    /// `drm_radeon_info`.
    Info { request: u32, padding: u32, value: u64, }
}
