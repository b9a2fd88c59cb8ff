import type { AlertCondition } from '../contract/alert-figures.ts';

export function holds({ sign, value }: AlertCondition, figure: number): boolean {
  switch (sign) {
    case '>':
      return figure > value;
    case '>=':
      return figure >= value;
    case '<':
      return figure < value;
    case '<=':
      return figure <= value;
    case '==':
      return figure === value;
    case '!=':
      return figure !== value;
  }
}

/** Whether the condition may become true anew: it does not hold, and the figure is as far back as it has to be. */
export function isBack(condition: AlertCondition, rearm: number | null, figure: number): boolean {
  if (holds(condition, figure)) return false;
  if (rearm === null) return true;
  return condition.sign.startsWith('>') ? figure <= rearm : figure >= rearm;
}
