import type { Velocity } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { velocityRecord } from '../../contract/records/velocity.ts';
import type { AccountPath } from '../account-path.ts';
import { openRecord } from '../as-of.ts';
import type { RecordView } from '../record-view.ts';

/** The posts of an account's last hour: the channel `velocity`. */
export function velocityView({ id, segment }: AccountPath): RecordView {
  return {
    audiences: 'everyone',
    listsStale: false,
    hasAsOf: true,
    movedBy: { velocity: ({ key }) => (key === id ? [segment] : undefined) },
    keys: (latest) => (latest.get('velocity', id) ? [segment] : []),
    render({ latest }) {
      const velocity = latest.get('velocity', id);
      if (velocity === undefined) return undefined;
      const fields = { account: segment, ...velocityToWire(velocity.record) };
      const text = openRecord(fields satisfies RecordOf<typeof velocityRecord>, velocity);
      return () => text;
    },
  };
}

/** Under the names of spec 2.4. */
export function velocityToWire(velocity: Velocity | undefined) {
  return {
    velocity_counted_1h: velocity?.counted1h ?? null,
    velocity_all_1h: velocity?.all1h ?? null,
  };
}
