import type { Account } from './accounts.ts';
import type { PostKind } from './post-kind.ts';

/** A post of an account, generated or added by hand. */
export interface Post {
  /** The id of its first version. */
  readonly id: string;
  readonly account: Account;
  readonly kind: PostKind;
  readonly createdAt: number;
  /** When it can first be read: later than `createdAt` only for one added by hand and dated back. */
  readonly shownAt: number;
  /** Infinity for a post that is never deleted. */
  readonly deletedAt: number;
  readonly edit: { readonly id: string; readonly at: number } | null;
  /** The account's own post a self reply continues. */
  readonly parentId: string | null;
  readonly isManual: boolean;
  /** Null: the text follows from the id. */
  readonly text: string | null;
  readonly editedText: string | null;
}
