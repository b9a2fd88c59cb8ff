/** Edges that were asked to give back what they hold of a caller and have not reported since. */
export type Recalls = Map<string, { firstAt: number; lastAt: number }>;

/** An edge is asked again after the first, waited for up to the second, and left alone up to the third. */
const AGAIN_MS = 50;
const PATIENCE_MS = 250;
const REST_MS = 1_000;

/** What to do about an edge that has something to give back; notes that it is asked. */
export function recallStep(recalls: Recalls, edge: string, now: number): 'ask' | 'wait' | 'go on without' {
  const recall = recalls.get(edge);
  if (recall === undefined || now - recall.firstAt >= REST_MS) {
    recalls.set(edge, { firstAt: now, lastAt: now });
    return 'ask';
  }
  if (now - recall.firstAt >= PATIENCE_MS) return 'go on without';
  if (now - recall.lastAt < AGAIN_MS) return 'wait';
  recall.lastAt = now;
  return 'ask';
}
