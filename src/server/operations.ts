import type { RecordOf } from '../contract/record-of.ts';
import type { healthRecord } from '../contract/records/health.ts';

/** The state of the process, for `GET /health` and for the operator. */
export interface Operations {
  health(): Omit<RecordOf<typeof healthRecord>, 'timestamp'>;
  isReady(): boolean;
  /** Why it is not ready, where more is known than that it starts or stops. */
  unready?(): string | undefined;
  isLive(): boolean;
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Called for every answered request. Cheap, and never throws. */
  requestServed(route: string, status: number, ms: number): void;
}
