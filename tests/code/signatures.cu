// What the tests of images and typed kernels load: signatures.ptx by NVRTC 13.0 with -arch=compute_75,
// signatures.cubin with -arch=sm_90; both by nvFatbin 13.5, with -compress-all and -compress-mode=speed in
// signatures.lz4.fatbin, =default in signatures.zstd.fatbin.
struct Particle { float x; double mass; int id; };
struct Pair { float a, b; };
extern "C" {
__device__ int counter = 7;
__constant__ float scale[4] = {1.f, 2.f, 3.f, 4.f};
__device__ double table[8];
__global__ void saxpy(unsigned n, float a, const float *x, float *y) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void particle(Particle p, unsigned char tag, short s, double *out) {
  out[0] = p.x * p.mass + p.id + tag + s;
}
__global__ void count(int *out) { *out = atomicAdd(&counter, 1); }
__global__ void scaled(Pair p, const float *x, float *out) { *out = scale[0] * p.a + scale[3] * p.b + *x + (float)table[0]; }
}
