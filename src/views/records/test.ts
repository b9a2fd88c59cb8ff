import type { RecordView } from '../record-view.ts';

/** Changes with every tick: the channel `test`, with which a client can try its connection. */
export function testView(): RecordView {
  return {
    audiences: 'everyone',
    listsStale: false,
    hasAsOf: false,
    movedBy: { freshness: () => ['test'] },
    keys: () => ['test'],
    render({ latest }) {
      const tick = latest.get('freshness', 'all');
      const text = JSON.stringify({ observation: tick?.seq ?? latest.seq, ts: tick?.at ?? latest.at });
      return () => text;
    },
  };
}
