import { escapeText } from './plot.ts';

/** A file that a result was computed from. */
export interface UsedFile {
  readonly path: string;
  readonly sha256: string;
}

/** What a report was made from, so that somebody else can make it again. */
export interface Origin {
  readonly command: string;
  readonly version: string;
  readonly files: readonly UsedFile[];
  /** Further facts, each with its name. */
  readonly facts: readonly (readonly [name: string, text: string])[];
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2733; --soft: #5b6b7c; --line: #e3e8ee; --axis: #9aa7b4; --paper: #fff; --row: #f5f8fc;
  --model: #1f6feb; --pace: #c9772b; --ideal: #2b8a5a; --other: #8250df; --bar: #9cc2f7; --wide: #d6e6fc; --narrow: #9cc2f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa7b4; --line: #2a323c; --axis: #5b6b7c; --paper: #0f141a; --row: #161d26;
  --model: #58a6ff; --pace: #e3a35b; --ideal: #56d364; --other: #bc8cff; --bar: #2f5c94; --wide: #1a2f4a; --narrow: #2f5c94; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1120px; padding: 32px 24px 64px; font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 40px 0 8px; } p { margin: 4px 0 12px; color: var(--soft); }
.verdict { font-size: 17px; color: var(--ink); border-left: 4px solid var(--model); padding: 4px 0 4px 12px; margin: 12px 0 16px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 20px; }
svg { width: 100%; max-width: 640px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); }
.title { font-size: 13px; font-weight: 600; fill: var(--ink); } .tick, .label { font-size: 11px; fill: var(--soft); }
.grid { stroke: var(--line); } .axis { stroke: var(--axis); } .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.line.model { stroke: var(--model); } .line.pace { stroke: var(--pace); } .line.ideal { stroke: var(--ideal); stroke-dasharray: 5 4; stroke-width: 1.5; }
.line.other { stroke: var(--other); } .line.soft { stroke: var(--axis); }
.line.count { stroke: var(--ink); stroke-width: 1.5; } .dot.model, .key.model { fill: var(--model); } .dot.pace, .key.pace { fill: var(--pace); }
.key.ideal { fill: var(--ideal); } .key.count { fill: var(--ink); } .key.other { fill: var(--other); } .key.soft { fill: var(--axis); }
.bar { fill: var(--bar); } .whisker { stroke: var(--bar); stroke-width: 3; } .reach { fill: transparent; }
.band.wide, .key.wide { fill: var(--wide); } .band.narrow, .key.narrow { fill: var(--narrow); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } .scroll { overflow-x: auto; }
th, td { padding: 5px 8px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; } th { font-weight: 600; color: var(--soft); font-size: 13px; }
th:first-child, td:first-child { text-align: left; } tr.all td { font-weight: 600; background: var(--row); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; font-size: 13px; color: var(--soft); margin: 12px 0; } dd { margin: 0; }
@media (max-width: 480px) { body { padding: 16px 12px 40px; } h1 { font-size: 20px; } dl { grid-template-columns: 1fr; } dt { font-weight: 600; } }
`;

/** One HTML page that needs nothing else: title, verdict, body, and what it was made from. */
export function pageFrame(title: string, verdict: string, body: string, origin: Origin): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeText(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeText(title)}</h1>
<p class="verdict">${escapeText(verdict)}</p>
${body}
${originList(origin)}</body></html>
`;
}

function originList({ command, version, files, facts }: Origin): string {
  const entries: readonly (readonly [string, string])[] = [
    ['Command', command],
    ['Version', version],
    ...facts,
    ...files.map(({ path, sha256 }) => [path, `sha256 ${sha256}`] as const),
  ];
  const items = entries.map(([name, text]) => `<dt>${escapeText(name)}</dt><dd>${escapeText(text)}</dd>`);
  return `<h2>Made from</h2><dl>${items.join('\n')}</dl>`;
}

export function htmlTable(
  headings: readonly string[],
  rows: readonly { readonly cells: readonly string[]; readonly isSum?: boolean }[],
): string {
  const heads = headings.map((heading) => `<th>${escapeText(heading)}</th>`).join('');
  const lines = rows.map(({ cells, isSum = false }) => {
    const tds = cells.map((cell) => `<td>${escapeText(cell)}</td>`).join('');
    return `<tr${isSum ? ' class="all"' : ''}>${tds}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr>${heads}</tr></thead><tbody>\n${lines.join('\n')}\n</tbody></table></div>`;
}

export function chartGrid(pictures: readonly string[]): string {
  return `<div class="charts">${pictures.join('\n')}</div>`;
}
