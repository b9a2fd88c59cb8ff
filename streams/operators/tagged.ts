import { map, type Observable } from 'rxjs';

/** A value with the name of the stream it comes from, so that merged streams can be told apart. */
export interface Tagged<Type extends string, Value> {
  readonly type: Type;
  readonly value: Value;
}

export function tagged<Type extends string, Value>(
  type: Type,
  value$: Observable<Value>,
): Observable<Tagged<Type, Value>> {
  return value$.pipe(map((value) => ({ type, value })));
}
