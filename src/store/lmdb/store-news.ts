/** Something an operator has to know about the data folder. */
export interface StoreNews {
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type TellNews = (news: StoreNews) => void;
