import type { Kernel } from './kernel.ts';

/** Lets virtual time pass in small steps until the promise settles, and resolves as it does. */
export async function settled<T>(kernel: Kernel, promise: Promise<T>, withinMs = 600_000): Promise<T> {
  let isSettled = false;
  const mark = () => {
    isSettled = true;
  };
  promise.then(mark, mark);
  const end = kernel.now() + withinMs;
  while (!isSettled) {
    if (kernel.now() >= end) throw new Error(`nothing came of it in ${withinMs} virtual ms`);
    await kernel.run(1);
  }
  return promise;
}
