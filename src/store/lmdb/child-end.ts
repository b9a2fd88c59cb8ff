/** How C code ends a process at bytes that make no sense. */
const CRASHES = new Set<unknown>(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP']);
/** The runtime aborts too when it has no memory left, which is no fault of the store. */
const OUT_OF_MEMORY = /out of memory|allocation failed/i;

/** Whether a process that read or wrote a store was ended by what is in it. Being killed, or late, proves nothing. */
export function wasEndedByStore(signal: unknown, stderr: string): boolean {
  return CRASHES.has(signal) && !OUT_OF_MEMORY.test(stderr);
}
