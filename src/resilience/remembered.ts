import { LRUCache } from 'lru-cache';

/**
 * The last `most` things that were noted, by name. Unlike a cache with a `max`, it takes no room before that is needed: most
 * stay nearly empty, and there are several for each account.
 */
export function remembered<Name extends string | number, T extends {}>(most: number): LRUCache<Name, T> {
  return new LRUCache<Name, T>({ maxSize: most, sizeCalculation: () => 1 });
}
