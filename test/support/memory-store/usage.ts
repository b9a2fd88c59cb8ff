import { SPAN_MS } from '../../../src/store/lmdb/usage.ts';
import {
  USAGE_ERRORS_KEPT,
  type UsageError,
  type UsagePage,
  type UsageStore,
} from '../../../src/store/store.ts';

export function createMemoryUsage(): UsageStore {
  const pages = new Map<string, UsagePage>();
  let kept: readonly UsageError[] = [];
  const nameOf = ({ keyId, span, index }: Omit<UsagePage, 'rows'>) => JSON.stringify([keyId, span, index]);
  const errorsOf = (keyId: string) => kept.filter((error) => error.keyId === keyId).sort((a, b) => b.n - a.n);
  return {
    page: (keyId, span, index) => pages.get(nameOf({ keyId, span, index }))?.rows ?? [],
    errors: (keyId, limit) => errorsOf(keyId).slice(0, limit),
    async write(written, errors) {
      for (const page of written) pages.set(nameOf(page), page);
      kept = [...kept, ...errors];
      const keyIds = new Set(kept.map(({ keyId }) => keyId));
      kept = [...keyIds].flatMap((keyId) => errorsOf(keyId).slice(0, USAGE_ERRORS_KEPT));
    },
    async prune(beforeAt, maxRows) {
      const stalePages = [...pages].filter(([, { span, index }]) => (index + 1) * SPAN_MS[span] <= beforeAt);
      const droppedPages = stalePages.slice(0, maxRows);
      for (const [name] of droppedPages) pages.delete(name);
      const staleErrors = kept.filter(({ at }) => at < beforeAt);
      const droppedErrors = new Set(staleErrors.slice(0, maxRows - droppedPages.length));
      kept = kept.filter((error) => !droppedErrors.has(error));
      return droppedPages.length + droppedErrors.size;
    },
  };
}
