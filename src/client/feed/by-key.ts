import { map, type OperatorFunction, scan } from 'rxjs';
import type { DataChannel, DataFrame, FeedRecord } from '../wire.ts';
import { type Holding, hold } from './record-map.ts';

/** The records of a channel as they are now, by key, after each frame. Of posts the newest only. */
export function byKey<C extends DataChannel>(): OperatorFunction<DataFrame<C>, Holding<C>> {
  return (frame$) =>
    frame$.pipe(
      scan((held: Map<string, FeedRecord<C>>, frame) => hold(held, frame), new Map()),
      map((held): Holding<C> => new Map(held)),
    );
}
