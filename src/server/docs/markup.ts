/** Text as it may stand in an element or in an attribute in double quotes. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Text in which `code` and **bold** are marked, as in the descriptions of the documents. */
export function inlineMarkup(text: string): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** Paragraphs, and lists of lines that begin with a dash. */
export function blockMarkup(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((block) => {
      const lines = block.split('\n');
      if (!lines.every((line) => line.startsWith('- '))) return `<p>${inlineMarkup(lines.join(' '))}</p>`;
      return `<ul>${lines.map((line) => `<li>${inlineMarkup(line.slice(2))}</li>`).join('')}</ul>`;
    })
    .join('\n');
}
