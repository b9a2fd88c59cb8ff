import type { ComponentChild, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { haveSameProps, memo } from './memo.tsx';

/**
 * The same component, rendered some frames after its props change: rendering all large sections at once would make
 * one frame too long.
 */
export function deferred<P extends object>(
  frames: number,
  Part: (props: P) => ComponentChild,
): ComponentType<P> {
  const Memoized = memo(Part);
  return (props: P) => {
    const [shown, setShown] = useState(props);
    useEffect(() => {
      if (haveSameProps(shown, props)) return;
      return afterFrames(frames, () => setShown(props));
    });
    return <Memoized {...shown} />;
  };
}

/** Returns a function that cancels it. */
function afterFrames(frames: number, run: () => void): () => void {
  let request = 0;
  const wait = (left: number) => {
    request = requestAnimationFrame(() => (left <= 1 ? run() : wait(left - 1)));
  };
  wait(frames);
  return () => cancelAnimationFrame(request);
}
