// Traps where the argument is not zero.
extern "C" __global__ void trap_if(int when) {
    if (when != 0) {
        __trap();
    }
}
