let lastText = '';
let lastValue: unknown;

/**
 * As `JSON.parse`, but parses the same text only once when several checks look at it one after the other. Nobody may change
 * the value.
 */
export function parsedJson(text: string): unknown {
  if (text === lastText && text !== '') return lastValue;
  lastValue = JSON.parse(text);
  lastText = text;
  return lastValue;
}
