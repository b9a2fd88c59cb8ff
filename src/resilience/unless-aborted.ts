/**
 * Settles as the work does, or rejects with the reason of the signal as soon as that is aborted: an abort that falls between
 * two chunks of an answer has been seen to leave a read waiting for ever. Nothing stays on the signal, since `fetch` keeps
 * that reachable until memory is collected, and the answer would be kept with it.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
