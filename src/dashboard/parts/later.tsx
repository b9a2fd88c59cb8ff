import type { ComponentChild, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { areSame, memo } from './memo.tsx';

/**
 * The same part, drawn anew so many frames after its props are others: large parts that all change at once would
 * else make one frame long.
 */
export function later<P extends object>(
  frames: number,
  Part: (props: P) => ComponentChild,
): ComponentType<P> {
  const Steady = memo(Part);
  return (props: P) => {
    const [shown, setShown] = useState(props);
    useEffect(() => {
      if (areSame(shown, props)) return;
      return afterFrames(frames, () => setShown(props));
    });
    return <Steady {...shown} />;
  };
}

/** Returns what calls it off. */
function afterFrames(frames: number, run: () => void): () => void {
  let request = 0;
  const wait = (left: number) => {
    request = requestAnimationFrame(() => (left <= 1 ? run() : wait(left - 1)));
  };
  wait(frames);
  return () => cancelAnimationFrame(request);
}
