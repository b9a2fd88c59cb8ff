import { marketPageOf } from '../state/page-settings.ts';
import { useSettings } from './settings.ts';

/** A link to the page of the event on the market itself, where that is known. */
export function MarketLink({ slug }: { readonly slug: string }) {
  const href = marketPageOf(useSettings(), slug);
  if (href === undefined) return null;
  return (
    <a class="market-link" href={href} target="_blank" rel="noopener noreferrer">
      on the market<span class="sr-only">, opens a new tab</span> <span aria-hidden="true">↗</span>
    </a>
  );
}
