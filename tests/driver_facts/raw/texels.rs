//! Arrays, textures and surfaces, and kernels that read and write them.
#![allow(non_snake_case, reason = "the names are those of cuda.h")]

use super::*;
use cuscope::ffi::*;
use std::ffi::CString;
use std::ptr::null;

/// Formats of one channel, with their bytes.
pub(crate) const FORMATS: [(CUarray_format, usize); 8] = [
    (CU_AD_FORMAT_UNSIGNED_INT8, 1),
    (CU_AD_FORMAT_UNSIGNED_INT16, 2),
    (CU_AD_FORMAT_UNSIGNED_INT32, 4),
    (CU_AD_FORMAT_SIGNED_INT8, 1),
    (CU_AD_FORMAT_SIGNED_INT16, 2),
    (CU_AD_FORMAT_SIGNED_INT32, 4),
    (CU_AD_FORMAT_HALF, 2),
    (CU_AD_FORMAT_FLOAT, 4),
];

/// A description of an array of one channel of 32 bits.
pub(crate) fn floats([Width, Height, Depth]: [usize; 3], Flags: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        Width,
        Height,
        Depth,
        Format: CU_AD_FORMAT_FLOAT,
        NumChannels: 1,
        Flags,
    }
}

/// The answer to the creation of an array, and the array.
pub(crate) fn created(descriptor: CUDA_ARRAY3D_DESCRIPTOR) -> (CUresult, CUarray) {
    let mut array = null_mut();
    (code!(cuArray3DCreate_v2(&raw mut array, &raw const descriptor)), array)
}

/// An array that must be there.
pub(crate) fn array(descriptor: CUDA_ARRAY3D_DESCRIPTOR) -> CUarray {
    let (code, array) = created(descriptor);
    assert_eq!(code, SUCCESS);
    array
}

/// An array of floats that are 0, 1, 2 …
pub(crate) fn counting(extent: [usize; 3], flags: u32) -> CUarray {
    let array = array(floats(extent, flags));
    let [width, height, depth] = extent.map(|extent| extent.max(1));
    let values: Vec<f32> = (0..width * height * depth).map(|value| value as f32).collect();
    let copy = CUDA_MEMCPY3D {
        srcMemoryType: CU_MEMORYTYPE_HOST,
        srcHost: values.as_ptr().cast(),
        dstMemoryType: CU_MEMORYTYPE_ARRAY,
        dstArray: array,
        WidthInBytes: width * 4,
        Height: height,
        Depth: depth,
        ..all_zeros()
    };
    ok!(cuMemcpy3D_v2(&raw const copy));
    // A copy from pageable memory returns when that is read.
    ok!(cuStreamSynchronize(null_mut()));
    array
}

/// Describes an array that a texture reads.
pub(crate) fn of_array(hArray: CUarray) -> CUDA_RESOURCE_DESC {
    let mut resource: CUDA_RESOURCE_DESC = all_zeros();
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array = CUDA_RESOURCE_DESC_v1_res_array { hArray };
    resource
}

/// Describes linear floats that a texture reads.
pub(crate) fn of_memory(devPtr: CUdeviceptr, sizeInBytes: usize) -> CUDA_RESOURCE_DESC {
    let mut resource: CUDA_RESOURCE_DESC = all_zeros();
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    let format = CU_AD_FORMAT_FLOAT;
    resource.res.linear =
        CUDA_RESOURCE_DESC_v1_res_linear { devPtr, format, numChannels: 1, sizeInBytes };
    resource
}

/// How a texture is read: the same edge in all dimensions.
pub(crate) fn sampled(
    edge: CUaddress_mode,
    filterMode: CUfilter_mode,
    flags: u32,
) -> CUDA_TEXTURE_DESC {
    CUDA_TEXTURE_DESC { addressMode: [edge; 3], filterMode, flags, ..all_zeros() }
}

/// The answer to the creation of a texture, and the texture.
pub(crate) fn textured(
    resource: &CUDA_RESOURCE_DESC,
    how: &CUDA_TEXTURE_DESC,
) -> (CUresult, CUtexObject) {
    let mut texture = 0;
    (code!(cuTexObjectCreate(&raw mut texture, resource, how, null())), texture)
}

/// A texture that must be there.
pub(crate) fn texture(resource: &CUDA_RESOURCE_DESC, how: &CUDA_TEXTURE_DESC) -> CUtexObject {
    let (code, texture) = textured(resource, how);
    assert_eq!(code, SUCCESS);
    texture
}

/// The surface of an array.
pub(crate) fn surface(array: CUarray) -> CUsurfObject {
    let resource = of_array(array);
    made!(cuSurfObjectCreate(&raw const resource))
}

/// Runs an instruction once for each input, in one launch: the object is in `%rd3`, the input in `%r2` to `%r5` and
/// `%f2` to `%f5`, and the output goes to `%o1` to `%o4`. Gives the outputs.
pub(crate) fn run(instruction: &str, inputs: &[[u32; 4]], object: u64) -> Vec<[u32; 4]> {
    let text = format!(
        ".version 7.8\n.target sm_60\n.address_size 64\n\
         .visible .entry k(.param .u64 out, .param .u64 in, .param .u64 object)\n{{\n\
         .reg .b64 %rd<5>; .reg .b32 %r<6>; .reg .f32 %f<6>; .reg .b32 %o<5>; .reg .b16 %h<5>;\n\
         ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [object];\n\
         cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;\n\
         mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd4, %r1, 16;\n\
         add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4;\n\
         ld.global.v4.u32 {{%r2, %r3, %r4, %r5}}, [%rd2];\n\
         mov.b32 %f2, %r2; mov.b32 %f3, %r3; mov.b32 %f4, %r4; mov.b32 %f5, %r5;\n\
         mov.u32 %o1, 0; mov.u32 %o2, 0; mov.u32 %o3, 0; mov.u32 %o4, 0;\n\
         {instruction}\n\
         st.global.v4.u32 [%rd1], {{%o1, %o2, %o3, %o4}};\nret;\n}}\n"
    );
    let text = CString::new(text).expect("no NUL");
    let module: CUmodule = made!(cuModuleLoadData(text.as_ptr().cast()));
    let function = kernel(module, c"k");
    let bytes = std::mem::size_of_val(inputs);
    let (from, to): (CUdeviceptr, CUdeviceptr) =
        (made!(cuMemAlloc_v2(bytes)), made!(cuMemAlloc_v2(bytes)));
    ok!(cuMemcpyHtoD_v2(from, inputs.as_ptr().cast(), bytes));
    let grid = [inputs.len() as u32, 1, 1];
    assert_eq!(launch_shaped(function, grid, [1; 3], 0, null_mut(), &[to, from, object]), SUCCESS);
    let mut outputs = vec![[0; 4]; inputs.len()];
    ok!(cuMemcpyDtoH_v2(outputs.as_mut_ptr().cast(), to, bytes));
    ok!(cuMemFree_v2(from));
    ok!(cuMemFree_v2(to));
    ok!(cuModuleUnload(module));
    outputs
}

/// Fetches one channel for each place of floats.
pub(crate) fn fetched(instruction: &str, places: &[[f32; 4]], object: CUtexObject) -> Vec<f32> {
    let places: Vec<_> = places.iter().map(|place| place.map(f32::to_bits)).collect();
    run(instruction, &places, object).iter().map(|texel| f32::from_bits(texel[0])).collect()
}
