import { hash } from 'node:crypto';
import type { Watch } from '../views/watch.ts';

/** A body that is to be told apart from earlier ones. */
interface TaggedBody {
  readonly watch: Watch;
  /** Path, tier and page. */
  readonly name: string;
  /** The number of records. It is part of the tag, as removing a value from memory changes no seq. */
  readonly size: () => number;
  /** What changes with time alone. */
  readonly mark?: string | undefined;
  /** What the body says, without its timestamp and the ages of its inputs. */
  readonly content: () => string;
}

/** The weak tag of a body. Its timestamp and ages do not change the tag. */
export type TagOf = (body: TaggedBody) => string;

const HASH_CHARS = 22;

export function tagOf(seq: number, size: number, variant: string): string {
  return `W/"${seq}-${size}-${variant}"`;
}

/** Tags by what this process has seen change; `epoch` is new at each of its starts. */
export function tagsOfProcess(epoch: string): TagOf {
  return ({ watch, name, size, mark }) =>
    tagOf(watch.seq, size(), mark === undefined ? `${epoch}-${name}` : `${epoch}-${name}-${mark}`);
}

/** Tags by what a body says, the same in all processes of a cluster and after restarts; `epoch` is that of the cluster. */
export function tagsOfContent(epoch: string): TagOf {
  return ({ name, content }) =>
    `W/"${hash('sha256', content(), 'base64url').slice(0, HASH_CHARS)}-${epoch}-${name}"`;
}
