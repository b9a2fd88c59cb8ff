/** Whether each word of the text begins a word of what is searched, in any order. */
export function hasWords(searched: string, text: string): boolean {
  const parts = searched.toLowerCase().split(/\W+/);
  const words = text.toLowerCase().split(/\W+/);
  return words.every((word) => parts.some((part) => part.startsWith(word)));
}
