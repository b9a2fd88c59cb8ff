/** Makes a text at most once in `keptMs`, however often it is asked for. One that failed is made again. */
export function keepText(
  make: () => Promise<string>,
  keptMs: number,
  mono: () => number = () => performance.now(),
): () => Promise<string> {
  let kept: Promise<string> | undefined;
  let madeAt = 0;
  return () => {
    if (kept !== undefined && mono() - madeAt < keptMs) return kept;
    madeAt = mono();
    const making = make();
    kept = making;
    making.catch(() => {
      if (kept === making) kept = undefined;
    });
    return making;
  };
}
