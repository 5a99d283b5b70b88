// What the tests of the linker link: thrice.cubin by NVRTC 13.0 with -arch=sm_90 -rdc=true.
extern "C" __device__ int thrice(int n) { return 3 * n; }
