// Text from a kernel.

extern "C" __global__ void print(const unsigned *in, int *out, unsigned n)
{
    // One thread after the other, so that the order of the lines is known.
    for (unsigned turn = 0; turn < blockDim.x; turn++) {
        if (turn == threadIdx.x)
            out[turn] = printf("thread %u of %d: %08x %s %5.2f%% %c %lld\n", turn, int(blockDim.x), in[turn],
                turn & 1 ? "odd" : "even", turn * 1.25, 'a' + int(turn), -1234567890123ll * turn);
        __syncthreads();
    }
    if (threadIdx.x == 0) printf("no argument\n");
}
