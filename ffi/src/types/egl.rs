//! Frames of EGL.

use super::{CUarray, CUarray_format};
use core::ffi::{c_uint, c_void};

handles! {
    /// A connection to a stream of EGL.
    CUeglStreamConnection -> CUeglStreamConnection_st;
}

enumeration! {
    /// The kind of the planes of a frame.
    pub enum CUeglFrameType: c_uint {
        /// Arrays.
        CU_EGL_FRAME_TYPE_ARRAY = 0,
        /// Pointers to rows.
        CU_EGL_FRAME_TYPE_PITCH = 1,
    }

    /// Where the frames of a stream lie for its consumer.
    pub enum CUeglResourceLocationFlags: c_uint {
        /// In the host's memory.
        CU_EGL_RESOURCE_LOCATION_SYSMEM = 0x00,
        /// In the device's memory.
        CU_EGL_RESOURCE_LOCATION_VIDMEM = 0x01,
    }

    /// The channels of a frame, and which plane has which.
    pub enum CUeglColorFormat: c_uint {
        /// Y, U and V 4:2:0, in three planes.
        CU_EGL_COLOR_FORMAT_YUV420_PLANAR = 0x00,
        /// Y, U and V 4:2:0, in two planes.
        CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR = 0x01,
        /// Y, U and V 4:2:2, in three planes.
        CU_EGL_COLOR_FORMAT_YUV422_PLANAR = 0x02,
        /// Y, U and V 4:2:2, in two planes.
        CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR = 0x03,
        /// Channels RGB.
        CU_EGL_COLOR_FORMAT_RGB = 0x04,
        /// Channels BGR.
        CU_EGL_COLOR_FORMAT_BGR = 0x05,
        /// Channels ARGB.
        CU_EGL_COLOR_FORMAT_ARGB = 0x06,
        /// Channels RGBA.
        CU_EGL_COLOR_FORMAT_RGBA = 0x07,
        /// Channel L.
        CU_EGL_COLOR_FORMAT_L = 0x08,
        /// Channel R.
        CU_EGL_COLOR_FORMAT_R = 0x09,
        /// Y, U and V 4:4:4, in three planes.
        CU_EGL_COLOR_FORMAT_YUV444_PLANAR = 0x0A,
        /// Y, U and V 4:4:4, in two planes.
        CU_EGL_COLOR_FORMAT_YUV444_SEMIPLANAR = 0x0B,
        /// Channels YUYV 4:2:2.
        CU_EGL_COLOR_FORMAT_YUYV_422 = 0x0C,
        /// Channels UYVY 4:2:2.
        CU_EGL_COLOR_FORMAT_UYVY_422 = 0x0D,
        /// Channels ABGR.
        CU_EGL_COLOR_FORMAT_ABGR = 0x0E,
        /// Channels BGRA.
        CU_EGL_COLOR_FORMAT_BGRA = 0x0F,
        /// Channel A.
        CU_EGL_COLOR_FORMAT_A = 0x10,
        /// Channels RG.
        CU_EGL_COLOR_FORMAT_RG = 0x11,
        /// Channels AYUV.
        CU_EGL_COLOR_FORMAT_AYUV = 0x12,
        /// Y, V and U 4:4:4, in two planes.
        CU_EGL_COLOR_FORMAT_YVU444_SEMIPLANAR = 0x13,
        /// Y, V and U 4:2:2, in two planes.
        CU_EGL_COLOR_FORMAT_YVU422_SEMIPLANAR = 0x14,
        /// Y, V and U 4:2:0, in two planes.
        CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR = 0x15,
        /// Y, V and U of 10 bits 4:4:4, in two planes.
        CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR = 0x16,
        /// Y, V and U of 10 bits 4:2:0, in two planes.
        CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR = 0x17,
        /// Y, V and U of 12 bits 4:4:4, in two planes.
        CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR = 0x18,
        /// Y, V and U of 12 bits 4:2:0, in two planes.
        CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR = 0x19,
        /// Channels VYUY, in the extended range.
        CU_EGL_COLOR_FORMAT_VYUY_ER = 0x1A,
        /// Channels UYVY, in the extended range.
        CU_EGL_COLOR_FORMAT_UYVY_ER = 0x1B,
        /// Channels YUYV, in the extended range.
        CU_EGL_COLOR_FORMAT_YUYV_ER = 0x1C,
        /// Channels YVYU, in the extended range.
        CU_EGL_COLOR_FORMAT_YVYU_ER = 0x1D,
        /// Channels YUV, in the extended range.
        CU_EGL_COLOR_FORMAT_YUV_ER = 0x1E,
        /// Channels YUVA, in the extended range.
        CU_EGL_COLOR_FORMAT_YUVA_ER = 0x1F,
        /// Channels AYUV, in the extended range.
        CU_EGL_COLOR_FORMAT_AYUV_ER = 0x20,
        /// Y, U and V 4:4:4, in three planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YUV444_PLANAR_ER = 0x21,
        /// Y, U and V 4:2:2, in three planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YUV422_PLANAR_ER = 0x22,
        /// Y, U and V 4:2:0, in three planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YUV420_PLANAR_ER = 0x23,
        /// Y, U and V 4:4:4, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YUV444_SEMIPLANAR_ER = 0x24,
        /// Y, U and V 4:2:2, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR_ER = 0x25,
        /// Y, U and V 4:2:0, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_ER = 0x26,
        /// Y, V and U 4:4:4, in three planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YVU444_PLANAR_ER = 0x27,
        /// Y, V and U 4:2:2, in three planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YVU422_PLANAR_ER = 0x28,
        /// Y, V and U 4:2:0, in three planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YVU420_PLANAR_ER = 0x29,
        /// Y, V and U 4:4:4, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YVU444_SEMIPLANAR_ER = 0x2A,
        /// Y, V and U 4:2:2, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YVU422_SEMIPLANAR_ER = 0x2B,
        /// Y, V and U 4:2:0, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_ER = 0x2C,
        /// A Bayer pattern RGGB.
        CU_EGL_COLOR_FORMAT_BAYER_RGGB = 0x2D,
        /// A Bayer pattern BGGR.
        CU_EGL_COLOR_FORMAT_BAYER_BGGR = 0x2E,
        /// A Bayer pattern GRBG.
        CU_EGL_COLOR_FORMAT_BAYER_GRBG = 0x2F,
        /// A Bayer pattern GBRG.
        CU_EGL_COLOR_FORMAT_BAYER_GBRG = 0x30,
        /// A Bayer pattern RGGB of 10 bits.
        CU_EGL_COLOR_FORMAT_BAYER10_RGGB = 0x31,
        /// A Bayer pattern BGGR of 10 bits.
        CU_EGL_COLOR_FORMAT_BAYER10_BGGR = 0x32,
        /// A Bayer pattern GRBG of 10 bits.
        CU_EGL_COLOR_FORMAT_BAYER10_GRBG = 0x33,
        /// A Bayer pattern GBRG of 10 bits.
        CU_EGL_COLOR_FORMAT_BAYER10_GBRG = 0x34,
        /// A Bayer pattern RGGB of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_RGGB = 0x35,
        /// A Bayer pattern BGGR of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_BGGR = 0x36,
        /// A Bayer pattern GRBG of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_GRBG = 0x37,
        /// A Bayer pattern GBRG of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_GBRG = 0x38,
        /// A Bayer pattern RGGB of 14 bits.
        CU_EGL_COLOR_FORMAT_BAYER14_RGGB = 0x39,
        /// A Bayer pattern BGGR of 14 bits.
        CU_EGL_COLOR_FORMAT_BAYER14_BGGR = 0x3A,
        /// A Bayer pattern GRBG of 14 bits.
        CU_EGL_COLOR_FORMAT_BAYER14_GRBG = 0x3B,
        /// A Bayer pattern GBRG of 14 bits.
        CU_EGL_COLOR_FORMAT_BAYER14_GBRG = 0x3C,
        /// A Bayer pattern RGGB of 20 bits.
        CU_EGL_COLOR_FORMAT_BAYER20_RGGB = 0x3D,
        /// A Bayer pattern BGGR of 20 bits.
        CU_EGL_COLOR_FORMAT_BAYER20_BGGR = 0x3E,
        /// A Bayer pattern GRBG of 20 bits.
        CU_EGL_COLOR_FORMAT_BAYER20_GRBG = 0x3F,
        /// A Bayer pattern GBRG of 20 bits.
        CU_EGL_COLOR_FORMAT_BAYER20_GBRG = 0x40,
        /// Y, V and U 4:4:4, in three planes.
        CU_EGL_COLOR_FORMAT_YVU444_PLANAR = 0x41,
        /// Y, V and U 4:2:2, in three planes.
        CU_EGL_COLOR_FORMAT_YVU422_PLANAR = 0x42,
        /// Y, V and U 4:2:0, in three planes.
        CU_EGL_COLOR_FORMAT_YVU420_PLANAR = 0x43,
        /// A Bayer pattern RGGB from the image processor, as floats.
        CU_EGL_COLOR_FORMAT_BAYER_ISP_RGGB = 0x44,
        /// A Bayer pattern BGGR from the image processor, as floats.
        CU_EGL_COLOR_FORMAT_BAYER_ISP_BGGR = 0x45,
        /// A Bayer pattern GRBG from the image processor, as floats.
        CU_EGL_COLOR_FORMAT_BAYER_ISP_GRBG = 0x46,
        /// A Bayer pattern GBRG from the image processor, as floats.
        CU_EGL_COLOR_FORMAT_BAYER_ISP_GBRG = 0x47,
        /// A Bayer pattern BCCR.
        CU_EGL_COLOR_FORMAT_BAYER_BCCR = 0x48,
        /// A Bayer pattern RCCB.
        CU_EGL_COLOR_FORMAT_BAYER_RCCB = 0x49,
        /// A Bayer pattern CRBC.
        CU_EGL_COLOR_FORMAT_BAYER_CRBC = 0x4A,
        /// A Bayer pattern CBRC.
        CU_EGL_COLOR_FORMAT_BAYER_CBRC = 0x4B,
        /// A Bayer pattern CCCC of 10 bits.
        CU_EGL_COLOR_FORMAT_BAYER10_CCCC = 0x4C,
        /// A Bayer pattern BCCR of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_BCCR = 0x4D,
        /// A Bayer pattern RCCB of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_RCCB = 0x4E,
        /// A Bayer pattern CRBC of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_CRBC = 0x4F,
        /// A Bayer pattern CBRC of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_CBRC = 0x50,
        /// A Bayer pattern CCCC of 12 bits.
        CU_EGL_COLOR_FORMAT_BAYER12_CCCC = 0x51,
        /// Channel Y.
        CU_EGL_COLOR_FORMAT_Y = 0x52,
        /// Y, U and V 4:2:0, in two planes, in BT.2020.
        CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_2020 = 0x53,
        /// Y, V and U 4:2:0, in two planes, in BT.2020.
        CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_2020 = 0x54,
        /// Y, U and V 4:2:0, in three planes, in BT.2020.
        CU_EGL_COLOR_FORMAT_YUV420_PLANAR_2020 = 0x55,
        /// Y, V and U 4:2:0, in three planes, in BT.2020.
        CU_EGL_COLOR_FORMAT_YVU420_PLANAR_2020 = 0x56,
        /// Y, U and V 4:2:0, in two planes, in BT.709.
        CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_709 = 0x57,
        /// Y, V and U 4:2:0, in two planes, in BT.709.
        CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_709 = 0x58,
        /// Y, U and V 4:2:0, in three planes, in BT.709.
        CU_EGL_COLOR_FORMAT_YUV420_PLANAR_709 = 0x59,
        /// Y, V and U 4:2:0, in three planes, in BT.709.
        CU_EGL_COLOR_FORMAT_YVU420_PLANAR_709 = 0x5A,
        /// Y, V and U of 10 bits 4:2:0, in two planes, in BT.709.
        CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_709 = 0x5B,
        /// Y, V and U of 10 bits 4:2:0, in two planes, in BT.2020.
        CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_2020 = 0x5C,
        /// Y, V and U of 10 bits 4:2:2, in two planes, in BT.2020.
        CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR_2020 = 0x5D,
        /// Y, V and U of 10 bits 4:2:2, in two planes.
        CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR = 0x5E,
        /// Y, V and U of 10 bits 4:2:2, in two planes, in BT.709.
        CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR_709 = 0x5F,
        /// Channel Y, in the extended range.
        CU_EGL_COLOR_FORMAT_Y_ER = 0x60,
        /// Channel Y, in BT.709 and the extended range.
        CU_EGL_COLOR_FORMAT_Y_709_ER = 0x61,
        /// Y of 10 bits, in the extended range.
        CU_EGL_COLOR_FORMAT_Y10_ER = 0x62,
        /// Y of 10 bits, in BT.709 and the extended range.
        CU_EGL_COLOR_FORMAT_Y10_709_ER = 0x63,
        /// Y of 12 bits, in the extended range.
        CU_EGL_COLOR_FORMAT_Y12_ER = 0x64,
        /// Y of 12 bits, in BT.709 and the extended range.
        CU_EGL_COLOR_FORMAT_Y12_709_ER = 0x65,
        /// Channels YUVA.
        CU_EGL_COLOR_FORMAT_YUVA = 0x66,
        /// Channels YUV.
        CU_EGL_COLOR_FORMAT_YUV = 0x67,
        /// Channels YVYU.
        CU_EGL_COLOR_FORMAT_YVYU = 0x68,
        /// Channels VYUY.
        CU_EGL_COLOR_FORMAT_VYUY = 0x69,
        /// Y, V and U of 10 bits 4:2:0, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_ER = 0x6A,
        /// Y, V and U of 10 bits 4:2:0, in two planes, in BT.709 and the extended range.
        CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_709_ER = 0x6B,
        /// Y, V and U of 10 bits 4:4:4, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR_ER = 0x6C,
        /// Y, V and U of 10 bits 4:4:4, in two planes, in BT.709 and the extended range.
        CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR_709_ER = 0x6D,
        /// Y, V and U of 12 bits 4:2:0, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR_ER = 0x6E,
        /// Y, V and U of 12 bits 4:2:0, in two planes, in BT.709 and the extended range.
        CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR_709_ER = 0x6F,
        /// Y, V and U of 12 bits 4:4:4, in two planes, in the extended range.
        CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_ER = 0x70,
        /// Y, V and U of 12 bits 4:4:4, in two planes, in BT.709 and the extended range.
        CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_709_ER = 0x71,
        /// Channels UYVY, in BT.709.
        CU_EGL_COLOR_FORMAT_UYVY_709 = 0x72,
        /// Channels UYVY, in BT.709 and the extended range.
        CU_EGL_COLOR_FORMAT_UYVY_709_ER = 0x73,
        /// Channels UYVY, in BT.2020.
        CU_EGL_COLOR_FORMAT_UYVY_2020 = 0x74,
        // skipped CU_EGL_COLOR_FORMAT_MAX: counts the names above, differently in every header
    }
}

/// No limit to how long the consumer of a stream waits for a frame.
pub const CUDA_EGL_INFINITE_TIMEOUT: c_uint = 0xFFFFFFFF;

/// A frame of EGL: up to three planes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUeglFrame_v1 {
    /// The planes, by the frame's type.
    pub frame: CUeglFrame_v1_frame,
    /// Width of the first plane.
    pub width: c_uint,
    /// Height of the first plane.
    pub height: c_uint,
    /// Depth of the first plane.
    pub depth: c_uint,
    /// Bytes from row to row of the first plane, if the planes are pointers.
    pub pitch: c_uint,
    /// How many planes there are.
    pub planeCount: c_uint,
    /// Channels of each plane.
    pub numChannels: c_uint,
    /// The kind of the planes.
    pub frameType: CUeglFrameType,
    /// The channels of the frame.
    pub eglColorFormat: CUeglColorFormat,
    /// The type of a channel.
    pub cuFormat: CUarray_format,
}

/// The field `frame` of [`CUeglFrame_v1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUeglFrame_v1_frame {
    /// Arrays.
    pub pArray: [CUarray; 3],
    /// Pointers to rows.
    pub pPitch: [*mut c_void; 3],
}

/// A frame of EGL.
pub type CUeglFrame = CUeglFrame_v1;
