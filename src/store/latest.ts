import { type Observable, Subject } from 'rxjs';
import type { AccountId, Output, StreamName } from '../../streams/index.ts';

export type OutputOf<S extends StreamName> = Extract<Output, { readonly stream: S }>;

/** The latest value of every stream, in memory: all that a reader ever looks at. */
export interface Latest {
  /** The last observation whose outputs are in, and when it was received. 0 before the first. */
  readonly seq: number;
  readonly at: number;
  get<S extends StreamName>(stream: S, key: string): OutputOf<S> | undefined;
  all<S extends StreamName>(stream: S): Iterable<OutputOf<S>>;
  /** The account's posts, newest first by creation, then by id. */
  posts(account: AccountId): readonly OutputOf<'posts'>[];
  /** The outputs of one turn, after they have been put in and are durable. */
  readonly change$: Observable<readonly Output[]>;
}
