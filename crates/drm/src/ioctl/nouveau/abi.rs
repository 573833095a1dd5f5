//! The structures of requests, as the kernel's headers `nouveau_drm.h` and `nvif/ioctl.h` have them.

use crate::ioctl::abi::structures;

structures! {
    /// `drm_nouveau_getparam`.
    GetParam { parameter: u64, value: u64, }
    /// `drm_nouveau_channel_alloc`.
    ChannelAlloc {
        framebuffer: u32, engines: u32, channel: i32, push_domains: u32, notifier: u32,
        subchannels: [[u32; 2]; 8], subchannel_count: u32,
    }
    /// `drm_nouveau_channel_free`.
    ChannelFree { channel: i32, }
    /// `drm_nouveau_grobj_alloc`.
    EngineObject { channel: i32, handle: u32, class: i32, }
    /// `drm_nouveau_notifierobj_alloc`.
    Notifier { channel: u32, handle: u32, size: u32, offset: u32, }
    /// `drm_nouveau_gpuobj_free`.
    ObjectFree { channel: i32, handle: u32, }
    /// `drm_nouveau_gem_info`.
    GemInfo {
        handle: u32, domain: u32, size: u64, offset: u64, map_handle: u64, tile_mode: u32, tile_flags: u32,
    }
    /// `drm_nouveau_gem_new`.
    GemNew { info: GemInfo, channel_hint: u32, alignment: u32, }
    /// `drm_nouveau_gem_pushbuf`.
    Pushes {
        channel: u32, buffer_count: u32, buffers: u64, relocation_count: u32, push_count: u32, relocations: u64, pushes: u64,
        suffixes: [u32; 2], vram_available: u64, gart_available: u64,
    }
    /// `drm_nouveau_gem_pushbuf_bo`, and of that `drm_nouveau_gem_pushbuf_bo_presumed`.
    Listed {
        private: u64, handle: u32, read_domains: u32, write_domains: u32, valid_domains: u32,
        is_presumed: u32, presumed_domain: u32, presumed_offset: u64,
    }
    /// `drm_nouveau_gem_pushbuf_push`.
    Push { buffer: u32, padding: u32, offset: u64, length: u64, }
    /// `drm_nouveau_gem_cpu_prep`.
    CpuPrepare { handle: u32, flags: u32, }
    /// `drm_nouveau_gem_cpu_fini`.
    CpuFinish { handle: u32, }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of the structures, which are a part of the numbers of requests.
    #[test]
    fn structures_are_as_long_as_the_kernels() {
        let sizes = [
            size_of::<GetParam>(),
            size_of::<ChannelAlloc>(),
            size_of::<ChannelFree>(),
            size_of::<EngineObject>(),
            size_of::<Notifier>(),
            size_of::<ObjectFree>(),
            size_of::<GemInfo>(),
            size_of::<GemNew>(),
            size_of::<Pushes>(),
            size_of::<Listed>(),
            size_of::<Push>(),
            size_of::<CpuPrepare>(),
            size_of::<CpuFinish>(),
        ];
        assert_eq!(sizes, [16, 88, 4, 12, 16, 8, 40, 48, 64, 40, 24, 8, 4]);
    }
}
