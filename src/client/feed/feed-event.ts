/** What a reader of the feed may want to log. The client handles each of these by itself. */
export type FeedEvent =
  /** Frames are missing; the client has requested them again. */
  | {
      readonly type: 'gap';
      readonly topic: string;
      readonly afterSeq: number | undefined;
      readonly beforeSeq: number;
    }
  /** The server started a new numbering; a snapshot follows. */
  | { readonly type: 'epoch'; readonly topic: string; readonly from: string; readonly to: string }
  /** The reader was away for longer than the server keeps frames; a snapshot follows. */
  | { readonly type: 'cursor_too_old'; readonly topic: string; readonly oldestSeq: number | undefined }
  /** The server is stopping. */
  | { readonly type: 'goodbye'; readonly reason: string }
  | { readonly type: 'error'; readonly code: string; readonly detail: string };
