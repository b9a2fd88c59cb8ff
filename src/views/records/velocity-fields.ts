import type { Velocity } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { velocityRecord } from '../../contract/records/velocity.ts';

/** Posts of the last hour. `account` is the path segment. */
export function velocityToWire(
  { counted1h, all1h }: Velocity,
  account: string,
): RecordOf<typeof velocityRecord> {
  return { account, velocity_counted_1h: counted1h, velocity_all_1h: all1h };
}
